/**
 * Locks: one writer at a time for a `dist` or a publish target, and no removal of releases while one is published.
 * Each lock is SQLite's own lock on an empty file. The system releases it when the process ends, even if it is killed.
 */
import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { codeOf, hasCode, UserError } from "../errors.js";
import { LOCK, LOCK_HOLDER, READERS, TARGET_LOCK, TARGET_LOCK_HOLDER } from "./layout.js";
import { readPlain } from "./plain-files.js";
import { explainWrite } from "./refusals.js";
import { makeLockFile, requireWritable } from "./sharing.js";
import { replaceFile } from "./writer.js";

/**
 * Locks `dist` for writing.
 * @returns a function that releases the lock.
 * @throws UserError at once if another process holds the lock, or this user may not write there. Nothing is written then.
 */
export function lockDist(dist: string, now: Date): () => void {
  try {
    const db = lock(dist, { file: LOCK, holder: LOCK_HOLDER }, now, dist);
    return () => db.close();
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

/** Locks a folder for publishing, as `lockDist` does. Releasing the lock removes its files. @throws UserError, and the system's errors. */
export function lockTarget(folder: string, now: Date, what: string): () => void {
  const db = lock(folder, { file: TARGET_LOCK, holder: TARGET_LOCK_HOLDER }, now, what);
  return () => {
    for (const name of [TARGET_LOCK_HOLDER, TARGET_LOCK]) rmSync(join(folder, name), { force: true });
    db.close();
  };
}

/** @param what the name of the locked thing in messages. */
function lock(folder: string, names: { file: string; holder: string }, now: Date, what: string): Database.Database {
  const path = join(folder, names.file);
  const holder = join(folder, names.holder);
  let db: Database.Database | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    requireWritable(folder);
    let inode: number;
    ({ db, inode } = openLock(path));
    db.exec("BEGIN EXCLUSIVE");
    // SQLite opens a read-only file for reading, and a lock on it would not exclude others. This write fails in that case.
    db.pragma("user_version = 1");
    // A previous holder may have removed the file after it was opened here, and another run may hold a new one.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino !== inode) throw isHeld(what, holder);
    replaceFile(holder, JSON.stringify(thisProcess(now)));
    return db;
  } catch (error) {
    db?.close();
    throw hasCode(error, "SQLITE_BUSY") ? isHeld(what, holder) : error;
  }
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
 * @returns also its inode. If the path has another inode later, the open file was removed.
 * @throws UserError if the lock file is not Rollcall's, or this user may not write it.
 */
function openLock(path: string): { db: Database.Database; inode: number } {
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

/** A process that holds a lock. */
export const processSchema = z.object({ pid: z.int(), machine: z.string(), since: z.string() });

/** Describes this process, as the holder of a lock since `now`. */
export function thisProcess(now: Date): z.infer<typeof processSchema> {
  return { pid: process.pid, machine: hostname(), since: now.toISOString() };
}

/** Words for a process in messages. */
export function describeProcess({ pid, machine, since }: z.infer<typeof processSchema>): string {
  return `process ${pid} on ${machine} since ${since}`;
}

function isHeld(what: string, holder: string): UserError {
  return new UserError(
    `${what} is being written by ${readHolder(holder)}; wait until it has ended, then run this again.`,
  );
}

function readHolder(file: string): string {
  try {
    const holder = parseAs(processSchema, String(readPlain(file)));
    if (holder) return describeProcess(holder);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  // The holder has not written the file yet, or this user may not read it.
  return "another process";
}
