/** Writes users into a new SQLite file, atomically. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { UserError } from "../../src/core/errors.js";
import { CREATE_INDEX, CREATE_USERS, type UserRow } from "./schema.js";

/** Rows of a transaction. It affects the bytes, since the file header counts transactions. */
const BATCH = 20_000;

/** Bounds the memory; more of it made nothing faster, although ids fill their index in random order. */
const CACHE_KIB = 32 * 1024;

/**
 * The bytes depend on the rows and on the version of SQLite alone. The version stands in the header (offset 96), so
 * another version of better-sqlite3 changes at least those four bytes; the counter of changes (offset 24) only
 * depends on the number of transactions.
 * @returns the size of the file in bytes
 */
export function writeUsers(rows: Iterable<UserRow>, out: string, { force }: { force: boolean }): number {
  refuseToHarm(out, force);
  const aside = `${out}.${process.pid}.partial`;
  try {
    fill(aside, rows);
    flush(aside);
    refuseToHarm(out, force);
    renameSync(aside, out);
  } finally {
    rmSync(aside, { force: true });
  }
  return statSync(out).size;
}

function refuseToHarm(out: string, force: boolean): void {
  const folder = dirname(out);
  if (!existsSync(folder)) throw new UserError(`There is no folder ${folder}; make it first.`);
  if (existsSync(out) && !force) throw new UserError(`${out} exists; give another --out, or --force to replace it.`);
  // SQLite would apply the old file's log to the new file.
  for (const log of [`${out}-wal`, `${out}-journal`]) {
    if (existsSync(log)) throw new UserError(`${log} exists: some program uses ${out}. End it, or remove both files.`);
  }
}

function fill(file: string, rows: Iterable<UserRow>): void {
  const db = new Database(file);
  try {
    db.pragma("page_size = 4096");
    db.pragma("encoding = 'UTF-8'");
    // The file is temporary, and removed after an error.
    db.pragma("journal_mode = OFF");
    db.pragma("synchronous = OFF");
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.exec(CREATE_USERS);
    insert(db, rows);
    db.exec(CREATE_INDEX);
  } finally {
    db.close();
  }
}

function insert(db: Database.Database, rows: Iterable<UserRow>): void {
  const columns = db.pragma("table_info(users)") as { name: string }[];
  const values = columns.map(({ name }) => `@${name}`).join(", ");
  const statement = db.prepare(`INSERT INTO users VALUES (${values})`);
  let inserted = 0;
  db.exec("BEGIN");
  for (const row of rows) {
    statement.run(row);
    if (++inserted % BATCH === 0) db.exec("COMMIT; BEGIN");
  }
  db.exec("COMMIT");
}

function flush(file: string): void {
  const descriptor = openSync(file, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
