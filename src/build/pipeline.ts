/** The pipeline: rows of the copy -> pages -> pieces for artifacts, in worker threads or inline, in published order. */

import { rmSync } from "node:fs";
import type { Encoding } from "../core/contract/headers.js";
import { pagesFor } from "../core/contract/links.js";
import type { Collection } from "../core/contract/page.js";
import { countWarning, type WarningCounts } from "../core/contract/record/warnings.js";
import { referencesOf } from "../core/contract/references.js";
import type { Release } from "../core/release/open.js";
import { RECORDS_WORDS } from "../core/release/site.js";
import { PageDigests } from "../core/release/sums.js";
import { cutPages, type PageRange, pagesOf, rowsOfPages, type Shard } from "../core/shards.js";
import { explainSqlite } from "../core/source/errors.js";
import type { Source } from "../core/source/open.js";
import { nameOfSource } from "../core/source/text-format.js";
import { KeyHashes, MOST_HASHED } from "./key-hashes.js";
import type { BuildSettings, OnBuildProgress } from "./options.js";
import type { PageBatch, PageData, PageJob } from "./page-maker.js";
import { PagePool } from "./page-pool.js";
import type { LargestPage, Totals } from "./page-writer.js";
import { readPieces } from "./pieces.js";
import { InvalidRecordsError, type ProblemLog } from "./problems.js";

/** Records in a batch, and the number of batches for fewer records, so that no thread waits long for others. */
const BATCH_RECORDS = 16_000;
const FEWEST_BATCHES = 16;
/** Minimum pages in a batch. The pages of a batch are flushed together. */
const BATCH_PAGES = 16;

/** The pages of one listing to make. */
export interface Job {
  /** The name of the listing in its site; empty without one. */
  name: string;
  settings: BuildSettings;
  source: Source;
  log: ProblemLog;
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
  /** Which share of the pages to make. */
  shard: Shard;
}

/** A job, and where its pages go. */
export interface PageTarget {
  job: Job;
  /** The folder of the pages. */
  files: { folder: string; clear(): void };
  /** The release to link unchanged pages from. */
  previous: Release | undefined;
  /** Starts what takes the pieces for artifacts. */
  startReceiver(collection: Collection): Promise<PieceReceiver>;
}

/** Which pages to make, and of which listing. */
export interface Task {
  collection: Collection;
  range: PageRange;
}

/** The pages of a task: added batch by batch, or part by part. */
export class MadePages {
  /** Digests of the pages, numbered from 1. */
  readonly digests: PageDigests;
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly warnings: WarningCounts = {};
  largest: LargestPage = { page: 1, bytes: 0 };

  constructor(
    readonly task: Task,
    encodings: readonly Encoding[],
  ) {
    this.digests = new PageDigests(pagesOf(task.range), ["identity", ...encodings]);
  }

  /** @param first the number of the batch's first page */
  add(
    { digests, totals, largest, warnings }: Pick<PageBatch, "digests" | "totals" | "largest" | "warnings">,
    first: number,
  ): void {
    this.digests.fill(first - this.task.range.first + 1, digests);
    for (const key of ["bytes", "linked", "changed"] as const) this.totals[key] += totals[key];
    if (largest.bytes > this.largest.bytes) this.largest = largest;
    for (const [kind, records] of Object.entries(warnings)) countWarning(this.warnings, kind, records);
  }
}

/** Receives the pieces for artifacts in published order. Each run of the pipeline has a new one. */
export interface PieceReceiver {
  add(pieces: readonly Uint8Array[]): void;
  finish(signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

/** Reports the bytes that were read of a text file, as megabytes. */
export function reportRead(onProgress: OnBuildProgress) {
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  const words = ["MB", "MB"] as const;
  return (bytes: number, total: number) => onProgress({ records: megabytes(bytes), total: megabytes(total), words });
}

/** The pages that a shard of a build makes. @param count the number of all records */
export function taskOf(
  { contract, pageSize, baseUrl, links, pagesTogether }: BuildSettings,
  count: number,
  shard: Shard,
): Task {
  const pages = pagesFor(count, pageSize);
  // Pages that are compressed together stay in one shard, so that the bytes do not depend on the number of shards.
  const range = cutPages(pages, shard, pagesTogether);
  return { collection: { count, pages, pageSize, baseUrl, path: contract.listing.path, links }, range };
}

/** The threads for some listings. */
export function poolFor(jobs: readonly Job[]): PagePool {
  let rows = 0;
  for (const { settings, source, shard } of jobs) {
    const { collection, range } = taskOf(settings, source.count, shard);
    rows += rowsOfPages(range, collection).rows;
  }
  const [first] = jobs;
  return new PagePool({ rows, workers: first?.settings.workers, signal: first?.signal });
}

/**
 * Makes all pages of some listings that were read at one point in time. With `skipInvalid`, invalid rows are removed from the
 * copy, then rows that refer to removed ones, until none is left, and the pipeline runs once more.
 * @returns the pages of each listing, in the same order.
 * @throws InvalidRecordsError, after all records were checked, if some are invalid
 */
export async function makePages(targets: readonly PageTarget[], pool: PagePool): Promise<MadePages[]> {
  const made = new Map<PageTarget, MadePages>();
  const [first] = targets;
  first?.job.log.open();
  let due = targets;
  while (due.length > 0) {
    const invalid: PageTarget[] = [];
    for (const target of due) {
      const pages = await makeOnce(target, pool);
      if (pages) made.set(target, pages);
      else invalid.push(target);
    }
    if (invalid.length > 0) removeInvalid(targets, invalid);
    // A removed row may be one that rows of any listing refer to.
    due =
      invalid.length === 0
        ? []
        : targets.filter(({ job }) => invalid.some((one) => one.job === job) || hasReferences(job));
    for (const { files } of due) files.clear();
  }
  first?.job.log.finish();
  return targets.flatMap((target) => made.get(target) ?? []);
}

function hasReferences({ settings }: Job): boolean {
  return referencesOf(settings.contract).length > 0;
}

/**
 * Removes invalid rows, then rows that refer to removed ones, until all references lead to a row.
 * @throws InvalidRecordsError if a listing does not leave out invalid records, or if no record of any is left
 */
function removeInvalid(all: readonly PageTarget[], invalid: readonly PageTarget[]): void {
  const jobs = all.map(({ job }) => job);
  const log = jobs[0]?.log as ProblemLog;
  if (!invalid.every(({ job }) => job.settings.skipInvalid)) throw invalidRecords(log, jobs);
  for (const { job } of invalid) job.source.removeInvalid();
  const skipping = jobs.filter(({ settings }) => settings.skipInvalid);
  let removed = 1;
  while (removed > 0) {
    removed = 0;
    for (const { source } of skipping) removed += source.removeLost();
  }
  if (jobs.every(({ source }) => source.count === 0)) throw invalidRecords(log, jobs, { noneLeft: true });
}

/** Finishes the log of problems, and makes the error for them. */
export function invalidRecords(
  log: ProblemLog,
  jobs: readonly Pick<Job, "settings" | "source">[],
  refusal: Partial<Pick<InvalidRecordsError, "noneLeft" | "isOfShards">> = {},
): InvalidRecordsError {
  const [first, ...others] = jobs;
  log.finish();
  const words = first && others.length === 0 ? first.settings.contract.listing.words : RECORDS_WORDS;
  const total = jobs.reduce((sum, { source }) => sum + source.total, 0);
  return new InvalidRecordsError(log.report, total, { words, ...refusal });
}

/**
 * Runs the pipeline of a listing. A run whose records are all valid shows whether keys may be repeated, so they are sorted only
 * for other runs. If some are, the pipeline runs again with marks.
 * @returns undefined if a record is invalid
 */
async function makeOnce(target: PageTarget, pool: PagePool): Promise<MadePages | undefined> {
  const made = await run(target, pool);
  if (made !== UNMARKED) return made;
  target.job.source.markRepeated();
  target.files.clear();
  const again = await run(target, pool);
  if (again === UNMARKED) throw new Error("Repeated keys were not marked.");
  return again;
}

/** The result of a run that repeated keys make useless. It has logged nothing. */
const UNMARKED = Symbol("unmarked");

async function run(target: PageTarget, pool: PagePool): Promise<MadePages | undefined | typeof UNMARKED> {
  const { job, startReceiver } = target;
  const task = taskOf(job.settings, job.source.count, job.shard);
  const receiver = await startReceiver(task.collection);
  try {
    return await runInto(receiver, target, task, pool);
  } finally {
    receiver.close();
  }
}

async function runInto(
  receiver: PieceReceiver,
  { job: { name, settings, source, log, onProgress, signal }, files, previous }: PageTarget,
  task: Task,
  pool: PagePool,
): Promise<MadePages | undefined | typeof UNMARKED> {
  const { collection, range } = task;
  const { rows } = rowsOfPages(range, collection);
  const { copy } = source;
  const { folder } = files;
  pool.start();
  // These run while the threads start.
  source.markLost();
  if (rows > MOST_HASHED && source.hasUnmarkedRepeated()) source.markRepeated();
  const keys = source.knowsRepeated ? undefined : new KeyHashes(rows);
  const data: PageData = { settings: settings.data, copy, collection, folder, previous: previous?.folder };
  const made = new MadePages(task, settings.encodings);
  let pages = 0;
  let isGood = true;
  let isUnmarked = false;
  const take = (batch: PageBatch, job: PageJob) => {
    if (batch.problems) {
      isGood = false;
      isUnmarked ||= source.hasUnmarkedRepeated();
      if (!isUnmarked)
        for (const piece of readPieces(batch.problems.path, batch.problems.digest))
          log.add(JSON.parse(String(piece)), name);
      rmSync(batch.problems.path);
      if (!isUnmarked) source.markInvalid(batch.invalid);
    }
    if (isGood) {
      receiver.add(batch.pieces);
      // The record list is the first artifact.
      const [lines] = batch.pieces;
      if (lines) keys?.add(lines);
    }
    made.add(batch, job.range.first);
    pages += pagesOf(job.range);
    onProgress({ records: Math.min(pages * collection.pageSize, rows), total: rows });
  };
  const state = { isWritten: () => isGood, isOver: () => isUnmarked };
  await pool.run(data, batches(task, settings.pagesTogether, previous, state), take).catch((error) => {
    throw explainSqlite(nameOfSource(settings.db), error, source.context);
  });
  if (isGood && keys?.mayRepeat()) isUnmarked = source.hasUnmarkedRepeated();
  if (isUnmarked) return UNMARKED;
  if (pages !== pagesOf(range)) throw new Error(`${pages} pages were made instead of ${pagesOf(range)}.`);
  if (!isGood) return undefined;
  source.knowsRepeated = true;
  await receiver.finish(signal);
  return made;
}

/** Cuts the pages into batches. Once a record is invalid, later batches are only checked, not written. */
function* batches(
  { collection, range }: Task,
  together: number,
  previous: Release | undefined,
  state: { isWritten(): boolean; isOver(): boolean },
): Generator<Omit<PageJob, "data" | "run">> {
  const most = Math.min(BATCH_RECORDS / collection.pageSize, pagesOf(range) / FEWEST_BATCHES);
  const pages = Math.ceil(Math.max(BATCH_PAGES, most) / together) * together;
  for (let { first } = range; first <= range.last && !state.isOver(); first += pages) {
    const last = Math.min(range.last, first + pages - 1);
    const known = previous?.sums.pages.slice(first, last - first + 1) ?? {};
    yield { range: { first, last }, known, isWritten: state.isWritten() };
  }
}
