/** `rollcall build`: reads users from SQLite, validates every one, and publishes them as a release, or refuses. */

import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { AVATAR_PATH } from "../contract/links.js";
import { CONTRACT_VERSION } from "../contract/user.js";
import type { WarningCounts } from "../contract/warnings.js";
import { unlessStopped } from "../errors.js";
import { CURRENT, RELEASES, requireClock, USERS } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { openIfWhole, type Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import { Staging } from "../release/staging.js";
import { requireLink } from "../release/switch.js";
import { checkOptions } from "../settings/options.js";
import { openSource, type Source } from "../source/open.js";
import {
  AVATAR,
  BUILD_EFFECTS,
  type BuildEffects,
  type BuildOptions,
  type BuildSettings,
  resolveOptions,
} from "./options.js";
import { Origin } from "./origin.js";
import type { Spent } from "./page-writer.js";
import { ProblemLog, type ProblemReport } from "./problems.js";
import { makeCurrent, type Published } from "./publish.js";
import { type Job, writePages } from "./write-pages.js";

export interface BuildResult extends Published {
  /** The path of the release that is current now. */
  folder: string;
  users: number;
  pages: number;
  /** Bytes of all page files. */
  bytes: number;
  /** Page files linked from the last release rather than written. */
  linked: number;
  /** False when the source's bytes are those that the current release was made from, so that no row had to be read. */
  isRead: boolean;
  /** Invalid users that were left out. */
  skipped: number;
  warnings: WarningCounts;
  problems: ProblemReport;
  /** Threads that read, checked and wrote the pages; 0 when the building thread did. */
  workers: number;
  timings: Timings;
}

/** Milliseconds from one end of a stage to the other. */
interface Timings {
  /** Finding the source and its columns. */
  open: number;
  /** Reading, checking and writing all pages. */
  place: number;
  /** Flushing, the switch, and removing old releases. */
  publish: number;
  /** What the threads did while pages were placed, all of them added up; absent for one alone. */
  threads: Spent | undefined;
}

/**
 * Publishes the users of `options.db` as the current release of `options.out`. Nothing that fails, at whatever
 * moment, changes what is current.
 * @throws InvalidUsersError when users are invalid; UserError for everything else that a person can mend.
 */
export async function build(options: BuildOptions, effects: BuildEffects = {}): Promise<BuildResult> {
  const began = performance.now();
  const settings = resolveOptions(options);
  const checked = checkOptions("build's second argument", effects, BUILD_EFFECTS);
  return unlessStopped(checked.signal, () => run(settings, checked, began));
}

async function run(
  settings: BuildSettings,
  { now = () => new Date(), onProgress = () => {}, signal }: BuildEffects,
  began: number,
): Promise<BuildResult> {
  const log = new ProblemLog(settings.problemsFile, settings.out);
  let source: Source | undefined;
  try {
    requireClock(now());
    source = openSource(settings);
    onProgress({ users: 0, total: source.count });
    const unlock = lockDist(settings.out, now());
    const open = performance.now() - began;
    try {
      const { timings, ...result } = await write(
        { settings, source, log, onProgress, signal, origin: new Origin(settings, source) },
        now,
      );
      return { ...result, timings: { open, ...timings } };
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(settings.out, error);
  } finally {
    log.discard();
    source?.close();
  }
}

type Written = Omit<BuildResult, "timings"> & { timings: Omit<Timings, "open"> };

async function write(job: Job, now: () => Date): Promise<Written> {
  const began = performance.now();
  const { out, encodings, keep, gates } = job.settings;
  requireLink(out);
  // A broken one is as good as none, and this build mends it.
  const previous = await openIfWhole(join(out, CURRENT));
  const untidied: string[] = [];
  const staging = new Staging(out, untidied);
  try {
    if (previous && (await job.origin.isThatOf(previous, job.signal))) {
      staging.discard();
      return { ...leave(previous, job, began), untidied };
    }
    const placed = await job.source.whole(() => writePages(job, staging, previous));
    const placedAt = performance.now();
    staging.listOther(USERS, placed.users);
    if (job.settings.carriesAvatar) await staging.writeOther(AVATAR_PATH, AVATAR);
    for (const { path, text } of job.settings.extraFiles ?? []) await staging.writeOther(path, text);
    job.signal?.throwIfAborted();
    const { count, pages, pageSize, baseUrl, links } = placed.collection;
    const facts = {
      contract: CONTRACT_VERSION,
      count,
      pages,
      page_size: pageSize,
      base_url: baseUrl,
      links,
      encodings,
      skipped: job.source.count - count,
      warnings: { ...placed.warnings },
    };
    const stage = { staging, placed, previous };
    const published = await makeCurrent(out, stage, facts, { keep, gates, now: now(), untidied });
    const folder = join(out, RELEASES, published.name);
    if (facts.skipped === 0) await job.origin.keep(folder);
    return {
      ...published,
      folder,
      users: count,
      pages,
      bytes: placed.totals.bytes,
      linked: placed.totals.linked,
      isRead: true,
      skipped: facts.skipped,
      warnings: placed.warnings,
      problems: job.log.report,
      workers: placed.workers,
      timings: { place: placedAt - began, publish: performance.now() - placedAt, threads: placed.spent },
    };
  } catch (error) {
    staging.discard();
    throw error;
  } finally {
    await job.origin.end();
  }
}

/** Leaves a release current of which every byte would be made again. */
function leave({ folder, snapshot, sums }: Release, { settings, log }: Job, began: number): Omit<Written, "untidied"> {
  log.open();
  log.finish();
  const name = basename(folder);
  const pages = [...sums.pages.files()];
  return {
    id: snapshot.id,
    name,
    isNew: false,
    isSwitched: false,
    pruned: [],
    judged: undefined,
    folder: join(settings.out, RELEASES, name),
    users: snapshot.count,
    pages: snapshot.pages,
    bytes: pages.reduce((sum, [path]) => sum + statSync(join(folder, path)).size, 0),
    linked: pages.length,
    isRead: false,
    skipped: 0,
    warnings: snapshot.warnings,
    problems: log.report,
    workers: 0,
    timings: { place: performance.now() - began, publish: 0, threads: undefined },
  };
}
