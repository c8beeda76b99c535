/** Temporary directories of runs. Removes those that killed processes have left. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { codeOf, hasCode, UserError } from "../errors.js";
import { whileUnlocked } from "../release/lock.js";
import { sha256 } from "../release/plain-files.js";

/** Makes a temporary directory. @param verb the command that uses it, for its name. @throws UserError if it cannot. */
export async function makeScratch(verb: "build" | "diff" | "dev" | "init" | "verify"): Promise<string> {
  await removeStale();
  try {
    const folder = mkdtempSync(join(tmpdir(), `rollcall-${verb}-`));
    try {
      lockInUse(folder);
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
 * Removes a temporary directory, if it still exists. Renames it first, since threads may still be writing to it. Releases its
 * lock last, since other processes remove directories without one.
 */
export function removeScratch(folder: string): void {
  const aside = `${folder}-gone`;
  if (existsSync(folder)) renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
  locks.get(folder)?.close();
  locks.delete(folder);
}

/** Turns an error about a full disk, or a limit of file sizes, into one about temporary files; returns other errors as they are. */
export function explainTemporary(error: unknown): unknown {
  const cause = error instanceof UserError ? error.cause : error;
  return hasCode(cause, "ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL", "SQLITE_IOERR_WRITE") ? lackOfRoom(cause) : error;
}

/** The error for a folder of temporary files that is full. */
export function lackOfRoom(cause: unknown): UserError {
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has too little room (${codeOf(cause)}); point TMPDIR at one with more.`,
    { cause },
  );
}

const DAY_MS = 86_400_000;
const NAME = /^rollcall-(?:build|diff|dev|init|verify)-\w{6}(-gone)?$/;

// A lock shows that a directory is in use. The system releases it when the process ends, even if it is killed. A process id
// would mean nothing in another container. The name contains the machine, since machines may share a temporary directory.
const LOCK_FILE = `.lock-${sha256(hostname()).slice(0, 8)}`;

/** The locks of this process, by directory. */
const locks = new Map<string, Database.Database>();

// An error can end the process at once, such as a failed write to a stream.
process.on("exit", () => {
  for (const folder of locks.keys()) removeScratch(folder);
});

/** Locks a directory to show that it is in use. */
function lockInUse(folder: string): void {
  // The file gets its name once it is locked: a lock file without a lock means that its process has ended.
  const early = join(folder, ".starting");
  const lock = new Database(early);
  lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  renameSync(early, join(folder, LOCK_FILE));
  locks.set(folder, lock);
}

/** Removes this user's directories whose processes have ended. Ignores those that cannot be read or removed. */
async function removeStale(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) if (NAME.test(name)) await removeIfStale(join(tmpdir(), name)).catch(() => {});
}

async function removeIfStale(folder: string): Promise<void> {
  const found = await lstat(folder);
  // Only directories as `mkdtemp` makes them, which no other user can write to.
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o777) !== 0o700) return;
  const lockFile = join(folder, LOCK_FILE);
  // The process ended before it made the lock file.
  if (!existsSync(lockFile) && Date.now() - found.mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true });
  if (!(await lstat(lockFile)).isFile()) return;
  const db = new Database(lockFile, { fileMustExist: true, timeout: 0 });
  whileUnlocked(db, () => rmSync(folder, { recursive: true, force: true }));
}
