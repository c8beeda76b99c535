/** A side of a diff that is a folder: a release, or pages without their release's account of them. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readEnvelope } from "../contract/envelope.js";
import { pagesFor, parsePageUrl } from "../contract/links.js";
import type { SideFacts } from "../diff/change.js";
import { readPage } from "../diff/index-pages.js";
import { indexed, openReleaseSide } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { hasCode, UserError } from "../errors.js";
import { readReleaseFile } from "../release/files.js";
import { pagePath, SNAPSHOT, SUMS } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { parseSnapshot } from "../release/snapshot.js";

/**
 * Opens a folder that holds a release, whole, or at least `api/users/pages`.
 * @param scratch a folder of the caller's, for an index where the pages have none.
 * @throws UserError when it is neither, or not whole.
 */
export async function openFolderSide(
  folder: string,
  name: string,
  scratch: string,
  signal?: AbortSignal,
): Promise<Side> {
  const isRelease = (await isThere(join(folder, SUMS))) && (await isThere(join(folder, SNAPSHOT)));
  return isRelease
    ? openReleaseSide(await openRelease(folder), name, scratch, signal)
    : indexed(folder, await factsOfPages(folder, name), scratch, signal);
}

/**
 * What the first page says of a listing, and its snapshot.json of its id where there is one.
 * @throws UserError when there is no first page, or it says nothing that makes sense.
 */
export async function factsOfPages(folder: string, name: string): Promise<SideFacts> {
  const bytes = readPage(folder, { name }, 1);
  if (!bytes)
    throw new UserError(
      `${name} holds no release: it has neither ${SUMS} nor ${pagePath(1)}. Name a release's folder.`,
    );
  const read = readEnvelope(bytes);
  if ("why" in read) throw new UserError(`Page 1 of ${name} ${read.why}; check it with "rollcall verify".`);
  const { count, next, users } = read.envelope;
  const link = next === null ? undefined : parsePageUrl(next);
  const pageSize = Math.max(1, users);
  return {
    name,
    id: await findId(folder),
    count,
    pages: pagesFor(count, pageSize),
    pageSize,
    baseUrl: link?.baseUrl,
    links: link?.links,
  };
}

async function findId(folder: string): Promise<string | undefined> {
  const text = await readReleaseFile(join(folder, SNAPSHOT)).catch(() => "");
  return parseSnapshot(String(text))?.id;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
