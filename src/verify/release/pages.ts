/** Checks all pages of a release with worker threads, and compares what is made of all records. */
import type { Sink } from "../../artifacts/artifact.js";
import { Mergers } from "../../artifacts/artifacts.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { hasPageFolder, type Release } from "../../release/open.js";
import { PageDigests } from "../../release/sums.js";
import { ThreadPool, threadsFor } from "../../workers/pool.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import type { Findings } from "../verdict.js";
import type { PartHashes, PlainHash } from "./lines.js";
import { type CheckedPages, type PageBatch, type PagesToCheck, startChecks } from "./page-check.js";
import { AllKeys, OrderCheck } from "./records.js";

/** Pages of a batch: enough to make sending cheap, few enough that no thread waits long for the others. */
const PAGES_A_BATCH = 16;

export interface PageOptions extends Pick<VerifyOptions, "workers">, Pick<VerifyEffects, "onProgress" | "signal"> {}

/** What is made again of all records. */
export interface Remade {
  /** Gets the list of records, and the files of lookup and explorer if they are wanted. */
  sink: Sink;
  lookup: boolean;
  explorer: boolean;
  /** Get the lines of bulk parts and of the CSV file; undefined if they are not wanted. */
  bulk: PartHashes | undefined;
  csv: PlainHash | undefined;
}

export interface PagesResult {
  records: number;
  warnings: WarningCounts;
  /** Whether all pages exist and are valid. Otherwise, what is made of all records was not compared. */
  isWhole: boolean;
}

/** Checks all pages. @throws UserError if a file cannot be read */
export async function checkPages(
  release: Release,
  { sink, lookup, explorer, bulk, csv }: Remade,
  { workers, onProgress, signal }: PageOptions,
  findings: Findings,
): Promise<PagesResult> {
  const { folder, snapshot, contract, sums } = release;
  const { count, pages, page_size: pageSize, base_url: baseUrl, links } = snapshot;
  const wanted = { lookup, explorer, bulk: bulk !== undefined, csv: csv !== undefined };
  const pool = new ThreadPool<PagesToCheck, PageBatch, CheckedPages>({
    size: threadsFor(count, workers),
    file: new URL("./worker.js", import.meta.url),
    data: { folder, contract: contract.file, snapshot, wanted },
    start: startChecks,
    signal,
  });
  const keys = new AllKeys();
  const order = new OrderCheck(contract, findings);
  const warnings: WarningCounts = {};
  const collection = { count, pages, pageSize, baseUrl, path: contract.listing.path, links };
  const mergers = await Mergers.start({ lookup, explorer }, { contract, collection, sink });
  // Pages behind a symbolic link are outside the release. The check of files reports the link.
  const isInside = hasPageFolder(release);
  let records = 0;
  let isWhole = isInside;
  try {
    await pool.runInOrder(isInside ? batches(sums.pages) : batches(new PageDigests(0, [])), (checked) => {
      records += checked.records;
      order.join(checked);
      for (const { page, keys: own } of checked.keys) keys.add(page, own);
      findings.merge(checked.findings);
      for (const [kind, count] of Object.entries(checked.warnings)) countWarning(warnings, kind, count);
      isWhole &&= checked.pieces !== undefined;
      if (isWhole && checked.pieces) {
        const pieces = [...checked.pieces];
        const next = () => pieces.shift() ?? new Uint8Array();
        if (bulk) bulk.add(Buffer.from(next().buffer));
        if (csv) csv.update(next());
        mergers.add(pieces);
      }
      onProgress?.({ records, total: Math.max(records, count), words: contract.listing.words });
    });
    keys.check(contract, findings);
    isWhole &&= records === count;
    if (isWhole) await mergers.finish(signal);
    return { records, warnings, isWhole };
  } finally {
    await pool.end();
    keys.close();
    mergers.close();
  }
}

function* batches(digests: PageDigests): Generator<PageBatch, void> {
  for (let first = 1; first <= digests.pages; first += PAGES_A_BATCH) {
    const length = Math.min(PAGES_A_BATCH, digests.pages - first + 1);
    yield { first, pages: length, digests: digests.slice(first, length) };
  }
}
