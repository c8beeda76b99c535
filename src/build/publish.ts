/** From written pages to the current release: the last stage of a build. */
import { realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { Sums } from "../release/digests.js";
import { BULK, CHANGES, RELEASES } from "../release/layout.js";
import { releaseNames } from "../release/list.js";
import { idOf } from "../release/name.js";
import { findAltered, findDamage, openIfWhole, type Release } from "../release/open.js";
import type { Signer } from "../release/signature/signer.js";
import { contentDigest, type Snapshot, type SnapshotFacts, snapshotId } from "../release/snapshot.js";
import { prune, switchCurrent } from "../release/switch.js";
import type { Stage, WrittenChanges } from "./changes.js";
import { checkGates, type GateReport } from "./gates.js";
import type { BuildSettings } from "./options.js";
import type { WrittenPages } from "./page-writer.js";

export interface Published {
  id: string;
  /** The folder's name in `dist/releases`. */
  name: string;
  /** False when a release that is there already has every byte of this one: that is current now. */
  isNew: boolean;
  /** True when another release was current before. */
  isSwitched: boolean;
  /** Folder names of old releases that were removed. */
  pruned: string[];
  /** What changes; undefined without gates, or where nothing is switched. */
  gates: GateReport | undefined;
  /** A line for each thing that could not be tidied up. The release is current all the same, and the next build tries again. */
  untidied: string[];
}

interface Effects {
  now: Date;
  untidied: string[];
  signer: Signer | undefined;
  changes: WrittenChanges | undefined;
}

export async function makeCurrent(
  settings: BuildSettings,
  { staging, written, previous }: Stage,
  facts: SnapshotFacts,
  { now, untidied, signer, changes }: Effects,
): Promise<Published> {
  const { out: dist, keep, gates } = settings;
  const sums = staging.sums(written.digests);
  const digest = contentDigest(facts, sums);
  const id = snapshotId(digest);
  const wanted = { id, digest, changes: sums.others.get(CHANGES) };
  if (!signer && previous && (await isSame(previous, digest, written)) && isAdapted(previous, settings, wanted)) {
    staging.discard();
    const name = basename(previous.folder);
    return { id, name, isNew: false, isSwitched: false, pruned: [], gates: undefined, untidied };
  }
  const twin = signer ? undefined : await findWhole(settings, wanted);
  if (twin !== undefined) staging.discard();
  const name =
    twin ??
    (await staging.finish(
      { id, ...facts },
      written.digests,
      now,
      (...contents) => filesForHosts(settings, ...contents),
      signer,
    ));
  const report = await checkGates(dist, name, previous, gates, changes?.matches);
  switchCurrent(dist, name, now, untidied);
  const pruned = prune(dist, keep, now, untidied);
  return { id, name, isNew: twin === undefined, isSwitched: true, pruned, gates: report, untidied };
}

/** Equal digests say that the content is the same. Whether a file was damaged since has to be checked. */
async function isSame({ digest, folder, sums }: Release, wanted: string, { totals }: WrittenPages): Promise<boolean> {
  return digest === wanted && totals.changed === 0 && (await findAltered(folder, sums.others)) === undefined;
}

/** The folder name of the newest intact release with this content, and with what these settings include for hosts. */
async function findWhole(
  settings: BuildSettings,
  wanted: { id: string; digest: string; changes: string | undefined },
): Promise<string | undefined> {
  for (const name of releaseNames(settings.out)) {
    if (idOf(name) !== wanted.id) continue;
    const release = await openIfWhole(join(settings.out, RELEASES, name));
    if (release?.digest !== wanted.digest || !isAdapted(release, settings, wanted)) continue;
    if ((await findDamage(release)) === undefined) return name;
  }
  return undefined;
}

/**
 * Whether a release holds what these settings write besides what counts in its id: for hosts, since it may have been built
 * for fewer or by other rules, all records in a few files, and what leads to it from other releases.
 * @param wanted with the digest of changes.json; undefined for none.
 */
export function isAdapted(
  release: Release,
  settings: BuildSettings,
  { changes }: { changes: string | undefined },
): boolean {
  const { folder, snapshot, sums } = release;
  if (sums.others.has(BULK) !== settings.bulk || sums.others.get(CHANGES) !== changes) return false;
  const files = filesForHosts(settings, basename(folder), snapshot, sums);
  return settings.adapting?.findDiffering(release, files) === undefined;
}

function filesForHosts(settings: BuildSettings, name: string, snapshot: Snapshot, sums: Sums) {
  const folder = join(settings.root ?? realpathSync(settings.out), RELEASES, name);
  const isSigned = settings.signKey !== undefined;
  return settings.adapting?.includedFiles(settings, { folder, snapshot, sums, isSigned }) ?? [];
}
