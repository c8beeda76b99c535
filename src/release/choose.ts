/** Which release a person means who types the beginning of its id. */
import { join } from "node:path";
import { codeOf, UserError } from "../errors.js";
import { CURRENT, parseFolderName, RELEASES } from "./layout.js";
import { openRelease, type Release } from "./open.js";
import { releaseNames } from "./prune.js";

/**
 * Opens the newest release of `dist` whose id or folder name begins with `prefix`, or the current one without a prefix.
 * @throws UserError when there is none, when the prefix means several, or when the release is not whole.
 */
export async function openChosen(dist: string, prefix?: string): Promise<Release> {
  if (prefix === undefined) return openRelease(join(dist, CURRENT));
  return openRelease(findFolder(dist, prefix));
}

/**
 * The folder of the newest release of `dist` whose id or folder name begins with `prefix`. It is not opened, so that it
 * may be damaged.
 * @throws UserError when there is none, or when the prefix means several.
 */
export function findFolder(dist: string, prefix: string): string {
  const [newest] = choose(dist, listNames(dist), prefix);
  return join(dist, RELEASES, newest?.name ?? "");
}

/**
 * All of some releases (newest first) whose id or folder name begins with `prefix`; they must be of one id.
 * @throws UserError when it is the beginning of none or of several ids.
 */
export function choose<T extends { id: string; name: string }>(
  dist: string,
  releases: readonly T[],
  prefix: string,
): T[] {
  const matching = releases.filter(
    ({ id, name }) => prefix !== "" && (id.startsWith(prefix) || name.startsWith(prefix)),
  );
  const ids = [...new Set(matching.map(({ name }) => parseFolderName(name)?.id))];
  if (matching.length === 0) {
    const known = [...new Set(releases.map(({ id }) => id))].slice(0, 10).join(", ");
    throw new UserError(
      `No release in ${dist} has an id that begins with ${JSON.stringify(prefix)}; there are ${known}.`,
    );
  }
  if (ids.length > 1) {
    throw new UserError(
      `${JSON.stringify(prefix)} is the beginning of ${ids.length} ids: ${ids.join(", ")}; give more of it.`,
    );
  }
  return matching;
}

/** Ids are often copied from where they are in capitals; the T and Z of a folder's name stay as they are. */
export function lowerHex(id: string): string {
  return id.replace(/[0-9A-F]+$/i, (digits) => digits.toLowerCase());
}

function listNames(dist: string): { id: string; name: string }[] {
  try {
    return releaseNames(dist).map((name) => ({ id: parseFolderName(name)?.id ?? "", name }));
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
    throw new UserError(`There is no release in ${dist}; run "rollcall build" first.`, { cause: error });
  }
}
