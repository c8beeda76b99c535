/** Writes changes.json and its steps: the step from the last release, and reused older ones. */
import { join } from "node:path";
import { type Matches, matchRecords } from "../../core/compare/match.js";
import { openReleaseSide, type Side } from "../../core/compare/side.js";
import type { Contract } from "../../core/contract/contract.js";
import type { Collection } from "../../core/contract/page.js";
import { CHANGES, CURRENT, MAX_PACKED, RECORDS } from "../../core/release/layout.js";
import { findAltered, type Release } from "../../core/release/open.js";
import type { StagedFiles } from "../../core/release/staging.js";
import type { PageDigests } from "../../core/release/sums.js";
import type { DataSettings } from "../../core/settings/settings.js";
import { writeStep } from "./step-writer.js";
import { bytesOfAll, encodeChanges, findReusableSteps, linkSteps, type StepFile, type StepLimits } from "./steps.js";

/** Result of `--changes` for the build's summary. */
export interface ChangesReport {
  /** Records put and removed by the step from the last release, and bytes of its file; 0 without one. */
  put: number;
  remove: number;
  bytes: number;
  /** Number of steps in changes.json. */
  steps: number;
  /** Why the last release has no step; undefined if it has one. */
  none: string | undefined;
}

/** The new release in its staging folder, and the previous one. */
export interface StagedRelease {
  staging: StagedFiles;
  /** Digests of all pages. */
  digests: PageDigests;
  collection: Collection;
  /** The SHA-256 of records.sha256. */
  state: string;
  previous: Release | undefined;
}

interface ChangesSettings extends Pick<DataSettings, "links"> {
  /** Maximum number of steps in a release. */
  changes: number;
  contract: Contract;
}

export interface WrittenChanges {
  report: ChangesReport;
  /** Differences between the last release and this one. Close it. */
  matches: Matches | undefined;
}

/** Writes changes.json and steps into the staging folder; undefined without `--changes`. */
export async function writeChanges(
  stage: StagedRelease,
  settings: ChangesSettings,
  signal: AbortSignal | undefined,
): Promise<WrittenChanges | undefined> {
  if (settings.changes === 0) return undefined;
  const { staging, state } = stage;
  const { own, carried: reused = [], none, matches } = await findSteps(stage, settings, signal);
  const files = own ? [own, ...reused] : reused;
  for (const { step, digest } of files) staging.listOther(step.file, digest);
  staging.put(CHANGES, encodeChanges({ state, steps: files.map(({ step }) => step) }));
  const { put, remove, bytes } = own?.step ?? NOTHING;
  return { report: { put, remove, bytes, steps: files.length, none }, matches };
}

const NOTHING = { put: 0, remove: 0, bytes: 0 };
const SAME = "the records are the same";

interface Found {
  /** The step from the last release. */
  own?: StepFile;
  /** Steps of the last release that are reused. */
  carried?: readonly StepFile[];
  none: string | undefined;
  matches?: Matches;
}

async function findSteps(
  stage: StagedRelease,
  { changes: steps, contract, links }: ChangesSettings,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const { staging, digests, state: to, previous } = stage;
  if (!previous) return { none: "there is no complete previous release" };
  if (previous.contract.text !== contract.text) return { none: "the contract has changed" };
  const from = previous.sums.others.get(RECORDS);
  if (from === undefined || (await findAltered(previous.folder, [[RECORDS, from]])) !== undefined)
    return { none: "records.sha256 of the last release is damaged" };
  const all = bytesOfAll({ folder: staging.folder, sums: staging.sums(digests) });
  const room = { steps, bytes: Math.floor(all / 2) };
  const reuse = (left: StepLimits, own?: StepFile) => {
    const carried = findReusableSteps(previous, from, left, own);
    const files = new Set(carried.map(({ step }) => step.file).filter((file) => file !== own?.step.file));
    linkSteps(files, previous.folder, staging.folder);
    return carried;
  };
  if (from === to) return { carried: reuse(room), none: SAME };
  const old = openReleaseSide(previous, CURRENT);
  const now = sideOf(stage, contract, links);
  const most = Math.min(room.bytes, MAX_PACKED);
  const tooLarge = "the step would exceed half of all data, or the limits of hosts and readers";
  const matches = await matchRecords(old, now, signal);
  try {
    const own = await writeStep(matches, now, { from, to, most, signal });
    if (!own) return { none: tooLarge, matches };
    const left = { steps: steps - 1, bytes: room.bytes - own.step.bytes };
    return { own, carried: reuse(left, own), none: undefined, matches };
  } catch (error) {
    matches.close();
    throw error;
  }
}

/** The staged release as a side of a comparison. */
export function sideOf(
  { staging, collection, state }: StagedRelease,
  contract: Contract,
  links: DataSettings["links"],
): Side {
  const { count, pages, pageSize, baseUrl } = collection;
  const facts = { name: "the new release", id: undefined, count, pages, pageSize, baseUrl, links, contract };
  const { folder } = staging;
  return { facts, folder, list: join(folder, RECORDS), digest: state };
}
