/** Makes a release current by renaming a link, and removes old releases. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { hasCode, isMissing, UserError } from "../errors.js";
import { CURRENT, MARK, NEXT_LINK, PREVIOUS_LINKS, RELEASES, TRASH_PREFIX } from "./layout.js";
import { removeUnheld } from "./lock.js";
import { parseFolderName } from "./name.js";
import { remove, tidy } from "./refusals.js";
import { findCurrent, findPrevious, releaseNames } from "./releases.js";
import { makeFolder } from "./sharing.js";
import { flushFolder } from "./writer.js";

/** Milliseconds for which a release that was current is not removed, since readers may still use it. */
export const GRACE = 60_000;

/**
 * Makes a release current. Needs the lock of `dist`. If this throws, the current release is unchanged. Records the release
 * that was current before, for `previous`, and sets the modification time of its folder, for `prune` and `forget`.
 * @param untidied gets a line for each step that failed without preventing the switch.
 */
export function switchCurrent(dist: string, name: string, now: Date, untidied: string[]): void {
  const next = join(dist, NEXT_LINK);
  const before = findCurrent(dist);
  requireLink(dist);
  if (before !== undefined && before !== name) {
    const folder = join(dist, RELEASES, before);
    recordPrevious(dist, name, before);
    tidy(untidied, `${folder} could not be marked with the time of the switch`, () => touch(folder, now));
  }
  rmSync(next, { recursive: true, force: true });
  symlinkSync(`${RELEASES}/${name}`, next);
  renameSync(next, join(dist, CURRENT));
  tidy(untidied, `The switch to ${name} may not survive a loss of power`, () => flushFolder(dist));
}

/** Records that `before` was current before `name`. The link counts only while `name` is current. */
function recordPrevious(dist: string, name: string, before: string): void {
  const folder = makeFolder(dist, PREVIOUS_LINKS);
  // Keep the link of the release that is still current, in case this run is killed before the switch.
  for (const old of readdirSync(folder)) if (old !== before) rmSync(join(folder, old), { recursive: true });
  symlinkSync(`../${RELEASES}/${before}`, join(folder, name));
  flushFolder(folder);
}

/** @throws UserError if `current` is not a link. Rollcall must not replace anything else. */
export function requireLink(dist: string): void {
  const link = join(dist, CURRENT);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === false)
    throw new UserError(`${link} is not a link that Rollcall made; move it away, then run this again.`);
}

function touch(folder: string, now: Date): void {
  try {
    utimesSync(folder, now, now);
  } catch (error) {
    // The previous release no longer exists.
    if (isMissing(error)) return;
    if (!hasCode(error, "EPERM")) throw error;
    // Only the owner may set a folder's time. Others can change the folder, which makes the system set it.
    const mark = join(folder, MARK);
    mkdirSync(mark, { recursive: true });
    rmdirSync(mark);
  }
}

/**
 * Removes old releases except `keep` of them: the previous one first, then the newest, then those dated in the future.
 * Never removes the current release, or one that was current in the last minute. Needs the lock of `dist`.
 * @returns the folder names of the removed releases.
 */
export function prune(dist: string, keep: number, now: Date, untidied: string[]): string[] {
  const removed: string[] = [];
  tidy(untidied, `Old releases in ${dist} could not be listed`, () => {
    const due = findDue(dist, keep, now);
    const removeAll = () => {
      for (const name of due)
        tidy(untidied, `Old release ${name} could not be removed`, () => {
          moveToTrash(dist, name);
          removed.push(name);
        });
    };
    if (due.length > 0 && !removeUnheld(dist, removeAll))
      untidied.push("Old releases were not removed, because one is being published. The next build removes them.");
  });
  for (const name of removed) remove(trashOf(dist, name), untidied);
  return removed;
}

function findDue(dist: string, keep: number, now: Date): string[] {
  const current = findCurrent(dist);
  const previous = findPrevious(dist);
  const isOld = (name: string) => now.getTime() - statSync(join(dist, RELEASES, name)).mtimeMs > GRACE;
  // Names from a clock that was once ahead would otherwise stay the newest for years.
  const rank = (name: string) => (name === previous ? 0 : (parseFolderName(name)?.time ?? now) <= now ? 1 : 2);
  const old = releaseNames(dist).filter((name) => name !== current);
  old.sort((one, other) => rank(one) - rank(other));
  return old.slice(keep).filter(isOld);
}

/** Renames a release before it is removed, so that a killed removal leaves no half release. */
export function moveToTrash(dist: string, name: string): void {
  const folder = join(dist, RELEASES, name);
  rmSync(trashOf(dist, name), { recursive: true, force: true });
  try {
    renameSync(folder, trashOf(dist, name));
  } catch (error) {
    // Overlayfs cannot rename a folder of a lower layer.
    if (!hasCode(error, "EXDEV")) throw error;
    rmSync(folder, { recursive: true });
  }
}

/** The path that a release is renamed to before it is removed. */
export function trashOf(dist: string, name: string): string {
  return join(dist, TRASH_PREFIX + name);
}
