/** Writes all pages with several threads, each of which reads the same point in time on a connection of its own. */
import { bulkFor } from "../../bulk/handover.js";
import { pagesTogether } from "../../bulk/members.js";
import type { MembersInTurn } from "../../bulk/turn.js";
import { contractOf } from "../../contract/contract.js";
import { UserError } from "../../errors.js";
import { PageDigests } from "../../release/digests.js";
import type { Release } from "../../release/open.js";
import { RecordListWriter } from "../../release/record/list.js";
import { pagesOf, rowsOfPages } from "../../shards/cut.js";
import { explainSqlite } from "../../source/errors.js";
import type { Source } from "../../source/open.js";
import type { PageStart } from "../../source/order.js";
import { inBatches } from "../../workers/at-most.js";
import { ThreadPool } from "../../workers/pool.js";
import type { GatheredFiles } from "../gather.js";
import type { OnBuildProgress } from "../options.js";
import type { Task, WrittenPages } from "../page-writer.js";
import { RepeatedKeys } from "../repeated-keys.js";
import { loadGathering } from "../task.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";
import { startPages } from "./pages.js";
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
  /** What is to be written, given how many records there are at the moment at which all have begun. */
  collect(count: number): Task;
}

/**
 * With no threads, their jobs are the calling one's.
 * @returns undefined when all cannot begin at one moment, or two keys may be the same; `doubtful` for an invalid record or
 *   an index that is wrong.
 */
export async function writePagesInParallel(
  source: Source,
  data: ThreadData,
  { size, pageSize, previous, onProgress, signal, collect }: PoolOptions,
): Promise<WrittenPages | "doubtful" | undefined> {
  const file = new URL("./worker.js", import.meta.url);
  const pool: BuildPool = new ThreadPool({
    size,
    file,
    data,
    start: startPages,
    given: memoryOf,
    limits: LIMITS,
    signal,
  });
  const { folder, bulk: isBulk } = data.destination;
  const list = new RecordListWriter(folder);
  const bulk = bulkFor(data.destination, previous);
  let gathered: GatheredFiles | undefined;
  let keys: RepeatedKeys | undefined;
  try {
    const begun = beginTogether(source, pool);
    askEarly(source, pageSize);
    if (!(await begun) || !source.isShareable) return undefined;
    const { collection, range } = collect(source.count);
    const rows = rowsOfPages(range, collection);
    const share = source.share(pageSize);
    await pool.askAll({ kind: "read", share });
    const sums = new PageDigests(pagesOf(range), ["identity", ...data.destination.encodings]);
    const gathering = await loadGathering(data.destination);
    gathered = gathering && new gathering.GatheredFiles(data.destination, collection, previous);
    keys = new RepeatedKeys(rows.rows);
    const sum = new Sum(range.first - 1, sums, list, bulk, gathered, keys);
    const starts = inBatches(source.pageStarts(share, pageSize, rows), isBulk ? pagesTogether(pageSize) : BATCH);
    await pool.run(batches({ collection, range }, starts, previous, bulk), (result, batch) => {
      const added = sum.add(batch, result);
      if (added === false) return false;
      onProgress({ records: Math.min(sum.pages * pageSize, rows.rows), total: rows.rows });
      return added;
    });
    if (sum.isDoubtful || !sum.isInOrder(contractOf(data.destination.contract))) return "doubtful";
    const records = list.finish();
    if (keys.mayRepeat()) return undefined;
    const made = await finishGathered(pool, gathered, signal);
    const { totals, warnings, spent } = sum;
    const lists = { digests: sums, records, bulk: bulk?.finish(), gathered: made };
    return { collection, range, ...lists, totals, warnings, workers: size, spent };
  } catch (error) {
    throw explainSqlite(data.db, error);
  } finally {
    // The files of a thread go with it.
    if (size === 0) await pool.askAll({ kind: "rest" });
    await pool.end();
    list.close();
    keys?.close();
    bulk?.close();
    gathered?.close();
  }
}

/** Takes what threads have left, and writes it when they are gone, since that needs their memory. */
async function finishGathered(pool: BuildPool, gathered: GatheredFiles | undefined, signal: AbortSignal | undefined) {
  if (!gathered) return undefined;
  for (const result of await pool.askAll({ kind: "finish" }))
    if (result.kind === "finished" && result.gathered) gathered.take(result.gathered);
  await pool.end();
  return gathered.finish(signal);
}

/** Asks how pages are found while the threads are loaded. Where that fails, it is asked again when all have begun. */
function askEarly(source: Source, pageSize: number): void {
  try {
    source.share(pageSize);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
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
  { collection, range }: Task,
  batches: Iterable<PageStart[]>,
  previous?: Release,
  bulk?: MembersInTurn,
): Generator<PageJob> {
  let { first } = range;
  for (const starts of batches) {
    const known = previous?.sums.pages.slice(first, starts.length) ?? {};
    yield { kind: "write", collection, first, starts, known, memory: bulk?.memory() };
    first += starts.length;
  }
}
