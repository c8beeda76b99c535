/** What a build writes for readers who keep a copy: changes.json, the step from the last release, and those before it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../contract/contract.js";
import type { Collection } from "../contract/page.js";
import { type Matches, matchRecords } from "../diff/match.js";
import { openReleaseSide, type Side } from "../diff/side.js";
import { CHANGES, CURRENT, MAX_PACKED, RECORDS } from "../release/layout.js";
import { findAltered, type Release } from "../release/open.js";
import type { Staging } from "../release/staging.js";
import type { PageDigests } from "../release/sums.js";
import type { DataSettings } from "../settings/settings.js";
import { findBulk } from "./bulk.js";
import { writeStep } from "./step-writer.js";
import { carry, encodeChanges, findCarried, type Room, type StepFile } from "./steps.js";

/** What a build did for readers who keep a copy. */
export interface ChangesReport {
  /** Of the step from the last release: lines that put a record, lines that remove one, bytes of its file; 0 without one. */
  put: number;
  remove: number;
  bytes: number;
  /** Steps that changes.json lists. */
  steps: number;
  /** Why there is no step from the last release, in a few words; undefined where there is one. */
  none: string | undefined;
}

/** The new release while it is not whole yet, and the one before. */
export interface Stage {
  staging: Staging;
  /** Of all pages. */
  digests: PageDigests;
  collection: Collection;
  /** The digest of the list of records. */
  state: string;
  previous: Release | undefined;
}

interface ChangesSettings extends Pick<DataSettings, "links"> {
  /** Steps that a release may have. */
  changes: number;
  contract: Contract;
}

export interface WrittenChanges {
  report: ChangesReport;
  /** What was found between the last release and this one; to be closed. */
  matches: Matches | undefined;
}

/** Writes into the staging folder, which has everything by now that does not name the release. */
export async function writeChanges(
  stage: Stage,
  settings: ChangesSettings,
  signal: AbortSignal | undefined,
): Promise<WrittenChanges | undefined> {
  if (settings.changes === 0) return undefined;
  const { staging, state } = stage;
  const { own, carried = [], none, matches } = await findSteps(stage, settings, signal);
  const files = own ? [own, ...carried] : carried;
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
  /** Those that it hands on. */
  carried?: readonly StepFile[];
  none: string | undefined;
  matches?: Matches;
}

async function findSteps(
  stage: Stage,
  { changes: steps, contract, links }: ChangesSettings,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const { staging, digests, state: to, previous } = stage;
  if (!previous) return { none: "there was no whole release before" };
  if (previous.contract.text !== contract.text) return { none: "the contract is another one" };
  const from = previous.sums.others.get(RECORDS);
  if (from === undefined || (await findAltered(previous.folder, [[RECORDS, from]])) !== undefined)
    return { none: "the last release has no whole list of its records" };
  const room = { steps, bytes: halfOf({ folder: staging.folder, sums: staging.sums(digests) }) };
  const handOn = (left: Room, own?: StepFile) => {
    const carried = findCarried(previous, from, left, own);
    const files = new Set(carried.map(({ step }) => step.file).filter((file) => file !== own?.step.file));
    carry(files, previous.folder, staging.folder);
    return carried;
  };
  if (from === to) return { carried: handOn(room), none: SAME };
  const old = openReleaseSide(previous, CURRENT);
  const now = sideOf(stage, contract, links);
  const most = Math.min(room.bytes, MAX_PACKED);
  const tooLarge = "it would be more than half of everything, or than hosts and readers take";
  const matches = await matchRecords(old, now, signal);
  try {
    const own = await writeStep(matches, now, { from, to, most, signal });
    if (!own) return { none: tooLarge, matches };
    const left = { steps: steps - 1, bytes: room.bytes - own.step.bytes };
    return { own, carried: handOn(left, own), none: undefined, matches };
  } catch (error) {
    matches.close();
    throw error;
  }
}

/** The new release as a side to compare, while it is not whole yet. */
function sideOf({ staging, collection, state }: Stage, contract: Contract, links: DataSettings["links"]): Side {
  const { count, pages, pageSize, baseUrl } = collection;
  const facts = { name: "the new release", id: undefined, count, pages, pageSize, baseUrl, links, contract };
  const { folder } = staging;
  return { facts, folder, list: join(folder, RECORDS), digest: state };
}

/** Half of the bytes by which a reader gets everything: the parts of bulk.json, or the gzip files of pages, or plain ones. */
function halfOf(release: Pick<Release, "folder" | "sums">): number {
  const { folder, sums } = release;
  const parts = findBulk(release)?.parts;
  if (parts) return Math.floor(parts.reduce((sum, part) => sum + part.bytes, 0) / 2);
  const variant = sums.pages.variants.includes("gzip") ? "gzip" : "identity";
  let bytes = 0;
  for (let page = 1; page <= sums.pages.pages; page++)
    bytes += statSync(join(folder, sums.paths.path(page, variant))).size;
  return Math.floor(bytes / 2);
}
