/** Checks batches of pages: each page by itself, then the order of its records. */
import { contractOf } from "../../contract/contract.js";
import type { ContractFile } from "../../contract/file/form.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { recordFinder } from "../../contract/record/locate.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { PagePaths } from "../../release/layout.js";
import { type LinePlace, RecordLines } from "../../release/record/lines.js";
import { type DigestBytes, PageDigests } from "../../release/sums.js";
import { type Collected, RecordCollector, type WantedFiles } from "../lookup/gather.js";
import { BatchCheck, type BatchRecords } from "../order.js";
import { recordChecker } from "../records.js";
import { Findings } from "../verdict.js";
import type { Manifest } from "./manifest.js";
import { checkReleasePage } from "./page.js";
import { readVariants } from "./variants.js";

export interface ReleaseOutline extends Pick<Manifest, "snapshot" | "variants"> {
  folder: string;
  /** The path of the listing. */
  listing: string;
  /** Undefined where it is not known, so that only the files of pages are checked. */
  contract: ContractFile | undefined;
  /** The path of the list of records, if it is there. */
  list: string | undefined;
  /** What is to be made again of the pages, if anything is. */
  wanted: WantedFiles | undefined;
}

/** Consecutive pages, with their digests where SHA256SUMS can be read. */
export type Batch = { first: number; pages: number; digests: DigestBytes | undefined };

/** What was found in a batch. */
export interface CheckedBatch {
  records: BatchRecords | undefined;
  warnings: WarningCounts;
  findings: ReturnType<Findings["toData"]>;
  /** From how many pages records were collected, and what was. */
  collected: { pages: number; pieces: Collected };
}

/** Enough that sending a batch costs nothing, few enough that no thread waits long for the others. */
const PAGES_A_BATCH = 16;

export function* batches(pages: number, digests: PageDigests | undefined): Generator<Batch, void> {
  for (let first = 1; first <= pages; first += PAGES_A_BATCH) {
    const length = Math.min(PAGES_A_BATCH, pages - first + 1);
    yield { first, pages: length, digests: digests?.slice(first, length) };
  }
}

/** Makes what checks the batches of one release. @throws UserError, in a check, when a file cannot be read. */
export function startChecks(outline: ReleaseOutline) {
  const { folder, listing, variants } = outline;
  const paths = new PagePaths(listing);
  const collector = outline.wanted && new RecordCollector(outline.wanted);
  const startRecords = recordsOf(outline, paths, collector);
  return ({ first, pages, digests: bytes }: Batch): CheckedBatch => {
    const findings = new Findings();
    const records = startRecords(findings);
    try {
      const digests = new PageDigests(pages, variants);
      digests.fill(1, bytes ?? {});
      for (let at = 1; at <= pages; at++) {
        const page = first + at - 1;
        const body = readVariants({ folder, paths }, page, variants, (variant) => digests.get(at, variant), findings);
        if (body) records.take(page, body);
      }
      return { ...records.finish(), findings: findings.toData() };
    } finally {
      records.close();
    }
  };
}

/** What is found in the pages of a batch. */
interface BatchOfRecords {
  take(page: number, body: Buffer): void;
  finish(): Omit<CheckedBatch, "findings">;
  close(): void;
}

const NO_RECORDS: BatchOfRecords = {
  take() {},
  finish: () => ({ records: undefined, warnings: {}, collected: { pages: 0, pieces: [] } }),
  close() {},
};

function recordsOf(
  { snapshot, contract: file, list: listPath }: ReleaseOutline,
  paths: PagePaths,
  collector: RecordCollector | undefined,
) {
  if (!file) return () => NO_RECORDS;
  const contract = contractOf(file);
  // With the release's own avatar. Other images are mostly of a form that the pattern knows.
  const checker = recordChecker(contract, `${snapshot?.base_url}/${AVATAR_PATH}`);
  const finder = recordFinder(contract);
  const places: LinePlace[] = [];
  return (findings: Findings): BatchOfRecords => {
    const list = listPath === undefined ? undefined : new RecordLines(listPath, places);
    const warnings: WarningCounts = {};
    const records = new BatchCheck(contract, findings);
    let collected = 0;
    return {
      take(page, body) {
        const checked = checkReleasePage(page, body, { paths, snapshot, checker, finder, list, warnings, findings });
        if (checked) records.add(page, checked.keys);
        if (!collector || !checked?.records) return;
        collector.add(page, checked.records);
        collected++;
      },
      finish() {
        const pieces = collector?.take() ?? [];
        return { records: records.finish(), warnings, collected: { pages: collected, pieces } };
      },
      close: () => list?.close(),
    };
  };
}
