/** `rollcall forget`: removes kept releases, and says which URLs may still hold what only they had. */
import { realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError, usageError } from "../errors.js";
import { findRelease } from "../release/choose.js";
import { CURRENT, RELEASES, TRASH_PREFIX } from "../release/layout.js";
import { findCurrent, releaseNames } from "../release/list.js";
import { lockDist } from "../release/lock.js";
import { idOf } from "../release/name.js";
import { openIfWhole, type Release } from "../release/open.js";
import { explainWrite, remove } from "../release/refusals.js";
import { GRACE } from "../release/switch.js";
import { ReleaseFiles } from "./files.js";
import { ownedBy } from "./owned.js";
import { urlsWhere } from "./purge.js";

export interface ForgetResult {
  /** Ids and folder names of the releases that are gone, in the order in which they were named. */
  removed: { id: string; name: string }[];
  /** Names of those that were not whole, so that nobody knows which URLs they had. */
  unknown: string[];
  /** What is left of them all the same, a line each: the next build tries again. */
  untidied: string[];
}

export interface ForgetEffects {
  now(): Date;
  /** What relative paths are resolved against. */
  cwd: string;
  /** Is told of each URL whose bytes current does not have, before anything is removed. */
  onUrl(url: string): void;
}

/**
 * Removes the releases that words mean: by an id, all that have it. Each is renamed first, so that one which is killed leaves
 * a whole release or none. Nothing is removed unless all may be.
 * @throws UserError when a word means none or several, when one is current or was a minute ago, or when another process writes.
 */
export async function forgetReleases(
  dist: string,
  words: readonly string[],
  { now, cwd, onUrl }: ForgetEffects,
): Promise<ForgetResult> {
  try {
    const names = [...new Set(words.flatMap((word) => namesOf(word, dist, cwd)))];
    const unlock = lockDist(dist, now());
    try {
      requireOld(dist, names, now());
      const unknown = await tellUrls(dist, names, onUrl);
      const untidied: string[] = [];
      for (const name of names) discard(dist, name, untidied);
      return { removed: names.map((name) => ({ id: idOf(name), name })), unknown, untidied };
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

/** The folder names that a word means: all releases with the id that it begins, or the one that it names otherwise. */
function namesOf(word: string, dist: string, cwd: string): string[] {
  const folder = findRelease(word, dist, cwd);
  const path = realpathSync(folder);
  if (dirname(path) !== realpathSync(join(dist, RELEASES)))
    throw new UserError(`${folder} is not one of the releases in ${dist}; only those can be forgotten.`);
  const name = basename(path);
  const id = idOf(name);
  return id.startsWith(word.toLowerCase()) ? releaseNames(dist).filter((other) => idOf(other) === id) : [name];
}

function requireOld(dist: string, names: readonly string[], now: Date): void {
  const current = findCurrent(dist);
  for (const name of names) {
    if (name === current)
      throw usageError(
        `Release ${idOf(name)} is current; build without what is to be forgotten first, or "rollcall use" another one, then run this again.`,
      );
    const restMs = statSync(join(dist, RELEASES, name)).mtimeMs + GRACE - now.getTime();
    if (restMs > 0 && restMs <= GRACE)
      throw new UserError(
        `Release ${idOf(name)} was current or built less than a minute ago, and may still be read; run this again in ${Math.ceil(restMs / 1000)} seconds.`,
      );
  }
}

/** Tells each URL once. @returns the names of releases that are not whole. */
async function tellUrls(dist: string, names: readonly string[], onUrl: (url: string) => void): Promise<string[]> {
  const current = await openIfWhole(join(dist, CURRENT));
  const unknown: string[] = [];
  const told = new Set<string>();
  for (const name of names) {
    const release = await openIfWhole(join(dist, RELEASES, name));
    if (!release) unknown.push(name);
    else for (const url of ownUrls(release, current)) if (told.size < told.add(url).size) onUrl(url);
  }
  return unknown;
}

/** The URLs of what a release has and another one has not, or with other bytes. */
function ownUrls(release: Release, other: Release | undefined): Iterable<string> {
  const files = new ReleaseFiles(release);
  const others = other && new ReleaseFiles(other);
  const isSamePlace = other?.snapshot.base_url === release.snapshot.base_url;
  const digestIn = (of: ReleaseFiles | undefined, path: string) => {
    const index = of?.indexOf(path);
    return index === undefined ? undefined : of?.at(index).digest;
  };
  return urlsWhere(
    release.snapshot,
    ownedBy(files),
    (path) => !isSamePlace || digestIn(files, path) !== digestIn(others, path),
  );
}

function discard(dist: string, name: string, untidied: string[]): void {
  const trash = join(dist, TRASH_PREFIX + name);
  rmSync(trash, { recursive: true, force: true });
  renameSync(join(dist, RELEASES, name), trash);
  remove(trash, untidied);
}
