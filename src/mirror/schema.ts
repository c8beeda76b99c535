/** The tables of a mirror: one of records and one of their digests for each listing, and one with the state of each listing. */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Contract } from "../core/contract/contract.js";
import { quoteName, quoteText, toSql } from "../core/contract/sql.js";
import { UserError } from "../core/errors.js";

/** The application id in the SQLite header of a mirror: "ROLL". */
export const APPLICATION_ID = 0x524f4c4c;
/** The format version. Increase it when the tables below change. */
export const FORMAT = 2;

export const MIRROR_TABLE = "rollcall_mirror";

/**
 * Has a row for each listing. `records` is its table, and `shape` the digest of its tables and triggers at the last commit, see
 * `shapeOf`.
 */
export const MIRROR_SQL = `CREATE TABLE ${MIRROR_TABLE} (
  name TEXT NOT NULL PRIMARY KEY,
  records TEXT NOT NULL,
  url TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  shape TEXT NOT NULL,
  contract_sha256 TEXT NOT NULL,
  contract TEXT NOT NULL
)`;

/** The name of the table that has the lines of records.sha256, in their order. */
export function listOf(table: string): string {
  return `rollcall_records_of_${table}`;
}

/** Makes the tables of a listing. @throws UserError if another program has a table or view of that name */
export function makeTables(db: Database, table: string, contract: Contract): void {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE").get(table) !== undefined)
    throw new UserError(
      `${db.name} has a table or view ${quoteName(table)} of another program; rename it, then run this again.`,
    );
  // Another listing may be named `${table}_in_order`.
  db.exec(toSql(contract, table, `rollcall_order_of_${table}`));
  db.exec(`CREATE TABLE ${quoteName(listOf(table))} (
    place BLOB NOT NULL PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL
  ) WITHOUT ROWID`);
}

/** Whether the file has nothing but the table of a mirror's state, so that nothing of other programs is lost with it. */
export function isBare(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE tbl_name <> ?").get(MIRROR_TABLE) === undefined;
}

/** Drops the tables of a listing. */
export function dropTables(db: Database, table: string): void {
  for (const one of [table, listOf(table)]) db.exec(`DROP TABLE IF EXISTS ${quoteName(one)}`);
}

/** Removes every record. Indexes that users made for queries stay. */
export function emptyTables(db: Database, table: string): void {
  for (const one of [table, listOf(table)]) db.exec(`DELETE FROM ${quoteName(one)}`);
}

/** Adds triggers that prevent every change of records. */
export function lockTables(db: Database, table: string): void {
  const why = quoteText('this table is a mirror, which only "rollcall mirror" changes');
  for (const [event, one, trigger] of triggersOf(table))
    db.exec(`CREATE TRIGGER ${trigger} BEFORE ${event} ON ${one} BEGIN SELECT RAISE(ABORT, ${why}); END`);
}

/** Removes these triggers. Within a transaction, other programs still see the tables with them. */
export function unlockTables(db: Database, table: string): void {
  for (const [, , trigger] of triggersOf(table)) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
}

function triggersOf(table: string): [event: string, table: string, trigger: string][] {
  return [table, listOf(table)].flatMap((one) =>
    ["insert", "update", "delete"].map((event): [string, string, string] => {
      return [event, quoteName(one), quoteName(`rollcall_keeps_${one}_from_${event}`)];
    }),
  );
}

/** A digest of the tables, triggers and unique indexes. If it is unchanged, no other program has changed a record. */
export function shapeOf(db: Database, table: string): string {
  const rows = db
    .prepare<[string, string], string>(
      `SELECT json_array(type, name, sql) FROM sqlite_schema
        WHERE tbl_name COLLATE NOCASE IN (?, ?) AND (type <> 'index' OR sql LIKE 'CREATE UNIQUE%')
        ORDER BY type, name`,
    )
    .pluck()
    .all(table, listOf(table));
  return createHash("sha256").update(rows.join("\n")).digest("hex");
}
