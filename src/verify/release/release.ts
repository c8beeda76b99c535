/** `rollcall verify` for a release on disk: checks every byte of it. */
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { describeApi, OPTIONAL_FILES } from "../../artifacts/openapi/openapi.js";
import { AVATAR_PATH, canParse } from "../../contract/links.js";
import { codeOf, usageError } from "../../errors.js";
import {
  AVATAR,
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  LOOKUP,
  OPENAPI,
  RECORDS,
  SIGNATURE,
  SNAPSHOT,
  SUMMARY,
  SUMS,
} from "../../release/layout.js";
import { findUnreadable } from "../../release/sharing.js";
import type { Snapshot } from "../../release/snapshot-file.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { foundOnPages, NO_WORDING, wordingOf } from "../rules.js";
import { checkSigned, describeSigned, type SignatureTrust, whySkipped } from "../signature.js";
import { Findings, type Verdict } from "../verdict.js";
import { checkBulk, checkCsv } from "./bulk.js";
import { checkChanges } from "./changes.js";
import { compareFile, UNVERIFIED } from "./comparing-sink.js";
import {
  checkDigests,
  checkFiles,
  checkSnapshot,
  checkWarnings,
  type OpenRelease,
  readBytes,
  readManifest,
  readText,
} from "./manifest.js";
import { checkPages } from "./pages.js";
import { type Reasons, toRows } from "./rows.js";
import { groupOf, Tree, type WhyAbsent } from "./tree.js";

export interface DiskOptions extends Pick<VerifyOptions, "workers">, Omit<VerifyEffects, "cwd"> {
  /** The folder of the release, or a link to it such as `dist/current`. */
  folder: string;
  /** The required signature, if any. */
  trust?: SignatureTrust | undefined;
  /** Checks that may differ -> reason, if any. */
  allowed?: ReadonlyMap<string, string | undefined> | undefined;
  /** For a copy of a host's files: why a file is absent, if known. Then it is not a finding. */
  whyAbsent?: WhyAbsent | undefined;
  /** Whether the folder has only some of the pages, so that checks of all records are skipped. */
  isSample?: boolean | undefined;
  /** The facts that pages must match, if snapshot.json is missing. */
  promised?: Snapshot | undefined;
  /** Findings to add to. */
  findings?: Findings | undefined;
}

/** Maximum bytes of a signature: four lines, one of them with a base URL. */
const MAX_SIGNATURE = 2 ** 16;

const UNUSABLE = "the pages that it is made from are not valid";
const SOME_PAGES = "compared with the pages that were read";
const SAMPLED = "it needs all pages; run this without --sample";

/** Verifies a release. @throws UserError if the release does not exist, or cannot be read. Everything else is a finding. */
export async function verifyRelease(options: DiskOptions): Promise<Verdict> {
  const { findings = new Findings() } = options;
  const folder = await realpath(options.folder).catch((cause) => {
    const why = `There is no release at ${options.folder} (${codeOf(cause)})`;
    throw usageError(`${why}; name another, or run "rollcall build" first.`, cause);
  });
  const tree = await Tree.read(folder, options.whyAbsent);
  const manifest = await readManifest(folder, tree, options.promised, findings);
  const release = { folder, tree, manifest };
  await checkFiles(release, findings);
  await checkDigests(release, findings);
  checkSnapshot(release, findings);
  const skipped = findSkipped(release, options.isSample === true);
  const signature = await checkSignature(release, options.trust, findings);
  checkOwnFiles(release, skipped, findings);
  const hasAll = !options.isSample && !hasAbsentPages(release);
  const records = await checkRecords(release, hasAll, options, skipped, findings);
  if (!skipped["bulk"]) await checkBulk(release, findings, options.signal);
  if (!hasAll) skipped["csv"] ??= SAMPLED;
  if (!skipped["csv"]) await checkCsv(release, findings, options.signal);
  if (!skipped["changes"]) await checkChanges(release, findings, options.signal);
  const wording = manifest.contract ? wordingOf(manifest.contract) : NO_WORDING;
  const seen = {
    ...{ ...release, records, signature: describeSigned(signature) },
    skipped: { ...skipped, signature: whySkipped(signature) },
    noted: { bulk: hasAll ? undefined : SOME_PAGES, readable: findUnreadable(folder, tree.files()) },
  };
  return {
    subject: `release ${basename(folder)}`,
    words: [wording.one, wording.many],
    rows: toRows(seen, findings, options.allowed),
  };
}

async function checkSignature(
  { folder, tree, manifest }: OpenRelease,
  trust: SignatureTrust | undefined,
  findings: Findings,
) {
  const signature = await readText(folder, tree, SIGNATURE, MAX_SIGNATURE);
  const sums = signature === undefined || !trust ? undefined : await readBytes(folder, tree, SUMS);
  const { id, base_url: baseUrl } = manifest.snapshot ?? {};
  return checkSigned({ path: SIGNATURE }, { sums, signature, id, baseUrl }, trust, findings);
}

/** Why checks are skipped, as far as the existing files tell. */
function findSkipped({ tree, manifest }: OpenRelease, isSample: boolean): Reasons {
  const there = new Set([...manifest.others.keys(), ...tree.find((path) => groupOf(path) !== undefined)].map(groupOf));
  const absent = (path: string) => (tree.has(path) ? undefined : tree.whyAbsent(path));
  const without = (path: string, isThere = tree.has(path)) => (isThere ? undefined : `it has no ${path}`);
  const sampled = isSample ? SAMPLED : undefined;
  const hasState = manifest.isOwn || manifest.others.has(RECORDS) || tree.has(RECORDS);
  return {
    ...{ sums: absent(SUMS), snapshot: absent(SNAPSHOT), contract: absent(CONTRACT) },
    ...{ description: without(OPENAPI), avatar: without(AVATAR_PATH) },
    compressed: manifest.variants.length > 1 ? undefined : "it has no compressed pages",
    "record-list": sampled ?? (hasState ? undefined : "its digest is not known"),
    bulk: without(BULK, there.has("bulk")),
    csv: without(CSV, there.has("csv")),
    changes: without(CHANGES, there.has("changes")),
    // The explorer needs a lookup.
    lookup: without(LOOKUP, there.has("lookup") || there.has("explorer")) ?? sampled,
    explorer: without(SUMMARY, there.has("explorer")) ?? sampled,
  };
}

/** Checks openapi.json and the avatar. */
function checkOwnFiles({ folder, tree, manifest }: OpenRelease, skipped: Reasons, findings: Findings): void {
  const { contract, snapshot } = manifest;
  const compare = (check: string, path: string, made: string) => {
    const difference = skipped[check] ? undefined : compareFile(folder, path, Buffer.from(made));
    if (difference) findings.add({ check, path, found: difference.found, expected: UNVERIFIED });
  };
  compare("avatar", AVATAR_PATH, AVATAR);
  if (contract && snapshot && manifest.isOwn && canParse(snapshot.base_url)) {
    const { base_url: baseUrl, links, encodings } = snapshot;
    const files = OPTIONAL_FILES.filter((path) => tree.has(path));
    compare("description", OPENAPI, describeApi(contract, { baseUrl, links, encodings, files }));
  } else skipped["description"] ??= "the contract or snapshot.json cannot be read";
}

/** Checks the pages and artifacts other than bulk files, the CSV file and steps. @returns the number of records */
async function checkRecords(
  release: OpenRelease,
  hasAll: boolean,
  options: DiskOptions,
  skipped: Reasons,
  findings: Findings,
) {
  const { snapshot, isOwn, contract } = release.manifest;
  const made = { lookup: !skipped["lookup"], explorer: !skipped["explorer"] };
  const { records, warnings, isWhole } = await checkPages(release, hasAll ? made : undefined, options, findings);
  if (!snapshot || !contract) return records;
  if (!isWhole) for (const name of ["record-list", "lookup", "explorer"]) skipped[name] ??= UNUSABLE;
  if (hasAll) {
    checkWarnings(release.manifest, warnings, findings);
    const found = foundOnPages(records, wordingOf(contract));
    if (records !== snapshot.count)
      findings.add({ check: "count", found, expected: `${snapshot.count}, as in ${isOwn ? SNAPSHOT : "page 1"}` });
  }
  return records;
}

/** Whether a page is known to be absent. */
function hasAbsentPages({ tree, manifest: { paths, pages } }: OpenRelease): boolean {
  for (let page = 1; page <= pages; page++) {
    const path = paths.path(page);
    if (!tree.has(path) && !tree.lacks(path)) return true;
  }
  return false;
}
