/**
 * The lock of a folder that is published to: SQLite's lock on an empty file, which the system releases when the process ends, and
 * a file that names the holder. If the folder is shared over a network, the system may not learn that a machine has died. So the
 * holder writes that file again and again: its modification time is the last renewal, by the file system's own clock.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { hasCode, isMissing } from "../core/errors.js";
import { TARGET_LOCK, TARGET_LOCK_HOLDER } from "../core/release/layout.js";
import { isLockFile, type LockFile, takeLock } from "../core/release/lock.js";
import { type Process, readHolder, thisProcess } from "../core/release/process.js";
import { requireWritable } from "../core/release/sharing.js";
import { replaceFile } from "../core/release/writer.js";
import {
  ATTEMPTS,
  heldBy,
  isStale,
  type LockTimes,
  lostTo,
  type OnTakeOver,
  RENEW_MS,
  startRenewing,
  tookOver,
} from "./holder.js";

interface FolderLockOptions extends LockTimes {
  /** The name of the folder in messages. */
  name: string;
  now: Date;
  takeOver: boolean;
  onTakeOver: OnTakeOver;
  /** The beginning of names of temporary files in the folder, which the next run removes. */
  temporary: string;
}

/** A lock that this run holds, unless another one has taken it over. */
export interface FolderLock {
  /** @throws UserError if another run has taken the lock over. */
  requireHeld(): void;
  /** Releases the lock, and removes its files unless they are another run's. */
  release(): void;
}

/** What a run sees of a lock that another one holds. */
interface Sight {
  process: Process | undefined;
  inode: number | undefined;
  /** The time of the last renewal, in milliseconds since 1970. */
  renewed: number;
  /** Milliseconds since then, by the file system's clock. */
  ageMs: number;
}

/** Locks a folder, which it creates if needed. @throws UserError if another run holds the lock; the system's errors. */
export async function lockFolder(folder: string, options: FolderLockOptions): Promise<FolderLock> {
  const { name, takeOver, onTakeOver, temporary, checkMs = 1_000 } = options;
  mkdirSync(folder, { recursive: true });
  requireWritable(folder);
  const path = join(folder, TARGET_LOCK);
  let before: Sight | undefined;
  let taken: Sight | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const file = takeLock(path);
    if (file) {
      const lock = hold(folder, file, options);
      if (taken) {
        onTakeOver(tookOver(taken.process, taken.ageMs));
        // A holder that is still alive may be between its check and its change.
        await sleep(2 * checkMs);
      }
      return lock;
    }
    const seen = look(folder, temporary);
    if (!takeOver && !isStale(seen.ageMs)) throw heldBy(name, seen.process);
    // A new holder of the lock of a killed run has the lock before it has written its name.
    if (takeOver || before?.renewed === seen.renewed) {
      removeLock(path, seen.inode, join(folder, `${temporary}${randomUUID()}`));
      taken = seen;
    } else {
      before = seen;
      await sleep(2 * checkMs);
    }
  }
  throw heldBy(name, look(folder, temporary).process);
}

function hold(
  folder: string,
  { db, inode }: LockFile,
  { name, now, renewMs = RENEW_MS }: FolderLockOptions,
): FolderLock {
  const path = join(folder, TARGET_LOCK);
  const holder = join(folder, TARGET_LOCK_HOLDER);
  const own = thisProcess(now);
  /** The name counts, too: a server may give the number of a removed file to the next one. */
  const isHeld = () => isLockFile(path, inode) && isDeepStrictEqual(readHolder(holder) ?? own, own);
  const write = () => replaceFile(holder, JSON.stringify(own));
  try {
    write();
  } catch (error) {
    db.close();
    throw error;
  }
  const stopRenewing = startRenewing(async () => {
    if (isHeld()) write();
  }, renewMs);
  return {
    requireHeld() {
      if (!isHeld()) throw lostTo(name, readHolder(holder));
    },
    release() {
      stopRenewing();
      if (isHeld()) for (const file of [holder, path]) rmSync(file, { force: true });
      db.close();
    },
  };
}

/** Looks at a lock that another run holds. */
function look(folder: string, temporary: string): Sight {
  const holder = join(folder, TARGET_LOCK_HOLDER);
  const find = (path: string) => lstatSync(path, { throwIfNoEntry: false });
  const lock = find(join(folder, TARGET_LOCK));
  const renewed = (find(holder) ?? lock)?.mtimeMs ?? Number.NaN;
  const ageMs = timeIn(folder, temporary) - renewed;
  return { process: readHolder(holder), inode: lock?.ino, renewed, ageMs };
}

/** The file system's own time in a folder: the modification time of a file that was just written there. */
function timeIn(folder: string, temporary: string): number {
  const path = join(folder, `${temporary}${randomUUID()}`);
  const file = openSync(path, "wx");
  try {
    writeSync(file, " ");
    // A server's time is known once the bytes are there.
    fsyncSync(file);
    return fstatSync(file).mtimeMs;
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

/**
 * Removes a lock file, so that a new one can be locked. Of several runs, one gets the file by renaming it. If that was already
 * the file of a new holder, it is put back.
 */
function removeLock(path: string, inode: number | undefined, aside: string): void {
  if (inode === undefined || !isLockFile(path, inode)) return;
  try {
    renameSync(path, aside);
    if (!isLockFile(aside, inode)) linkSync(aside, path);
  } catch (error) {
    if (!isMissing(error) && !hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
