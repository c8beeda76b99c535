/** `rollcall publish`: makes a target equal to a release. */
import { join } from "node:path";
import { z } from "zod";
import { explainSystem, unlessStopped, usageError } from "../errors.js";
import { openChosen } from "../release/choose.js";
import { EXPLORER } from "../release/layout.js";
import { holdReleases } from "../release/lock.js";
import { findAltered, findDamage } from "../release/open.js";
import { abortSignal, callback, checkOptions, folder, type OptionRules } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import { readShard } from "../shards/word.js";
import { each } from "../workers/at-most.js";
import { type PublishedFile, ReleaseFiles } from "./files.js";
import { encodeOwned, ownedBetween, ownedBy } from "./owned.js";
import { makePlan, type Plan, type PlanCounts, type StepKind } from "./plan.js";
import { openPurgeList, type PurgeList } from "./purge.js";
import { AT_ONCE, type Target, type TargetEffects, type TargetOptions } from "./target.js";
import { openTarget } from "./targets.js";

export interface PublishOptions extends TargetOptions {
  /** A word for the release, for example the beginning of its id; the current release unless given. */
  release?: string | undefined;
  /** A file to write the URLs of everything that changed to, one a line. */
  purgeList?: string | undefined;
}

export interface PublishEffects extends TargetEffects {
  /** Told of each file that was put or removed, and of how many there are in all. */
  onProgress?: ((done: { files: number; total: number }) => void) | undefined;
  /** Told of each step of a dry run. */
  onStep?: ((kind: StepKind, path: string) => void) | undefined;
}

export interface PublishResult extends PlanCounts {
  target: string;
  id: string;
  /** Which share of the pages, when there is no more to it. */
  shard?: string;
  /** The id of the release that was published there before, or null. */
  before: string | null;
  /** True when the run before was not complete. */
  resumed: boolean;
  /** Of the files that were put. */
  bytes: number;
  /** Lines of the purge list, 0 without one. */
  urls: number;
  /** Requests that were sent to a bucket. */
  requests?: number;
}

const OPTIONS: OptionRules<PublishOptions> = {
  dist: folder,
  target: { schema: z.string().min(1), allowed: "a folder or s3://BUCKET/PREFIX" },
  ...pick("release", "endpoint", "cacheControl", "force", "expect", "dryRun", "purgeList", "shard"),
};
const EFFECTS: OptionRules<PublishEffects> = {
  ...{ now: callback, onProgress: callback, onWait: callback, onStep: callback, signal: abortSignal },
};

/**
 * Publishes a release. If a run ends early, for whatever reason, the next one completes it.
 * @throws UserError before the first change when the release is damaged, or the target has files that are not Rollcall's.
 */
export async function publish(options: PublishOptions, effects: PublishEffects = {}): Promise<PublishResult> {
  const checked = checkOptions("publish", options, OPTIONS, ["dist", "target"]);
  checkOptions("publish's second argument", effects, EFFECTS);
  return unlessStopped(effects.signal, async () => {
    try {
      return await run(checked, effects);
    } catch (error) {
      throw explainSystem(error);
    }
  });
}

async function run(options: PublishOptions, effects: PublishEffects): Promise<PublishResult> {
  const { shard } = options;
  if (shard !== undefined && options.purgeList !== undefined)
    throw usageError("--shard and --purge-list exclude each other: the run that follows all shards lists every URL.");
  // Shards leave nothing in `dist`.
  const release = shard === undefined ? holdReleases(options.dist) : () => {};
  let purgeList: PurgeList | undefined;
  try {
    purgeList = options.purgeList === undefined ? undefined : openPurgeList(options.purgeList);
    return await publishHeld(options, purgeList, effects);
  } finally {
    purgeList?.discard();
    release();
  }
}

async function publishHeld(
  options: PublishOptions,
  purgeList: PurgeList | undefined,
  effects: PublishEffects,
): Promise<PublishResult> {
  const { force = false, dryRun = false, shard } = options;
  const { signal } = effects;
  const files = await openFiles(options, signal);
  const { target, close } = await openTarget(options, files.snapshot, effects);
  try {
    const before = await target.readOwned();
    const plan = await makePlan(target, files, before, { force, signal });
    const done = await (dryRun ? preview : carryOut)(target, plan, purgeList, effects);
    const { requests } = target;
    return {
      ...{ target: target.name, id: files.snapshot.id, before: before?.release ?? null },
      ...(shard !== undefined && { shard }),
      ...{ resumed: before?.complete === false, ...plan.counts, ...done },
      ...(requests !== undefined && { requests }),
    };
  } catch (error) {
    throw target.explain(error);
  } finally {
    close();
  }
}

/** The files of a release, after every byte of them has been checked; of a shard, those of its pages. */
async function openFiles({ dist, release: word, shard }: PublishOptions, signal?: AbortSignal): Promise<ReleaseFiles> {
  const release = await openChosen(dist, word);
  const files = new ReleaseFiles(release, shard === undefined ? undefined : readShard(shard));
  const damage = await (files.isShare
    ? findAltered(files.folder, files.digests(), signal)
    : findDamage(release, signal));
  if (damage !== undefined) throw files.damaged(damage);
  return files;
}

type Done = Pick<PublishResult, "bytes" | "urls">;

async function preview(
  target: Target,
  plan: Plan,
  purgeList: PurgeList | undefined,
  { onStep = () => {} }: PublishEffects,
): Promise<Done> {
  const { before, files } = plan;
  plan.tell(onStep);
  if (before && !files.isShare) for await (const path of target.orphans(before, files)) onStep("remove", path);
  return { bytes: 0, urls: purgeList?.write(plan) ?? 0 };
}

/**
 * Changes the target in an order in which a reader who follows snapshot.json never misses a page: first new files, then
 * changed ones, so that no link leads to a page that is not there yet; then one after the other the files that announce others,
 * of which only the page for people is behind snapshot.json; and only then are files of the old release removed, of which
 * that page is the first. Each stage is durable before the next begins. The list of what is owned is written first and last,
 * so that the next run knows everything that a killed run has left. A shard ends after the pages, and the target counts as
 * begun until a run without one comes to its end.
 */
async function carryOut(
  target: Target,
  plan: Plan,
  purgeList: PurgeList | undefined,
  { onProgress = () => {}, signal }: PublishEffects,
): Promise<Done> {
  const { files, before } = plan;
  const after = ownedBy(files);
  if (plan.isEmpty && (files.isShare || (before && encodeOwned(before) === encodeOwned(after))))
    return { bytes: 0, urls: purgeList?.write(plan) ?? 0 };

  const { added, changed, removed } = plan.counts;
  const progress = { files: 0, total: added + changed + removed };
  const advance = () => {
    progress.files++;
    onProgress({ ...progress });
  };
  let bytes = 0;
  const put = async (file: PublishedFile) => {
    const written = await target.put(file, join(files.folder, file.path));
    if (written === undefined) throw files.damaged(file.path);
    bytes += written;
    advance();
  };
  const remove = async (path: string) => {
    await target.remove(path);
    advance();
  };

  signal?.throwIfAborted();
  await target.storeOwned(ownedBetween(before, after));
  await each(plan.toPut("absent"), AT_ONCE, put, signal);
  await target.flush();
  await each(plan.toPut("different"), AT_ONCE, put, signal);
  for (const file of plan.toAnnounce()) {
    await target.flush();
    await put(file);
  }
  await target.flush();
  if (plan.removesExplorer) {
    await remove(EXPLORER);
    await target.flush();
  }
  if (before && removed > 0) {
    await each(target.orphans(before, files), AT_ONCE, remove, signal);
    await target.flush();
  }
  // Before the run counts as complete: if it is killed here, the next run lists all URLs.
  const urls = purgeList?.write(plan) ?? 0;
  if (!files.isShare) await target.storeOwned(after);
  return { bytes, urls };
}
