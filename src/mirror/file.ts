/** Opens and creates the SQLite file of a mirror. Checks the header first, so that SQLite opens no other file. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, explainRefusal, hasCode, isSystemError, UserError } from "../errors.js";
import { APPLICATION_ID, FORMAT, MIRROR_SQL } from "./schema.js";

/** SQLite's header: its length, its first bytes, and the offset of the application id. */
const HEADER = { bytes: 100, magic: "SQLite format 3\0", application: 68 };
/** Milliseconds to wait for another program's lock. */
const WAIT = 1000;
/** Random bytes in the temporary name of a new mirror. */
const ASIDE_BYTES = 6;
/** KiB of SQLite's cache: enough for the indexes of a million records. */
const CACHE = 128 * 1024;

/** Opens a mirror; undefined if the file does not exist. @throws UserError for a file that is not a mirror, which stays as it is. */
export function openMirror(path: string): Database.Database | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  requireMirror(path, stats);
  const db = new Database(resolve(path), { fileMustExist: true, timeout: WAIT });
  try {
    const format = db.pragma("user_version", { simple: true });
    if (format !== FORMAT || db.pragma("application_id", { simple: true }) !== APPLICATION_ID)
      throw new UserError(
        `${path} is a mirror of format ${format}, but this version needs format ${FORMAT}; name another file.`,
      );
    db.pragma(`cache_size = -${CACHE}`);
    // Tables of other programs in this file may refer to records, but must not prevent their removal.
    db.pragma("foreign_keys = OFF");
    db.pragma("journal_size_limit = 0");
    removeLeftovers(path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Creates an empty mirror, atomically, and opens it. */
export function createMirror(path: string): Database.Database {
  for (const log of [`${path}-wal`, `${path}-journal`])
    if (lstatSync(log, { throwIfNoEntry: false }))
      throw new UserError(
        `${log} is the log of a database that no longer exists, and SQLite would apply it to the new one; remove it, or name another file.`,
      );
  const aside = `${path}.rollcall-${randomBytes(ASIDE_BYTES).toString("hex")}`;
  try {
    const db = new Database(resolve(aside), { timeout: WAIT });
    try {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}; ${MIRROR_SQL}`);
      // Readers can go on while a mirror is updated.
      db.pragma("journal_mode = WAL");
    } finally {
      db.close();
    }
    placeFile(aside, path);
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(aside + end, { force: true });
  }
  const made = openMirror(path);
  if (made) return made;
  throw new UserError(
    `${path} was removed as soon as it was made; make sure that no other program uses it, then run this again.`,
  );
}

/** Removes temporary files of runs that were killed while they created this mirror. A run that is creating it now finds it made. */
function removeLeftovers(path: string): void {
  const begin = `${basename(path)}.rollcall-`;
  const ending = new RegExp(`^[0-9a-f]{${2 * ASIDE_BYTES}}(-wal|-shm|-journal)?$`);
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(begin) && ending.test(name.slice(begin.length)))
      rmSync(join(dirname(path), name), { force: true });
}

/** Makes a function that tells whether a path still leads to the same file. */
export function watchFile(path: string): () => boolean {
  const { dev, ino } = lstatSync(path);
  return () => {
    const now = lstatSync(path, { throwIfNoEntry: false });
    return now?.dev === dev && now.ino === ino;
  };
}

/** Gives a new file its name, without replacing an existing file. */
function placeFile(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOENT") && lstatSync(path, { throwIfNoEntry: false })) return;
    if (!hasCode(error, "EPERM", "ENOTSUP", "ENOSYS", "EMLINK")) throw error;
    // The file system has no hard links.
    if (!lstatSync(path, { throwIfNoEntry: false })) renameSync(aside, path);
  }
}

/** @throws UserError for a file that is not a mirror. */
function requireMirror(path: string, stats: Stats): void {
  const refuse = (what: string) =>
    new UserError(`${path} is ${what}, not a mirror of Rollcall, so it was not touched; name another file.`);
  if (stats.isSymbolicLink()) throw refuse("a symbolic link");
  if (!stats.isFile()) throw refuse(stats.isDirectory() ? "a folder" : "a device or pipe");
  const header = Buffer.alloc(HEADER.bytes);
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    readSync(file, header, 0, HEADER.bytes, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, HEADER.magic.length) !== HEADER.magic)
    throw refuse(stats.size === 0 ? "empty (0 bytes)" : "a file of another kind");
  if (header.readInt32BE(HEADER.application) !== APPLICATION_ID) throw refuse("another database");
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
