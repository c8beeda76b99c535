/** Which release a person means: the one place that says so, for every verb that takes a release. */
import { existsSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { codeOf, UserError, usageError } from "../errors.js";
import { readReleaseFileSync, sha256 } from "./files.js";
import { CURRENT, PAGES, parseFolderName, RELEASES, SNAPSHOT, SUMS } from "./layout.js";
import { openRelease, type Release } from "./open.js";
import { findPrevious, PREVIOUS } from "./previous.js";
import { namesIn } from "./prune.js";
import { findCurrent } from "./switch.js";

/**
 * Opens the release of `dist` that a word means, or the current one without a word.
 * @param cwd what paths are relative to.
 * @throws UserError when it means none or several, or when the release is not whole.
 */
export async function openChosen(dist: string, word?: string, cwd = "."): Promise<Release> {
  return openRelease(word === undefined ? join(dist, CURRENT) : findRelease(word, dist, cwd));
}

/** @throws UserError when `lookUp` finds nothing, or several. */
export function findRelease(word: string, dist: string, cwd = "."): string {
  const folder = lookUp(word, dist, cwd);
  if (folder !== undefined) return folder;
  const ids = [...new Set(namesIn(dist).map(idOf))];
  if (ids.length === 0) throw usageError(`There is no release in ${dist}; run "rollcall build" first.`);
  throw usageError(
    `${JSON.stringify(word)} is neither the beginning of a release's id in ${dist} nor a release's folder; ids there are ${listed(ids)}.`,
  );
}

/**
 * The folder of the release that a word means. The first of these that fits decides:
 *
 * 1. `current` and `previous`, in `dist`;
 * 2. a folder that holds a release or, as `dist` does, a current one;
 * 3. the id or the folder name of a release in `dist`, or the beginning of one; of releases with one id and the same
 *    content, the newest;
 * 4. any other folder, of which whoever opens it says what it lacks.
 *
 * The release is not opened, so that it may be damaged.
 * @returns undefined when the word means nothing.
 * @throws UserError when it is the beginning of several, or when there is no current or previous release.
 */
export function lookUp(word: string, dist: string, cwd = "."): string | undefined {
  if (word === "") return undefined;
  if (word === CURRENT) return currentOf(dist);
  if (word === PREVIOUS) return join(dist, RELEASES, findPrevious(dist));
  // Messages and reports repeat what was typed, so it stays relative where the process is.
  const path = isAbsolute(word) ? word : join(cwd, word);
  if (holdsRelease(path)) return path;
  if (holdsReleases(path)) return join(path, CURRENT);
  const name = findByBeginning(word, dist);
  if (name !== undefined) return join(dist, RELEASES, name);
  return isFolder(path) ? path : undefined;
}

function currentOf(dist: string): string {
  const name = findCurrent(dist);
  if (name !== undefined) return join(dist, RELEASES, name);
  // Where links were lost on the way, as in an archive, it is a folder of its own.
  const folder = join(dist, CURRENT);
  if (isFolder(folder)) return folder;
  throw usageError(`There is no current release in ${dist}; run "rollcall build" first.`);
}

function findByBeginning(word: string, dist: string): string | undefined {
  const beginning = lowerHex(word);
  const names = namesIn(dist);
  const [byId, byName] = [
    names.filter((name) => idOf(name).startsWith(beginning)),
    names.filter((name) => name.startsWith(beginning)),
  ];
  const meant = [...byId, ...byName];
  if (new Set(meant.map(idOf)).size > 1) throw ambiguous(word, [...new Set(byId.map(idOf))], byName);
  if (meant.length > 1) requireTwins(word, meant, dist);
  return meant[0];
}

/** @throws UserError when releases of one id differ in their content, as those do that somebody has made to. */
function requireTwins(word: string, names: readonly string[], dist: string): void {
  const contents = names.map((name) => contentOf(join(dist, RELEASES, name)));
  // One that cannot be read will be refused by whoever opens it.
  if (new Set(contents.filter((content) => content !== undefined)).size <= 1) return;
  throw new UserError(
    `${JSON.stringify(word)} means ${names.length} releases of one id that differ in their content: ${listed(names)}; give the whole name of one.`,
  );
}

/** What tells the contents of releases apart: SHA256SUMS without what depends on the version of the compressor. */
export function contentOf(folder: string): string | undefined {
  const sums = readReleaseFileSync(join(folder, SUMS));
  return sums && sha256(String(sums).replace(/^.*\.json\.(br|gz)\n/gm, ""));
}

/** Says each candidate in the form of which the beginning was typed. */
function ambiguous(word: string, ids: readonly string[], names: readonly string[]): UserError {
  const kinds = [ids.length > 0 && "ids", names.length > 0 && "names"].filter(Boolean);
  const all = [...ids, ...names];
  return usageError(
    `${JSON.stringify(word)} is the beginning of ${all.length} ${kinds.join(" and ")}: ${listed(all)}; give more of one${ids.length > 0 ? "" : ", or its id"}.`,
  );
}

const MOST_LISTED = 10;

function listed(words: readonly string[]): string {
  const rest = words.length - MOST_LISTED;
  return words.slice(0, MOST_LISTED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Ids are often copied from where they are in capitals; the T and Z of a folder's name stay as they are. */
function lowerHex(id: string): string {
  return id.replace(/[0-9A-F]+$/i, (digits) => digits.toLowerCase());
}

function idOf(name: string): string {
  return parseFolderName(name)?.id ?? "";
}

function holdsRelease(path: string): boolean {
  return [SNAPSHOT, SUMS, PAGES].some((name) => existsSync(join(path, name)));
}

function holdsReleases(path: string): boolean {
  return isFolder(join(path, CURRENT)) || isFolder(join(path, RELEASES));
}

/** Words may be longer than a path can be, or lead through a file: no folder either. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
