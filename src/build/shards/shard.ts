/** `rollcall build --shard`: makes a share of the pages on one of several machines, as a part for `--join`. */
import { join } from "node:path";
import type { WarningCounts } from "../../core/contract/record/warnings.js";
import { unlessStopped, usageError } from "../../core/errors.js";
import { explainWrite } from "../../core/release/refusals.js";
import { STDIN } from "../../core/settings/kinds.js";
import type { Complete } from "../../core/settings/settings.js";
import { type PageRange, readShard, rowsOfPages, type Shard } from "../../core/shards.js";
import type { Source } from "../../core/source/open.js";
import { openJobs } from "../jobs.js";
import {
  type BuildEffects,
  type BuildOptions,
  type BuildSettings,
  requireAllRecords,
  resolveSite,
  type SiteSettings,
} from "../options.js";
import type { PagePool } from "../page-pool.js";
import { invalidRecords, type Job, type MadePages, makePages, poolFor, taskOf } from "../pipeline.js";
import { InvalidRecordsError, ProblemLog } from "../problems.js";
import { AsidePart } from "./aside.js";
import { isPartIntact } from "./check.js";
import { digestOfSource, type MadeOf, settingsOf } from "./made-of.js";
import { PROBLEMS, partName, readShardPart, type ShardManifest, type ShardPart } from "./part.js";
import { type Made, PartLog, startPieceFiles, writeMade, writeManifest } from "./write.js";

export interface ShardOptions extends BuildOptions {
  /** Number of the shard, from 0, and how many there are: `3/8`. */
  shard: string;
  /** The folder of parts. All machines share it, or its content is collected before the join. */
  parts: string;
}

/** The part of one listing. */
export interface PartResult {
  /** The path of the part. */
  folder: string;
  /** False if an intact part already existed. */
  new: boolean;
  /** Records in the part, and in the source. */
  records: number;
  total: number;
  /** Page numbers; the part has no pages if `last` is before `first`. Undefined for the sum of several listings. */
  pages: PageRange | undefined;
  /** Bytes of its page files. */
  bytes: number;
  warnings: WarningCounts;
}

/** For several listings, the figures are sums, and the rest is in `listings`. */
export interface ShardResult extends PartResult {
  shard: Shard;
  /** The parts of several listings, by name; undefined without `listings`. */
  listings: Record<string, PartResult> | undefined;
}

/**
 * Makes one part, or with `listings` one for each in a folder of its name. The same inputs give the same bytes on every machine.
 * A build that is killed leaves no part.
 * @throws InvalidRecordsError if some of its records are invalid, after recording that in the parts; UserError otherwise.
 */
export async function buildShard(options: Complete<ShardOptions>, effects: BuildEffects = {}): Promise<ShardResult> {
  const { shard, parts, ...others } = options;
  const settings = await resolveSite(others);
  requireAllRecords(settings, "--shard");
  if (settings.db === STDIN)
    throw usageError("Every shard reads the source again, so it cannot be standard input; write it to a file first.");
  return unlessStopped(effects.signal, () => run(settings, effects, readShard(shard), parts));
}

async function run(
  settings: SiteSettings,
  { onProgress = () => {}, signal }: BuildEffects,
  shard: Shard,
  parts: string,
): Promise<ShardResult> {
  const log = new ProblemLog(settings.problems, settings.dist);
  let jobs: readonly Job[] = [];
  let pool: PagePool | undefined;
  try {
    const rowsOf = (settings: BuildSettings, count: number) => {
      const { collection, range } = taskOf(settings, count, shard);
      return rowsOfPages(range, collection);
    };
    const opened = await openJobs(settings, { log, signal, shard, onProgress, rowsOf });
    jobs = opened.jobs;
    pool = poolFor(jobs);
    onProgress({ records: 0, total: opened.total });
    log.open();
    const source = await digestOfSource(jobs[0]?.source as Source, signal);
    const results = new Map<string, PartResult>();
    for (const job of jobs) {
      const madeOf = { ...settingsOf(job.settings, job.source), source };
      const found = await findOrMake(job, madeOf, join(parts, job.name), pool);
      // The other listings get parts, too, so that a join knows all problems.
      if (found) results.set(job.name, found);
    }
    if (log.report.records > 0) throw invalidRecords(log, jobs, { isOfShards: true });
    log.finish();
    return { shard, ...totalOf(results, parts) };
  } catch (error) {
    throw explainWrite(parts, error);
  } finally {
    await pool?.end();
    log.discard();
    jobs[0]?.source.close();
  }
}

/** Adds up the parts of all listings. One without a name is the whole result. */
function totalOf(results: ReadonlyMap<string, PartResult>, folder: string): Omit<ShardResult, "shard"> {
  const only = results.get("");
  if (only) return { ...only, listings: undefined };
  const all = [...results.values()];
  const sum = (key: "records" | "total" | "bytes") => all.reduce((total, part) => total + part[key], 0);
  return {
    folder,
    new: all.some((part) => part.new),
    records: sum("records"),
    total: sum("total"),
    pages: undefined,
    bytes: sum("bytes"),
    warnings: {},
    listings: Object.fromEntries(results),
  };
}

/** Finds the part of a listing, or makes it. @returns undefined for a part that has problems instead of pages */
async function findOrMake(job: Job, madeOf: MadeOf, parts: string, pool: PagePool): Promise<PartResult | undefined> {
  const { settings, shard } = job;
  const name = partName(shard, madeOf);
  const findIntact = () => {
    const found = readShardPart(parts, name);
    return "why" in found || !isPartIntact(found, settings.contract.listing.path, settings.encodings)
      ? undefined
      : found;
  };
  const before = findIntact();
  if (before?.manifest.problems.records === 0) return resultOf(before, false);
  const aside = new AsidePart(
    parts,
    `${shard.number}-of-${shard.count}`,
    `${settings.contract.listing.path.slice(1)}pages`,
  );
  const log = new PartLog(job.log, aside);
  try {
    const made = await writeOrRefuse({ ...job, log }, aside, log, pool);
    const manifest = manifestOf(job, madeOf, log, made);
    writeManifest(aside.folder, manifest);
    const isNew = aside.commit(name, () => findIntact() !== undefined);
    return manifest.problems.records > 0 ? undefined : resultOf({ name, folder: join(parts, name), manifest }, isNew);
  } catch (error) {
    aside.discard();
    throw error;
  } finally {
    log.discard();
  }
}

function manifestOf({ settings, source, shard }: Job, made_of: MadeOf, { report }: PartLog, made: Made): ShardManifest {
  const { total } = source;
  const { collection, range: pages } = taskOf(settings, total, shard);
  const records = rowsOfPages(pages, collection).rows;
  const problems = { records: report.records, count: report.count };
  return { rollcall: 1, shard, made_of, total, pages, records, problems, ...made };
}

/** Writes the pages; of a listing with invalid records their problems instead, so that a join reports them. */
async function writeOrRefuse(job: Job, aside: AsidePart, log: PartLog, pool: PagePool): Promise<Made> {
  const { data } = job.settings;
  const files: Made["files"] = {};
  try {
    const startReceiver = () => startPieceFiles(data, aside.folder, files);
    const [made] = await makePages([{ job, files: aside, previous: undefined, startReceiver }], pool);
    return writeMade(aside.folder, made as MadePages, files);
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { bytes: 0, files: { [PROBLEMS]: log.put() }, warnings: {} };
  }
}

function resultOf({ folder, manifest }: ShardPart, isNew: boolean): PartResult {
  const { records, total, pages, bytes, warnings } = manifest;
  return { folder, new: isNew, records, total, pages, bytes, warnings };
}
