/** Lists the releases in a `dist`, and finds the current and the previous one. */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { codeOf, hasCode, UserError, usageError } from "../errors.js";
import { CURRENT, PREVIOUS_LINKS, RELEASES } from "./layout.js";
import { parseFolderName } from "./name.js";
import { factsOf, openSiteRelease } from "./site.js";

export interface ReleaseSummary {
  id: string;
  name: string;
  folder: string;
  /** When it was built, from its name. */
  time: Date;
  current: boolean;
  records: number;
  pages: number;
  /** Bytes of all its files, including hard links that it shares with other releases. */
  bytes: number;
  /** The contract's words for one record and for many. */
  words?: Contract["listing"]["words"];
  /** The number of records of each listing of a site, by name. */
  listings?: Record<string, number>;
  /** Why it cannot be opened. `records` and `pages` are 0 then. */
  broken?: string;
}

/** The error for a `dist` without releases. */
export function noReleases(dist: string, cause?: unknown): UserError {
  return usageError(`There is no release in ${dist}; run "rollcall build" first.`, cause);
}

/** Describes all releases of `dist`, newest first. @throws UserError if it has none. */
export async function listReleases(dist: string): Promise<ReleaseSummary[]> {
  const names = releaseNames(dist);
  if (names.length === 0) throw noReleases(dist);
  const summaries: ReleaseSummary[] = [];
  for (const name of names) summaries.push(await summarize(dist, name));
  return summaries;
}

/** The folder names of the releases in `dist`, newest first; empty without any. */
export function releaseNames(dist: string): string[] {
  try {
    return readdirSync(join(dist, RELEASES), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && parseFolderName(entry.name))
      .map((entry) => entry.name)
      .sort()
      .reverse();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** The folder name of the current release; undefined without one. */
export function findCurrent(dist: string): string | undefined {
  return linked(join(dist, CURRENT));
}

/** The folder name of the release that was current before the current one. It may have been removed since. */
export function findPrevious(dist: string): string | undefined {
  const current = findCurrent(dist);
  return current === undefined ? undefined : linked(join(dist, PREVIOUS_LINKS, current));
}

function linked(path: string): string | undefined {
  try {
    const name = basename(readlinkSync(path));
    return parseFolderName(name) ? name : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EINVAL")) return undefined;
    throw error;
  }
}

/** Describes one release. A release that cannot be opened has `broken`. */
export async function summarize(dist: string, name: string): Promise<ReleaseSummary> {
  const folder = join(dist, RELEASES, name);
  const { id = "", time = new Date(0) } = parseFolderName(name) ?? {};
  const base = { id, name, folder, time, current: name === findCurrent(dist) };
  try {
    const facts = factsOf(await openSiteRelease(folder));
    return { ...base, ...facts, bytes: await bytesBelow(folder) };
  } catch (error) {
    if (!(error instanceof UserError) && codeOf(error) === undefined) throw error;
    const { message: broken } = error as Error;
    return { ...base, records: 0, pages: 0, bytes: await bytesBelow(folder).catch(() => 0), broken };
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  // A list of all files would take hundreds of bytes for each.
  for await (const entry of await opendir(folder, { recursive: true, bufferSize: 1024 }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return bytes;
}
