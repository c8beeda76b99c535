/** What a host is compared with that is verified. */
import { join } from "node:path";
import { openChosen } from "../release/choose.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { releaseNames } from "../release/list.js";
import { openIfWhole, type Release } from "../release/open.js";

/** Says that a host is to be compared with nothing. */
const NONE = "none";

export function isHostUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
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
  const release = name === undefined ? await openIfWhole(join(dist, CURRENT)) : await openChosen(dist, name, cwd);
  const whyNot = `${dist} has no current release to compare with`;
  if (!release) return { release, whyNot, known: [] };
  const names = releaseNames(dist).slice(0, MOST_KNOWN);
  const opened = await Promise.all(names.map((folder) => openIfWhole(join(dist, RELEASES, folder))));
  const known = opened.filter((other) => other !== undefined && other.folder !== release.folder);
  return { release, whyNot: undefined, known: known as Release[] };
}
