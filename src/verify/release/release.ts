/** `rollcall verify` for a listing on disk: checks every byte of it. */
import { basename, join } from "node:path";
import { parseBaseUrl } from "../../contract/base-url.js";
import type { Contract } from "../../contract/contract.js";
import { parseJson } from "../../contract/json.js";
import { pagesFor } from "../../contract/links.js";
import type { LookupIndex } from "../../contract/lookup.js";
import { csvHeading } from "../../contract/record/csv.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { referencesOf } from "../../contract/references.js";
import { UserError } from "../../errors.js";
import { count } from "../../print/numbers.js";
import { showValue } from "../../print/text.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  EXPLORER,
  isSorted,
  LOOKUP,
  RECORDS,
  SIGNATURE,
  SNAPSHOT,
  SUMMARY,
  SUMS,
  unlistedFiles,
} from "../../release/layout.js";
import { parseFolderName } from "../../release/name.js";
import { inspect, type Release } from "../../release/open.js";
import { readReleaseFile } from "../../release/plain-files.js";
import { findUnreadable } from "../../release/sharing.js";
import { RECORDS_WORDS } from "../../release/site.js";
import { listFiles } from "../../release/sums.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { checkSigned, type SignatureTrust, type Signed } from "../signature.js";
import { Findings, type Verdict } from "../verdict.js";
import { checkParts, comparePlain, noteIfWrong, readBulk } from "./bulk.js";
import { checkChanges } from "./changes.js";
import { ComparingSink, checkDigests, checkFiles, type FileDigests, type Note } from "./files.js";
import { PartHashes, PlainHash } from "./lines.js";
import { readPage } from "./page-check.js";
import { checkPages } from "./pages.js";
import { groupOf, type Reasons, type Seen, skippedRows, toRows } from "./rows.js";

export interface DiskOptions extends Pick<VerifyOptions, "workers">, Omit<VerifyEffects, "cwd"> {
  /** The folder of the release, or a link to it such as `dist/current`. */
  folder: string;
  /** The required signature, if any. */
  trust?: SignatureTrust | undefined;
  /** Whether the folder was downloaded from a host, so that it has only the files that hosts serve. */
  isCopy?: boolean | undefined;
  /** Findings to add to. */
  findings?: Findings | undefined;
}

/** The format versions that can be compared. */
const LOOKUP_VERSION: LookupIndex["version"] = 2;
const SUMMARY_VERSION = 1;
const UNOPENED = "not looked at, since the release cannot be opened";
const UNUSABLE = "the pages that it is made from are not valid";
/** Maximum bytes of a signature: four lines, one of them with a base URL. */
const MAX_SIGNATURE = 2 ** 16;
/** The checks of files that are made from all records. */
const MADE = ["record-list", "bulk", "csv", "lookup", "explorer"];

/** Verifies a release. @throws UserError if there is no release, or it cannot be read. Everything else is a finding. */
export async function verifyRelease(options: DiskOptions): Promise<Verdict> {
  const { findings = new Findings(), isCopy = false, trust, signal } = options;
  const { release, problems, root } = await inspect(options.folder);
  const subject = `release ${basename(root)}`;
  // A copy has no compressed pages. The download has compared the others.
  for (const problem of problems) if (!isCopy || problem.check !== "files") findings.add(problem);
  if (!release) return { subject, words: RECORDS_WORDS, rows: skippedRows(UNOPENED, findings) };
  const files = await checkFiles(release, isCopy, findings);
  const digests = checkDigests(release, findings);
  checkSnapshot(release, findings);
  const named = { ...release, id: release.snapshot.id, baseUrl: release.snapshot.base_url };
  const signature = await checkSigned({ path: SIGNATURE }, await readSigned(named, trust), trust, findings);
  const skipped = await findSkipped(release);
  const seen: Seen = { release, files, signature: signature.cell, records: 0 };
  seen.records = await checkRecords(seen, { digests, skipped }, options, findings);
  if (!skipped["changes"]) await checkChanges(release, digests, findings, signal);
  skipped["signature"] = signature.skipped;
  if (isCopy) skipped["readable"] = "it is a copy";
  const noted = isCopy ? undefined : findUnreadable(root, pathsOf(release));
  return { subject, words: release.contract.listing.words, rows: toRows(seen, skipped, noted, findings) };
}

function* pathsOf({ sums, isSigned }: Release): Generator<string> {
  yield* unlistedFiles({ isSigned });
  for (const [path] of listFiles(sums)) yield path;
}

/** Reads what is signed in a folder. */
export async function readSigned(
  { folder, id, baseUrl, isSigned }: Pick<Release, "folder" | "isSigned"> & Pick<Signed, "id" | "baseUrl">,
  trust: SignatureTrust | undefined,
): Promise<Signed> {
  const bytes = isSigned ? readPage(join(folder, SIGNATURE)) : undefined;
  const signature = Buffer.isBuffer(bytes) && bytes.length <= MAX_SIGNATURE ? String(bytes) : undefined;
  const sums = signature === undefined || !trust ? undefined : await readReleaseFile(join(folder, SUMS));
  return { sums, signature, id, baseUrl };
}

/** Compares snapshot.json with the contract, the list of records, the name of the folder, and itself. */
function checkSnapshot({ folder, snapshot, contract, sums }: Release, findings: Findings): void {
  const expect = (key: string, found: unknown, expected: unknown, why: string) =>
    compare(findings, `${key} ${found}`, `${expected}, ${why}`, found === expected);
  const { id, count, page_size: size, base_url: baseUrl, state } = snapshot;
  expect("pages", snapshot.pages, pagesFor(count, size), `for count ${count}, ${size} a page`);
  expect("contract", snapshot.contract, contract.listing.version, `the version of ${CONTRACT}`);
  expect("base_url", baseUrl, normalised(baseUrl, contract), "an absolute URL in its normal form");
  const listed = sums.others.get(RECORDS);
  if (listed !== undefined) expect("state", state, listed, `the digest of ${RECORDS}`);
  const named = parseFolderName(basename(folder))?.id;
  if (named !== undefined) expect("id", id, named, "which the folder's name says");
}

/** Compares the warnings about fields with those counted from records. */
function checkWarnings({ snapshot, contract }: Release, counted: WarningCounts, findings: Findings): void {
  const listed = new Map(Object.entries(snapshot.warnings));
  const given = new Map(Object.entries(counted));
  for (const kind of new Set([...listed.keys(), ...given.keys()])) {
    if (contract.conditions.some(({ name }) => name === kind)) continue;
    // Only the whole site tells where a reference leads.
    if (referencesOf(contract).some(({ field, isObserved }) => isObserved && field.path === kind)) continue;
    const found = listed.get(kind) ?? 0;
    const expected = given.get(kind) ?? 0;
    compare(findings, `${kind} ${found}`, `${expected}, as there are`, found === expected);
  }
}

function compare(findings: Findings, found: string, expected: string, isSame: boolean): void {
  if (!isSame) findings.add({ check: "snapshot", path: SNAPSHOT, found, expected });
}

function normalised(baseUrl: string, contract: Contract): string {
  try {
    return parseBaseUrl(baseUrl, contract.listing.path);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}

/** Why checks are skipped: the release does not have the files, or has them in another format. */
async function findSkipped({ folder, snapshot, sums }: Release): Promise<Reasons> {
  const there = new Set([...sums.others.keys()].map(groupOf));
  const without = (path: string, isThere: boolean) => (isThere ? undefined : `it has no ${path}`);
  const otherVersion = (path: string, version: number) => {
    const bytes = readPage(join(folder, path));
    const read = Buffer.isBuffer(bytes) ? parseJson(String(bytes)) : { why: "" };
    const found = "why" in read ? version : (Object(read.value).version ?? version);
    return found === version
      ? undefined
      : `${path} has version ${showValue(found)}, and only ${version} can be compared`;
  };
  return {
    compressed: snapshot.encodings.length > 0 ? undefined : "it has no compressed pages",
    bulk: without(BULK, there.has("bulk")),
    csv: without(CSV, there.has("csv")),
    changes: without(CHANGES, there.has("changes")),
    // The explorer needs a lookup.
    lookup: without(LOOKUP, there.has("lookup") || there.has("explorer")) ?? otherVersion(LOOKUP, LOOKUP_VERSION),
    explorer: without(SUMMARY, there.has("explorer")) ?? otherVersion(SUMMARY, SUMMARY_VERSION),
  };
}

interface Context {
  digests: FileDigests;
  skipped: Reasons;
}

/** Checks the pages, and compares all files that are made of their records. @returns the number of records */
async function checkRecords(
  { release }: Pick<Seen, "release">,
  { digests, skipped }: Context,
  options: DiskOptions,
  findings: Findings,
): Promise<number> {
  const { folder, contract, snapshot, sums } = release;
  const note: Note = (path, difference) => findings.add({ check: groupOf(path) ?? "", path, ...difference });
  const bulk = skipped["bulk"] ? undefined : readBulk(release, digests, note);
  // A copy does not have the list of records, but its digest.
  const known = options.isCopy ? new Map([...sums.others, ...digests]) : digests;
  const total = [...digests.keys()].filter((path) => isMade(path, skipped)).length;
  let files = 0;
  const sink = new ComparingSink(known, note, () => {
    files++;
    options.onProgress?.({ files, total: Math.max(files, total) });
  });
  const parts = bulk && new PartHashes(bulk.parts.map(({ count }) => count));
  const csv = skipped["csv"] ? undefined : new PlainHash();
  csv?.update(Buffer.from(`${csvHeading(contract)}\n`));
  const remade = { sink, lookup: !skipped["lookup"], explorer: !skipped["explorer"], bulk: parts, csv };
  const { records, warnings, isWhole } = await checkPages(release, remade, options, findings);
  if (records !== snapshot.count) {
    const found = `${count(records, contract.listing.words)} on all pages`;
    findings.add({ check: "count", found, expected: `${snapshot.count}, as in ${SNAPSHOT}` });
  }
  checkWarnings(release, warnings, findings);
  if (!isWhole) {
    for (const name of MADE) skipped[name] ??= UNUSABLE;
    return records;
  }
  for (const path of digests.keys())
    if (isMade(path, skipped) && !sink.made.has(path))
      note(path, { found: "a file", expected: "none, since the records make no such file" });
  if (remade.explorer && !digests.has(EXPLORER)) note(EXPLORER, { found: "no such file", expected: "the explorer" });
  if (bulk && parts) await checkParts(folder, bulk, parts, digests, note, options.signal);
  if (csv && digests.has(CSV)) await noteIfWrong(CSV, note, comparePlain(join(folder, CSV), csv, options.signal));
  return records;
}

/** Whether a file is made again: one of the lookup, or one of the explorer with data of records. */
function isMade(path: string, skipped: Reasons): boolean {
  const group = groupOf(path);
  if (group === "lookup") return !skipped["lookup"];
  return group === "explorer" && !skipped["explorer"] && (path === SUMMARY || isSorted(path));
}
