/** `rollcall forget`: removes kept releases, and lists the URLs of content that only they had. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError, usageError } from "../core/errors.js";
import { findRelease } from "../core/release/choose.js";
import { CURRENT, RELEASES } from "../core/release/layout.js";
import { lockDist, removeUnheld } from "../core/release/lock.js";
import { idOf } from "../core/release/name.js";
import { explainWrite, remove } from "../core/release/refusals.js";
import { findCurrent, releaseNames } from "../core/release/releases.js";
import { openSiteIfComplete } from "../core/release/site.js";
import { removeTrash } from "../core/release/staging.js";
import { GRACE, moveToTrash, trashOf } from "../core/release/switch.js";
import { ReleaseFiles } from "./order.js";
import { ownedBy } from "./owned.js";
import { urlsWhere } from "./purge.js";

export interface ForgetPlan {
  /** Ids and folder names of the releases to remove, in the order in which they were named. */
  removed: { id: string; name: string }[];
  /** Names of incomplete releases to remove, whose URLs are unknown. */
  unknown: string[];
  /** The other releases that are not current. They may hold the same records. */
  kept: { id: string; name: string }[];
}

export interface ForgetEffects {
  now(): Date;
  /** The folder that relative paths are resolved against. */
  cwd: string;
  /** Called with the folders that killed runs have left in `dist`, after removing them, even if this run is refused later. */
  onCleared(names: readonly string[]): void;
  /** Called with the URLs whose bytes the current release does not have, and the plan. Nothing is removed before it resolves, or if it throws. */
  confirm(urls: AsyncIterable<string>, plan: ForgetPlan): Promise<void>;
}

/** The argument that means all releases but the current one. */
const OTHERS = "others";

/**
 * Removes the named releases, and all others of the same id unless a word names a folder. Renames each first, so that a killed
 * run leaves no half release. Removes nothing unless all of them may be removed.
 * @returns one line for each folder that could not be removed: the next build or forget tries again.
 * @throws UserError if a word names none or several, if a release is current or was in the last minute, or if another process writes.
 */
export async function forgetReleases(
  dist: string,
  words: readonly string[],
  effects: ForgetEffects,
): Promise<string[]> {
  const { now, cwd, onCleared, confirm } = effects;
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
      const factsOf = (all: readonly string[]) => all.map((name) => ({ id: idOf(name), name }));
      const kept = otherNames(dist).filter((name) => !names.includes(name));
      const plan = { removed: factsOf(names), unknown: [], kept: factsOf(kept) };
      await confirm(urlsOf(dist, names, plan.unknown), plan);
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
  if (word === OTHERS) return otherNames(dist);
  const folder = findRelease(word, dist, cwd);
  const path = realpathSync(folder);
  if (dirname(path) !== realpathSync(join(dist, RELEASES)))
    throw new UserError(`${folder} is not one of the releases in ${dist}; only those can be forgotten.`);
  const name = basename(path);
  return word.includes(name) ? [name] : releaseNames(dist).filter((other) => idOf(other) === idOf(name));
}

/** The names of all releases but the current one. */
function otherNames(dist: string): string[] {
  return releaseNames(dist).filter((name) => name !== findCurrent(dist));
}

function requireOld(dist: string, names: readonly string[], now: Date): void {
  const current = findCurrent(dist);
  for (const name of names) {
    if (name === current)
      throw usageError(
        `Release ${idOf(name)} is current; build without the records to forget first, or switch to another release with "rollcall use", then run this again.`,
      );
    const remainingMs = statSync(join(dist, RELEASES, name)).mtimeMs + GRACE - now.getTime();
    if (remainingMs > 0 && remainingMs <= GRACE)
      throw new UserError(
        `Release ${idOf(name)} was current or built less than a minute ago, and may still be read; run this again in ${Math.ceil(remainingMs / 1000)} seconds.`,
      );
  }
}

/** The URLs of content that only the named releases have, each once. @param unknown gets the names of incomplete releases. */
async function* urlsOf(dist: string, names: readonly string[], unknown: string[]): AsyncGenerator<string> {
  const current = await openSiteIfComplete(join(dist, CURRENT));
  const kept = current && new ReleaseFiles(current);
  const seen = new Set<string>();
  for (const name of names) {
    const site = await openSiteIfComplete(join(dist, RELEASES, name));
    if (!site) unknown.push(name);
    else for (const url of ownUrls(new ReleaseFiles(site), kept)) if (seen.size < seen.add(url).size) yield url;
  }
}

/** The URLs of files that another release does not have, or has with other bytes. */
function ownUrls(files: ReleaseFiles, other: ReleaseFiles | undefined): Iterable<string> {
  const isSamePlace = other?.location.baseUrl === files.location.baseUrl;
  return urlsWhere(files, ownedBy(files), (path) => !isSamePlace || files.digestOf(path) !== other?.digestOf(path));
}
