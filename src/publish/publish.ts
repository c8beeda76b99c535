/** `rollcall publish`: makes a target equal to a release. */
import { z } from "zod";
import { explainSystem, unlessStopped } from "../errors.js";
import { findDamage } from "../release/check.js";
import { openChosen } from "../release/choose.js";
import { abortSignal, callback, checkOptions, folder, type Rules } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import { carryOut } from "./carry-out.js";
import { ReleaseFiles } from "./files.js";
import type { Owned } from "./owned.js";
import { makePlan, type Plan, type PlanCounts, type StepKind } from "./plan.js";
import { openPurgeList, type PurgeList } from "./purge.js";
import { damaged } from "./refusals.js";
import type { Target } from "./target.js";
import { openTarget } from "./targets.js";

export interface PublishOptions {
  /** The folder of the releases. */
  dist: string;
  /** What means a release, as the beginning of its id; the current one unless given. */
  release?: string | undefined;
  /** A folder, which need not be there yet, or `s3://bucket/prefix`. */
  target: string;
  /** The URL of a store that is not Amazon's. */
  endpoint?: string | undefined;
  /** What objects in a bucket are put with; `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
  /** Also over files that Rollcall did not put there, and over a release that somebody else did. */
  force?: boolean | undefined;
  /** The beginning of the id of a release that a bucket holds and that may be replaced, though `dist` does not know it. */
  expect?: string | undefined;
  /** Change nothing in the target, only say what would change. */
  dryRun?: boolean | undefined;
  /** A file that gets the URL of everything that changed, one a line. */
  purgeList?: string | undefined;
}

/** Told of each file that was put or removed, and of how many there are in all. */
export type OnPublishProgress = (done: { files: number; total: number }) => void;

export interface PublishEffects {
  now?: (() => Date) | undefined;
  onProgress?: OnPublishProgress | undefined;
  /** Told when another run may be at work on a bucket, and for how long at most that has to be watched. */
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Told of each step of a dry run. */
  onStep?: ((kind: StepKind, path: string) => void) | undefined;
  /** Stops the run between two files, with the signal's reason; the next run goes on where it stopped. */
  signal?: AbortSignal | undefined;
}

export interface PublishResult extends PlanCounts {
  /** As it was given. */
  target: string;
  /** Of the release. */
  id: string;
  /** The id of the release that was published there before, or null. */
  before: string | null;
  /** True when that had not come to its end. */
  resumed: boolean;
  /** Of the files that were put. */
  bytes: number;
  /** Lines of the purge list, 0 without one. */
  urls: number;
  /** Requests that a bucket was sent. */
  requests?: number;
}

const OPTIONS: Rules<PublishOptions> = {
  dist: folder,
  target: { schema: z.string().min(1), allowed: "a folder or s3://BUCKET/PREFIX" },
  ...pick("release", "endpoint", "cacheControl", "force", "expect", "dryRun", "purgeList"),
};
const EFFECTS: Rules<PublishEffects> = {
  ...{ now: callback, onProgress: callback, onWait: callback, onStep: callback, signal: abortSignal },
};

/** What one run works with. */
export interface Work {
  target: Target;
  files: ReleaseFiles;
  plan: Plan;
  /** What the last run left in the target, unless this is the first. */
  before: Owned | undefined;
  purgeList: PurgeList | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Publishes a release. A run that ends at any moment, however it ends, is finished by the next.
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
  const { dist, force = false, dryRun = false } = options;
  const { onProgress = () => {}, onStep = () => {}, signal } = effects;
  const files = await openFiles(dist, options.release, signal);
  const { target, close } = await openTarget(options, effects);
  let purgeList: PurgeList | undefined;
  try {
    const before = await target.readOwned();
    const plan = await makePlan(target, files, before, { force, signal });
    purgeList = openPurgeList(options.purgeList);
    const work: Work = { target, files, plan, before, purgeList, signal };
    const done = dryRun ? await preview(work, onStep) : await carryOut(work, onProgress);
    const facts = { target: target.name, id: files.snapshot.id, before: before?.release ?? null };
    const { requests } = target;
    const traffic = requests === undefined ? {} : { requests };
    return { ...facts, resumed: before?.complete === false, ...plan.counts, ...done, ...traffic };
  } catch (error) {
    throw target.explain(error);
  } finally {
    purgeList?.discard();
    close();
  }
}

/** The files of a release, every byte of which has been read and is right. */
async function openFiles(
  dist: string,
  word: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ReleaseFiles> {
  const release = await openChosen(dist, word);
  const damage = await findDamage(release, signal);
  if (damage !== undefined) throw damaged(release.folder, damage);
  return new ReleaseFiles(release);
}

/** What a dry run does: it says the steps, and writes the purge list that they would lead to. */
async function preview(work: Work, onStep: NonNullable<PublishEffects["onStep"]>) {
  const { plan, target, before, files } = work;
  plan.tell(onStep);
  if (before) for await (const path of target.orphans(before, files)) onStep("remove", path);
  return { bytes: 0, urls: work.purgeList?.write(work) ?? 0 };
}
