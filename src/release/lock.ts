/**
 * Locks. A `dist` or a folder that is published to has one writer at a time, and a release stays while it is published.
 * Each is SQLite's own lock on an empty file, which the system releases when the process ends, however it ends.
 */
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { codeOf, hasCode, UserError } from "../errors.js";
import { LOCK, LOCK_HOLDER, READERS, TARGET_LOCK, TARGET_LOCK_HOLDER } from "./layout.js";
import { readReleaseFileSync } from "./plain-files.js";
import { explainWrite } from "./refusals.js";
import { makeLockFile, requireWritable } from "./sharing.js";
import { replaceFile } from "./writer.js";

/**
 * @param what how messages call the thing that is locked.
 * @returns a function that releases the lock.
 * @throws UserError at once if another process holds the lock, or this user may not write there. Nothing is written then.
 */
export function lockDist(dist: string, now: Date, what = dist): () => void {
  try {
    const db = lock(dist, { file: LOCK, holder: LOCK_HOLDER }, now, what);
    return () => db.close();
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

/** Locks a folder that is published to, as `lockDist` does, and leaves nothing there. @throws also the system's errors. */
export function lockTarget(folder: string, now: Date, what: string): () => void {
  const db = lock(folder, { file: TARGET_LOCK, holder: TARGET_LOCK_HOLDER }, now, what);
  return () => {
    for (const name of [TARGET_LOCK_HOLDER, TARGET_LOCK]) rmSync(join(folder, name), { force: true });
    db.close();
  };
}

function lock(folder: string, names: { file: string; holder: string }, now: Date, what: string): Database.Database {
  const [path, holder] = [join(folder, names.file), join(folder, names.holder)];
  let db: Database.Database | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    requireWritable(folder);
    let inode: number;
    ({ db, inode } = openLock(path));
    db.exec("BEGIN EXCLUSIVE");
    // SQLite opens a read-only file for reading, and such a lock would not exclude others. This write fails then.
    db.pragma("user_version = 1");
    // A holder that ended meanwhile has removed its file, and another run may hold a new one.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino !== inode) throw isHeld(what, holder);
    replaceFile(holder, JSON.stringify({ pid: process.pid, machine: hostname(), since: now.toISOString() }));
    return db;
  } catch (error) {
    db?.close();
    throw hasCode(error, "SQLITE_BUSY") ? isHeld(what, holder) : error;
  }
}

/** Keeps `removeUnheld` from removing releases of `dist` until the returned function is called. Several processes may hold them. */
export function holdReleases(dist: string): () => void {
  let db: Database.Database | undefined;
  try {
    ({ db } = openLock(join(dist, READERS)));
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  } catch (error) {
    db?.close();
    if (hasCode(error, "SQLITE_BUSY"))
      throw new UserError(`Releases in ${dist} are being removed; run this again.`, { cause: error });
    // A folder that this user cannot write can still be read.
    if (!(error instanceof UserError) && codeOf(error) === undefined) throw error;
  }
  return () => db?.close();
}

/** Runs a step that removes releases of `dist`, unless a process holds them. @returns whether it was run. */
export function removeUnheld(dist: string, step: () => void): boolean {
  return whileUnlocked(openLock(join(dist, READERS)).db, step);
}

/** Runs a step while it holds the lock of a database, which it closes. @returns false if another connection holds the lock. */
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
 * @returns also the inode from right before the file was opened. If the path has another one later, the open file was removed.
 * @throws UserError if the lock file is not Rollcall's, or this user may not write it.
 */
function openLock(path: string): { db: Database.Database; inode: number } {
  makeLockFile(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // A holder that has just ended has removed it.
  if (!stats) return openLock(path);
  // SQLite would follow a link, and could change the file that it leads to.
  if (!stats.isFile() || stats.size > 0)
    throw new UserError(`${path} is not Rollcall's, which has an empty file there; move it away.`);
  requireWritable(path);
  const db = new Database(path, { timeout: 0, fileMustExist: true });
  // Keeps the file empty, without a journal file beside it, which would be in the way of the next lock.
  db.pragma("journal_mode = MEMORY");
  return { db, inode: stats.ino };
}

const holderSchema = z.object({ pid: z.int(), machine: z.string(), since: z.string() });

function isHeld(what: string, holder: string): UserError {
  return new UserError(
    `${what} is being written by ${readHolder(holder)}; wait until it has ended, then run this again.`,
  );
}

function readHolder(file: string): string {
  try {
    const holder = parseAs(holderSchema, String(readReleaseFileSync(file)));
    if (holder) return `process ${holder.pid} on ${holder.machine} since ${holder.since}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  // The holder may not have written the file yet, or it belongs to another user and cannot be read.
  return "another process";
}
