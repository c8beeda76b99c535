/** The file of a mirror: found by what its first bytes say, so that no other file is ever opened by SQLite, and made whole. */
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

/** SQLite's header: what it begins with, and where the program that the file is of is named. */
const HEADER = { bytes: 100, magic: "SQLite format 3\0", application: 68 };
/** Milliseconds to wait for somebody who is just ending. */
const WAIT = 1000;
/** Random bytes in the name of a mirror that is being made. */
const ASIDE_BYTES = 6;
/** Of SQLite's pages in memory, in kibibytes: enough for the indexes of a million records. */
const CACHE = 128 * 1024;

/** Opens a mirror; undefined where there is no file. @throws UserError for a file that is no mirror, which is not touched. */
export function openMirror(path: string): Database.Database | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  requireMirror(path, stats);
  const db = new Database(resolve(path), { fileMustExist: true, timeout: WAIT });
  try {
    const format = db.pragma("user_version", { simple: true });
    if (format !== FORMAT || db.pragma("application_id", { simple: true }) !== APPLICATION_ID)
      throw new UserError(
        `${path} is a mirror of format ${format}, and this version has ${FORMAT}; name another file.`,
      );
    db.pragma(`cache_size = -${CACHE}`);
    // What others have in this file may refer to records, and is no reason to keep one.
    db.pragma("foreign_keys = OFF");
    db.pragma("journal_size_limit = 0");
    removeLeft(path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes a mirror that was never filled, and opens it. The file appears when it is one. */
export function createMirror(path: string): Database.Database {
  for (const log of [`${path}-wal`, `${path}-journal`])
    if (lstatSync(log, { throwIfNoEntry: false }))
      throw new UserError(
        `${log} is there, the log of a database that is gone, which SQLite would take for the new one's; remove it, or name another file.`,
      );
  const aside = `${path}.rollcall-${randomBytes(ASIDE_BYTES).toString("hex")}`;
  try {
    const db = new Database(resolve(aside), { timeout: WAIT });
    try {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}; ${MIRROR_SQL}`);
      // Whoever reads goes on while a mirror is brought up to date.
      db.pragma("journal_mode = WAL");
    } finally {
      db.close();
    }
    place(aside, path);
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(aside + end, { force: true });
  }
  const made = openMirror(path);
  if (made) return made;
  throw new UserError(`${path} was removed as soon as it was made; let one program have it, then run this again.`);
}

/** Removes what runs left that were killed while they made this mirror. One that is making it now finds it made. */
function removeLeft(path: string): void {
  const begin = `${basename(path)}.rollcall-`;
  const ending = new RegExp(`^[0-9a-f]{${2 * ASIDE_BYTES}}(-wal|-shm|-journal)?$`);
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(begin) && ending.test(name.slice(begin.length)))
      rmSync(join(dirname(path), name), { force: true });
}

/** Tells, when it is asked later, whether a path is still that of the same file. */
export function watchFile(path: string): () => boolean {
  const { dev, ino } = lstatSync(path);
  return () => {
    const now = lstatSync(path, { throwIfNoEntry: false });
    return now?.dev === dev && now.ino === ino;
  };
}

/** Never over a file that is there. */
function place(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOENT") && lstatSync(path, { throwIfNoEntry: false })) return;
    if (!hasCode(error, "EPERM", "ENOTSUP", "ENOSYS", "EMLINK")) throw error;
    // Some file systems have no links.
    if (!lstatSync(path, { throwIfNoEntry: false })) renameSync(aside, path);
  }
}

function requireMirror(path: string, stats: Stats): void {
  const refuse = (what: string) =>
    new UserError(`${path} is ${what}, not a mirror of Rollcall's, and is left as it is; name another file.`);
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

/** Runs a step on the file; SQLite's errors, and the system's, become one line that a person can act on. */
export function using<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw explainUse(path, error);
  }
}

/** Any other error as it is. */
export function explainUse(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  if (!codeOf(error)?.startsWith("SQLITE_") && !isSystemError(error)) return error;
  return new UserError(`Cannot use ${path}: ${explain(error)}, then run this again.`, { cause: error });
}

function explain(error: Error): string {
  if (hasCode(error, "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_RECOVERY"))
    return "another program is writing to it; let that finish";
  if (hasCode(error, "SQLITE_CORRUPT", "SQLITE_NOTADB"))
    return "it is damaged; remove it with its -wal and -shm, since all of it can be read anew";
  if (hasCode(error, "SQLITE_CONSTRAINT_UNIQUE"))
    return `a unique index that somebody made refuses a record (${error.message}); drop that index`;
  return explainRefusal(error, "another file");
}
