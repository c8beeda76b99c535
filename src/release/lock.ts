/** Locks a `dist` folder, so that it has one writer at a time. */
import { lstatSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { codeOf, hasCode, UserError } from "../errors.js";
import { readReleaseFileSync } from "./files.js";
import { LOCK, LOCK_HOLDER } from "./layout.js";
import { explainWrite } from "./refusals.js";
import { makeLockFile, requireWritable } from "./sharing.js";
import { replaceFile } from "./write.js";

/**
 * SQLite's own lock on an empty file, which the system releases when the process ends, however it ends.
 * @param what how messages call the thing that is locked.
 * @returns a function that releases the lock.
 * @throws UserError at once when another process holds the lock, or this user may not write there; nothing is written then.
 */
export function lockDist(dist: string, now: Date, what = dist): () => void {
  const holderFile = join(dist, LOCK_HOLDER);
  let db: Database.Database | undefined;
  try {
    mkdirSync(dist, { recursive: true });
    requireWritable(dist);
    db = openLock(join(dist, LOCK));
    db.exec("BEGIN EXCLUSIVE");
    // SQLite opens a file that it may not write for reading, and such a lock would not exclude others. A write fails then.
    db.pragma("user_version = 1");
    replaceFile(holderFile, JSON.stringify({ pid: process.pid, machine: hostname(), since: now.toISOString() }));
  } catch (error) {
    db?.close();
    if (!hasCode(error, "SQLITE_BUSY")) throw explainWrite(dist, error);
    throw new UserError(
      `${what} is being written by ${readHolder(holderFile)}; wait until it has ended, then run this again.`,
    );
  }
  return () => db.close();
}

/** @throws UserError when the lock file is not Rollcall's, or this user may not write it. */
function openLock(path: string): Database.Database {
  makeLockFile(path);
  const stats = lstatSync(path);
  // SQLite would follow a link, and could change the file that it leads to.
  if (!stats.isFile() || stats.size > 0)
    throw new UserError(`${path} is not Rollcall's, which has an empty file there; move it away.`);
  requireWritable(path);
  const db = new Database(path, { timeout: 0, fileMustExist: true });
  // The file stays empty, and a journal file beside it would be in the way of the next lock.
  db.pragma("journal_mode = MEMORY");
  return db;
}

const holderSchema = z.object({ pid: z.int(), machine: z.string(), since: z.string() });

function readHolder(file: string): string {
  try {
    const holder = parseAs(holderSchema, String(readReleaseFileSync(file)));
    if (holder) return `process ${holder.pid} on ${holder.machine} since ${holder.since}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  // The holder may not have written the file yet, or it belongs to another user and may not be read.
  return "another process";
}
