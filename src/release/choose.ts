/** Finds the release that a user means, for every verb that takes a release. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { USERS_CONTRACT } from "../contract/contract.js";
import { codeOf, UserError, usageError } from "../errors.js";
import { listed } from "../print/text.js";
import { at } from "../settings/kinds.js";
import { closing, openPlain } from "./files.js";
import { CONTRACT, CURRENT, PagePaths, PREVIOUS, RELEASES, SNAPSHOT, SUMS } from "./layout.js";
import { findCurrent, findPrevious, releaseNames } from "./list.js";
import { idOf } from "./name.js";
import { openRelease, type Release } from "./open.js";
import { readSumLines } from "./sums.js";

/** Without a word the current one. @throws UserError when a word means none or several, or the release is not whole. */
export async function openChosen(dist: string, word?: string, cwd = "."): Promise<Release> {
  return openRelease(word === undefined ? join(dist, CURRENT) : findRelease(word, dist, cwd));
}

/** The folder of the release that a word means, see `lookUp`. @throws UserError when it means none or several. */
export function findRelease(word: string, dist: string, cwd = "."): string {
  const folder = lookUp(word, dist, cwd);
  if (folder !== undefined) return folder;
  const ids = [...new Set(releaseNames(dist).map(idOf))];
  if (ids.length === 0) throw usageError(`There is no release in ${dist}; run "rollcall build" first.`);
  throw usageError(
    `${JSON.stringify(word)} is neither the beginning of a release's id in ${dist} nor a release's folder; ids there are ${listed(ids, MOST_LISTED)}.`,
  );
}

/**
 * The folder of the release that a word means, which may be damaged, by the first of these rules that applies:
 * 1. `current` and `previous`, in `dist`;
 * 2. a folder that holds a release or, as `dist` does, a current one;
 * 3. an id or a folder name in `dist`, or the beginning of one; of releases with the same content, the newest;
 * 4. any other folder; opening it will tell what it lacks.
 * @throws UserError when it is the beginning of several ids, or when there is no current or previous release.
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

/** Each of these in a folder shows that it is meant to be a release. Pages without a contract are of users. */
const SIGNS = [SNAPSHOT, SUMS, CONTRACT, new PagePaths(USERS_CONTRACT.listing.path).folder];

function currentOf(dist: string): string {
  const name = findCurrent(dist);
  if (name !== undefined) return join(dist, RELEASES, name);
  // Where links got lost, for example in an archive, `current` is a folder.
  const folder = join(dist, CURRENT);
  if (isFolder(folder)) return folder;
  throw usageError(`There is no current release in ${dist}; run "rollcall build" first.`);
}

function previousOf(dist: string): string {
  const name = findPrevious(dist);
  if (name !== undefined && isFolder(join(dist, RELEASES, name))) return join(dist, RELEASES, name);
  const why = name === undefined ? `No release in ${dist}` : `${name}, which has been removed from ${dist},`;
  throw usageError(`${why} was current before the current one; "rollcall releases" lists those that are there.`);
}

function findByBeginning(word: string, dist: string): string | undefined {
  // Ids may be typed in capitals; the T and Z of a folder's name stay as they are.
  const beginning = word.replace(/[0-9A-F]+$/i, (digits) => digits.toLowerCase());
  const names = releaseNames(dist);
  const byId = names.filter((name) => idOf(name).startsWith(beginning));
  const byName = names.filter((name) => name.startsWith(beginning));
  const meant = [...byId, ...byName];
  if (new Set(meant.map(idOf)).size > 1) throw ambiguous(word, [...new Set(byId.map(idOf))], byName);
  if (meant.length > 1) requireTwins(word, meant, dist);
  return meant[0];
}

/** @throws UserError when releases with one id differ in content, which takes somebody who wants them to. */
function requireTwins(word: string, names: readonly string[], dist: string): void {
  const contents = names.map((name) => contentOf(join(dist, RELEASES, name)));
  // A release that cannot be read is refused when it is opened.
  if (new Set(contents.filter((content) => content !== undefined)).size <= 1) return;
  throw new UserError(
    `${JSON.stringify(word)} means ${names.length} releases of one id that differ in their content: ${listed(names, MOST_LISTED)}; give the whole name of one.`,
  );
}

/** A digest of a release's content: of the lines of SHA256SUMS that are part of its id, and of snapshot.json, see `contentDigest`. */
export function contentOf(folder: string): string | undefined {
  const file = openPlain(join(folder, SUMS));
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  return closing(file, () => {
    for (const { line } of readSumLines(file)) if (CONTENT.test(line)) hash.update(`${line}\n`);
    return hash.digest("hex");
  });
}

const CONTENT = / {2}(?:snapshot\.json|contract\.json|records\.sha256|(?:.*\/)?pages\/[0-9]+\.json)$/;

function ambiguous(word: string, ids: readonly string[], names: readonly string[]): UserError {
  const [kinds, all] = [[ids.length > 0 && "ids", names.length > 0 && "names"].filter(Boolean), [...ids, ...names]];
  return usageError(
    `${JSON.stringify(word)} is the beginning of ${all.length} ${kinds.join(" and ")}: ${listed(all, MOST_LISTED)}; give more of one${ids.length > 0 ? "" : ", or its id"}.`,
  );
}

const MOST_LISTED = 10;

/** False also for a word that is too long for a path, or that leads through a file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
