/** Writes all pages of a source: by several threads where that is possible, otherwise by one, with the same result. */
import type { Release } from "../release/open.js";
import type { Staging } from "../release/staging.js";
import { rowsOfPages, type Shard } from "../shards/cut.js";
import { explainSqlite } from "../source/errors.js";
import type { Source } from "../source/open.js";
import { threadsFor } from "../workers/pool.js";
import { createTurns } from "../workers/turns.js";
import type { BuildSettings, OnBuildProgress } from "./options.js";
import type { Task, WrittenPages } from "./page-writer.js";
import { writePagesInParallel } from "./parallel/pool.js";
import { InvalidRecordsError, type ProblemLog } from "./problems.js";
import { readRecords } from "./records.js";
import { writePagesSingleThreaded } from "./single-threaded.js";
import { destinationOf, taskOf } from "./task.js";

/** With fewer records, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

export interface Job {
  settings: BuildSettings;
  source: Source;
  log: ProblemLog;
  onProgress: OnBuildProgress;
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
  const { settings, source, log, onProgress, signal, shard } = job;
  const { skipInvalid } = settings;
  const destination = destinationOf(settings, staging, { previous, shard });
  const task = taskOf(settings, source.count, shard);
  const share = rowsIn(task);
  const size = threadsFor(share, settings.workers, WORTHWHILE);
  if (settings.workers !== 0 && share > 0 && !source.hasRepeatedKeys) {
    const data = { share: source.share, destination };
    const options = { task, size, previous, onProgress, signal };
    const written = await writePagesInParallel(data, options).catch((error: unknown) => {
      throw explainSqlite(settings.db, error);
    });
    if (written) {
      log.open();
      log.finish();
      return written;
    }
    staging.clear();
  }
  log.open();
  const known = taskOf(settings, await countRecords(job), shard);
  const written = await writePagesSingleThreaded(source, known, destination, previous, {
    onInvalid: skipInvalid ? () => {} : (problems) => log.add(problems),
    onProgress,
    signal,
    isWanted: () => skipInvalid || log.report.records === 0,
  });
  log.finish();
  if (!written) throw new InvalidRecordsError(log.report, source.count, settings.contract.listing);
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
