/** Opens the sources of a build: one job for each listing. */
import type { RowRange } from "../core/source/copy.js";
import { openSources, type Source } from "../core/source/open.js";
import type { BuildSettings, OnBuildProgress, SiteSettings } from "./options.js";
import { type Job, reportRead } from "./pipeline.js";

interface JobOptions extends Pick<Job, "log" | "signal" | "shard"> {
  onProgress: OnBuildProgress;
  /** Which rows of a listing to copy, given the number of all; all by default. */
  rowsOf: ((settings: BuildSettings, count: number) => RowRange) | undefined;
}

/**
 * Copies the rows of all listings, as of one point in time.
 * @returns a job for each listing, and the number of all rows. Close the source of any of them at the end: it closes all.
 * @throws UserError as `openSources` does
 */
export async function openJobs(
  { db, listings }: Pick<SiteSettings, "db" | "listings">,
  { log, signal, shard, onProgress, rowsOf }: JobOptions,
): Promise<{ jobs: Job[]; total: number }> {
  const onRead = reportRead(onProgress);
  const toRead = listings.map(({ name, settings }) => {
    const ownRows = rowsOf && ((count: number) => rowsOf(settings, count));
    return [name, { ...settings, rowsOf: ownRows, onRead }] as const;
  });
  const sources = await openSources(db, new Map(toRead), signal);
  const total = sources.reduce((sum, source) => sum + source.total, 0);
  let before = 0;
  const jobs = listings.map((listing, at): Job => {
    const source = sources[at] as Source;
    const done = before;
    before += source.total;
    const onOwn = ({ records }: { records: number }) => onProgress({ records: done + records, total });
    return { ...listing, source, log, onProgress: onOwn, signal, shard };
  });
  return { jobs, total };
}
