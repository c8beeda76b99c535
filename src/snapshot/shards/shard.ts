/** `rollcall build --shard`: makes a share of the pages on one of several machines, as a part for `--join`. */
import { join } from "node:path";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { unlessStopped, usageError } from "../../errors.js";
import { explainWrite } from "../../release/refusals.js";
import { STDIN } from "../../settings/kinds.js";
import type { Complete } from "../../settings/settings.js";
import { type PageRange, rowsOfPages, type Shard } from "../../shards/cut.js";
import { readShard } from "../../shards/parse.js";
import { openSources, type Source } from "../../source/open.js";
import {
  type BuildEffects,
  type BuildOptions,
  type BuildSettings,
  resolveSite,
  type SiteSettings,
} from "../options.js";
import { invalidRecords, type Job, type MadePages, makePages, reportRead, taskOf } from "../pipeline.js";
import { InvalidRecordsError, ProblemLog } from "../problems.js";
import { AsidePart } from "./aside.js";
import { isPartIntact } from "./check.js";
import { digestOfSource, type MadeOf, settingsOf } from "./made-of.js";
import {
  PROBLEMS,
  partName,
  partNames,
  readShardPart,
  type ShardManifest,
  type ShardPart,
  shardOfName,
} from "./part.js";
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
  if (settings.listings.some((listing) => listing.settings.skipInvalid))
    throw usageError("--skip-invalid and --shard exclude each other: every shard would have to check all records.");
  if (settings.db === STDIN)
    throw usageError("Every shard reads the source again, so it cannot be standard input; write it to a file first.");
  return unlessStopped(effects.signal, () => run(settings, effects, readShard(shard), parts));
}

async function run(
  { db, dist, listings, problems }: SiteSettings,
  effects: BuildEffects,
  shard: Shard,
  parts: string,
): Promise<ShardResult> {
  const { onProgress = () => {}, signal } = effects;
  const log = new ProblemLog(problems, dist);
  let sources: readonly Source[] = [];
  try {
    const onRead = reportRead(onProgress);
    const toRead = listings.map(({ name, settings }) => {
      const rowsOf = (count: number) => {
        const { collection, range } = taskOf(settings, count, shard);
        return rowsOfPages(range, collection);
      };
      return [name, { ...settings, rowsOf, onRead }] as const;
    });
    sources = await openSources(db, new Map(toRead), signal);
    const total = sources.reduce((sum, source) => sum + source.total, 0);
    onProgress({ records: 0, total });
    log.open();
    let before = 0;
    const results = new Map<string, PartResult>();
    for (const [at, { name, settings }] of listings.entries()) {
      const source = sources[at] as Source;
      const done = before;
      before += source.total;
      const onOwn = ({ records }: { records: number }) => onProgress({ records: done + records, total });
      const own = new PartLog(log);
      const job = { name, settings, source, log: own, onProgress: onOwn, signal, shard };
      try {
        results.set(name, await findOrMake(job, join(parts, name), own));
      } catch (error) {
        // The other listings have parts, too, so that a join knows all problems.
        if (!(error instanceof InvalidRecordsError)) throw error;
      } finally {
        own.discard();
      }
    }
    if (log.report.records > 0) {
      const jobs = listings.map(({ settings }, at) => ({ settings, source: sources[at] as Source }));
      throw invalidRecords(log, jobs);
    }
    log.finish();
    return { shard, ...totalOf(results, parts) };
  } catch (error) {
    throw explainWrite(parts, error);
  } finally {
    log.discard();
    sources[0]?.close();
  }
}

async function findOrMake(job: Job, parts: string, log: PartLog): Promise<PartResult> {
  const before = await findPart(parts, job.shard, job.settings, job);
  return before ? resultOf(before, false) : make(job, parts, log);
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

/** Finds an existing part that is intact and has the same inputs. */
async function findPart(
  parts: string,
  shard: Shard,
  settings: BuildSettings,
  { source, signal }: Pick<Job, "source" | "signal">,
): Promise<ShardPart | undefined> {
  const known = settingsOf(settings, source);
  for (const name of partNames(parts)) {
    const { number, count } = shardOfName(name) ?? {};
    const part = number === shard.number && count === shard.count ? readShardPart(parts, name) : undefined;
    if (!part || "why" in part || part.manifest.problems.records > 0) continue;
    const { made_of } = part.manifest;
    if (partName(shard, { ...known, source: made_of.source }) !== name) continue;
    const bytes = await digestOfSource(source, settings.db, signal);
    if (bytes === made_of.source && isPartIntact(part, settings.contract.listing.path, settings.encodings)) return part;
  }
  return undefined;
}

async function make(job: Job, parts: string, log: PartLog): Promise<PartResult> {
  const { settings, source, shard, signal } = job;
  const { contract } = settings;
  const known = settingsOf(settings, source);
  const aside = new AsidePart(parts, `${shard.number}-of-${shard.count}`, `${contract.listing.path.slice(1)}pages`);
  log.keepIn(aside);
  try {
    const made = await writeOrRefuse(job, aside, log);
    const madeOf: MadeOf = { ...known, source: await digestOfSource(source, settings.db, signal) };
    const total = source.total;
    const { collection, range: pages } = taskOf(settings, total, shard);
    const records = rowsOfPages(pages, collection).rows;
    const { report } = log;
    const problems = { records: report.records, count: report.count };
    const facts = { shard, made_of: madeOf, total, pages, records, problems };
    const manifest: ShardManifest = { rollcall: 1, ...facts, ...("refusal" in made ? made.made : made) };
    writeManifest(aside.folder, manifest);
    const name = partName(shard, madeOf);
    const isNew = aside.commit(name, () => {
      const there = readShardPart(parts, name);
      return !("why" in there) && isPartIntact(there, contract.listing.path, settings.encodings);
    });
    if ("refusal" in made) throw made.refusal;
    return resultOf({ name, folder: join(parts, name), manifest }, isNew);
  } catch (error) {
    aside.discard();
    throw error;
  }
}

/** Writes the pages. Invalid records also make a part, with their problems, so that a join reports them. */
async function writeOrRefuse(job: Job, aside: AsidePart, log: PartLog) {
  const { data } = job.settings;
  const files: Made["files"] = {};
  try {
    const startTaker = () => startPieceFiles(data, aside.folder, files);
    const [made] = await makePages([{ job, files: aside, previous: undefined, startTaker }]);
    return writeMade(aside.folder, made as MadePages, files);
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    const made: Made = { bytes: 0, files: { [PROBLEMS]: log.put(aside) }, warnings: {} };
    return { refusal: error, made };
  }
}

function resultOf({ folder, manifest }: ShardPart, isNew: boolean): PartResult {
  const { records, total, pages, bytes, warnings } = manifest;
  return { folder, new: isNew, records, total, pages, bytes, warnings };
}
