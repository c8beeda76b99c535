/**
 * Sees when files change, by looking at them again and again: a few calls of `stat`, which work for whatever writes them
 * and wherever they lie. What a system reports of a folder is less: nothing of other machines, and not all of every writer.
 */
import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "../errors.js";
import { isSameFile, isUnwritten } from "../source/stats.js";

/** A file that a release is made of, whether it is there or not. */
export interface Watched {
  path: string;
  isDatabase: boolean;
}

/** How each file was at one look, and what lies beside a database. */
export type Look = ReadonlyMap<Watched, readonly (BigIntStats | undefined)[]>;

/** Between two looks. A writer that has paused for so long is taken to be done. */
const PAUSE_MS = 200;
/** One that never pauses is not waited for any longer than so many looks. */
const MOST_LOOKS = 10;

/** Commits may be in the first and not yet in the file itself; while the second is there, SQLite may be at a commit. */
const BESIDE = ["-wal", "-journal"];

/** Looks at files, of which any may be missing. None is opened: closing one would give up SQLite's locks. */
export async function look(files: Iterable<Watched>): Promise<Look> {
  const looks = [...files].map(async (file) => {
    const beside = file.isDatabase ? await findBeside(file.path) : [];
    return [file, [await find(file.path), ...beside]] as const;
  });
  return new Map(await Promise.all(looks));
}

/**
 * Waits until files are other than they were, and whoever writes them has paused.
 * @returns the paths of those that are. @throws what `signal` was aborted with.
 */
export async function whenChanged(before: Look, signal: AbortSignal | undefined): Promise<string[]> {
  let last = before;
  for (let waited = 0; ; ) {
    const now = await look(before.keys());
    const changed = otherThan(before, now);
    if (changed.length > 0 && (waited >= MOST_LOOKS || otherThan(last, now).length === 0)) return changed;
    waited = changed.length > 0 ? waited + 1 : 0;
    last = now;
    await pause(signal);
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  // The timer's own error would say less than the reason.
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
}

function otherThan(before: Look, now: Look): string[] {
  return [...now].filter(([file, found]) => !isSame(before.get(file) ?? [], found)).map(([{ path }]) => path);
}

function isSame(before: readonly (BigIntStats | undefined)[], now: readonly (BigIntStats | undefined)[]): boolean {
  return now.every((found, at) => {
    const known = before[at];
    return found && known ? isSameFile(found, known) && isUnwritten(found, known) : found === known;
  });
}

/** Undefined also where it cannot be looked at: reading it will say why. */
async function find(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** They lie beside the file that a link leads to. */
async function findBeside(path: string): Promise<(BigIntStats | undefined)[]> {
  // Where it leads nowhere, reading it will say so.
  const real = await realpath(path).catch(() => path);
  return Promise.all(
    BESIDE.map(async (ending) => {
      const found = await find(real + ending);
      // An empty one says as little as none, and those who only read make and remove it, too.
      return found?.size === 0n ? undefined : found;
    }),
  );
}
