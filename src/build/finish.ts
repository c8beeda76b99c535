/** The last stage of a build: turns written listings into the current release. */
import { basename, join } from "node:path";
import type { SiteSnapshot } from "../core/contract/snapshot.js";
import {
  BULK,
  DATA_PACKAGE,
  FEED,
  isPacked,
  isViewSums,
  RELEASES,
  SNAPSHOT,
  SUMS,
  unlistedFiles,
  WHOLE_FILES,
} from "../core/release/layout.js";
import { idOf } from "../core/release/name.js";
import { findAltered } from "../core/release/open.js";
import { hashPlain } from "../core/release/plain-files.js";
import { releaseNames } from "../core/release/releases.js";
import {
  describeSite,
  encodeSiteSnapshot,
  findSiteDamage,
  type ListedFolder,
  openSiteIfComplete,
  partsOf,
  partsOfListing,
  type Site,
} from "../core/release/site.js";
import { contentDigest, encodeSnapshot, type SnapshotFacts, snapshotId } from "../core/release/snapshot.js";
import type { StagedFiles, Staging } from "../core/release/staging.js";
import { PageDigests, type Sums } from "../core/release/sums.js";
import { prune, switchCurrent } from "../core/release/switch.js";
import { giveTimes } from "../core/release/times.js";
import { readIntact } from "./artifacts/artifact.js";
import type { StagedRelease, WrittenChanges } from "./artifacts/changes.js";
import { type FeedReport, type PlannedFeed, planFeed, withFeed } from "./artifacts/feed/feed.js";
import { parseFeed } from "./artifacts/feed/file.js";
import type { ListingNews } from "./artifacts/feed/news.js";
import { checkGates, type GatedSite, type GateReport } from "./gates.js";
import type { LookupReport } from "./lookup-report.js";
import type { BuildSettings } from "./options.js";
import type { Totals } from "./page-writer.js";
import type { Signer } from "./signer.js";
import type { WrittenView } from "./views/written-views.js";

export interface MadeCurrent {
  id: string;
  /** The folder's name in `dist/releases`. */
  name: string;
  /** False if an existing release has every byte of this one, and is current now. */
  new: boolean;
  /** Whether another release was current before. */
  switched: boolean;
  /** Folder names of the removed old releases. */
  pruned: string[];
  /** What the release changes in each listing that has gates, by name; empty if nothing was switched. */
  gates: ReadonlyMap<string, GateReport>;
  /** The feed of the release; undefined without `feed`. */
  feed: FeedReport | undefined;
  /** One line for each cleanup step that failed. The release is current nevertheless, and the next build tries again. */
  untidied: string[];
}

/** A listing whose files are written, but for snapshot.json and SHA256SUMS. */
export interface WrittenListing {
  name: string;
  settings: BuildSettings;
  stage: StagedRelease;
  totals: Totals;
  facts: SnapshotFacts;
  changes: WrittenChanges | undefined;
  /** What it changed, for the feed; undefined without one, or without such a listing in the last release. */
  news: ListingNews | undefined;
  lookup: LookupReport | undefined;
  views: readonly WrittenView[];
}

/** A release whose files are written. */
export interface WrittenSite extends GatedSite {
  staging: Staging;
  listings: readonly WrittenListing[];
  /** The files at the top of a site with several listings. */
  top: StagedFiles | undefined;
  /** Whether it has a feed. */
  feed: boolean;
  title: string | undefined;
  explorer: boolean;
}

interface Effects {
  keep: number;
  now: Date;
  untidied: string[];
  signer: Signer | undefined;
}

/** What a release will hold: the same content has the same digest. */
interface Wanted {
  id: string;
  digest: string;
  /** The text of snapshot.json at the top of a site with several listings. */
  snapshot: SiteSnapshot | undefined;
  listings: readonly (WrittenListing & { id: string; digest: string; sums: Sums })[];
}

/** Finishes a release, unless an existing one has the same bytes, checks the gates, and makes it current. */
export async function makeCurrent(written: WrittenSite, effects: Effects): Promise<MadeCurrent> {
  const { dist, staging, previous } = written;
  const { keep, now, untidied, signer } = effects;
  const wanted = describe(written);
  const { id } = wanted;
  const planned = written.feed ? planFeed(written, id, wanted.listings) : undefined;
  const feed = planned?.report;
  if (!signer && previous && hasSameFiles(previous, written, wanted) && (await isUnchanged(previous, wanted))) {
    staging.discard();
    const name = basename(previous.folder);
    return { id, name, new: false, switched: false, pruned: [], gates: new Map(), feed, untidied };
  }
  const existing = signer ? undefined : await findIntact(written, wanted, planned);
  if (existing) {
    staging.discard();
    giveTimes(dist, existing.folder, partsOf(existing), now);
  } else if (planned) filesAtTop(written).put(FEED, planned.encode(now));
  const name = existing ? basename(existing.folder) : finish(written, wanted, effects);
  const gates = await checkGates(written, name);
  switchCurrent(dist, name, now, untidied);
  const pruned = prune(dist, keep, now, untidied);
  return { id, name, new: existing === undefined, switched: true, pruned, gates, feed, untidied };
}

/** The files at the top of a release. */
function filesAtTop({ top, listings }: WrittenSite): StagedFiles {
  const files = top ?? listings[0]?.stage.staging;
  if (!files) throw new Error("A release without listings");
  return files;
}

function describe({ location, listings, top }: WrittenSite): Wanted {
  const described = listings.map((listing) => {
    const { staging, digests } = listing.stage;
    const sums = staging.sums(digests);
    const digest = contentDigest(listing.facts, sums);
    return { ...listing, id: snapshotId(digest), digest, sums };
  });
  const [first] = described;
  if (!top && first) return { id: first.id, digest: first.digest, snapshot: undefined, listings: described };
  const named = described.map(({ name, id, facts, digest }) => ({ name, digest, snapshot: { id, ...facts } }));
  const { snapshot, digest } = describeSite(location.baseUrl, named);
  return { id: snapshot.id, digest, snapshot, listings: described };
}

/** Writes what names all other files, and moves the staging folder into place. @returns the name of the release's folder. */
function finish({ location, staging, top }: WrittenSite, wanted: Wanted, { now, signer }: Effects): string {
  const isSigned = signer !== undefined;
  const signAs = (id: string, baseUrl: string) =>
    signer && ((sums: Uint8Array) => signer.sign(sums, { id, baseUrl, time: now }));
  const parts: ListedFolder[] = [];
  for (const { name, id, facts, stage, views } of wanted.listings) {
    const { staging, digests } = stage;
    const sums = staging.finish(encodeSnapshot({ id, ...facts }), digests, signAs(id, facts.base_url));
    top?.listOther(`${name}/${SUMS}`, hashPlain(join(staging.folder, SUMS)) ?? "");
    parts.push(...partsOfListing(name, { sums, isSigned, views }));
  }
  if (top && wanted.snapshot) {
    const sums = top.finish(
      encodeSiteSnapshot(wanted.snapshot),
      new PageDigests(0, []),
      signAs(wanted.id, location.baseUrl),
    );
    parts.push({ name: "", sums, unlisted: unlistedFiles({ isSigned }) });
  }
  return staging.finish(wanted.id, parts, now);
}

/** Whether no page of the previous release was written anew, and its other files are still intact. */
async function isUnchanged({ folder, listings, top }: Site, wanted: Wanted): Promise<boolean> {
  if (wanted.listings.some(({ totals, views }) => [{ totals }, ...views].some((made) => made.totals.changed > 0)))
    return false;
  if (top && (await findAltered(folder, top.sums.others)) !== undefined) return false;
  for (const { release } of listings)
    if ((await findAltered(release.folder, release.sums.others)) !== undefined) return false;
  return true;
}

/** The newest intact release with this content and the same other files. */
async function findIntact(
  written: WrittenSite,
  wanted: Wanted,
  feed: PlannedFeed | undefined,
): Promise<Site | undefined> {
  const { dist } = written;
  for (const name of releaseNames(dist)) {
    if (idOf(name) !== wanted.id) continue;
    const site = await openSiteIfComplete(join(dist, RELEASES, name));
    const isSame = site && hasSameFiles(site, written, wanted) && (!feed || hasSameFeed(site, feed));
    if (isSame && (await findSiteDamage(site)) === undefined) return site;
  }
  return undefined;
}

/** Whether a release has the feed of this build, but for the time of its newest entry. */
function hasSameFeed(site: Site, feed: PlannedFeed): boolean {
  const text = readIntact(withFeed(site), FEED) ?? "";
  const read = parseFeed(text);
  const [newest] = "why" in read ? [] : read.entries;
  return newest !== undefined && feed.encode(new Date(newest.updated)) === text;
}

/**
 * Whether a release has this content, and also the same other files as this build. It may not have the same other files if it
 * was built with other settings or by another version.
 */
function hasSameFiles(site: Site, { top, feed }: WrittenSite, wanted: Wanted): boolean {
  if (site.digest !== wanted.digest || site.listings.length !== wanted.listings.length) return false;
  const before = site.top?.sums.others ?? NO_FILES;
  const now = top?.sums(new PageDigests(0, [])).others ?? NO_FILES;
  if (withFeed(site).sums.others.has(FEED) !== feed || !isSameList(before, now)) return false;
  return wanted.listings.every(({ name, sums, settings }) => {
    const others = site.listings.find((listing) => listing.name === name)?.release.sums.others ?? NO_FILES;
    const isPackedAlike = [BULK, ...WHOLE_FILES].every(
      (path) => others.has(path) === settings.described.files.includes(path),
    );
    return isPackedAlike && isSameList(others, sums.others);
  });
}

const NO_FILES: Sums["others"] = new Map();

function isSameList(before: Sums["others"], now: Sums["others"]): boolean {
  const old = reproducible(before);
  const wanted = reproducible(now);
  return old.size === wanted.size && [...wanted].every(([path, digest]) => old.has(path) && old.get(path) === digest);
}

/**
 * Files whose bytes depend neither on a compressor nor on the release's name or time. datapackage.json has digests of files that do, so
 * it has none here.
 */
function reproducible(others: Sums["others"]): Map<string, string | undefined> {
  const files = [...others].filter(
    ([path]) =>
      path !== SNAPSHOT &&
      path !== BULK &&
      path !== FEED &&
      !isPacked(path) &&
      !isViewSums(path) &&
      !path.endsWith(`/${SUMS}`),
  );
  return new Map(files.map(([path, digest]) => [path, path === DATA_PACKAGE ? undefined : digest]));
}
