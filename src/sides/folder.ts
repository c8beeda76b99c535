/** A folder as a side of a diff: a release, or pages without a manifest. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Contract, USERS_CONTRACT } from "../contract/contract.js";
import { readBody } from "../contract/envelope.js";
import { pagesFor, parsePageUrl } from "../contract/links.js";
import type { SideFacts } from "../diff/change.js";
import { badPage, readPage } from "../diff/index-pages.js";
import { indexed, openReleaseSide } from "../diff/side.js";
import { UserError } from "../errors.js";
import { readReleaseFile } from "../release/files.js";
import { PagePaths, SNAPSHOT, SUMS } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { parseSnapshot } from "../release/snapshot.js";

/** @param scratch a folder for an index. @throws UserError when the folder holds neither a whole release nor pages. */
export async function openFolderSide(folder: string, name: string, scratch: string, signal?: AbortSignal) {
  const isRelease = [SUMS, SNAPSHOT].every((name) => existsSync(join(folder, name)));
  return isRelease
    ? openReleaseSide(await openRelease(folder), name, scratch, signal)
    : indexed(folder, await factsOfPages(folder, USERS_CONTRACT, name), scratch, signal);
}

/** From its first page, and the id from snapshot.json if there is one. @throws UserError without a valid first page. */
export async function factsOfPages(folder: string, contract: Contract, name: string): Promise<SideFacts> {
  const { path } = contract.listing;
  const first = new PagePaths(path).path(1);
  const bytes = readPage(join(folder, first), { name }, 1);
  if (!bytes)
    throw new UserError(`${name} holds no release: it has neither ${SUMS} nor ${first}. Name a release's folder.`);
  const read = readBody(bytes);
  if ("why" in read) throw badPage({ name }, 1, read.why);
  const { count, next, users } = read.envelope;
  const link = next === null ? undefined : parsePageUrl(next, path);
  const pageSize = Math.max(1, users);
  const snapshot = await readReleaseFile(join(folder, SNAPSHOT)).catch(() => "");
  const facts = { name, id: parseSnapshot(String(snapshot))?.id, count, pages: pagesFor(count, pageSize), pageSize };
  return { ...facts, baseUrl: link?.baseUrl, links: link?.links, contract };
}
