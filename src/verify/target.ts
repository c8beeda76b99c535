/** What a person names who wants something verified, and what it is compared with. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findFolder, lowerHex } from "../release/choose.js";
import { CURRENT, RELEASES, SNAPSHOT, SUMS } from "../release/layout.js";
import { openIfWhole, openRelease, type Release } from "../release/open.js";
import { releaseNames } from "../release/prune.js";

/** Says that a host is to be compared with nothing. */
const NONE = "none";

export function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/**
 * The folder that `current`, a release's folder, a folder of releases, an id or the beginning of one means. It need not
 * hold a whole release.
 * @param cwd what paths are relative to.
 * @throws UserError when it means none, or several.
 */
export function findReleaseFolder(name: string, dist: string, cwd: string): string {
  if (name === CURRENT) return join(dist, CURRENT);
  const path = resolve(cwd, name);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const isDist =
      ![SNAPSHOT, SUMS].some((file) => existsSync(join(path, file))) && existsSync(join(path, RELEASES));
    return isDist ? join(path, CURRENT) : path;
  }
  return findFolder(dist, lowerHex(name));
}

export interface Against {
  release: Release | undefined;
  /** Why there is none. */
  whyNot: string | undefined;
  /** Others of `dist`, newest first. */
  known: readonly Release[];
}

/** Enough to call a stale page by the name of its release. */
const MOST_KNOWN = 10;

/**
 * The release that a host is compared with: the current one unless another is named, and none where none is current.
 * @throws UserError when the one that is named is not there or not whole.
 */
export async function openAgainst(name: string | undefined, dist: string, cwd: string): Promise<Against> {
  if (name === NONE) return { release: undefined, whyNot: `--against ${NONE}`, known: [] };
  const release =
    name === undefined
      ? await openIfWhole(join(dist, CURRENT))
      : await openRelease(findReleaseFolder(name, dist, cwd));
  const whyNot = `${dist} has no current release to compare with`;
  if (!release) return { release, whyNot, known: [] };
  const names = existsSync(join(dist, RELEASES)) ? releaseNames(dist).slice(0, MOST_KNOWN) : [];
  const opened = await Promise.all(names.map((folder) => openIfWhole(join(dist, RELEASES, folder))));
  const known = opened.filter((other) => other !== undefined && other.folder !== release.folder);
  return { release, whyNot: undefined, known: known as Release[] };
}
