/** Finds the release that an argument names (an id, `previous`, a folder), for every command that takes one. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, type UserError, usageError } from "../errors.js";
import { listed, shellWord } from "../print/text.js";
import { at, hasScheme } from "../settings/kinds.js";
import { SETTINGS } from "../settings/table.js";
import { CONTRACT, CURRENT, PREVIOUS, RELEASES, SNAPSHOT, SUMS } from "./layout.js";
import { idOf } from "./name.js";
import { findCurrent, findPrevious, noReleases, releaseNames } from "./releases.js";

/** The maximum number of releases that a message lists. */
const MOST_LISTED = 10;

/** Finds the folder of the release that `word` names, see `lookUp`. @throws UserError if it names none or several. */
export function findRelease(word: string, dist: string, cwd = "."): string {
  const folder = lookUp(word, dist, cwd);
  if (folder !== undefined) return folder;
  if (hasScheme(word))
    throw usageError(`${word} is neither a release nor a listing's URL, which begins with http:// or https://.`);
  const ids = [...new Set(releaseNames(dist).map(idOf))];
  if (ids.length === 0) throw noReleases(dist);
  throw usageError(
    `${JSON.stringify(word)} is neither the beginning of a release's id in ${dist} nor a release's folder; ids there are ${listed(ids, MOST_LISTED)}.`,
  );
}

/**
 * Finds the folder of the release that `word` names. The release may be damaged. The first rule that applies decides:
 * 1. `current` and `previous`, in `dist`;
 * 2. a folder that holds a release or, as `dist` does, a current one;
 * 3. an id or a folder name in `dist`, or the beginning of one; of releases with the same content, the newest;
 * 4. any other folder, so that opening it reports what it lacks.
 * @throws UserError if it is the beginning of several ids, or if a current or previous release is missing.
 */
export function lookUp(word: string, dist: string, cwd = "."): string | undefined {
  if (word === "") return undefined;
  if (word === CURRENT) return currentOf(dist);
  if (word === PREVIOUS) return previousOf(dist);
  const path = at(cwd, word);
  if (SIGNS.some((name) => existsSync(join(path, name)))) return path;
  if ([CURRENT, RELEASES].some((name) => isFolder(join(path, name)))) return join(path, CURRENT);
  const name = findByBeginning(word, dist);
  if (name !== undefined) return join(dist, RELEASES, name);
  return isFolder(path) ? path : undefined;
}

/** Files that mark a folder as a release, even an incomplete one. */
const SIGNS = [SNAPSHOT, SUMS, CONTRACT];

function currentOf(dist: string): string {
  const name = findCurrent(dist);
  if (name !== undefined) return join(dist, RELEASES, name);
  // If links got lost, for example in an archive, `current` is a folder.
  const folder = join(dist, CURRENT);
  if (isFolder(folder)) return folder;
  throw noCurrent(dist);
}

/** The error for a `dist` without a current release. It says how to make the newest release current, or to build one. */
export function noCurrent(dist: string, cause?: unknown): UserError {
  const names = releaseNames(dist);
  const newest = names.find((name) => existsSync(join(dist, RELEASES, name, SUMS))) ?? names[0];
  if (newest === undefined) return noReleases(dist, cause);
  const command = `rollcall use ${idOf(newest)}${dist === SETTINGS.dist.default ? "" : ` ${shellWord(dist)}`}`;
  return usageError(`No release in ${dist} is current; to make the newest one current, run "${command}".`, cause);
}

function previousOf(dist: string): string {
  const name = findPrevious(dist);
  if (name !== undefined && isFolder(join(dist, RELEASES, name))) return join(dist, RELEASES, name);
  const there = releaseNames(dist).length;
  if (there === 0) throw noReleases(dist);
  if (name === undefined && there === 1)
    throw usageError(
      `${dist} has one release, so there is no earlier one to compare; to compare a source, run "rollcall diff FILE".`,
    );
  const why =
    name === undefined
      ? `No release in ${dist} was current before`
      : `The previous release, ${name}, was removed from ${dist}`;
  throw usageError(`${why}; "rollcall releases" lists the releases there.`);
}

function findByBeginning(word: string, dist: string): string | undefined {
  // Ids may be typed in capitals. The T and Z of a folder's name stay as they are.
  const beginning = word.replace(/[0-9A-F]+$/i, (digits) => digits.toLowerCase());
  const meant = releaseNames(dist).filter((name) => idOf(name).startsWith(beginning) || name.startsWith(beginning));
  if (new Set(meant.map(idOf)).size > 1)
    throw usageError(
      `${JSON.stringify(word)} is the beginning of ${meant.length} releases, by name or by the id at its end: ${listed(meant, MOST_LISTED)}; type more of it.`,
    );
  return meant[0];
}

/** Returns false also for a path that is too long, or that leads through a file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
