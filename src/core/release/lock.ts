/**
 * Locks: one writer at a time for a `dist` or a publish target, and no removal of releases while one is published.
 * Each lock is SQLite's own lock on an empty file. The system releases it when the process ends, even if it is killed.
 */
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { codeOf, hasCode, UserError } from "../errors.js";
import { LOCK, LOCK_HOLDER, READERS } from "./layout.js";
import { describeProcess, readHolder, thisProcess } from "./process.js";
import { explainWrite } from "./refusals.js";
import { makeLockFile, requireWritable } from "./sharing.js";
import { replaceFile } from "./writer.js";

/**
 * Locks `dist` for writing.
 * @returns a function that releases the lock.
 * @throws UserError at once if another process holds the lock, or this user may not write there. Nothing is written then.
 */
export function lockDist(dist: string, now: Date): () => void {
  const holder = join(dist, LOCK_HOLDER);
  try {
    mkdirSync(dist, { recursive: true });
    requireWritable(dist);
    const own = takeLock(join(dist, LOCK));
    if (!own) {
      const other = readHolder(holder);
      const who = other ? describeProcess(other) : "another process";
      throw new UserError(`${dist} is being written by ${who}; wait until it has ended, then run this again.`);
    }
    try {
      replaceFile(holder, JSON.stringify(thisProcess(now)));
    } catch (error) {
      own.db.close();
      throw error;
    }
    return () => own.db.close();
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

/** An open lock file. If its path has another inode, the open file was removed. */
export interface LockFile {
  db: Database.Database;
  inode: number;
}

/** Takes the exclusive lock of a file, which it creates if needed. @returns undefined if another process holds it. @throws as `openLock` does. */
export function takeLock(path: string): LockFile | undefined {
  let file: LockFile | undefined;
  try {
    file = openLock(path);
    file.db.exec("BEGIN EXCLUSIVE");
    // SQLite opens a read-only file for reading, and a lock on it would not exclude others. This write fails in that case.
    file.db.pragma("user_version = 1");
  } catch (error) {
    file?.db.close();
    if (hasCode(error, "SQLITE_BUSY")) return undefined;
    throw error;
  }
  if (isLockFile(path, file.inode)) return file;
  // A previous holder has removed the file after it was opened here, and another run may hold a new one.
  file.db.close();
  return takeLock(path);
}

/** Whether a lock file is still the one that was opened. */
export function isLockFile(path: string, inode: number): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
}

/** Prevents `removeUnheld` from removing releases of `dist` until the returned function is called. Several processes may do so at once. */
export function holdReleases(dist: string): () => void {
  let db: Database.Database | undefined;
  try {
    ({ db } = openLock(join(dist, READERS)));
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  } catch (error) {
    db?.close();
    if (hasCode(error, "SQLITE_BUSY"))
      throw new UserError(`Releases in ${dist} are being removed; run this again.`, { cause: error });
    // A user who cannot write the folder can still read a release, without this lock.
    if (!(error instanceof UserError) && codeOf(error) === undefined) throw error;
  }
  return () => db?.close();
}

/** Runs a step that removes releases of `dist`, unless a process holds them with `holdReleases`. @returns whether the step ran. */
export function removeUnheld(dist: string, step: () => void): boolean {
  return whileUnlocked(openLock(join(dist, READERS)).db, step);
}

/** Runs a step with the exclusive lock of a database, then closes the database. @returns false, without running the step, if another connection holds the lock. */
export function whileUnlocked(db: Database.Database, step: () => void): boolean {
  try {
    db.exec("BEGIN EXCLUSIVE");
    step();
    return true;
  } catch (error) {
    if (hasCode(error, "SQLITE_BUSY")) return false;
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Opens a lock file, and creates it if needed.
 * @throws UserError if the lock file is not Rollcall's, or this user may not write it.
 */
function openLock(path: string): LockFile {
  makeLockFile(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // The previous holder has just removed it.
  if (!stats) return openLock(path);
  // SQLite would follow a link, and could change the file behind it.
  if (!stats.isFile() || stats.size > 0)
    throw new UserError(`${path} is not a lock file of Rollcall, which is empty; move it away.`);
  let db: Database.Database;
  try {
    requireWritable(path);
    db = new Database(path, { timeout: 0, fileMustExist: true });
  } catch (error) {
    // The previous holder may have removed it meanwhile.
    if (existsSync(path)) throw error;
    return openLock(path);
  }
  // Keeps the file empty, and creates no journal file beside it, which would block the next lock.
  db.pragma("journal_mode = MEMORY");
  return { db, inode: stats.ino };
}
