/** A folder as a side of a diff: a release, or pages without a manifest. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SideFacts } from "../../core/compare/change.js";
import { badPage, indexed, openReleaseSide, readPage } from "../../core/compare/side.js";
import type { Contract } from "../../core/contract/contract.js";
import { readBody } from "../../core/contract/envelope.js";
import { MAX_CONTRACT } from "../../core/contract/file/form.js";
import { parseContract } from "../../core/contract/file/load.js";
import { pagesFor, parsePageUrl } from "../../core/contract/links.js";
import { USERS_CONTRACT } from "../../core/contract/users.js";
import { codeOf, isMissing, UserError } from "../../core/errors.js";
import { CONTRACT, EXPLORER, explorerPath, PagePaths, SNAPSHOT, SUMS } from "../../core/release/layout.js";
import { openRelease } from "../../core/release/open.js";
import { readReleaseFile } from "../../core/release/plain-files.js";
import { parseSnapshot } from "../../core/release/snapshot.js";

/** Opens a folder as a side. @param scratch a folder for the list of records. @throws UserError if it has neither a complete release nor pages. */
export async function openFolderSide(folder: string, name: string, scratch: string, signal?: AbortSignal) {
  const isRelease = [SUMS, SNAPSHOT].every((name) => existsSync(join(folder, name)));
  return isRelease ? openReleaseSide(await openRelease(folder), name) : openPagesSide(folder, name, scratch, signal);
}

/** Opens the pages of a folder as a side; other files may be missing. @param scratch a folder for the list of records. @throws UserError without pages. */
export async function openPagesSide(folder: string, name: string, scratch: string, signal?: AbortSignal) {
  const contract = await contractIn(folder, name);
  const facts = await factsOfPages(folder, contract, name);
  if (facts.baseUrl !== undefined && existsSync(join(folder, EXPLORER)))
    facts.explorer = facts.baseUrl + explorerPath(contract.listing.path);
  return indexed(folder, facts, scratch, signal);
}

/** Reads the contract of a folder of pages; the built-in one without contract.json. @throws UserError if it is not valid */
async function contractIn(folder: string, name: string): Promise<Contract> {
  const refuse = (why: string, cause?: unknown) =>
    new UserError(`${name} has a ${CONTRACT} that ${why}; check it with "rollcall verify".`, { cause });
  let text: Buffer;
  try {
    text = await readReleaseFile(join(folder, CONTRACT), MAX_CONTRACT);
  } catch (cause) {
    if (isMissing(cause)) return USERS_CONTRACT;
    throw refuse(`cannot be read (${codeOf(cause)})`, cause);
  }
  const contract = await parseContract(String(text));
  if ("mistakes" in contract) throw refuse(`is not a contract: ${contract.mistakes[0]?.replace(/\.$/, "")}`);
  return contract;
}

/** Reads the facts of a folder of pages from its first page, and the id from snapshot.json, if it exists. @throws UserError without a valid first page. */
async function factsOfPages(folder: string, contract: Contract, name: string): Promise<SideFacts> {
  const { path } = contract.listing;
  const first = new PagePaths(path).path(1);
  const bytes = readPage(join(folder, first), { name }, 1);
  if (!bytes)
    throw new UserError(`${name} is not a release: it has neither ${SUMS} nor ${first}. Name a release's folder.`);
  const read = readBody(bytes);
  if ("why" in read) throw badPage({ name }, 1, read.why);
  const { count, next, records } = read.envelope;
  const link = next === null ? undefined : parsePageUrl(next, path);
  const pageSize = Math.max(1, records);
  const snapshot = await readReleaseFile(join(folder, SNAPSHOT)).catch(() => "");
  const facts = { name, id: parseSnapshot(String(snapshot))?.id, count, pages: pagesFor(count, pageSize), pageSize };
  return { ...facts, baseUrl: link?.baseUrl, links: link?.links, contract };
}
