/** The release that a host is compared with. */
import { join } from "node:path";
import { openChosen } from "../release/choose.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { releaseNames } from "../release/list.js";
import { openIfWhole, type Release } from "../release/open.js";

/** The word for no comparison. */
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

/** Enough to name the release that a stale page is of. */
const MOST_KNOWN = 10;

/**
 * Opens the current release, unless another is named.
 * @throws UserError when the named one is not there or not whole.
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
