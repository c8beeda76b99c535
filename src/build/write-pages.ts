/** Writes all pages of a source: by several threads where that is possible, otherwise by one, with the same result. */
import { pagesFor } from "../contract/links.js";
import { CONTRACT_VERSION, type Problem } from "../contract/user.js";
import { UserError } from "../errors.js";
import { USERS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { findAltered } from "../release/open.js";
import { hasRepeatedIds } from "../release/repeated-ids.js";
import type { Staging } from "../release/staging.js";
import type { Source } from "../source/open.js";
import { threadsFor } from "../workers/pool.js";
import type { BuildSettings, OnBuildProgress } from "./options.js";
import type { Origin } from "./origin.js";
import type { WrittenPages } from "./page-writer.js";
import { writePagesInParallel } from "./parallel/pool.js";
import { InvalidUsersError, type ProblemLog } from "./problems.js";
import { writePagesSingleThreaded } from "./single-threaded.js";
import { countValid } from "./users.js";

/** Below this many users, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

/** What the stages of one build share. */
export interface Job {
  settings: BuildSettings;
  source: Source;
  log: ProblemLog;
  onProgress: OnBuildProgress;
  origin: Origin;
  signal: AbortSignal | undefined;
}

/** @throws InvalidUsersError once all users have been checked, if any was not valid and none was to be skipped. */
export async function writePages(job: Job, staging: Staging, previous: Release | undefined): Promise<WrittenPages> {
  const { settings, source, log, onProgress, signal, origin } = job;
  const { pageSize, baseUrl, links, encodings, skipInvalid } = settings;
  const collect = (count: number) => {
    origin.note();
    return { count, pages: pagesFor(count, pageSize), pageSize, baseUrl, links };
  };
  const placing = { folder: staging.folder, previous: previous?.folder, encodings };

  const size = threadsFor(source.count, settings.workers, WORTHWHILE);
  let isDoubtful = false;
  if (size > 0 && source.count > 0 && source.isShareable) {
    const trustsKnown = isTrusted(previous);
    const hasIndex = await hasUsableIndex(previous, pageSize);
    const options = { size, pageSize, previous, onProgress, signal, collect };
    const placed = await writePagesInParallel(source, { db: settings.db, placing, trustsKnown, hasIndex }, options);
    isDoubtful = placed === "doubtful";
    if (placed && placed !== "doubtful" && !hasRepeatedIds(staging.folder, source.count)) {
      log.open();
      log.finish();
      return placed;
    }
    staging.clear();
  }

  log.open();
  const collection = collect(await countUsers(job));
  const placed = await writePagesSingleThreaded(source, collection, placing, previous, {
    onInvalid: skipInvalid ? () => {} : (problems) => log.add(problems),
    onProgress,
    signal,
    isWanted: () => skipInvalid || log.report.users === 0,
  });
  log.finish();
  if (!placed) throw new InvalidUsersError(log.report, source.count);
  // Threads, which find rows by the index, saw others, or others first; and all users are valid.
  if (isDoubtful && log.report.users === 0) throw damagedIndex(settings);
  return placed;
}

function damagedIndex({ db, table = "users" }: BuildSettings): UserError {
  return new UserError(
    `An index of table ${table} in ${db} does not agree with its rows; mend it with sqlite3 and "REINDEX", then build again.`,
  );
}

/** Whether bytes that a release has already need no second check, nor hold warnings to be counted again. */
function isTrusted(previous: Release | undefined): boolean {
  if (!previous) return false;
  const { contract, warnings } = previous.snapshot;
  return contract === CONTRACT_VERSION && Object.keys(warnings).length === 0;
}

/** Whether the lines of a page that has not changed can be copied from the last release's index of users. */
async function hasUsableIndex(previous: Release | undefined, pageSize: number): Promise<boolean> {
  const digest = previous?.sums.others.get(USERS);
  if (!previous || digest === undefined || previous.snapshot.page_size !== pageSize) return false;
  return (await findAltered(previous.folder, [[USERS, digest]])) === undefined;
}

/** Each page says how many users there are in all, so who is left out must be known before the first is written. */
async function countUsers({ settings, source, log, onProgress, signal }: Job): Promise<number> {
  if (!settings.skipInvalid) return source.count;
  const tally = { onInvalid: (problems: Problem[]) => log.add(problems), onProgress };
  const count = await countValid(source, tally, signal);
  if (count > 0 || source.count === 0) return count;
  log.finish();
  throw new InvalidUsersError(log.report, source.count, { nobodyLeft: true });
}
