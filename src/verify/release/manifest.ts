/** snapshot.json and SHA256SUMS of a release, read as far as possible: whatever is wrong with them is a finding. */
import { basename, join } from "node:path";
import { parseBaseUrl } from "../../contract/base-url.js";
import type { Contract } from "../../contract/contract.js";
import { pagesFor } from "../../contract/links.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { codeOf, UserError } from "../../errors.js";
import { shorten } from "../../print/text.js";
import { readBlocks, withReleaseFile } from "../../release/files.js";
import { CONTRACT, type PagePaths, RECORDS, SNAPSHOT, SUMS } from "../../release/layout.js";
import { parseFolderName } from "../../release/name.js";
import { contentDigest, parseSnapshot, type Snapshot, snapshotId } from "../../release/snapshot.js";
import { type OpenSums, PageDigests, parseSum, readSumLines } from "../../release/sums.js";
import { recountedConditions } from "../conditions.js";
import type { Findings } from "../verdict.js";
import { type OwnContract, readOwnContract } from "./contract.js";
import { type ListedFiles, readPlainFile } from "./files.js";
import type { Tree } from "./tree.js";

/** Without a snapshot where that cannot be read. */
export type Manifest = ListedFiles & OwnContract & { snapshot: Snapshot | undefined };

/** Where only one of them can be read, the pages are those that it names. @throws UserError when neither is there. */
export async function readManifest(folder: string, tree: Tree, findings: Findings): Promise<Manifest> {
  const snapshotText = await readPlainFile(folder, tree, SNAPSHOT);
  if (![SNAPSHOT, SUMS].some((name) => tree.get(name) === "file")) {
    throw new UserError(
      `${folder} is no release: it has neither ${SNAPSHOT} nor ${SUMS}. Name a release's folder, or the beginning of an id.`,
    );
  }
  const path = join(folder, SUMS);
  const readWith = async (sums: OpenSums | undefined): Promise<Manifest> => {
    const own = await readOwnContract(folder, tree, findings);
    const snapshot = snapshotText === undefined ? undefined : parseSnapshot(snapshotText);
    if (!snapshot) {
      const found = snapshotText === undefined ? "no file to read" : shorten(snapshotText, 100);
      const expected = "the JSON that Rollcall writes for a release";
      findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
    }
    const { paths } = own;
    if (sums) return { snapshot, ...own, ...readSums(sums, { paths, tree, snapshot }, findings) };
    findings.add({ check: "sums", path: SUMS, found: "no file to read", expected: "a digest for every file" });
    const outlined = outline(snapshot, countPages(paths, tree.keys()));
    return { snapshot, ...own, ...outlined, digests: undefined, isComplete: false, others: new Map() };
  };
  if (tree.get(SUMS) !== "file") return readWith(undefined);
  try {
    return await withReleaseFile(path, (file, size) => readWith({ file, size }));
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
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
  from: OpenSums,
  { paths, tree, snapshot }: { paths: PagePaths; tree: Tree; snapshot: Snapshot | undefined },
  findings: Findings,
): ListedFiles {
  const note = (path: string, found: string, expected: string) =>
    findings.add({ check: "sums", path, found, expected });
  const last = readBlocks(from.file, Math.max(0, from.size - 1)).next().value;
  if (!last?.toString().endsWith("\n")) note(SUMS, "no newline at its end", "a newline after every line");
  const { pages, variants } = outline(
    snapshot,
    Math.max(countPages(paths, pathsIn(from)), countPages(paths, tree.keys())),
  );
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  for (const { line } of readSumLines(from.file)) {
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
  return { paths, pages, variants, digests, isComplete, others };
}

function* pathsIn({ file }: OpenSums): Generator<string> {
  for (const { line } of readSumLines(file)) {
    const sum = parseSum(line);
    if (sum) yield sum.path;
  }
}

/** Compares snapshot.json with the contract, the digests, the name of the folder, and itself. */
export function checkSnapshot(folder: string, manifest: Manifest, findings: Findings): void {
  const { snapshot, contract, paths, pages: listed, digests, isComplete, others } = manifest;
  if (!snapshot) return;
  const expect = (key: string, found: unknown, expected: unknown, why: string) =>
    compare(findings, `${key} ${found}`, `${expected}, ${why}`, found === expected);
  const { id, ...facts } = snapshot;
  const pages = pagesFor(snapshot.count, snapshot.page_size);
  expect("pages", snapshot.pages, pages, `for count ${snapshot.count}, ${snapshot.page_size} a page`);
  if (contract) expect("contract", snapshot.contract, contract.listing.version, `the version of ${CONTRACT}`);
  expect("base_url", snapshot.base_url, normalised(snapshot.base_url, contract), "an absolute URL in its normal form");
  if (others.has(RECORDS)) expect("state", snapshot.state, others.get(RECORDS), `the digest of ${RECORDS}`);
  // Without all digests the id is not known; the check of SHA256SUMS has reported that.
  if (digests && isComplete && listed === snapshot.pages)
    expect("id", id, snapshotId(contentDigest(facts, { paths, pages: digests, others })), "which its content gives");
  const named = parseFolderName(basename(folder))?.id;
  if (named !== undefined) expect("id", id, named, "which the folder's name says");
}

/** Compares the warnings of snapshot.json with those that its records give, where they alone can tell. */
export function checkWarnings(manifest: Manifest, counted: WarningCounts, findings: Findings): void {
  const [listed, given] = [
    new Map(Object.entries(manifest.snapshot?.warnings ?? {})),
    new Map(Object.entries(counted)),
  ];
  const isTold = toldWarnings(manifest);
  for (const kind of new Set([...listed.keys(), ...given.keys()])) {
    if (!isTold(kind)) continue;
    const [found, expected] = [listed.get(kind) ?? 0, given.get(kind) ?? 0];
    compare(findings, `${kind} ${found}`, `${expected}, as there are`, found === expected);
  }
}

/** Which kinds of warnings are compared: not conditions over what no record shows. */
function toldWarnings({ contract }: Manifest): (kind: string) => boolean {
  if (!contract) return () => true;
  const told = new Set(recountedConditions(contract));
  const conditions = new Set(contract.conditions.map(({ name }) => name));
  return (kind) => told.has(kind) || !conditions.has(kind);
}

function compare(findings: Findings, found: string, expected: string, isSame: boolean): void {
  if (!isSame) findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
}

function normalised(baseUrl: string, contract: Contract | undefined): string {
  try {
    return parseBaseUrl(baseUrl, contract?.listing.path ?? null);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}
