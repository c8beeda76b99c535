/** Writes all pages with several threads, each of which reads the same point in time on a connection of its own. */
import { pagesTogether } from "../../bulk/members.js";
import { BulkWriter } from "../../bulk/writer.js";
import { contractOf } from "../../contract/contract.js";
import { PageDigests } from "../../release/digests.js";
import type { Release } from "../../release/open.js";
import { RecordListWriter } from "../../release/record/list.js";
import { explainSqlite } from "../../source/errors.js";
import type { Source } from "../../source/open.js";
import type { PageStart } from "../../source/order.js";
import { inBatches } from "../../workers/at-most.js";
import { ThreadPool } from "../../workers/pool.js";
import { GatheredFiles } from "../gather.js";
import type { OnBuildProgress } from "../options.js";
import type { Collection, WrittenPages } from "../page-writer.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";
import { Sum } from "./sum.js";

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
  let gathered: GatheredFiles | undefined;
  try {
    if (!(await beginTogether(source, pool)) || !source.isShareable) return undefined;
    const collection = collect(source.count);
    const share = source.share(pageSize);
    await pool.askAll({ kind: "read", share });
    const digests = new PageDigests(collection.pages, ["identity", ...encodings]);
    if (data.destination.lookup) gathered = new GatheredFiles(data.destination, collection, previous);
    const sum = new Sum(digests, list, bulk, gathered);
    const starts = inBatches(source.pageStarts(share, pageSize), isBulk ? pagesTogether(pageSize) : BATCH);
    await pool.run(batches(collection, starts, previous, bulk), (result, batch) => {
      const added = sum.add(batch, result);
      if (added === false) return false;
      onProgress({ records: Math.min(sum.pages * pageSize, source.count), total: source.count });
      return added;
    });
    if (sum.isDoubtful || !sum.isInOrder(contractOf(data.destination.contract))) return "doubtful";
    const made = await finishGathered(pool, gathered, signal);
    const { totals, warnings, spent } = sum;
    const lists = { digests, records: list.finish(), bulk: bulk?.finish(), gathered: made };
    return { collection, ...lists, totals, warnings, workers: size, spent };
  } catch (error) {
    throw explainSqlite(data.db, error);
  } finally {
    await pool.end();
    list.close();
    bulk?.close();
    gathered?.close();
  }
}

/** Takes what threads have left, and writes it when they are gone, since that needs their memory. */
async function finishGathered(pool: BuildPool, gathered: GatheredFiles | undefined, signal: AbortSignal | undefined) {
  if (!gathered) return undefined;
  for (const result of await pool.askAll({ kind: "finish" }))
    if (result.kind === "finished") gathered.take(result.gathered);
  await pool.end();
  return gathered.finish(signal);
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
