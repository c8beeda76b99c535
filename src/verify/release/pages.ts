/** Checks all pages of a release, by several threads, and what their records are together. */
import { USERS_CONTRACT } from "../../contract/contract.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { ThreadPool, threadsFor } from "../../workers/pool.js";
import type { Remaker } from "../lookup/gather.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { AllRecordsCheck } from "../order.js";
import type { Findings } from "../verdict.js";
import { type Batch, batches, type CheckedBatch, type ReleaseOutline, startChecks } from "./batch.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** Below this many records, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

export interface PagesToCheck {
  folder: string;
  tree: Tree;
  manifest: Manifest;
  /** The path of the list of records. */
  list: string | undefined;
  /** Takes what look-ups are made of, where there are any to prove. */
  remaker: Remaker | undefined;
}

export interface PageOptions extends Pick<VerifyOptions, "workers">, Pick<VerifyEffects, "onProgress" | "signal"> {}

/** @returns how many records there are, and the warnings of them. @throws UserError when a file cannot be read. */
export async function checkPages(
  { folder, tree, manifest, list, remaker }: PagesToCheck,
  { workers, onProgress, signal }: PageOptions,
  findings: Findings,
): Promise<{ records: number; warnings: WarningCounts }> {
  const { snapshot, contract, paths, pages, variants, digests } = manifest;
  const warnings: WarningCounts = {};
  const records = new AllRecordsCheck(contract ?? USERS_CONTRACT, findings);
  const pool = new ThreadPool<ReleaseOutline, Batch, CheckedBatch>({
    size: threadsFor(snapshot?.count ?? 0, workers, WORTHWHILE),
    file: new URL("./worker.js", import.meta.url),
    data: {
      folder,
      listing: paths.listing,
      contract: contract?.file,
      variants,
      snapshot,
      list,
      wanted: remaker?.wanted,
    },
    start: startChecks,
    signal,
  });
  try {
    // Pages behind a symbolic link are outside the release. The check of files has reported the link.
    const isInside = !tree.keys(`${paths.folder}/`).next().done;
    await pool.run(batches(isInside ? pages : 0, digests), (checked, batch) => {
      records.add(batch.first, batch.pages, checked.records);
      findings.merge(checked.findings);
      for (const [kind, count] of Object.entries(checked.warnings)) countWarning(warnings, kind, count);
      if (checked.collected.pages > 0) remaker?.take(checked.collected.pages, checked.collected.pieces);
      const total = Math.max(records.count, snapshot?.count ?? 0);
      onProgress?.({ records: records.count, total, words: contract?.listing.words });
    });
    records.finish();
  } finally {
    await pool.end();
    records.close();
  }
  return { records: records.count, warnings };
}
