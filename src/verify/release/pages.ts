/** Checks all pages of a release with worker threads, and recreates its artifacts. */
import { Mergers } from "../../artifacts/artifacts.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { BULK, CHANGES, CSV, SIGNATURE, SNAPSHOT } from "../../release/layout.js";
import type { PageDigests } from "../../release/sums.js";
import { ThreadPool, threadsFor } from "../../workers/pool.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import type { Findings } from "../verdict.js";
import { ComparingSink, type Difference } from "./comparing-sink.js";
import type { OpenRelease } from "./manifest.js";
import { type CheckedPages, type PageBatch, type PagesToCheck, startChecks } from "./page-check.js";
import { AllKeys, OrderCheck } from "./records.js";
import { groupOf } from "./tree.js";

/** With fewer records than this, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;
/** Pages of a batch: enough to make sending cheap, few enough that no thread waits long for the others. */
const PAGES_A_BATCH = 16;
/** Little of a thread's data outlives its page, so a quarter of V8's usual young generation is enough. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

export interface PageOptions extends Pick<VerifyOptions, "workers">, Pick<VerifyEffects, "onProgress" | "signal"> {}

export interface PagesResult {
  records: number;
  warnings: WarningCounts;
  /** Whether all pages exist and are valid, so that artifacts can be recreated. */
  isWhole: boolean;
}

/** Checks all pages. @param wanted the artifacts to recreate besides the list of records; undefined to recreate nothing. @throws UserError if a file cannot be read */
export async function checkPages(
  { folder, tree, manifest }: OpenRelease,
  wanted: PagesToCheck["artifacts"],
  { workers, onProgress, signal }: PageOptions,
  findings: Findings,
): Promise<PagesResult> {
  const { snapshot, contract, paths, pages, variants, digests } = manifest;
  const artifacts = snapshot && contract && wanted;
  const pool = new ThreadPool<PagesToCheck, PageBatch, CheckedPages>({
    size: threadsFor(snapshot?.count ?? 0, workers, WORTHWHILE),
    file: new URL("./worker.js", import.meta.url),
    data: {
      ...{ folder, listing: paths.listing, contract: contract?.file, variants },
      ...{ snapshot, source: manifest.isOwn ? SNAPSHOT : "page 1", artifacts },
    },
    start: startChecks,
    limits: LIMITS,
    signal,
  });
  const keys = new AllKeys();
  const order = contract && new OrderCheck(contract, findings);
  const warnings: WarningCounts = {};
  const made = tree.find((path) => artifacts?.[groupOf(path) as keyof typeof artifacts] === true);
  let [records, files] = [0, 0];
  const note = (path: string, difference: Difference) =>
    findings.add({ check: groupOf(path) ?? "record-list", path, ...difference });
  const onFile = () => onProgress?.({ files: ++files, total: Math.max(files, made.length) });
  const sink = new ComparingSink({ folder, tree, manifest, note, onFile });
  let mergers: Mergers | undefined;
  // Pages behind a symbolic link are outside the release. The check of files reports the link.
  const isInside = !tree.keys(`${paths.folder}/`).next().done;
  let isWhole = pages === snapshot?.pages && isInside;
  try {
    if (artifacts && snapshot && contract) {
      const { count, page_size: pageSize, base_url: baseUrl, links } = snapshot;
      const collection = { count, pages: snapshot.pages, pageSize, baseUrl, path: contract.listing.path, links };
      const linked = [BULK, CSV, CHANGES, SIGNATURE].filter((path) => tree.has(path));
      mergers = await Mergers.start(artifacts, { contract, collection, sink, files: linked });
    }
    await pool.runInOrder(batches(isInside ? pages : 0, digests), (checked) => {
      records += checked.records;
      order?.join(checked);
      for (const { page, keys: own } of checked.keys) keys.add(page, own);
      findings.merge(checked.findings);
      for (const [kind, count] of Object.entries(checked.warnings)) countWarning(warnings, kind, count);
      isWhole &&= checked.pieces !== undefined;
      if (isWhole && checked.pieces) mergers?.take(checked.pieces);
      onProgress?.({ records, total: Math.max(records, snapshot?.count ?? 0), words: contract?.listing.words });
    });
    if (contract) keys.check(contract, findings);
    isWhole &&= records === snapshot?.count;
    if (isWhole && mergers) {
      if (made.length > 0) onProgress?.({ files, total: made.length });
      await mergers.finish(signal);
      for (const path of made) {
        const expected = "none, since this version of Rollcall makes no such file";
        if (!sink.made.has(path)) note(path, { found: "a file", expected });
      }
    }
    return { records, warnings, isWhole };
  } finally {
    await pool.end();
    keys.close();
    mergers?.close();
  }
}

function* batches(pages: number, digests: PageDigests | undefined): Generator<PageBatch, void> {
  for (let first = 1; first <= pages; first += PAGES_A_BATCH) {
    const length = Math.min(PAGES_A_BATCH, pages - first + 1);
    yield { first, pages: length, digests: digests?.slice(first, length) };
  }
}
