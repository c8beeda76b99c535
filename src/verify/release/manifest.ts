/** Reads snapshot.json, contract.json and SHA256SUMS as far as possible, and compares them with the files. */
import { basename, join } from "node:path";
import { parseBaseUrl } from "../../contract/base-url.js";
import { type Contract, USERS_CONTRACT } from "../../contract/contract.js";
import { MAX_CONTRACT } from "../../contract/file/form.js";
import { readContract } from "../../contract/file/read.js";
import { pagesFor } from "../../contract/links.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { shorten } from "../../print/text.js";
import {
  CONTRACT,
  OWNED,
  PagePaths,
  RECORDS,
  RELEASE_NAME,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  type Variant,
} from "../../release/layout.js";
import { parseFolderName } from "../../release/name.js";
import { hashPlain, readBlocks, readReleaseFile, withReleaseFile } from "../../release/plain-files.js";
import { contentDigest, parseSnapshot, type Snapshot, snapshotId } from "../../release/snapshot-file.js";
import { PageDigests, parseSum, readSumLines } from "../../release/sums.js";
import { recountedConditions } from "../conditions.js";
import type { Findings } from "../verdict.js";
import type { Tree } from "./tree.js";

export interface Manifest {
  /** Undefined if it cannot be read. */
  snapshot: Snapshot | undefined;
  /** Whether `snapshot` is from snapshot.json. */
  isOwn: boolean;
  /** Undefined without a valid contract: then records cannot be checked. */
  contract: Contract | undefined;
  paths: PagePaths;
  /** The expected number of pages. */
  pages: number;
  variants: readonly Variant[];
  /** The digests of pages, unset for unlisted ones; undefined if SHA256SUMS cannot be read. */
  digests: PageDigests | undefined;
  /** Whether SHA256SUMS has a digest of every plain page. */
  isComplete: boolean;
  /** The digests of all other files, by path. */
  others: ReadonlyMap<string, string>;
}

export interface OpenRelease {
  /** Its folder, with all links resolved. */
  folder: string;
  tree: Tree;
  manifest: Manifest;
}

/** Maximum characters of a mistake in a contract, which may repeat the file's text. */
const LONGEST_MISTAKE = 300;

/** Maximum bytes of the file with the folder's name that are read. */
const LONGEST_NAME = 100;

/** Reads a regular file as text; undefined if there is none, or it has more than `most` bytes. */
export async function readText(folder: string, tree: Tree, path: string, most?: number): Promise<string | undefined> {
  return (await readBytes(folder, tree, path, most))?.toString("utf8");
}

/** Reads a regular file as bytes, like `readText`. */
export async function readBytes(folder: string, tree: Tree, path: string, most?: number): Promise<Buffer | undefined> {
  if (tree.get(path) !== "file") return undefined;
  try {
    return await readReleaseFile(join(folder, path), most);
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return undefined;
    throw new UserError(`${join(folder, path)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/**
 * Reads the manifest. If only one of snapshot.json and SHA256SUMS can be read, it gives the expected pages.
 * @param promised the facts from page 1, if snapshot.json is missing, without id, state and warnings
 * @throws UserError if neither exists
 */
export async function readManifest(
  folder: string,
  tree: Tree,
  promised: Snapshot | undefined,
  findings: Findings,
): Promise<Manifest> {
  if (!promised && ![SNAPSHOT, SUMS].some((name) => tree.get(name) === "file"))
    throw new UserError(
      `${folder} is not a release: it has neither ${SNAPSHOT} nor ${SUMS}. Name a release's folder, or the beginning of an id.`,
    );
  const text = await readText(folder, tree, SNAPSHOT);
  const snapshot = text === undefined ? promised : parseSnapshot(text);
  const isOwn = text !== undefined;
  if (!snapshot) {
    const found = text === undefined ? "no file to read" : shorten(text, 100);
    findings.add({ check: "snapshot", path: SNAPSHOT, found, expected: "the JSON that Rollcall writes for a release" });
  }
  const own = await readOwnContract(folder, tree, findings);
  if (tree.get(SUMS) !== "file") {
    if (tree.has(SUMS) || tree.lacks(SUMS))
      findings.add({ check: "sums", path: SUMS, found: "no file to read", expected: "a digest for every file" });
    const outlined = outline(snapshot, countPages(own.paths, tree.keys()));
    return { snapshot, isOwn, ...own, ...outlined, digests: undefined, isComplete: false, others: new Map() };
  }
  try {
    return await withReleaseFile(join(folder, SUMS), async (file, size) =>
      readSums(file, size, { snapshot, isOwn, ...own }, tree, findings),
    );
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new UserError(`${join(folder, SUMS)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

async function readOwnContract(folder: string, tree: Tree, findings: Findings) {
  const text = await readText(folder, tree, CONTRACT, MAX_CONTRACT);
  const read = text === undefined ? { mistakes: ["no file to read"] } : await readContract(text);
  if (!("mistakes" in read)) return { contract: read, paths: new PagePaths(read.listing.path) };
  const isKnown = !tree.has(CONTRACT) && !tree.lacks(CONTRACT);
  for (const mistake of isKnown ? [] : read.mistakes) {
    const found = shorten(mistake, LONGEST_MISTAKE);
    findings.add({ check: "contract", path: CONTRACT, found, expected: "a contract" });
  }
  // Without a contract, take the path of the first page 1 that is found.
  for (const path of tree.keys()) {
    const [isFirst, listing = ""] = /^(.+\/)?pages\/1\.json$/.exec(path) ?? [];
    if (isFirst) return { contract: undefined, paths: new PagePaths(`/${listing}`) };
  }
  return { contract: undefined, paths: new PagePaths(USERS_CONTRACT.listing.path) };
}

/** The expected pages. Limits the number of snapshot.json, so that an absurd one does not fill the memory. */
function outline(snapshot: Snapshot | undefined, there: number): Pick<Manifest, "pages" | "variants"> {
  const pages = Math.min(snapshot?.pages ?? there, 2 * there + 1000);
  return { pages, variants: ["identity", ...(snapshot?.encodings ?? [])] };
}

function countPages(paths: PagePaths, all: Iterable<string>): number {
  let pages = 0;
  for (const path of all) if (paths.find(path)?.variant === "identity") pages++;
  return pages;
}

function readSums(
  file: number,
  size: number,
  own: Pick<Manifest, "snapshot" | "isOwn" | "contract" | "paths">,
  tree: Tree,
  findings: Findings,
): Manifest {
  const { snapshot, paths } = own;
  const note = (path: string, found: string, expected: string) =>
    findings.add({ check: "sums", path, found, expected });
  const last = readBlocks(file, Math.max(0, size - 1)).next().value;
  if (!last?.toString().endsWith("\n")) note(SUMS, "no newline at its end", "a newline after every line");
  const there = Math.max(countPages(paths, pathsIn(file)), countPages(paths, tree.keys()));
  const { pages, variants } = outline(snapshot, there);
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  for (const { line } of readSumLines(file)) {
    const sum = parseSum(line);
    if (!sum) {
      note(SUMS, JSON.stringify(shorten(line, 100)), "64 hexadecimal digits, two spaces and a path");
      continue;
    }
    const { path, digest } = sum;
    const { page = 0, variant = "identity" } = paths.find(path) ?? {};
    const isPage = digests.includes(page, variant);
    if (isPage ? digests.get(page, variant) !== undefined : others.has(path))
      note(path, "listed twice", "one line a file");
    else if (isPage) digests.set(page, variant, digest);
    else others.set(path, digest);
  }
  if (!others.has(SNAPSHOT)) note(SNAPSHOT, "not listed", `a line in ${SUMS}`);
  let isComplete = true;
  for (let page = 1; page <= pages; page++)
    for (const variant of variants) {
      if (digests.get(page, variant) !== undefined) continue;
      note(paths.path(page, variant), "not listed", `a line in ${SUMS}`);
      if (variant === "identity") isComplete = false;
    }
  return { ...own, pages, variants, digests, isComplete, others };
}

function* pathsIn(file: number): Generator<string> {
  for (const { line } of readSumLines(file)) {
    const sum = parseSum(line);
    if (sum) yield sum.path;
  }
}

/** Finds missing files, unlisted files, anything that is not a regular file, and a name that is not the folder's. */
export async function checkFiles({ folder, tree, manifest }: OpenRelease, findings: Findings): Promise<void> {
  const { paths, digests, others, pages, variants } = manifest;
  const note = (path: string, found: string, expected: string) => {
    const page = paths.find(path)?.page;
    findings.add({ check: "files", path, ...(page !== undefined && { page }), found, expected });
  };
  const expect = (path: string) => {
    if (tree.lacks(path)) note(path, "no such file", "a file");
  };
  for (const path of new Set([SUMS, SNAPSHOT, ...others.keys()])) expect(path);
  for (let page = 1; page <= pages; page++) for (const variant of variants) expect(paths.path(page, variant));

  const isListed = (path: string) => {
    const { page = 0, variant = "identity" } = paths.find(path) ?? {};
    const isPage = page >= 1 && page <= pages && variants.includes(variant);
    return isPage || others.has(path) || [SUMS, SIGNATURE, SNAPSHOT, OWNED, RELEASE_NAME].includes(path);
  };
  for (const [path, kind] of tree) {
    if (kind !== "file") note(path, kind, "a plain file");
    else if (digests && !isListed(path)) note(path, "a file", `none, since ${SUMS} does not list it`);
  }
  const name = basename(folder);
  const found = await readText(folder, tree, RELEASE_NAME, LONGEST_NAME);
  if (parseFolderName(name) && found !== `${name}\n`)
    note(RELEASE_NAME, JSON.stringify(found ?? ""), `the folder's name, ${name}`);
}

/** Compares all files but pages with their digests. */
export async function checkDigests({ folder, tree, manifest }: OpenRelease, findings: Findings): Promise<void> {
  for (const [path, expected] of manifest.others) {
    if (tree.get(path) !== "file") continue;
    const found = (await hashPlain(join(folder, path))) ?? "no file to read";
    if (found !== expected) findings.add({ check: "digests", path, found, expected });
  }
}

/** Compares snapshot.json with the contract, the digests, the name of the folder, and itself. */
export function checkSnapshot({ folder, manifest }: OpenRelease, findings: Findings): void {
  const { snapshot, isOwn, contract, paths, pages: listed, digests, isComplete, others } = manifest;
  if (!snapshot || !isOwn) return;
  const expect = (key: string, found: unknown, expected: unknown, why: string) =>
    compare(findings, `${key} ${found}`, `${expected}, ${why}`, found === expected);
  const { id, ...facts } = snapshot;
  const pages = pagesFor(snapshot.count, snapshot.page_size);
  expect("pages", snapshot.pages, pages, `for count ${snapshot.count}, ${snapshot.page_size} a page`);
  if (contract) expect("contract", snapshot.contract, contract.listing.version, `the version of ${CONTRACT}`);
  expect("base_url", snapshot.base_url, normalised(snapshot.base_url, contract), "an absolute URL in its normal form");
  if (others.has(RECORDS)) expect("state", snapshot.state, others.get(RECORDS), `the digest of ${RECORDS}`);
  // Without all digests the id cannot be computed. The check of SHA256SUMS has reported that.
  if (digests && isComplete && listed === snapshot.pages)
    expect("id", id, snapshotId(contentDigest(facts, { paths, pages: digests, others })), "which its content gives");
  const named = parseFolderName(basename(folder))?.id;
  if (named !== undefined) expect("id", id, named, "which the folder's name says");
}

/** Compares the warnings of snapshot.json with those counted from records, if they can be counted. */
export function checkWarnings(
  { snapshot, isOwn, contract }: Manifest,
  counted: WarningCounts,
  findings: Findings,
): void {
  if (!snapshot || !isOwn || !contract) return;
  const [listed, given] = [snapshot.warnings, counted].map((counts) => new Map(Object.entries(counts)));
  const recounted = recountedConditions(contract).map(({ name }) => name);
  for (const kind of new Set([...(listed?.keys() ?? []), ...(given?.keys() ?? [])])) {
    if (contract.conditions.some(({ name }) => name === kind) && !recounted.includes(kind)) continue;
    const [found, expected] = [listed?.get(kind) ?? 0, given?.get(kind) ?? 0];
    compare(findings, `${kind} ${found}`, `${expected}, as there are`, found === expected);
  }
}

function compare(findings: Findings, found: string, expected: string, isSame: boolean): void {
  if (!isSame) findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
}

function normalised(baseUrl: string, contract: Contract | undefined): string {
  try {
    return parseBaseUrl(baseUrl, contract?.listing.path);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}
