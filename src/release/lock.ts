/** One writer at a time in a `dist` folder. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, UserError } from "../errors.js";
import { LOCK, LOCK_HOLDER } from "./layout.js";
import { explainWrite } from "./refusals.js";

/**
 * Takes the lock of `dist`, making the folder when it is not there; returns what gives it back. The lock is SQLite's
 * own on an empty file, so the system frees it the moment its process ends, however that ends: it is never stale.
 * @param what is locked by it, as messages call it.
 * @throws UserError at once when another build holds it, saying which, or when the folder cannot be written.
 */
export function lockDist(dist: string, now: Date, what = dist): () => void {
  const holderFile = join(dist, LOCK_HOLDER);
  let db: Database.Database | undefined;
  try {
    mkdirSync(dist, { recursive: true });
    db = new Database(resolve(dist, LOCK), { timeout: 0 });
    db.exec("BEGIN EXCLUSIVE");
    writeFileSync(
      holderFile,
      JSON.stringify({ pid: process.pid, machine: hostname(), since: now.toISOString() }),
    );
  } catch (error) {
    db?.close();
    const code = codeOf(error);
    if (code === "SQLITE_BUSY") {
      throw new UserError(
        `${what} is being written by ${readHolder(holderFile)}; wait until it has ended, then run this again.`,
      );
    }
    if (code === "SQLITE_NOTADB")
      throw new UserError(`${join(dist, LOCK)} is not Rollcall's; move it away.`, { cause: error });
    throw explainWrite(dist, error);
  }
  return () => db.close();
}

function readHolder(file: string): string {
  try {
    const { pid, machine, since } = JSON.parse(readFileSync(file, "utf8"));
    return `process ${pid} on ${machine} since ${since}`;
  } catch (error) {
    // The holder may be just about to write the file.
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return "another process";
    throw error;
  }
}
