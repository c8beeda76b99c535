/** `rollcall build --shard`: makes a share of the pages on one of several machines, as a part for `--join`. */
import { join } from "node:path";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { unlessStopped, usageError } from "../../errors.js";
import { explainWrite } from "../../release/refusals.js";
import { STDIN } from "../../settings/kinds.js";
import type { Complete } from "../../settings/settings.js";
import { type PageRange, rowsOfPages, type Shard } from "../../shards/cut.js";
import { readShard } from "../../shards/parse.js";
import { openSource, type Source } from "../../source/open.js";
import { type BuildEffects, type BuildOptions, type BuildSettings, resolveOptions } from "../options.js";
import { type Job, makePages, reportRead, taskOf } from "../pipeline.js";
import { InvalidRecordsError } from "../problems.js";
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

export interface ShardResult {
  shard: Shard;
  /** The path of the part. */
  folder: string;
  /** False if an intact part already existed. */
  new: boolean;
  /** Records in the part, and in the source. */
  records: number;
  total: number;
  /** Page numbers; the part has no pages if `last` is before `first`. */
  pages: PageRange;
  /** Bytes of its page files. */
  bytes: number;
  warnings: WarningCounts;
}

/**
 * Makes one part. The same inputs give the same bytes on every machine. A build that is killed leaves no part.
 * @throws InvalidRecordsError if some of its records are invalid, after recording that in the part; UserError otherwise.
 */
export async function buildShard(options: Complete<ShardOptions>, effects: BuildEffects = {}): Promise<ShardResult> {
  const { shard, parts, ...others } = options;
  const settings = await resolveOptions(others);
  if (settings.skipInvalid)
    throw usageError("--skip-invalid and --shard exclude each other: every shard would have to check all records.");
  if (settings.db === STDIN)
    throw usageError("Every shard reads the source again, so it cannot be standard input; write it to a file first.");
  return unlessStopped(effects.signal, () => run(settings, effects, readShard(shard), parts));
}

async function run(settings: BuildSettings, effects: BuildEffects, shard: Shard, parts: string): Promise<ShardResult> {
  const { onProgress = () => {}, signal } = effects;
  const log = new PartLog(settings.problems, settings.dist);
  let source: Source | undefined;
  try {
    const rowsOf = (count: number) => {
      const { collection, range } = taskOf(settings, count, shard);
      return rowsOfPages(range, collection);
    };
    source = await openSource({ ...settings, rowsOf, onRead: reportRead(onProgress) }, signal);
    onProgress({ records: 0, total: source.total });
    const before = await findPart(parts, shard, settings, { source, signal });
    if (before) return resultOf(before, false);
    return await make({ settings, source, log, onProgress, signal, shard }, parts, log);
  } catch (error) {
    throw explainWrite(parts, error);
  } finally {
    log.discard();
    source?.close();
  }
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

async function make(job: Job, parts: string, log: PartLog): Promise<ShardResult> {
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
    const made = await makePages(job, aside, undefined, () => startPieceFiles(data, aside.folder, files));
    return writeMade(aside.folder, made, files);
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    const made: Made = { bytes: 0, files: { [PROBLEMS]: log.put(aside) }, warnings: {} };
    return { refusal: error, made };
  }
}

function resultOf({ folder, manifest }: ShardPart, isNew: boolean): ShardResult {
  const { shard, records, total, pages, bytes, warnings } = manifest;
  return { shard, folder, new: isNew, records, total, pages, bytes, warnings };
}
