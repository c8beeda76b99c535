/** Retention: which old releases go. */
import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../errors.js";
import { parseFolderName, RELEASES, TRASH_PREFIX } from "./layout.js";
import { remove, tidy } from "./refusals.js";
import { findCurrent } from "./switch.js";

/** A release that was current this short a time ago may still be on its way to readers, in milliseconds. */
const GRACE = 60_000;

/**
 * Removes all but the newest `keep` releases beside the current one; never the current one, nor one that was current
 * less than a minute ago. Needs the lock of `dist`. Each release leaves the folder of releases whole, by one rename,
 * so that a killed removal leaves no half release to be found.
 * @param untidied is told of what cannot be removed; the next build tries again.
 * @returns the folder names of those that are no releases any more.
 */
export function prune(dist: string, keep: number, now: Date, untidied: string[]): string[] {
  const removed: string[] = [];
  tidy(untidied, `Old releases in ${dist} could not be looked through`, () => {
    const current = findCurrent(dist);
    const old = releaseNames(dist).filter((name) => name !== current);
    for (const name of old.slice(keep)) {
      const folder = join(dist, RELEASES, name);
      const trash = join(dist, TRASH_PREFIX + name);
      tidy(untidied, `Old release ${name} could not be removed`, () => {
        if (now.getTime() - statSync(folder).mtimeMs <= GRACE) return;
        renameSync(folder, trash);
        removed.push(name);
      });
      remove(trash, untidied);
    }
  });
  return removed;
}

/** The folder names of all releases of `dist`, newest first; none when it has no releases. */
export function releaseNames(dist: string): string[] {
  const names = readdirSync(join(dist, RELEASES), { withFileTypes: true });
  return names
    .filter((entry) => entry.isDirectory() && parseFolderName(entry.name))
    .map((entry) => entry.name)
    .sort()
    .reverse();
}

/** The same for who can do without a folder of releases: none where it is not there. */
export function namesIn(dist: string): string[] {
  try {
    return releaseNames(dist);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
