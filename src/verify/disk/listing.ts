/** `rollcall verify` for a listing on disk: checks every byte of it. */
import { basename, join } from "node:path";
import { parseBaseUrl } from "../../core/contract/base-url.js";
import { parseJson } from "../../core/contract/json.js";
import { pagesFor } from "../../core/contract/links.js";
import type { LookupIndex } from "../../core/contract/lookup.js";
import { referencesOf } from "../../core/contract/references.js";
import { UserError } from "../../core/errors.js";
import { count } from "../../core/print/numbers.js";
import { showValue } from "../../core/print/text.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  DATA_PACKAGE,
  FEED,
  LOOKUP,
  PARQUET,
  RECORDS,
  SIGNATURE,
  SNAPSHOT,
  SUMMARY,
  SUMS,
  VIEWS,
  VIEWS_FOLDER,
} from "../../core/release/layout.js";
import { parseFolderName } from "../../core/release/name.js";
import { inspect, type Release } from "../../core/release/open.js";
import { readReleaseFile } from "../../core/release/plain-files.js";
import { findUnreadable } from "../../core/release/sharing.js";
import { filesOf, partsOfListing, RECORDS_WORDS } from "../../core/release/site.js";
import type { ExplorerSummary } from "../../explorer/summary.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { checkSigned, type SignatureResult, type SignatureTrust, type Signed } from "../signature.js";
import { Findings, type Verdict } from "../verdict.js";
import { checkPackage } from "./data-package.js";
import { checkFeed } from "./feed.js";
import { type AddFinding, checkDigests, checkFiles } from "./files.js";
import { checkChanges } from "./packed.js";
import { readPageFile } from "./page-check.js";
import { checkPages } from "./pages.js";
import { groupOf, type Reasons, skippedRows, toRows } from "./rows.js";

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
const SUMMARY_VERSION: ExplorerSummary["version"] = 2;
const VIEWS_VERSION = 1;
const UNOPENED = "not looked at, since the release cannot be opened";
/** A page of a view that is not compressed, or the folder of some. */
const PLAIN_VIEW_PAGE = new RegExp(`^${VIEWS_FOLDER}/.*/pages(?:/\\d+\\.json)?$`);
/** Maximum bytes of a signature: four lines, one of them with a base URL. */
const MAX_SIGNATURE = 2 ** 16;

/** Verifies a release. @throws UserError if there is no release, or it cannot be read. Everything else is a finding. */
export async function verifyRelease(options: DiskOptions): Promise<Verdict> {
  const { findings = new Findings(), isCopy = false, trust, signal } = options;
  const { release, problems, root } = await inspect(options.folder);
  const subject = `release ${basename(root)}`;
  // A copy has no compressed pages. The download has compared the others.
  for (const problem of problems) if (!isCopy || problem.check !== "files") findings.add(problem);
  if (!release) return { subject, words: RECORDS_WORDS, rows: skippedRows(UNOPENED, findings) };
  const { folder, snapshot, contract, sums, isSigned } = release;
  const { words } = contract.listing;
  const addAs =
    (check: string): AddFinding =>
    (path, difference) =>
      findings.add({ check, path, ...difference });
  const isLacking = isCopy ? new Set(sums.others.keys()) : new Set();
  const files = await checkFiles(folder, release, (path, difference) => {
    if (difference.found !== "no such file" || !isLacking.has(path)) addAs("files")(path, difference);
  });
  const digests = checkDigests(folder, sums.others, addAs("digests"));
  const { id, base_url: baseUrl } = snapshot;
  const signature = await checkSignatureIn(folder, isSigned, { id, baseUrl }, trust, findings);
  const skipped = findSkipped(release);
  const unread = sums.others.size - digests.size;
  if (unread > 0 && !isCopy) skipped["digests"] = `${count(unread, "file")} could not be read`;
  if (isCopy) {
    skipped["compressed"] ??= "it is a copy, which has no compressed pages";
    const lacksPages = problems.some(({ check, path }) => check === "files" && PLAIN_VIEW_PAGE.test(path));
    if (lacksPages) skipped["views"] ??= "pages of views could not be downloaded";
  }
  const { records, warnings } = await checkPages(release, digests, skipped, options, findings);
  if (records !== snapshot.count)
    findings.add({
      check: "count",
      found: `${count(records, words)} on all pages`,
      expected: `${snapshot.count}, as in ${SNAPSHOT}`,
    });
  for (const [key, found, expected, why] of factsOf(release, warnings))
    if (found !== expected)
      findings.add({ check: "snapshot", path: SNAPSHOT, found: `${key} ${found}`, expected: `${expected}, ${why}` });
  if (!skipped["changes"]) await checkChanges(release, digests, addAs("changes"), signal);
  skipped["data-package"] ??= checkPackage(release, addAs("data-package"));
  if (!skipped["feed"]) checkFeed({ folder, baseUrl, listings: [{ name: "", sums }] }, addAs("feed"));
  skipped["signature"] = signature.skipped;
  if (isCopy) skipped["readable"] = "it is a copy";
  const paths = partsOfListing("", release).flatMap((part) => [...filesOf(part)].map(([path]) => path));
  const noted = isCopy ? undefined : findUnreadable(root, paths);
  const seen = { files, records, signature: signature.cell };
  return { subject, words, rows: toRows(release, seen, skipped, noted, findings) };
}

/** Checks the signature in a folder. */
export async function checkSignatureIn(
  folder: string,
  isSigned: boolean,
  named: Pick<Signed, "id" | "baseUrl">,
  trust: SignatureTrust | undefined,
  findings: Findings,
): Promise<SignatureResult> {
  const bytes = isSigned ? readPageFile(join(folder, SIGNATURE)) : undefined;
  const signature = Buffer.isBuffer(bytes) && bytes.length <= MAX_SIGNATURE ? String(bytes) : undefined;
  const sums = signature === undefined || !trust ? undefined : await readReleaseFile(join(folder, SUMS));
  return checkSigned({ path: SIGNATURE }, { sums, signature, ...named }, trust, findings);
}

type Fact = [key: string, found: unknown, expected: unknown, why: string];

/** What snapshot.json says, and what the contract, the list of records, the name of the folder, its own members and the records say. */
function* factsOf({ folder, snapshot, contract, sums }: Release, counted: Record<string, number>): Generator<Fact> {
  const { id, count, page_size: size, base_url: baseUrl, state, pages } = snapshot;
  yield ["pages", pages, pagesFor(count, size), `for count ${count}, ${size} a page`];
  yield ["contract", snapshot.contract, contract.listing.version, `the version of ${CONTRACT}`];
  yield ["base_url", baseUrl, normalised(baseUrl, contract.listing.path), "an absolute URL in its normal form"];
  yield ["state", state, sums.others.get(RECORDS) ?? state, `the digest of ${RECORDS}`];
  yield ["id", id, parseFolderName(basename(folder))?.id ?? id, "which the folder's name says"];
  const listed = new Map(Object.entries(snapshot.warnings));
  const given = new Map(Object.entries(counted));
  for (const kind of new Set([...listed.keys(), ...given.keys()])) {
    // Only the whole site tells where a reference leads.
    const isElsewhere = referencesOf(contract).some(({ field, isObserved }) => isObserved && field.path === kind);
    if (!isElsewhere && !contract.conditions.some(({ name }) => name === kind))
      yield [kind, listed.get(kind) ?? 0, given.get(kind) ?? 0, "as there are"];
  }
}

function normalised(baseUrl: string, path: string): string {
  try {
    return parseBaseUrl(baseUrl, path);
  } catch (error) {
    if (error instanceof UserError) return "https://directory.example.com or the like";
    throw error;
  }
}

/** Why checks are skipped: the release does not have the files, or has them in another format. */
function findSkipped({ folder, snapshot, sums }: Release): Reasons {
  const there = new Set([...sums.others.keys()].map(groupOf));
  const without = (path: string, ...groups: string[]) =>
    groups.some((group) => there.has(group)) ? undefined : `it has no ${path}`;
  const otherVersion = (path: string, version: number) => {
    const bytes = readPageFile(join(folder, path));
    const read = Buffer.isBuffer(bytes) ? parseJson(String(bytes)) : { why: "" };
    const found = "why" in read ? version : (Object(read.value).version ?? version);
    if (found !== version) return `${path} has version ${showValue(found)}, and only ${version} can be compared`;
    return undefined;
  };
  return {
    compressed: snapshot.encodings.length > 0 ? undefined : "it has no compressed pages",
    bulk: without(BULK, "bulk"),
    csv: without(CSV, "csv"),
    parquet: without(PARQUET, "parquet"),
    "data-package": without(DATA_PACKAGE, "data-package"),
    changes: without(CHANGES, "changes"),
    feed: without(FEED, "feed"),
    // The explorer needs a lookup.
    lookup: without(LOOKUP, "lookup", "explorer") ?? otherVersion(LOOKUP, LOOKUP_VERSION),
    explorer: without(SUMMARY, "explorer") ?? otherVersion(SUMMARY, SUMMARY_VERSION),
    views: without(VIEWS, "views") ?? otherVersion(VIEWS, VIEWS_VERSION),
  };
}
