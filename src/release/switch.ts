/** What is current: one link, switched by one rename. */
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { hasCode, isMissing, UserError } from "../errors.js";
import { CURRENT, MARK, NEXT_LINK, parseFolderName, RELEASES } from "./layout.js";
import { tidy } from "./refusals.js";
import { flushFolder } from "./write.js";

/** The folder name of the current release, or undefined when there is none. */
export function findCurrent(dist: string): string | undefined {
  try {
    const name = basename(readlinkSync(join(dist, CURRENT)));
    return parseFolderName(name) ? name : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "EINVAL")) return undefined;
    throw error;
  }
}

/**
 * Makes a release of `dist` current. Needs the lock of `dist`. The one that was current is marked with the time at
 * which it ceased to be, as its folder's own time of change, for `prune`.
 * @param untidied is told of what failed after the switch.
 * @throws UserError when something else than a link stands in the place of `current`; whatever is thrown, nothing has
 * been switched.
 */
export function switchCurrent(dist: string, name: string, now: Date, untidied: string[]): void {
  const next = join(dist, NEXT_LINK);
  const before = findCurrent(dist);
  requireLink(dist);
  rmSync(next, { recursive: true, force: true });
  symlinkSync(`${RELEASES}/${name}`, next);
  renameSync(next, join(dist, CURRENT));
  tidy(untidied, `The switch to ${name} may not outlast a loss of power`, () => flushFolder(dist));
  if (before === undefined || before === name) return;
  const folder = join(dist, RELEASES, before);
  tidy(untidied, `${folder} could not be marked as the one before, so "previous" may not mean it`, () => {
    touch(folder, now);
  });
}

/** @throws UserError when something else than a link stands in the place of `current`: it is not Rollcall's to replace. */
export function requireLink(dist: string): void {
  const link = join(dist, CURRENT);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === false)
    throw new UserError(`${link} is not a link made by Rollcall; move it away, then run this again.`);
}

function touch(folder: string, now: Date): void {
  try {
    utimesSync(folder, now, now);
  } catch (error) {
    // A current release that was removed by hand needs no mark.
    if (isMissing(error)) return;
    if (!hasCode(error, "EPERM")) throw error;
    // Only its owner may set a folder's time; whoever may write in it can have the system set it.
    const mark = join(folder, MARK);
    mkdirSync(mark, { recursive: true });
    rmdirSync(mark);
  }
}
