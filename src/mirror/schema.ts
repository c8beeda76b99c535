/** The tables of a mirror: that of the contract, and Rollcall's own, which keep what the records are called and who may write. */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { quoteName, quoteText, toUncheckedSql } from "../contract/sql.js";
import { UserError } from "../errors.js";

/** "ROLL": what SQLite's header says of a file that is a mirror. */
export const APPLICATION_ID = 0x524f4c4c;
/** Moves when the tables below do. */
export const FORMAT = 1;

export const MIRROR_TABLE = "rollcall_mirror";
export const RECORDS_TABLE = "rollcall_records";

/** One row, once the mirror was filled. `shape` says which tables and triggers there were when it was committed. */
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

/** Names and digests as records.sha256 has them, in its order. */
const RECORDS_SQL = `CREATE TABLE ${RECORDS_TABLE} (
  place BLOB NOT NULL PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL
) WITHOUT ROWID`;

/** The name of the table that holds the records. @throws UserError for one that SQLite, or Rollcall, keeps for itself. */
export function tableFor({ listing }: Contract): string {
  const [, many] = listing.words;
  if (!/^(?:sqlite|rollcall)_/i.test(many)) return many;
  throw new UserError(
    `A mirror would have a table ${quoteName(many)}, as x-listing.words of the contract says, and names that begin so are kept; mirror a listing with another word for its records.`,
  );
}

/** Makes the tables of a contract, in place of those of the contract before. */
export function makeTables(db: Database, contract: Contract, before: Contract | undefined): void {
  if (before) db.exec(`DROP TABLE IF EXISTS ${quoteName(tableFor(before))}`);
  db.exec(`DROP TABLE IF EXISTS ${RECORDS_TABLE}`);
  const table = tableFor(contract);
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE").get(table) !== undefined)
    throw new UserError(
      `${db.name} has a table ${quoteName(table)} that is not Rollcall's; rename it, then run this again.`,
    );
  db.exec(`${toUncheckedSql(contract)};${RECORDS_SQL}`);
}

/** Removes every record. An index that somebody made for queries stays. */
export function emptyTables(db: Database, contract: Contract): void {
  for (const name of guarded(contract)) {
    for (const event of EVENTS) db.exec(`DROP TRIGGER IF EXISTS ${quoteName(triggerOf(name, event))}`);
    db.exec(`DELETE FROM ${quoteName(name)}`);
  }
}

const EVENTS = ["insert", "update", "delete"] as const;

/** From now on, nobody else changes a record: no statement of another program has any effect on these tables. */
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

/** A digest of all that could change a record besides Rollcall, or keep it from being changed. */
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
