/** Writes all pages with several threads, each of which reads the copy on a connection of its own. */
import { bulkFor } from "../../bulk/handover.js";
import { pagesTogether } from "../../bulk/members.js";
import type { MembersInTurn } from "../../bulk/turn.js";
import { PageDigests } from "../../release/digests.js";
import type { Release } from "../../release/open.js";
import { RecordListWriter } from "../../release/record/list.js";
import { pagesOf, rowsOfPages } from "../../shards/cut.js";
import { ThreadPool } from "../../workers/pool.js";
import type { GatheredFiles } from "../gather.js";
import type { OnBuildProgress } from "../options.js";
import type { Task, WrittenPages } from "../page-writer.js";
import { loadGathering } from "../task.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";
import { startPages } from "./pages.js";
import { Sum } from "./sum.js";

type BuildPool = ThreadPool<ThreadData, PageJob, PageResult>;

/** Pages in a batch: enough that jobs cost nothing, few enough that no thread waits long for the others. */
const BATCH = 16;

/** Little of what a thread makes outlives its page: a quarter of the usual memory is as fast, and saves 35 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

interface PoolOptions {
  task: Task;
  /** Threads; with none, their jobs are the calling one's. */
  size: number;
  previous: Release | undefined;
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
}

/** @returns undefined for an invalid record. */
export async function writePagesInParallel(
  data: ThreadData,
  { task, size, previous, onProgress, signal }: PoolOptions,
): Promise<WrittenPages | undefined> {
  const file = new URL("./worker.js", import.meta.url);
  const pool: BuildPool = new ThreadPool({
    ...{ size, file, data, start: startPages, given: memoryOf, limits: LIMITS, signal },
  });
  const { destination } = data;
  const { collection, range } = task;
  const { rows } = rowsOfPages(range, collection);
  const sums = new PageDigests(pagesOf(range), ["identity", ...destination.encodings]);
  const list = new RecordListWriter(destination.folder);
  const bulk = bulkFor(destination, previous);
  let gathered: GatheredFiles | undefined;
  try {
    const gathering = await loadGathering(destination);
    gathered = gathering && new gathering.GatheredFiles(destination, collection, previous);
    const sum = new Sum(range.first - 1, sums, list, bulk, gathered);
    await pool.run(batches(task, destination.bulk, previous, bulk), (result, batch) => {
      const added = sum.add(batch, result);
      if (added === false) return false;
      onProgress({ records: Math.min(sum.pages * collection.pageSize, rows), total: rows });
      return added;
    });
    const left = await pool.askAll({ kind: "finish" });
    if (sum.isInvalid) return undefined;
    if (sum.pages !== pagesOf(range)) throw new Error(`${sum.pages} pages came of ${pagesOf(range)}`);
    for (const result of left) if (result.kind === "finished" && result.gathered) gathered?.take(result.gathered);
    // What is left to write needs the memory of the threads.
    await pool.end();
    const made = await gathered?.finish(signal);
    const { totals, warnings, spent } = sum;
    const lists = { digests: sums, records: list.finish(), bulk: bulk?.finish(), gathered: made };
    return { collection, range, ...lists, totals, warnings, workers: size, spent };
  } finally {
    await pool.end();
    list.close();
    bulk?.close();
    gathered?.close();
  }
}

function memoryOf(job: PageJob): ArrayBuffer[] {
  return job.kind === "write" && job.memory ? [job.memory] : [];
}

function* batches(
  { collection, range }: Task,
  isBulk: boolean,
  previous: Release | undefined,
  bulk: MembersInTurn | undefined,
): Generator<PageJob> {
  const together = isBulk ? pagesTogether(collection.pageSize) : BATCH;
  for (let { first } = range; first <= range.last; first += together) {
    const last = Math.min(range.last, first + together - 1);
    const known = previous?.sums.pages.slice(first, last - first + 1) ?? {};
    yield { kind: "write", collection, range: { first, last }, known, memory: bulk?.memory() };
  }
}
