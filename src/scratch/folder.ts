/** A temporary folder for what a run writes and nobody keeps. Folders that killed processes have left are removed. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { codeOf, hasCode, UserError } from "../errors.js";
import { whileUnlocked } from "../release/lock.js";
import { sha256 } from "../release/plain-files.js";

/** @param verb whose folder it is, which its name says. @throws UserError when no folder can be made. */
export async function makeScratch(verb: "build" | "diff" | "dev" | "init" | "verify" = "diff"): Promise<string> {
  await sweepTemporary();
  try {
    const folder = mkdtempSync(join(tmpdir(), `rollcall-${verb}-`));
    try {
      showInUse(folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return folder;
  } catch (cause) {
    throw new UserError(
      `The folder for temporary files, ${tmpdir()}, cannot be written to (${codeOf(cause)}); point TMPDIR at one that can.`,
      { cause },
    );
  }
}

/**
 * Removes a folder, unless it is gone. It is renamed first, because threads may still be writing to it. Its lock is given up
 * last, because other processes look into folders without one, and remove them.
 */
export function removeScratch(folder: string): void {
  const aside = `${folder}-gone`;
  if (existsSync(folder)) renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
  locks.get(folder)?.close();
  locks.delete(folder);
}

/** Turns an error about a full disk into one that people can act on; returns other errors as they are. */
export function explainRoom(error: unknown): unknown {
  const cause = error instanceof UserError ? error.cause : error;
  if (!hasCode(cause, "ENOSPC", "EDQUOT", "SQLITE_FULL")) return error;
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has too little room to compare in (${codeOf(cause)}); point TMPDIR at one with more.`,
    { cause: error },
  );
}

const A_DAY = 86_400_000;
const NAME = /^rollcall-(?:build|diff|dev|init|verify)-\w{6}(-gone)?$/;

// A lock shows that a folder is in use: when its process ends, however it ends, the system gives it up. A process id has no
// meaning in another container. The name contains the machine, since several machines may share a folder.
const SIGN = `.lock-${sha256(hostname()).slice(0, 8)}`;

/** By the folders of this process. */
const locks = new Map<string, Database.Database>();

/** Shows that a folder is in use. */
function showInUse(folder: string): void {
  // It has another name until it is locked: a sign without a lock means that its process has ended.
  const early = join(folder, ".starting");
  const lock = new Database(early);
  lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  renameSync(early, join(folder, SIGN));
  locks.set(folder, lock);
}

/** Removes this user's folders whose processes have ended. Those that cannot be read or removed stay. */
async function sweepTemporary(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) if (NAME.test(name)) await sweep(join(tmpdir(), name)).catch(() => {});
}

async function sweep(folder: string): Promise<void> {
  const found = await lstat(folder);
  // `mkdtemp` makes folders like this, in which no other user can have put anything.
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o777) !== 0o700) return;
  const sign = join(folder, SIGN);
  // Its process has ended before it could show that it uses the folder.
  if (!existsSync(sign) && Date.now() - found.mtimeMs > A_DAY) rmSync(folder, { recursive: true, force: true });
  if (!(await lstat(sign)).isFile()) return;
  const db = new Database(sign, { fileMustExist: true, timeout: 0 });
  whileUnlocked(db, () => rmSync(folder, { recursive: true, force: true }));
}
