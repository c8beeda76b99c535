/** What is current: one link, switched by one rename. */
import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf, UserError } from "../errors.js";
import { flushFolder } from "./files.js";
import { CURRENT, NEXT_LINK, parseFolderName, RELEASES } from "./layout.js";

/** The folder name of the current release, or undefined when there is none. */
export function findCurrent(dist: string): string | undefined {
  try {
    const name = basename(readlinkSync(join(dist, CURRENT)));
    return parseFolderName(name) ? name : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

/**
 * Makes a release of `dist` current. Needs the lock of `dist`. The one that was current is marked with the time at
 * which it ceased to be, as its folder's own time of change, for `prune`.
 * @throws UserError when something else than a link stands in the place of `current`.
 */
export async function switchCurrent(dist: string, name: string, now: Date): Promise<void> {
  const next = join(dist, NEXT_LINK);
  const before = findCurrent(dist);
  requireLink(dist);
  rmSync(next, { force: true });
  symlinkSync(`${RELEASES}/${name}`, next);
  renameSync(next, join(dist, CURRENT));
  await flushFolder(dist);
  if (before !== undefined && before !== name) touch(join(dist, RELEASES, before), now);
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
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
