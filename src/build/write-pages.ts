/** Writes all pages of a source: by several threads where that is possible, otherwise by one, with the same result. */
import { UserError } from "../errors.js";
import type { Release } from "../release/open.js";
import type { Staging } from "../release/staging.js";
import { rowsOfPages, type Shard } from "../shards/cut.js";
import type { Source } from "../source/open.js";
import { threadsFor } from "../workers/pool.js";
import { createTurns } from "../workers/turns.js";
import type { BuildSettings, OnBuildProgress } from "./options.js";
import type { Task, WrittenPages } from "./page-writer.js";
import { writePagesInParallel } from "./parallel/pool.js";
import { InvalidRecordsError, type ProblemLog } from "./problems.js";
import { readRecords } from "./records.js";
import type { SourceDigest } from "./shards/source-digest.js";
import { writePagesSingleThreaded } from "./single-threaded.js";
import { destinationOf, taskOf } from "./task.js";

/** With fewer records, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

export interface Job {
  settings: BuildSettings;
  source: Source;
  log: ProblemLog;
  onProgress: OnBuildProgress;
  /** Of the source, where the pages are those of a shard. */
  digest?: SourceDigest | undefined;
  signal: AbortSignal | undefined;
  /** Which share of the pages is written. */
  shard: Shard;
}

/** @throws InvalidRecordsError when all records have been checked, some are invalid, and they are not to be left out. */
export async function writePages(
  job: Job,
  staging: Pick<Staging, "folder" | "clear">,
  previous: Release | undefined,
): Promise<WrittenPages> {
  const { settings, source, log, onProgress, signal, digest, shard } = job;
  const { pageSize, skipInvalid } = settings;
  const collect = (count: number) => {
    digest?.begin();
    return taskOf(settings, count, shard);
  };
  const destination = destinationOf(settings, staging, { previous, shard });

  const share = rowsIn(taskOf(settings, source.count, shard));
  const size = threadsFor(share, settings.workers, WORTHWHILE);
  let isDoubtful = false;
  if (settings.workers !== 0 && share > 0 && source.isShareable) {
    const data = { db: settings.db, destination };
    const options = { size, pageSize, previous, onProgress, signal, collect };
    const written = await writePagesInParallel(source, data, options);
    isDoubtful = written === "doubtful";
    if (written && written !== "doubtful") {
      log.open();
      log.finish();
      return written;
    }
    staging.clear();
  }

  log.open();
  const task = collect(await countRecords(job));
  const written = await writePagesSingleThreaded(source, task, destination, previous, {
    onInvalid: skipInvalid ? () => {} : (problems) => log.add(problems),
    onProgress,
    signal,
    isWanted: () => skipInvalid || log.report.records === 0,
  });
  log.finish();
  if (!written) throw new InvalidRecordsError(log.report, source.count, settings.contract.listing);
  // The threads, which find rows by the index, saw other rows or another order, though all records are valid.
  if (isDoubtful && log.report.records === 0)
    throw new UserError(
      `An index of table ${settings.table ?? settings.contract.listing.words[1]} in ${settings.db} does not agree with its rows; mend it with sqlite3 and "REINDEX", then build again.`,
    );
  return written;
}

function rowsIn({ collection, range }: Task): number {
  return rowsOfPages(range, collection).rows;
}

/** Each page holds the count of all records, so those left out must be known before the first page is written. */
async function countRecords({ settings, source, log, onProgress, signal }: Job): Promise<number> {
  if (!settings.skipInvalid) return source.count;
  const turn = createTurns(1000, signal);
  let count = 0;
  const tally = { onInvalid: log.add.bind(log), onProgress, warnings: {} };
  for (const _ of readRecords(source, settings.contract, tally)) {
    await turn();
    count++;
  }
  if (count > 0 || source.count === 0) return count;
  log.finish();
  throw new InvalidRecordsError(log.report, source.count, { ...settings.contract.listing, nobodyLeft: true });
}
