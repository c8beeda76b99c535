/** The pipeline: rows of the copy -> pages -> what artifacts need, by worker threads or inline, in published order. */
import { rmSync } from "node:fs";
import { pagesTogether } from "../artifacts/bulk.js";
import { pagesFor } from "../contract/links.js";
import type { Collection } from "../contract/page.js";
import { countWarning, type WarningCounts } from "../contract/record/warnings.js";
import type { Release } from "../release/open.js";
import { PageDigests } from "../release/sums.js";
import { cutPages, type PageRange, pagesOf, rowsOfPages, type Shard } from "../shards/cut.js";
import { explainSqlite } from "../source/errors.js";
import type { Source } from "../source/open.js";
import { ThreadPool, threadsFor } from "../workers/pool.js";
import type { BuildSettings, OnBuildProgress } from "./options.js";
import { type PageBatch, type PageData, type PageJob, PageMaker } from "./page-maker.js";
import type { Totals } from "./page-writer.js";
import { readPieces } from "./pieces.js";
import { InvalidRecordsError, type ProblemLog } from "./problems.js";
import type { Spent } from "./result.js";

/** With fewer records, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;
/** Records in a batch, unless they are few: then there are so many batches that no thread waits long for others. */
const [BATCH_RECORDS, FEWEST_BATCHES] = [16_000, 16];
/** Pages in a batch, at least. While a batch is made, its pages are flushed together. */
const BATCH_PAGES = 16;
/** Little of what a thread makes outlives its page: a quarter of the usual memory is as fast, and saves 35 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

export interface Job {
  settings: BuildSettings;
  source: Source;
  log: ProblemLog;
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
  /** Which share of the pages is made. */
  shard: Shard;
}

/** Which pages are made, of what listing. */
export interface Task {
  collection: Collection;
  range: PageRange;
}

export interface MadePages extends Task {
  /** Of the pages that were made, from 1 on. */
  digests: PageDigests;
  totals: Totals;
  warnings: WarningCounts;
  /** Threads that made them; 0 when the main thread did. */
  workers: number;
  spent: Spent;
  /** Milliseconds of merging artifacts after the last page. */
  merged: number;
}

/** Takes what artifacts need, in published order. Made anew for each run of the pipeline. */
export interface Taker {
  take(pieces: readonly Uint8Array[]): void;
  finish(signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

/** @param count of all records */
export function taskOf(
  { contract, pageSize, baseUrl, links, packs }: BuildSettings,
  count: number,
  shard: Shard,
): Task {
  const pages = pagesFor(count, pageSize);
  // Pages that are compressed together belong to one shard, so that every cut gives the same bytes.
  const range = cutPages(pages, shard, packs ? pagesTogether(pageSize) : 1);
  return { collection: { count, pages, pageSize, baseUrl, path: contract.listing.path, links }, range };
}

/**
 * Makes all pages of a job. With `skipInvalid`, invalid rows are removed from the copy, and the pipeline runs once more.
 * @throws InvalidRecordsError when all records were checked and some are invalid
 */
export async function makePages(
  job: Job,
  target: { folder: string; clear(): void },
  previous: Release | undefined,
  startTaking: (collection: Collection) => Promise<Taker>,
): Promise<MadePages> {
  const { settings, source, log } = job;
  const { listing } = settings.contract;
  log.open();
  for (;;) {
    const task = taskOf(settings, source.count, job.shard);
    const taker = await startTaking(task.collection);
    try {
      const made = await run(job, task, target.folder, previous, taker);
      if (made) {
        log.finish();
        return made;
      }
    } finally {
      taker.close();
    }
    const nobodyLeft = log.report.records === source.count;
    if (!settings.skipInvalid || nobodyLeft) {
      log.finish();
      throw new InvalidRecordsError(log.report, source.total, {
        ...listing,
        nobodyLeft: settings.skipInvalid && nobodyLeft,
      });
    }
    source.removeInvalid();
    target.clear();
  }
}

/** @returns undefined where a record is invalid */
async function run(
  { settings, source, log, onProgress, signal }: Job,
  { collection, range }: Task,
  folder: string,
  previous: Release | undefined,
  taker: Taker,
): Promise<MadePages | undefined> {
  const { rows } = rowsOfPages(range, collection);
  const data: PageData = {
    ...{ settings: settings.data, copy: source.copy, collection, folder },
    previous: previous?.folder,
  };
  let inline: PageMaker | undefined;
  const size = threadsFor(rows, settings.workers, WORTHWHILE);
  const pool = new ThreadPool<PageData, PageJob, PageBatch>({
    size,
    file: new URL("./worker.js", import.meta.url),
    data,
    start: () => {
      const maker = new PageMaker(data);
      inline = maker;
      return (job) => maker.make(job);
    },
    limits: LIMITS,
    signal,
  });
  const sum = new Sum(collection, range, ["identity", ...settings.encodings]);
  try {
    // Threads start meanwhile.
    source.findRepeatedKeys();
    const take = (batch: PageBatch, job: PageJob) => {
      if (batch.problems) {
        for (const piece of readPieces(batch.problems.path, batch.problems.digest)) log.add(JSON.parse(String(piece)));
        rmSync(batch.problems.path);
        source.markInvalid(batch.invalid);
        sum.isGood = false;
      }
      if (sum.isGood) taker.take(batch.pieces);
      sum.add(batch, job);
      onProgress({ records: Math.min(sum.pages * collection.pageSize, rows), total: rows });
    };
    const jobs = batches({ collection, range }, settings.packs, previous, () => sum.isGood);
    await pool.runInOrder(jobs, take).catch((error) => {
      throw explainSqlite(settings.db, error);
    });
  } finally {
    inline?.close();
    await pool.end();
  }
  if (sum.pages !== pagesOf(range)) throw new Error(`${sum.pages} pages were made instead of ${pagesOf(range)}.`);
  if (!sum.isGood) return undefined;
  const began = performance.now();
  await taker.finish(signal);
  return sum.made(size, performance.now() - began);
}

/** Once a record is invalid, the others are only checked. */
function* batches(
  { collection, range }: Task,
  packs: boolean,
  previous: Release | undefined,
  isWritten: () => boolean,
): Generator<PageJob> {
  const together = packs ? pagesTogether(collection.pageSize) : 1;
  const most = Math.min(BATCH_RECORDS / collection.pageSize, pagesOf(range) / FEWEST_BATCHES);
  const pages = Math.ceil(Math.max(BATCH_PAGES, most) / together) * together;
  for (let { first } = range; first <= range.last; first += pages) {
    const last = Math.min(range.last, first + pages - 1);
    const known = previous?.sums.pages.slice(first, last - first + 1) ?? {};
    yield { range: { first, last }, known, isWritten: isWritten() };
  }
}

/** Adds up batches. */
class Sum {
  pages = 0;
  isGood = true;
  readonly #digests: PageDigests;
  readonly #totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly #warnings: WarningCounts = {};
  readonly #spent: Spent = { read: 0, check: 0, digest: 0, write: 0, collect: 0 };

  constructor(
    private readonly collection: Collection,
    private readonly range: PageRange,
    variants: PageDigests["variants"],
  ) {
    this.#digests = new PageDigests(pagesOf(range), variants);
  }

  add({ digests, totals, warnings, spent }: PageBatch, { range }: PageJob): void {
    this.pages += pagesOf(range);
    this.#digests.fill(range.first - this.range.first + 1, digests);
    addAll(this.#totals, totals);
    addAll(this.#spent, spent);
    for (const [kind, records] of Object.entries(warnings)) countWarning(this.#warnings, kind, records);
  }

  made(workers: number, merged: number): MadePages {
    const { collection, range } = this;
    const sums = { digests: this.#digests, totals: this.#totals, warnings: this.#warnings, spent: this.#spent };
    return { collection, range, ...sums, workers, merged };
  }
}

function addAll<Key extends string>(sum: Record<Key, number>, part: Record<Key, number>): void {
  for (const key of Object.keys(part) as Key[]) sum[key] += part[key];
}
