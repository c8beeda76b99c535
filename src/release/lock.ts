/** One writer at a time in a `dist` folder. */
import { lstatSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { codeOf, hasCode, UserError } from "../errors.js";
import { readReleaseFileSync } from "./files.js";
import { parseAs } from "./json.js";
import { LOCK, LOCK_HOLDER } from "./layout.js";
import { explainWrite } from "./refusals.js";
import { makeLockFile, requireWritable } from "./sharing.js";
import { replaceFile } from "./write.js";

/**
 * Takes the lock of `dist`, making the folder when it is not there; returns what gives it back. The lock is SQLite's
 * own on an empty file, so the system frees it the moment its process ends, however that ends: it is never stale.
 * @param what is locked by it, as messages call it.
 * @throws UserError at once when another build holds it, saying which, or when this user cannot write the folder or
 * the lock, saying whose they are; nothing has been written then.
 */
export function lockDist(dist: string, now: Date, what = dist): () => void {
  const holderFile = join(dist, LOCK_HOLDER);
  let db: Database.Database | undefined;
  try {
    mkdirSync(dist, { recursive: true });
    requireWritable(dist);
    db = openLock(join(dist, LOCK));
    db.exec("BEGIN EXCLUSIVE");
    // SQLite opens for reading what it may not write, and its lock keeps nobody out then. Only a write tells.
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

/** @throws UserError when it is not Rollcall's, or may not be written by this user. */
function openLock(path: string): Database.Database {
  makeLockFile(path);
  const stats = lstatSync(path);
  // SQLite would follow a link, and could mend what it leads to.
  if (!stats.isFile() || stats.size > 0)
    throw new UserError(`${path} is not Rollcall's, which has an empty file there; move it away.`);
  requireWritable(path);
  const db = new Database(path, { timeout: 0, fileMustExist: true });
  // Nothing is ever kept in it, and a journal beside it would only be in the way of the next one.
  db.pragma("journal_mode = MEMORY");
  return db;
}

const holderSchema = z.object({ pid: z.int(), machine: z.string(), since: z.string() });

function readHolder(file: string): string {
  let holder: z.infer<typeof holderSchema> | undefined;
  try {
    holder = parseAs(holderSchema, String(readReleaseFileSync(file)));
  } catch (error) {
    // Another user's, who lets nobody read it.
    if (codeOf(error) === undefined) throw error;
  }
  // The holder may be just about to write the file.
  return holder ? `process ${holder.pid} on ${holder.machine} since ${holder.since}` : "another process";
}
