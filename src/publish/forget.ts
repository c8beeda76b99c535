/** `rollcall forget`: removes kept releases, and says which URLs may still hold what only they had. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError, usageError } from "../errors.js";
import { findRelease } from "../release/choose.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { findCurrent, releaseNames } from "../release/list.js";
import { lockDist, removeUnheld } from "../release/lock.js";
import { idOf } from "../release/name.js";
import { openIfComplete, type Release } from "../release/open.js";
import { explainWrite, remove } from "../release/refusals.js";
import { removeTrash } from "../release/staging.js";
import { GRACE, moveToTrash, trashOf } from "../release/switch.js";
import { ReleaseFiles } from "./order.js";
import { ownedBy } from "./owned.js";
import { urlsWhere } from "./purge.js";

export interface ForgetPlan {
  /** Ids and folder names of the releases that go, in the order in which they were named. */
  removed: { id: string; name: string }[];
  /** Names of those that are incomplete, so that their URLs are unknown. */
  unknown: string[];
  /** The other releases that are not current, which may hold the same records. */
  kept: { id: string; name: string }[];
}

export interface ForgetEffects {
  now(): Date;
  /** What relative paths are resolved against. */
  cwd: string;
  /** Told of the folders that killed runs have left in `dist`, once they are removed, even if this run is refused later. */
  onCleared(names: readonly string[]): void;
  /** Takes each URL whose bytes current does not have, then the plan. Nothing is removed before it resolves, or if it throws. */
  tell(urls: AsyncIterable<string>, plan: ForgetPlan): Promise<void>;
}

/** The word for all releases but the current one. */
const OTHERS = "others";

/**
 * Removes the releases that words mean, with all others of the same id unless a word names a folder. Each is renamed first,
 * so that a run which is killed leaves a whole release or none. Nothing is removed unless all may be.
 * @returns what could not be removed, a line each: the next build or forget tries again.
 * @throws UserError when a word means none or several, when one is current or was a minute ago, or when another process writes.
 */
export async function forgetReleases(
  dist: string,
  words: readonly string[],
  effects: ForgetEffects,
): Promise<string[]> {
  const { now, cwd, onCleared, tell } = effects;
  // Locking would create the folder.
  if (!existsSync(dist)) findRelease(words[0] ?? "", dist, cwd);
  try {
    const unlock = lockDist(dist, now());
    try {
      const untidied: string[] = [];
      const cleared = removeTrash(dist, untidied);
      if (cleared.length > 0) onCleared(cleared);
      const names = [...new Set(words.flatMap((word) => namesOf(word, dist, cwd)))];
      requireOld(dist, names, now());
      const others = releaseNames(dist).filter((name) => name !== findCurrent(dist) && !names.includes(name));
      const [removed, kept] = [names, others].map((all) => all.map((name) => ({ id: idOf(name), name })));
      const plan = { removed: removed ?? [], unknown: [], kept: kept ?? [] };
      await tell(urlsOf(dist, names, plan.unknown), plan);
      const removeAll = () => {
        for (const name of names) moveToTrash(dist, name);
      };
      if (!removeUnheld(dist, removeAll))
        throw new UserError(
          "A release is being published, so nothing was removed. Wait until that has ended, then run this again.",
        );
      for (const name of names) remove(trashOf(dist, name), untidied);
      return untidied;
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

function namesOf(word: string, dist: string, cwd: string): string[] {
  if (word === OTHERS) return releaseNames(dist).filter((name) => name !== findCurrent(dist));
  const folder = findRelease(word, dist, cwd);
  const path = realpathSync(folder);
  if (dirname(path) !== realpathSync(join(dist, RELEASES)))
    throw new UserError(`${folder} is not one of the releases in ${dist}; only those can be forgotten.`);
  const name = basename(path);
  return word.includes(name) ? [name] : releaseNames(dist).filter((other) => idOf(other) === idOf(name));
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

/** Each URL once. @param unknown takes the names of releases that are incomplete. */
async function* urlsOf(dist: string, names: readonly string[], unknown: string[]): AsyncGenerator<string> {
  const current = await openIfComplete(join(dist, CURRENT));
  const told = new Set<string>();
  for (const name of names) {
    const release = await openIfComplete(join(dist, RELEASES, name));
    if (!release) unknown.push(name);
    else for (const url of ownUrls(release, current)) if (told.size < told.add(url).size) yield url;
  }
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
