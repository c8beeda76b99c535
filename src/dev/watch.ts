/**
 * Detects changes of files by polling with `stat`, which works for every writer and file system. The system's notifications
 * miss changes from other machines, and of some writers.
 */
import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "../errors.js";
import { isSameFile, isUnwritten } from "../source/stats.js";

/** An input file of a release, whether it exists or not. */
export interface Watched {
  path: string;
  isDatabase: boolean;
}

/** The `stat` of each file at one time, and of the log and journal of a database. */
export type FileStats = ReadonlyMap<Watched, readonly (BigIntStats | undefined)[]>;

/** Milliseconds between two polls. A writer that has paused for this long counts as done. */
const PAUSE_MS = 200;
/** Maximum polls to wait for a writer that does not pause. */
const MOST_POLLS = 10;

/** Suffixes of a database's log, which may have commits that the file does not, and of its journal, which exists during a commit. */
const BESIDE = ["-wal", "-journal"];

/** Reads the `stat` of files, any of which may be missing. Opens none: closing a database's file would release SQLite's locks. */
export async function readStats(files: Iterable<Watched>): Promise<FileStats> {
  const reads = [...files].map(async (file) => {
    const beside = file.isDatabase ? await findBeside(file.path) : [];
    return [file, [await find(file.path), ...beside]] as const;
  });
  return new Map(await Promise.all(reads));
}

/**
 * Waits until files have changed, and their writer has paused.
 * @returns the paths of the changed files. @throws the reason of `signal`.
 */
export async function whenChanged(before: FileStats, signal: AbortSignal | undefined): Promise<string[]> {
  let last = before;
  for (let waited = 0; ; ) {
    const now = await readStats(before.keys());
    const changed = otherThan(before, now);
    if (changed.length > 0 && (waited >= MOST_POLLS || otherThan(last, now).length === 0)) return changed;
    waited = changed.length > 0 ? waited + 1 : 0;
    last = now;
    await pause(signal);
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  // Throw the signal's reason instead of the timer's error.
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
}

function otherThan(before: FileStats, now: FileStats): string[] {
  return [...now].filter(([file, found]) => !isSame(before.get(file) ?? [], found)).map(([{ path }]) => path);
}

function isSame(before: readonly (BigIntStats | undefined)[], now: readonly (BigIntStats | undefined)[]): boolean {
  return now.every((found, at) => {
    const known = before[at];
    return found && known ? isSameFile(found, known) && isUnwritten(found, known) : found === known;
  });
}

/** The `stat` of a file; undefined if it is missing or cannot be read: reading it later reports why. */
async function find(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** The `stat` of a database's log and journal, beside the file that a link leads to. */
async function findBeside(path: string): Promise<(BigIntStats | undefined)[]> {
  // Reading the file later reports a broken link.
  const real = await realpath(path).catch(() => path);
  return Promise.all(
    BESIDE.map(async (ending) => {
      const found = await find(real + ending);
      // An empty log counts as none: readers also create and remove it.
      return found?.size === 0n ? undefined : found;
    }),
  );
}
