/** The last stage of a build: turns written pages into the current release. */
import { basename, join } from "node:path";
import type { StagedRelease, WrittenChanges } from "../artifacts/changes.js";
import { BULK, CSV, isPacked, RELEASES, SNAPSHOT } from "../release/layout.js";
import { releaseNames } from "../release/list.js";
import { idOf } from "../release/name.js";
import { findAltered, findDamage, openIfComplete, type Release } from "../release/open.js";
import type { Signer } from "../release/signer.js";
import { contentDigest, type SnapshotFacts, snapshotId } from "../release/snapshot-file.js";
import type { Sums } from "../release/sums.js";
import { prune, switchCurrent } from "../release/switch.js";
import { giveTimes } from "../release/times.js";
import { checkGates, type GateReport } from "./gates.js";
import type { BuildSettings } from "./options.js";
import type { Totals } from "./page-writer.js";

export interface Published {
  id: string;
  /** The folder's name in `dist/releases`. */
  name: string;
  /** False if an existing release has every byte of this one, and is current now. */
  new: boolean;
  /** Whether another release was current before. */
  switched: boolean;
  /** Folder names of the removed old releases. */
  pruned: string[];
  /** What the release changes; undefined without gates, or if nothing was switched. */
  gates: GateReport | undefined;
  /** One line for each cleanup step that failed. The release is current nevertheless, and the next build tries again. */
  untidied: string[];
}

interface Effects {
  now: Date;
  untidied: string[];
  signer: Signer | undefined;
  changes: WrittenChanges | undefined;
}

/** Finishes a release, unless an existing one has the same bytes, checks the gates, and makes it current. */
export async function makeCurrent(
  settings: BuildSettings,
  { staging, digests, previous }: StagedRelease,
  totals: Totals,
  facts: SnapshotFacts,
  { now, untidied, signer, changes }: Effects,
): Promise<Published> {
  const { dist, keep } = settings;
  const sums = staging.sums(digests);
  const digest = contentDigest(facts, sums);
  const id = snapshotId(digest);
  const wanted = { id, digest, others: sums.others };
  if (
    !signer &&
    previous &&
    (await isSame(previous, digest, totals)) &&
    hasSameFiles(previous, settings, sums.others)
  ) {
    staging.discard();
    const name = basename(previous.folder);
    return { id, name, new: false, switched: false, pruned: [], gates: undefined, untidied };
  }
  const existing = signer ? undefined : await findIntact(settings, wanted);
  if (existing) {
    staging.discard();
    giveTimes(dist, existing, now);
  }
  const name = existing ? basename(existing.folder) : staging.finish({ id, ...facts }, digests, now, signer);
  const report = await checkGates(dist, name, previous, settings, changes?.matches);
  switchCurrent(dist, name, now, untidied);
  const pruned = prune(dist, keep, now, untidied);
  return { id, name, new: existing === undefined, switched: true, pruned, gates: report, untidied };
}

/** Whether the previous release has this content, and its files other than pages are still intact. */
async function isSame({ digest, folder, sums }: Release, wanted: string, totals: Totals): Promise<boolean> {
  return digest === wanted && totals.changed === 0 && (await findAltered(folder, sums.others)) === undefined;
}

/** The newest intact release with this content and the same other files. */
async function findIntact(
  settings: BuildSettings,
  wanted: { id: string; digest: string; others: Sums["others"] },
): Promise<Release | undefined> {
  for (const name of releaseNames(settings.dist)) {
    if (idOf(name) !== wanted.id) continue;
    const release = await openIfComplete(join(settings.dist, RELEASES, name));
    if (release?.digest !== wanted.digest || !hasSameFiles(release, settings, wanted.others)) continue;
    if ((await findDamage(release)) === undefined) return release;
  }
  return undefined;
}

/**
 * Whether a release of the same id also has the same other files as this build. It may not if it was built with other
 * settings or by another version.
 * @param others the files of this build so far.
 */
function hasSameFiles({ sums }: Release, settings: BuildSettings, others: Sums["others"]): boolean {
  const [before, now] = [reproducible(sums.others), reproducible(others)];
  if (before.length !== now.length || now.some(([path, digest]) => sums.others.get(path) !== digest)) return false;
  return [BULK, CSV].every((path) => sums.others.has(path) === settings.files.includes(path));
}

/** Files whose bytes depend neither on a compressor nor on the release's name. */
function reproducible(others: Sums["others"]): [path: string, digest: string][] {
  return [...others].filter(([path]) => path !== SNAPSHOT && path !== BULK && !isPacked(path));
}
