/** Checks all pages of a release with worker threads, and compares the files that their records make. */

import { Mergers } from "../../build/artifacts/artifacts.js";
import { csvColumns, csvHeading } from "../../core/contract/record/csv.js";
import { countWarning, type WarningCounts } from "../../core/contract/record/warnings.js";
import { packageFile } from "../../core/package.js";
import { count as counted } from "../../core/print/numbers.js";
import { CSV, EXPLORER, isSorted, LABELS, PARQUET, SUMMARY } from "../../core/release/layout.js";
import { hasPageFolder, type Release } from "../../core/release/open.js";
import { PageDigests } from "../../core/release/sums.js";
import { ThreadPool, threadsFor } from "../../core/workers/pool.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import type { Findings } from "../verdict.js";
import { type AddFinding, comparingSink, type FileDigests } from "./files.js";
import { checkBulk, checkCsv, PlainHash } from "./packed.js";
import { type CheckedPages, type DigestedPages, type PagesToCheck, startChecks } from "./page-check.js";
import { AllKeys, OrderCheck } from "./records.js";
import { groupOf, type Reasons } from "./rows.js";
import { CheckedViews, isNamingViews, wantedViews } from "./views.js";

/** Pages of a batch: enough to make sending cheap, few enough that no thread waits long for the others. */
const PAGES_A_BATCH = 16;
const UNUSABLE = "the pages that it is made from are not valid";
/** The checks that read every file of a page, and those that read its envelope and its records. */
const OF_FILES = ["digests", "compressed"];
const OF_PAGES = ["pages", "records", "canonical", "order", "unique-keys", "count", "page-size", "links"];
const MADE = ["record-list", "bulk", "csv", "parquet", "lookup", "explorer", "views"];

export interface PageOptions extends Pick<VerifyOptions, "workers">, Pick<VerifyEffects, "onProgress" | "signal"> {
  /** Whether the folder was downloaded, so that it has the digest of the list of records, and not the list. */
  isCopy?: boolean | undefined;
}

/**
 * Checks all pages, and what is made of their records again, unless it is skipped.
 * @param skipped gets the checks that invalid and unread pages prevent
 * @returns the number of records, and their warnings. @throws UserError if a file cannot be read
 */
export async function checkPages(
  release: Release,
  digests: FileDigests,
  skipped: Reasons,
  { workers, isCopy, onProgress, signal }: PageOptions,
  findings: Findings,
): Promise<{ records: number; warnings: WarningCounts }> {
  const { folder, snapshot, contract, sums } = release;
  const { count, pages, page_size: pageSize, base_url: baseUrl, links } = snapshot;
  const add: AddFinding = (path, difference) => findings.add({ check: groupOf(path) ?? "", path, ...difference });
  const lookup = !skipped["lookup"];
  const explorer = !skipped["explorer"];
  /** The lines of all records, as the parts, the CSV file and the Parquet file have them. */
  const plain = {
    ...(!skipped["bulk"] && { bulk: new PlainHash() }),
    ...(!skipped["csv"] && { csv: new PlainHash() }),
    ...(!skipped["parquet"] && { parquet: new PlainHash() }),
  };
  plain.csv?.update(Buffer.from(`${csvHeading(csvColumns(contract))}\n`));
  const views = skipped["views"] ? {} : (wantedViews(release, findings) ?? {});
  const wanted = {
    lookup,
    explorer,
    bulk: plain.bulk !== undefined,
    csv: plain.csv !== undefined,
    parquet: plain.parquet !== undefined,
    views,
  };
  const isMade = (path: string) =>
    isNamingViews(path, views) ||
    (lookup && groupOf(path) === "lookup") ||
    (explorer && (path === SUMMARY || path === LABELS || (isSorted(path) && !path.startsWith("lookup"))));
  const left = new Set([...digests.keys()].filter(isMade));
  const total = left.size;
  let files = 0;
  const sink = comparingSink(isCopy ? new Map([...sums.others, ...digests]) : digests, left, add, () => {
    files++;
    onProgress?.({ files, total: Math.max(files, total) });
  });
  const variants = isCopy ? (["identity"] as const) : sums.pages.variants;
  const pool = new ThreadPool<PagesToCheck, DigestedPages, CheckedPages>({
    size: threadsFor(count, workers),
    file: packageFile("lib/verify/disk/worker.js"),
    data: { folder, contract: contract.file, snapshot, wanted, variants },
    start: startChecks,
    signal,
  });
  const keys = new AllKeys();
  const order = new OrderCheck(contract, findings);
  const warnings: WarningCounts = {};
  const collection = { count, pages, pageSize, baseUrl, path: contract.listing.path, links };
  const ofViews = new CheckedViews(release, { collection, workers, findings });
  const mergers = await Mergers.start(
    { lookup, explorer, views },
    { contract, collection, sink, isReferredTo: sums.others.has(LABELS), views: ofViews },
  );
  // Pages behind a symbolic link are outside the release. The check of files reports the link.
  let isWhole = hasPageFolder(release);
  let unhashed = sums.pages.pages * variants.length;
  let unread = sums.pages.pages;
  let records = 0;
  try {
    await pool.runInOrder(batches(isWhole ? sums.pages : new PageDigests(0, [])), (checked) => {
      unhashed -= checked.hashed;
      unread -= checked.read;
      records += checked.records;
      order.join(checked);
      for (const { page, keys: own } of checked.keys) keys.add(page, own);
      findings.merge(checked.findings);
      for (const [kind, count] of Object.entries(checked.warnings)) countWarning(warnings, kind, count);
      isWhole &&= checked.pieces !== undefined;
      const pieces = isWhole ? [...(checked.pieces ?? [])] : [];
      if (isWhole) {
        for (const hash of Object.values(plain)) hash.update(pieces.shift() ?? new Uint8Array());
        mergers.add(pieces);
      }
      onProgress?.({ records, total: Math.max(records, count), words: contract.listing.words });
    });
    keys.check(contract, findings);
    isWhole &&= records === count;
    if (isWhole) await mergers.finish(signal);
  } finally {
    await pool.end();
    keys.close();
    mergers.close();
  }
  if (plain.bulk) await checkBulk(release, isWhole ? plain.bulk : undefined, digests, add, signal);
  if (unhashed > 0)
    for (const name of OF_FILES) skipped[name] ??= `${counted(unhashed, "file")} of pages could not be read`;
  if (unread > 0) for (const name of OF_PAGES) skipped[name] ??= `${counted(unread, "page")} could not be read`;
  if (!isWhole) {
    for (const name of MADE) skipped[name] ??= UNUSABLE;
    return { records, warnings };
  }
  for (const path of left) add(path, { found: "a file", expected: "none, since the records make no such file" });
  if (explorer && !digests.has(EXPLORER)) add(EXPLORER, { found: "no such file", expected: "the explorer" });
  if (plain.csv && digests.has(CSV)) await checkCsv(folder, plain.csv, add, signal);
  // Loaded only for a release that has the file, so that verify starts without the reader.
  if (plain.parquet && digests.has(PARQUET))
    await (await import("./parquet.js")).checkParquet(release, plain.parquet, add, signal);
  return { records, warnings };
}

function* batches(digests: PageDigests): Generator<DigestedPages, void> {
  for (let first = 1; first <= digests.pages; first += PAGES_A_BATCH) {
    const length = Math.min(PAGES_A_BATCH, digests.pages - first + 1);
    yield { first, pages: length, digests: digests.slice(first, length) };
  }
}
