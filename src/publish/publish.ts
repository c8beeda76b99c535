/** `rollcall publish`: makes a folder or a bucket equal to a release. */
import { join } from "node:path";
import { beforeViews } from "../core/contract/views.js";
import { explainSystem, UserError, unlessStopped } from "../core/errors.js";
import { findRelease } from "../core/release/choose.js";
import { CURRENT, SNAPSHOT } from "../core/release/layout.js";
import { type Announced, isOtherListing, otherListing, parseAnnounced } from "../core/release/location.js";
import { holdReleases } from "../core/release/lock.js";
import { idOf } from "../core/release/name.js";
import { findPrevious, releaseNames } from "../core/release/releases.js";
import { findSiteDamage, openSiteRelease, type Site } from "../core/release/site.js";
import { describeTwins, findCaseTwins } from "../core/release/views.js";
import { hasScheme } from "../core/settings/kinds.js";
import type { Complete } from "../core/settings/settings.js";
import { each } from "../core/workers/at-most.js";
import { openBucket } from "./bucket.js";
import { openTargetFolder } from "./folder.js";
import { isEntrance, type PublishedFile, ReleaseFiles } from "./order.js";
import { encodeOwned, type Owned, ownedBetween, ownedBy } from "./owned.js";
import { makePlan, type Plan, type PlanCounts, type StepKind } from "./plan.js";
import { openPurgeList, type PurgeList } from "./purge.js";
import { parseAddress } from "./s3.js";
import { AT_ONCE, type PublishOptions, type Target } from "./target.js";
import { warningsOf } from "./warnings.js";

export interface PublishEffects {
  now?: (() => Date) | undefined;
  /** Called after each file that was put or removed, with the numbers of files done and in all. */
  onProgress?: ((done: { files: number; total: number }) => void) | undefined;
  /** Called with each step of a dry run. */
  onStep?: ((kind: StepKind, path: string) => void) | undefined;
  /** Stops the run between two files, and throws the signal's reason. The next run continues. */
  signal?: AbortSignal | undefined;
}

export interface PublishResult extends PlanCounts {
  /** Whether nothing was changed. */
  dryRun: boolean;
  target: string;
  id: string;
  /** The id of the release that was published before, or null. */
  before: string | null;
  /** Whether the run before was incomplete. */
  resumed: boolean;
  /** Bytes of the files that were put. */
  bytes: number;
  /** Lines of the purge list; 0 without one. */
  urls: number;
  /** Requests sent to a bucket, including retries. */
  requests?: number | undefined;
  /** Sentences about links to private addresses, limits of the host, and a lock that was taken over. */
  warnings: string[];
}

/**
 * Publishes a release. If a run ends early for any reason, the next one completes it.
 * @throws UserError, before the first change, if the release is damaged, or the target has files that Rollcall did not put there.
 */
export async function publish(options: Complete<PublishOptions>, effects: PublishEffects = {}): Promise<PublishResult> {
  return unlessStopped(effects.signal, () => run(options, effects));
}

async function run(options: Complete<PublishOptions>, effects: PublishEffects): Promise<PublishResult> {
  const { dist, force, dryRun } = options;
  const { now = () => new Date(), onStep = () => {}, signal } = effects;
  let unhold: (() => void) | undefined;
  let purgeList: PurgeList | undefined;
  let target: Target | undefined;
  try {
    unhold = holdReleases(dist);
    purgeList = options.purgeList === undefined ? undefined : openPurgeList(options.purgeList);
    const site = await openSiteRelease(findRelease(options.release ?? CURRENT, dist));
    const files = new ReleaseFiles(site);
    const damage = await findSiteDamage(site, signal);
    if (damage !== undefined) throw files.damaged(damage);
    const warnings = await warningsOf(site, options);
    target = await openTarget(options, files, signal);
    const before = await (dryRun ? target.readOwned() : target.lock(now(), (note) => warnings.push(note)));
    if (target.ignoresCase()) requireDistinct(site, target.name);
    const snapshot = await target.readSnapshot();
    const there = snapshot && parseAnnounced(String(snapshot));
    if (snapshot && !force) requireReplaceable(target, files, { there, before }, options);
    const plan = await makePlan(target, files, { before, force, signal });
    if (dryRun) plan.report(onStep);
    const bytes = dryRun ? 0 : await carryOut(target, plan, effects);
    // Written before the run counts as complete: if it is killed here, the next run lists all URLs.
    const urls = purgeList?.write(plan) ?? 0;
    if (!dryRun) await complete(target, plan);
    return {
      target: target.name,
      id: files.id,
      before: before?.release ?? null,
      resumed: before?.complete === false,
      ...plan.counts,
      bytes,
      urls,
      requests: target.requests?.(),
      warnings,
      dryRun,
    };
  } catch (error) {
    throw explainSystem(target ? target.explain(error) : error);
  } finally {
    unhold?.();
    await target?.close();
    purgeList?.discard();
  }
}

function openTarget(options: Complete<PublishOptions>, files: ReleaseFiles, signal?: AbortSignal): Promise<Target> {
  const { target: name, dist } = options;
  if (hasScheme(name)) return openBucket(parseAddress(name), files, options, signal);
  return openTargetFolder(name, dist, files.folder, options);
}

/**
 * Requires a target's release to be of the same listing and, in a bucket, to be in `dist` or expected.
 * @param found what its snapshot.json says, if Rollcall wrote it, and the files that Rollcall owns. While one listing replaces
 * another, both count as published.
 * @throws UserError if only `force` may replace it.
 */
function requireReplaceable(
  target: Target,
  { location }: ReleaseFiles,
  { there, before }: { there: Announced | undefined; before: Owned | undefined },
  { dist, expect }: Complete<PublishOptions>,
): void {
  const { name } = target;
  if (there) {
    const paths = before?.paths ?? [there.path ?? location.path];
    if (paths.every((path) => isOtherListing({ baseUrl: there.base_url, path }, location)))
      throw otherListing(
        name,
        { announced: there, path: paths[0] ?? location.path },
        location,
        "Publish to another target",
      );
  }
  if (target.isShared) requireKnown(name, there?.id, { dist, expect });
}

/** @throws UserError if the release in a bucket is neither expected nor in `dist`. */
function requireKnown(
  name: string,
  found: string | undefined,
  { dist, expect }: Pick<Complete<PublishOptions>, "dist" | "expect">,
): void {
  if (found === undefined)
    throw new UserError(
      `${name}/${SNAPSHOT} was not written by Rollcall; publish elsewhere, or replace it with --force.`,
    );
  if (expect !== undefined && found.startsWith(expect.toLowerCase())) return;
  // The previous release counts as known even after it was removed.
  const known = [...releaseNames(dist), findPrevious(dist) ?? ""].map(idOf);
  if (!known.includes(found))
    throw new UserError(
      `${name} holds release ${found}, which is not in ${dist}; publish from where it was built, or replace it with --expect ${found}, or any release with --force.`,
    );
}

/**
 * Changes the target in stages, so that readers who follow snapshot.json never miss a page: new files, changed files, the files
 * that refer to others one by one, then the removal of old files, explorers and snapshot.json of removed listings first. Each stage is durable before the next
 * one begins. The list of owned files is written first and last, so that the next run knows what a killed run has left.
 * @returns the number of bytes put.
 */
async function carryOut(
  target: Target,
  plan: Plan,
  { onProgress = () => {}, signal }: PublishEffects,
): Promise<number> {
  if (plan.steps === 0) return 0;
  const { files, before, orphans } = plan;
  let done = 0;
  let bytes = 0;
  const advance = () => onProgress({ files: ++done, total: plan.steps });
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
  await target.storeOwned(ownedBetween(before, ownedBy(files, target.cacheControl)));
  await each(plan.toPut("absent"), AT_ONCE, put, signal);
  await target.flush();
  await each(plan.toPut("different"), AT_ONCE, put, signal);
  for (const file of plan.toAnnounce()) {
    await target.flush();
    await put(file);
  }
  await target.flush();
  for (const isFirst of [true, false]) {
    const stage = orphans.filter((path) => isEntrance(path) === isFirst);
    await each(stage, AT_ONCE, remove, signal);
    if (stage.length > 0) await target.flush();
  }
  return bytes;
}

/** @throws UserError if a view has two values whose pages would be in one folder of a target that ignores case. */
function requireDistinct({ listings }: Site, target: string): void {
  for (const { name, release } of listings)
    for (const { entry, sums } of release.views) {
      const [twin] = findCaseTwins(sums.paths.values);
      if (twin)
        throw new UserError(
          `${beforeViews(name)}${describeTwins(entry.name, twin)}, and the file system of ${target} ignores case. Publish to one that does not, or make the values alike.`,
        );
    }
}

/** Writes the final list of owned files, and unlocks the target. */
async function complete(target: Target, { files, before, steps }: Plan): Promise<void> {
  const after = ownedBy(files, target.cacheControl);
  const isWritten =
    steps === 0 && before && encodeOwned({ ...before, time: undefined, holder: undefined }) === encodeOwned(after);
  if (!isWritten) await target.storeOwned(after);
  await target.unlock();
}
