/** snapshot.json and SHA256SUMS of a release, read as far as possible: whatever is wrong with them is a finding. */
import { basename, join } from "node:path";
import { USERS_CONTRACT } from "../../contract/contract.js";
import { pagesFor, parseBaseUrl } from "../../contract/links.js";
import { CONTRACT_VERSION } from "../../contract/user.js";
import type { WarningCounts } from "../../contract/warnings.js";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { shorten } from "../../print/text.js";
import { PageDigests, readSumLines } from "../../release/digests.js";
import { readReleaseFile } from "../../release/files.js";
import { PagePaths, parseFolderName, SNAPSHOT, SUMS } from "../../release/layout.js";
import { contentDigest, parseSnapshot, type Snapshot, snapshotId } from "../../release/snapshot.js";
import type { Findings } from "../verdict.js";
import type { ListedFiles, Tree } from "./files.js";

/** Without a snapshot where that cannot be read. */
export type Manifest = ListedFiles & { snapshot: Snapshot | undefined };

/** Where only one of them can be read, the pages are those that it names. @throws UserError when neither is there. */
export async function readManifest(folder: string, tree: Tree, findings: Findings): Promise<Manifest> {
  const [snapshotText, sumsText] = [await read(folder, tree, SNAPSHOT), await read(folder, tree, SUMS)];
  if (![SNAPSHOT, SUMS].some((name) => tree.get(name) === "file")) {
    throw new UserError(
      `${folder} is no release: it has neither ${SNAPSHOT} nor ${SUMS}. Name a release's folder, or the beginning of an id.`,
    );
  }
  const paths = new PagePaths(USERS_CONTRACT.listing.path);
  const snapshot = snapshotText === undefined ? undefined : parseSnapshot(snapshotText);
  if (!snapshot) {
    const found = snapshotText === undefined ? "no file to read" : shorten(snapshotText, 100);
    findings.add({ check: "snapshot", path: SNAPSHOT, found, expected: "the JSON that Rollcall writes for a release" });
  }
  if (sumsText !== undefined) return { snapshot, ...readSums(sumsText, { paths, tree, snapshot }, findings) };
  findings.add({ check: "sums", path: SUMS, found: "no file to read", expected: "a digest for every file" });
  const outlined = outline(snapshot, countPages(paths, tree.keys()));
  return { snapshot, paths, ...outlined, digests: undefined, others: new Map() };
}

/** The text of a plain file; undefined when there is none, or it is longer than a string can be. */
async function read(folder: string, tree: Tree, name: string): Promise<string | undefined> {
  if (tree.get(name) !== "file") return undefined;
  try {
    return (await readReleaseFile(join(folder, name))).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return undefined;
    throw new UserError(`${join(folder, name)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/** The pages that snapshot.json names, within reason: an absurd number must not fill the memory. */
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
  text: string,
  { paths, tree, snapshot }: { paths: PagePaths; tree: Tree; snapshot: Snapshot | undefined },
  findings: Findings,
): ListedFiles {
  const note = (path: string, found: string, expected: string) =>
    findings.add({ check: "sums", path, found, expected });
  if (!text.endsWith("\n")) note(SUMS, "no newline at its end", "a newline after every line");
  const lines = text.endsWith("\n") ? text : `${text}\n`;
  const listed = countPages(paths, pathsIn(lines));
  const { pages, variants } = outline(snapshot, Math.max(listed, countPages(paths, tree.keys())));
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  for (const { line, sum } of readSumLines(lines)) {
    if (!sum) {
      note(SUMS, JSON.stringify(shorten(line, 100)), "64 hexadecimal digits, two spaces and a path");
      continue;
    }
    const { path, digest } = sum;
    const { page = 0, variant = "identity" } = paths.find(path) ?? {};
    const isPage = digests.get(page, variant) !== undefined;
    if (isPage ? digests.has(page, variant) : others.has(path)) note(path, "listed twice", "one line a file");
    else if (isPage) digests.set(page, variant, digest);
    else others.set(path, digest);
  }
  if (!others.has(SNAPSHOT)) note(SNAPSHOT, "not listed", `a line in ${SUMS}`);
  for (let page = 1; page <= pages; page++)
    for (const variant of variants)
      if (!digests.has(page, variant)) note(paths.path(page, variant), "not listed", `a line in ${SUMS}`);
  return { paths, pages, variants, digests, others };
}

function* pathsIn(lines: string): Generator<string> {
  for (const { sum } of readSumLines(lines)) if (sum) yield sum.path;
}

/** Compares snapshot.json with the digests, the name of the folder, and itself. */
export function checkSnapshot(
  folder: string,
  { snapshot, paths, digests, others }: Manifest,
  findings: Findings,
): void {
  if (!snapshot) return;
  const expect = (key: string, found: unknown, expected: unknown, why: string) =>
    compare(findings, `${key} ${found}`, `${expected}, ${why}`, found === expected);
  const { id, ...facts } = snapshot;
  const pages = pagesFor(snapshot.count, snapshot.page_size);
  expect("pages", snapshot.pages, pages, `for ${snapshot.count} users, ${snapshot.page_size} a page`);
  expect("contract", snapshot.contract, CONTRACT_VERSION, "which this version of Rollcall checks against");
  expect("base_url", snapshot.base_url, normalised(snapshot.base_url), "an absolute URL in its normal form");
  // Without all digests the id is not known; the check of SHA256SUMS has reported that.
  if (digests?.isComplete(snapshot.pages))
    expect("id", id, snapshotId(contentDigest(facts, { paths, pages: digests, others })), "which its content gives");
  const named = parseFolderName(basename(folder))?.id;
  if (named !== undefined) expect("id", id, named, "which the folder's name says");
}

/** Compares the warnings of snapshot.json with those that its users give. */
export function checkWarnings({ warnings }: Snapshot, counted: WarningCounts, findings: Findings): void {
  const [listed, given] = [new Map(Object.entries(warnings)), new Map(Object.entries(counted))];
  for (const kind of new Set([...listed.keys(), ...given.keys()])) {
    const [found, expected] = [listed.get(kind) ?? 0, given.get(kind) ?? 0];
    compare(findings, `${kind} ${found}`, `${expected}, as there are`, found === expected);
  }
}

function compare(findings: Findings, found: string, expected: string, isSame: boolean): void {
  if (!isSame) findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
}

function normalised(baseUrl: string): string {
  try {
    return parseBaseUrl(baseUrl);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}
