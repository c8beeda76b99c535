/** The tables of a mirror: the contract's table of records, and Rollcall's own, with the list of records and the mirror's state. */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { quoteName, quoteText, toSql } from "../contract/sql.js";
import { UserError } from "../errors.js";

/** The application id in the SQLite header of a mirror: "ROLL". */
export const APPLICATION_ID = 0x524f4c4c;
/** The format version. Increase it when the tables below change. */
export const FORMAT = 1;

export const MIRROR_TABLE = "rollcall_mirror";
export const RECORDS_TABLE = "rollcall_records";

/** Has one row once the mirror was filled. `shape` is the digest of tables and triggers at the last commit, see `shapeOf`. */
export const MIRROR_SQL = `CREATE TABLE ${MIRROR_TABLE} (
  is_writing INTEGER NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  tag TEXT,
  shape TEXT NOT NULL,
  contract_sha256 TEXT NOT NULL,
  contract TEXT NOT NULL
)`;

/** The lines of records.sha256, in its order. */
const RECORDS_SQL = `CREATE TABLE ${RECORDS_TABLE} (
  place BLOB NOT NULL PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL
) WITHOUT ROWID`;

/** The name of the table of records. @throws UserError for a name that SQLite or Rollcall reserves. */
export function tableFor({ listing }: Contract): string {
  const [, many] = listing.words;
  if (!/^(?:sqlite|rollcall)_/i.test(many)) return many;
  throw new UserError(
    `The contract's x-listing.words name the mirror's table ${quoteName(many)}, but names that begin with sqlite_ or rollcall_ are reserved; this listing cannot be mirrored.`,
  );
}

/** Makes the tables of a contract, replacing those of the previous contract. */
export function makeTables(db: Database, contract: Contract, before: Contract | undefined): void {
  if (before) db.exec(`DROP TABLE IF EXISTS ${quoteName(tableFor(before))}`);
  db.exec(`DROP TABLE IF EXISTS ${RECORDS_TABLE}`);
  const table = tableFor(contract);
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE").get(table) !== undefined)
    throw new UserError(
      `${db.name} has a table ${quoteName(table)} of another program; rename it, then run this again.`,
    );
  db.exec(`${toSql(contract)};${RECORDS_SQL}`);
}

/** Removes every record. Indexes that users made for queries stay. */
export function emptyTables(db: Database, contract: Contract): void {
  for (const name of guarded(contract)) {
    for (const event of EVENTS) db.exec(`DROP TRIGGER IF EXISTS ${quoteName(triggerOf(name, event))}`);
    db.exec(`DELETE FROM ${quoteName(name)}`);
  }
}

const EVENTS = ["insert", "update", "delete"] as const;

/** Adds triggers that prevent other programs from changing records. */
export function guardTables(db: Database, contract: Contract): void {
  const why = quoteText('this table is a mirror, which only "rollcall mirror" changes');
  for (const name of guarded(contract))
    for (const event of EVENTS)
      db.exec(`CREATE TRIGGER IF NOT EXISTS ${quoteName(triggerOf(name, event))} BEFORE ${event} ON ${quoteName(name)}
        WHEN (SELECT is_writing FROM ${MIRROR_TABLE}) IS NOT 1 BEGIN SELECT RAISE(ABORT, ${why}); END`);
}

function guarded(contract: Contract): string[] {
  return [tableFor(contract), RECORDS_TABLE];
}

function triggerOf(name: string, event: string): string {
  return `rollcall_keeps_${name === RECORDS_TABLE ? "list" : "records"}_from_${event}`;
}

/** A digest of the tables, triggers and unique indexes. If it is unchanged, no other program has changed a record. */
export function shapeOf(db: Database, contract: Contract): string {
  const rows = db
    .prepare<[string, string], string>(
      `SELECT json_array(type, name, sql) FROM sqlite_schema
        WHERE tbl_name COLLATE NOCASE IN (?, ?, '${MIRROR_TABLE}') AND (type <> 'index' OR sql LIKE 'CREATE UNIQUE%')
        ORDER BY type, name`,
    )
    .pluck()
    .all(tableFor(contract), RECORDS_TABLE);
  return createHash("sha256").update(rows.join("\n")).digest("hex");
}
