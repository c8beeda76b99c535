/** `rollcall build`: reads users from SQLite, validates every one, and publishes them as a release, or refuses. */
import { join } from "node:path";
import { pagesFor } from "../contract/links.js";
import type { WarningCounts } from "../contract/warnings.js";
import { UserError } from "../errors.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { openRelease, type Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import { Staging } from "../release/staging.js";
import { openSource, type Source } from "../source/open.js";
import { AVATAR, AVATAR_PATH, type BuildOptions, type OnProgress, type Settings, settle } from "./options.js";
import { PageWriter } from "./page-writer.js";
import { paginate } from "./paginate.js";
import { InvalidUsersError, ProblemLog, type ProblemReport } from "./problems.js";
import { type Published, publish } from "./publish.js";
import { countValid, readUsers } from "./users.js";

export interface BuildEffects {
  /** The time that the release's folder is named after. */
  now?: () => Date;
  onProgress?: OnProgress;
}

export interface BuildResult extends Published {
  /** The path of the release that is current now. */
  folder: string;
  users: number;
  pages: number;
  /** Bytes of all page files. */
  bytes: number;
  /** Page files linked from the last release rather than written. */
  linked: number;
  /** Invalid users that were left out. */
  skipped: number;
  warnings: WarningCounts;
  problems: ProblemReport;
}

/** What the stages of one build share. */
interface Job {
  settings: Settings;
  source: Source;
  log: ProblemLog;
  effects: Required<BuildEffects>;
}

/**
 * Publishes the users of `options.db` as the current release of `options.out`. Nothing that fails, at whatever
 * moment, changes what is current.
 * @throws InvalidUsersError when users are invalid; UserError for everything else that a person can mend.
 */
export async function build(
  options: BuildOptions,
  { now = () => new Date(), onProgress = () => {} }: BuildEffects = {},
): Promise<BuildResult> {
  const settings = settle(options);
  const log = new ProblemLog(settings.problemsFile);
  let source: Source | undefined;
  try {
    source = openSource(settings);
    const unlock = lockDist(settings.out, now());
    try {
      return await write({ settings, source, log, effects: { now, onProgress } });
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(settings.out, error);
  } finally {
    log.close();
    source?.close();
  }
}

async function write(job: Job): Promise<BuildResult> {
  const { out, pageSize, baseUrl, links, encodings, keep } = job.settings;
  const previous = await findPrevious(out);
  const staging = new Staging(out);
  try {
    const count = countUsers(job);
    const collection = { count, pages: pagesFor(count, pageSize), pageSize, baseUrl, links };
    const writer = new PageWriter(staging, previous, collection.pages, encodings);
    const warnings = await writePages(job, writer, collection);
    if (job.settings.carriesAvatar) await staging.writeOther(AVATAR_PATH, AVATAR);

    const { pages } = collection;
    const skipped = job.source.count - count;
    const facts = {
      count,
      pages,
      page_size: pageSize,
      base_url: baseUrl,
      links,
      encodings,
      skipped,
      warnings,
    };
    const published = await publish(out, { staging, writer, previous }, facts, {
      keep,
      now: job.effects.now(),
    });
    const { bytes, linked } = writer.totals;
    const folder = join(out, RELEASES, published.name);
    return {
      ...published,
      folder,
      users: count,
      pages,
      bytes,
      linked,
      skipped,
      warnings,
      problems: job.log.report,
    };
  } catch (error) {
    staging.discard();
    throw error;
  }
}

/** The release to link unchanged files from; a broken one is as good as none, and this build mends it. */
async function findPrevious(out: string): Promise<Release | undefined> {
  try {
    return await openRelease(join(out, CURRENT));
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Each page says how many users there are in all, so who is left out must be known before the first is written. */
function countUsers({ settings, source, log, effects: { onProgress } }: Job): number {
  if (!settings.skipInvalid) return source.count;
  const count = countValid(source, { onInvalid: (problems) => log.add(problems), onProgress });
  if (count === 0 && source.count > 0)
    throw new InvalidUsersError(log.report, source.count, { nobodyLeft: true });
  return count;
}

/** @throws InvalidUsersError once all users have been checked, if any was not valid and none was to be skipped. */
async function writePages(
  { settings: { skipInvalid }, source, log, effects: { onProgress } }: Job,
  writer: PageWriter,
  collection: Parameters<typeof paginate>[1],
): Promise<Record<string, number>> {
  const warnings: WarningCounts = {};
  const onInvalid: ProblemLog["add"] = skipInvalid ? () => {} : (problems) => log.add(problems);
  const texts = paginate(readUsers(source, { onInvalid, onProgress, warnings }), collection);
  const written = await writer.writeAll(texts, () => skipInvalid || log.report.users === 0);
  if (!skipInvalid && log.report.users > 0) throw new InvalidUsersError(log.report, source.count);
  if (written !== collection.pages)
    throw new Error(`${written} pages came of ${collection.count} users, not ${collection.pages}`);
  return { ...warnings };
}
