/** Opens the SQLite file of a mirror. Reads its header first, so that SQLite opens no file of another program. */
import { lstatSync, readSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, explainRefusal, hasCode, isSystemError, UserError } from "../core/errors.js";
import { closing, openPlain } from "../core/release/plain-files.js";
import { APPLICATION_ID, FORMAT, isBare, MIRROR_SQL } from "./schema.js";

/** SQLite's header: its length, its first bytes, and the offset of the application id. */
const HEADER = { bytes: 100, magic: "SQLite format 3\0", application: 68 };
/** Milliseconds to wait for another program's lock. */
const WAIT = 1000;
/** KiB of SQLite's cache: enough for the indexes of a million records. */
const CACHE = 128 * 1024;

/**
 * Opens a mirror. Without a file, or with an empty one that a killed run left, it makes the tables if `isWanted`, and otherwise
 * returns undefined. @throws UserError for a file that is not a mirror, which stays as it is.
 */
export function openMirror(path: string, isWanted: boolean): Database.Database | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !isMirror(path))
    throw new UserError(`${path} is not a mirror of Rollcall, so it was not touched; name another file.`);
  if (!stats?.size && !isWanted) return undefined;
  if (!stats) requireNoLog(path);
  const db = new Database(resolve(path), { timeout: WAIT });
  try {
    if (db.pragma("application_id", { simple: true }) === 0) makeMirror(db);
    const format = db.pragma("user_version", { simple: true });
    if (format !== FORMAT)
      throw new UserError(
        `${path} is a mirror of format ${format}, but this version needs format ${FORMAT}; name another file.`,
      );
    // Readers can go on while a mirror is updated.
    db.pragma("journal_mode = WAL");
    db.pragma(`cache_size = -${CACHE}`);
    // Tables of other programs in this file may refer to records, but must not prevent their removal.
    db.pragma("foreign_keys = OFF");
    db.pragma("journal_size_limit = 0");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes the tables of an empty file in one transaction. Another run may have made them meanwhile. */
function makeMirror(db: Database.Database): void {
  const make = () => {
    if (db.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined) return;
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}; ${MIRROR_SQL}`);
  };
  db.transaction(make).immediate();
}

function requireNoLog(path: string): void {
  for (const log of [`${path}-wal`, `${path}-journal`])
    if (lstatSync(log, { throwIfNoEntry: false }))
      throw new UserError(
        `${log} is the log of a database that no longer exists, and SQLite would remove it; move it, or name another file.`,
      );
}

/** Makes a function that tells whether a path still leads to the same file. */
export function watchFile(path: string): () => boolean {
  const { dev, ino } = lstatSync(path);
  return () => {
    const now = lstatSync(path, { throwIfNoEntry: false });
    return now?.dev === dev && now.ino === ino;
  };
}

/**
 * Removes a mirror that was never filled, under SQLite's exclusive lock: the file stays if another program has it open, has written to
 * it, or has put its own in its place. Rolls back the open transaction.
 * @param db the database, which the caller closes
 * @param isThere whether the path still leads to its file
 */
export function removeBare(db: Database.Database, path: string, isThere: () => boolean): void {
  if (db.inTransaction) db.exec("ROLLBACK");
  // SQLite would remove a log of this name.
  if (!isThere()) return;
  try {
    // Removes the log. Fails while another program has the file open.
    db.pragma("journal_mode = DELETE");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    if (codeOf(error)?.startsWith("SQLITE_")) return;
    throw error;
  }
  if (isBare(db) && isThere()) rmSync(path, { force: true });
  db.exec("ROLLBACK");
}

/** Whether a path has a mirror, or an empty file. Reads the header itself: SQLite could change another program's database. */
function isMirror(path: string): boolean {
  const file = openPlain(path);
  if (file === undefined) return false;
  return closing(file, () => {
    const header = Buffer.alloc(HEADER.bytes);
    if (readSync(file, header, 0, HEADER.bytes, 0) === 0) return true;
    const magic = header.toString("latin1", 0, HEADER.magic.length);
    return magic === HEADER.magic && header.readInt32BE(HEADER.application) === APPLICATION_ID;
  });
}

/** Runs a step on a mirror's file. Turns errors of SQLite and the system into UserErrors, see `explainUse`. */
export function using<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw explainUse(path, error);
  }
}

/** Turns an error of SQLite or the system into a UserError with advice; returns other errors as they are. */
export function explainUse(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  if (!codeOf(error)?.startsWith("SQLITE_") && !isSystemError(error)) return error;
  return new UserError(`Cannot use ${path}: ${explain(error)}, then run this again.`, { cause: error });
}

function explain(error: Error): string {
  if (hasCode(error, "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_RECOVERY"))
    return "another program is writing to it; let it finish";
  if (hasCode(error, "SQLITE_CORRUPT", "SQLITE_NOTADB"))
    return "it is damaged; remove it with its -wal and -shm, to read everything again";
  if (hasCode(error, "SQLITE_CONSTRAINT_UNIQUE"))
    return `a unique index of another program refuses a record (${error.message}); drop that index`;
  return explainRefusal(error, "another file");
}
