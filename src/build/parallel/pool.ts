/** Writes all pages with several threads, each of which reads the same point in time on a connection of its own. */
import { type BulkMember, pagesTogether } from "../../bulk/members.js";
import { BulkWriter } from "../../bulk/writer.js";
import { type Contract, contractOf } from "../../contract/contract.js";
import { isBehind } from "../../contract/record/key.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { type DigestBytes, PageDigests } from "../../release/digests.js";
import type { Release } from "../../release/open.js";
import { RecordListWriter } from "../../release/record/list.js";
import { explainSqlite } from "../../source/errors.js";
import type { Source } from "../../source/open.js";
import type { PageStart } from "../../source/order.js";
import type { Share } from "../../source/reader.js";
import { inBatches } from "../../workers/at-most.js";
import { ThreadPool } from "../../workers/pool.js";
import type { OnBuildProgress } from "../options.js";
import type { Collection, Destination, Spent, Totals, WrittenPages } from "../page-writer.js";
import type { KeyRange } from "./order.js";

export interface ThreadData {
  db: string;
  destination: Destination;
  /** Whether the last release's pages need no second check: their records were valid by this contract, without warnings. */
  trustsKnown: boolean;
  /** The last release's list of records, when it is intact and of pages of the same size. */
  listBefore: string | undefined;
}

export type PageJob =
  | { kind: "begin" }
  | { kind: "rest" }
  | { kind: "read"; share: Share }
  | {
      kind: "write";
      collection: Collection;
      first: number;
      starts: PageStart[];
      known: DigestBytes;
      memory: ArrayBuffer | undefined;
    };

export type PageResult =
  /** False when a lock was in the way. */
  | { kind: "begun"; isBegun: boolean }
  | { kind: "ready" }
  | (Pick<Sum, "totals" | "warnings" | "spent"> & {
      kind: "written";
      digests: DigestBytes;
      lines: Uint8Array;
      /** None where they are not wanted. */
      members: BulkMember[];
      range: KeyRange;
    })
  /** A record is invalid, or a row is missing or out of order: the single-threaded build finds out which. */
  | { kind: "doubtful" };

type BuildPool = ThreadPool<ThreadData, PageJob, PageResult>;

/** Pages in a batch: enough that jobs cost nothing, few enough that no thread waits long for the others. */
const BATCH = 16;

/** Little of what a thread makes outlives its page: a quarter of the usual memory is as fast, and saves 35 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** How often all connections try to begin at one moment, before a single thread reads alone. */
const ATTEMPTS = 50;

interface PoolOptions {
  pageSize: number;
  size: number;
  previous: Release | undefined;
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
  /** What all pages have in common, given how many records there are at the moment at which all have begun. */
  collect(count: number): Collection;
}

/** @returns undefined when all cannot begin at one moment; `doubtful` for an invalid record or an index that is wrong. */
export async function writePagesInParallel(
  source: Source,
  data: ThreadData,
  { size, pageSize, previous, onProgress, signal, collect }: PoolOptions,
): Promise<WrittenPages | "doubtful" | undefined> {
  const file = new URL("./worker.js", import.meta.url);
  const pool: BuildPool = new ThreadPool({ size, file, data, given: memoryOf, limits: LIMITS, signal });
  const { folder, bulk: isBulk, encodings } = data.destination;
  const list = new RecordListWriter(folder);
  const bulk = isBulk ? new BulkWriter(folder, previous) : undefined;
  try {
    if (!(await beginTogether(source, pool)) || !source.isShareable) return undefined;
    const collection = collect(source.count);
    const share = source.share(pageSize);
    await pool.askAll({ kind: "read", share });
    const digests = new PageDigests(collection.pages, ["identity", ...encodings]);
    const sum = new Sum(digests, list, bulk);
    const starts = inBatches(source.pageStarts(share, pageSize), isBulk ? pagesTogether(pageSize) : BATCH);
    await pool.run(batches(collection, starts, previous, bulk), (result, batch) => {
      const added = sum.add(batch, result);
      if (added === false) return false;
      onProgress({ records: Math.min(sum.pages * pageSize, source.count), total: source.count });
      return added;
    });
    if (sum.isDoubtful || !sum.isInOrder(contractOf(data.destination.contract))) return "doubtful";
    const { totals, warnings, spent } = sum;
    const lists = { digests, records: list.finish(), bulk: bulk?.finish() };
    return { collection, ...lists, totals, warnings, workers: size, spent };
  } catch (error) {
    throw explainSqlite(data.db, error);
  } finally {
    await pool.end();
    list.close();
    bulk?.close();
  }
}

/** Until the path led to one file and nobody wrote to it while all began: then all see one point in time. */
async function beginTogether(source: Source, pool: BuildPool): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let begun: PageResult[] | undefined;
    try {
      begun = await pool.askAll({ kind: "begin" });
    } catch (error) {
      // When the file has gone or been replaced meanwhile, a thread's error means nothing.
      if (source.file.isStill()) throw error;
    }
    if (begun?.every((result) => result.kind === "begun" && result.isBegun) && source.isBegunBy(begun.length))
      return true;
    await pool.askAll({ kind: "rest" });
    if (!source.file.isOne(1)) source.reopen();
    source.begin();
  }
  return false;
}

function memoryOf(job: PageJob): ArrayBuffer[] {
  return job.kind === "write" && job.memory ? [job.memory] : [];
}

function* batches(
  collection: Collection,
  batches: Iterable<PageStart[]>,
  previous?: Release,
  bulk?: BulkWriter,
): Generator<PageJob> {
  let first = 1;
  for (const starts of batches) {
    const known = previous?.sums.pages.slice(first, starts.length) ?? {};
    yield { kind: "write", collection, first, starts, known, memory: bulk?.memory() };
    first += starts.length;
  }
}

class Sum {
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly warnings: WarningCounts = {};
  readonly spent: Spent = { read: 0, check: 0, digest: 0, write: 0 };
  readonly #ranges = new Map<number, KeyRange>();
  pages = 0;
  isDoubtful = false;

  constructor(
    readonly digests: PageDigests,
    readonly list: RecordListWriter,
    readonly bulk: BulkWriter | undefined,
  ) {}

  /** @returns false when no more is wanted, or what to wait for before more is. */
  add(batch: PageJob, result: PageResult): false | Promise<void> | undefined {
    let added: Promise<void> | undefined;
    this.isDoubtful ||= result.kind === "doubtful";
    if (batch.kind === "write" && result.kind === "written") {
      this.pages += batch.starts.length;
      this.#ranges.set(batch.first, result.range);
      this.digests.fill(batch.first, result.digests);
      this.list.add(batch.first, batch.starts.length, Buffer.from(result.lines.buffer));
      added = this.bulk?.add(batch.first, batch.starts.length, result.members);
      addAll(this.totals, result.totals);
      addAll(this.spent, result.spent);
      for (const [kind, records] of Object.entries(result.warnings)) countWarning(this.warnings, kind, records);
    }
    if (!this.isDoubtful) return added;
    // Others may wait for pages that do not come any more.
    this.bulk?.close();
    return false;
  }

  isInOrder(contract: Contract): boolean {
    const ranges = [...this.#ranges].sort(([one], [other]) => one - other).map(([, range]) => range);
    return ranges.every(({ first }, at) => at === 0 || isBehind(contract, first, ranges[at - 1]?.last ?? first));
  }
}

function addAll<Key extends string>(sum: Partial<Record<Key, number>>, part: Partial<Record<Key, number>>): void {
  for (const key of Object.keys(part) as Key[]) sum[key] = (sum[key] ?? 0) + (part[key] ?? 0);
}
