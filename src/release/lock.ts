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
 * Takes the lock of `dist`, and makes the folder if necessary. The lock is SQLite's own lock on an empty file, which the
 * system releases when the process ends, however it ends. So the lock is never stale.
 * @param what how messages call the thing that is locked.
 * @returns a function that releases the lock.
 * @throws UserError at once when another process holds the lock, or when this user may not write the folder or the lock
 * file; nothing has been written then.
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
    const holder = { pid: process.pid, machine: hostname(), since: now.toISOString() };
    replaceFile(holderFile, JSON.stringify(holder));
  } catch (error) {
    db?.close();
    if (hasCode(error, "SQLITE_BUSY")) {
      throw new UserError(
        `${what} is being written by ${readHolder(holderFile)}; wait until it has ended, then run this again.`,
      );
    }
    throw explainWrite(dist, error);
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
  let holder: z.infer<typeof holderSchema> | undefined;
  try {
    holder = parseAs(holderSchema, String(readReleaseFileSync(file)));
  } catch (error) {
    // It belongs to another user and may not be read.
    if (codeOf(error) === undefined) throw error;
  }
  // The holder may not have written the file yet.
  return holder ? `process ${holder.pid} on ${holder.machine} since ${holder.since}` : "another process";
}
