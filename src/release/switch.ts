/** Makes a release current by one rename of a link, and removes old releases. */
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
import { BEFORE, CURRENT, MARK, NEXT_LINK, RELEASES, TRASH_PREFIX } from "./layout.js";
import { findCurrent, findPrevious, releaseNames } from "./list.js";
import { removeUnheld } from "./lock.js";
import { parseFolderName } from "./name.js";
import { remove, tidy } from "./refusals.js";
import { makeFolder } from "./sharing.js";
import { flushFolder } from "./write.js";

/**
 * Makes a release current. Needs the lock of `dist`. The release that was current before is written down for `previous`, and its
 * folder's modification time becomes that of the switch, for `prune` and `forget`. Whenever this throws, nothing has been switched.
 * @param untidied is told of what failed without keeping the release from becoming current.
 */
export function switchCurrent(dist: string, name: string, now: Date, untidied: string[]): void {
  const next = join(dist, NEXT_LINK);
  const before = findCurrent(dist);
  requireLink(dist);
  if (before !== undefined && before !== name) {
    const folder = join(dist, RELEASES, before);
    noteBefore(dist, name, before);
    tidy(untidied, `${folder} could not be marked with the time of the switch`, () => touch(folder, now));
  }
  rmSync(next, { recursive: true, force: true });
  symlinkSync(`${RELEASES}/${name}`, next);
  renameSync(next, join(dist, CURRENT));
  tidy(untidied, `The switch to ${name} may not survive a loss of power`, () => flushFolder(dist));
}

/** Writes down which release is current before `name`. The link counts only while `name` is current, as after the switch. */
function noteBefore(dist: string, name: string, before: string): void {
  const folder = makeFolder(dist, BEFORE);
  // The link of the release that is still current stays, in case this run is killed before the switch.
  for (const old of readdirSync(folder)) if (old !== before) rmSync(join(folder, old), { recursive: true });
  symlinkSync(`../${RELEASES}/${before}`, join(folder, name));
  flushFolder(folder);
}

/** @throws UserError when something other than a link is in the place of `current`, which Rollcall must not replace. */
export function requireLink(dist: string): void {
  const link = join(dist, CURRENT);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === false)
    throw new UserError(`${link} is not a link made by Rollcall; move it away, then run this again.`);
}

/** In milliseconds. Readers may still be using a release that was current. */
export const GRACE = 60_000;

/**
 * Removes old releases, except the current one, one that was current less than a minute ago, and `keep` others: the
 * previous one first, then the newest, and last those dated in the future. Each is renamed before it is removed, so that a
 * killed removal never leaves half a release. Needs the lock of `dist`.
 * @returns the folder names of the releases that are gone.
 */
export function prune(dist: string, keep: number, now: Date, untidied: string[]): string[] {
  const removed: string[] = [];
  tidy(untidied, `Old releases in ${dist} could not be listed`, () => {
    const current = findCurrent(dist);
    const isOld = (name: string) => now.getTime() - statSync(join(dist, RELEASES, name)).mtimeMs > GRACE;
    const previous = findPrevious(dist);
    // A clock that was ahead once has given names that would stay the newest for years.
    const rank = (name: string) => (name === previous ? 0 : (parseFolderName(name)?.time ?? now) <= now ? 1 : 2);
    const old = releaseNames(dist)
      .filter((name) => name !== current)
      .sort((one, other) => rank(one) - rank(other));
    const due = old.slice(keep).filter(isOld);
    const isDone =
      due.length === 0 ||
      removeUnheld(dist, () => {
        for (const name of due) {
          tidy(untidied, `Old release ${name} could not be removed`, () => {
            moveToTrash(dist, name);
            removed.push(name);
          });
        }
      });
    if (!isDone)
      untidied.push("Old releases were not removed, since one is being published. The next build removes them.");
  });
  for (const name of removed) remove(trashOf(dist, name), untidied);
  return removed;
}

/**
 * Takes a release away, so that a removal which is killed leaves no half of it. Overlayfs renames no folder of a lower layer
 * (EXDEV), so there its files are removed where they are.
 */
export function moveToTrash(dist: string, name: string): void {
  const folder = join(dist, RELEASES, name);
  rmSync(trashOf(dist, name), { recursive: true, force: true });
  try {
    renameSync(folder, trashOf(dist, name));
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    rmSync(folder, { recursive: true });
  }
}

export function trashOf(dist: string, name: string): string {
  return join(dist, TRASH_PREFIX + name);
}

function touch(folder: string, now: Date): void {
  try {
    utimesSync(folder, now, now);
  } catch (error) {
    // Somebody has removed the release that was current.
    if (isMissing(error)) return;
    if (!hasCode(error, "EPERM")) throw error;
    // Only the owner may set a folder's time, but whoever may write in it can make the system set it.
    const mark = join(folder, MARK);
    mkdirSync(mark, { recursive: true });
    rmdirSync(mark);
  }
}
