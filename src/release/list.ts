/** What releases there are. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, UserError, usageError } from "../errors.js";
import { parseFolderName, RELEASES } from "./layout.js";
import { openRelease } from "./open.js";
import { namesIn } from "./prune.js";
import { findCurrent } from "./switch.js";

export interface ReleaseSummary {
  id: string;
  /** The folder's name. */
  name: string;
  folder: string;
  /** When it was built. */
  time: Date;
  current: boolean;
  users: number;
  pages: number;
  /** Bytes of all its files; those it shares with other releases by hard links are counted in each. */
  bytes: number;
  /** Why it cannot be opened; its users and pages are 0 then. */
  broken?: string;
}

/**
 * All releases of `dist`, newest first.
 * @throws UserError when it has none.
 */
export async function listReleases(dist: string): Promise<ReleaseSummary[]> {
  const names = namesIn(dist);
  if (names.length === 0) throw usageError(`There is no release in ${dist}; run "rollcall build" first.`);
  const current = findCurrent(dist);
  const summaries: ReleaseSummary[] = [];
  for (const name of names) summaries.push(await summarize(dist, name, name === current));
  return summaries;
}

/** One release of `dist` by its folder name, which `releaseNames` has given. */
async function summarize(dist: string, name: string, current: boolean): Promise<ReleaseSummary> {
  const folder = join(dist, RELEASES, name);
  const { id = "", time = new Date(0) } = parseFolderName(name) ?? {};
  const base = { id, name, folder, time, current };
  try {
    const { snapshot } = await openRelease(folder);
    return { ...base, users: snapshot.count, pages: snapshot.pages, bytes: await bytesBelow(folder) };
  } catch (error) {
    if (!(error instanceof UserError) && codeOf(error) === undefined) throw error;
    const { message: broken } = error as Error;
    return { ...base, users: 0, pages: 0, bytes: await bytesBelow(folder).catch(() => 0), broken };
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
