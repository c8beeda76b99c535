/** Gates: a release that changes more than they allow does not become current. */
import { basename, join } from "node:path";
import type { Diff } from "../core/compare/change.js";
import { compareSides } from "../core/compare/compare.js";
import { findExceeded, findExceededByListing, GateError, type Gates, hasGates } from "../core/compare/gates.js";
import { openReleaseSide } from "../core/compare/side.js";
import { UserError } from "../core/errors.js";
import { CURRENT, RELEASES } from "../core/release/layout.js";
import { isOtherListing, type ListingLocation, listingUrl, locationOf } from "../core/release/location.js";
import { idOf } from "../core/release/name.js";
import { openRelease, type Release } from "../core/release/open.js";
import { findCurrent } from "../core/release/releases.js";
import { readSiteSnapshot, type Site } from "../core/release/site.js";
import type { WrittenChanges } from "./artifacts/changes.js";
import type { ListingNews } from "./artifacts/feed/news.js";

/** What a build changes. `previous` is undefined without a release to compare with. */
export interface GateReport {
  previous: string | undefined;
  added: number;
  removed: number;
  changed: number;
}

/** A new release, and the one that it replaces. */
export interface GatedSite {
  dist: string;
  location: ListingLocation;
  gatesOf(listing: string): Gates;
  listings: readonly {
    name: string;
    facts: { count: number };
    /** The matches between the old listing and the new one, if known. */
    changes: Pick<WrittenChanges, "matches"> | undefined;
    /** What it changed, if that is known. */
    news: ListingNews | undefined;
  }[];
  /** The current release, unless it is broken. */
  previous: Site | undefined;
}

/**
 * Compares the listings of a new release with those of the current one. All records of a removed listing count as removed, and
 * those of an added one as added.
 * @param name the folder name of the new release. It stays in `dist` even if a gate is exceeded.
 * @returns what changes in each listing that has gates, by name.
 * @throws GateError if a gate is exceeded; UserError if the current release is broken or of another listing, so that nothing can
 * be compared.
 */
export async function checkGates(written: GatedSite, name: string): Promise<Map<string, GateReport>> {
  const { dist, location, gatesOf, listings, previous } = written;
  const reports = new Map<string, GateReport>();
  const before = new Map(previous?.listings.map((listing) => [listing.name, listing.release]));
  // The snapshot.json of a broken release may still name listings that gates are for.
  const announced = previous ? undefined : await readSiteSnapshot(join(dist, CURRENT));
  const announcedNames = Object.keys(announced?.listings ?? {});
  const names = new Set([...before.keys(), ...announcedNames, ...listings.map((listing) => listing.name)]);
  if (![...names].some((listing) => hasGates(gatesOf(listing)))) return reports;
  if (!previous && findCurrent(dist) !== undefined)
    throw new UserError(
      `The gates cannot compare with the current release, which is broken; switch to an intact one with "rollcall use", or accept the new one with "rollcall use ${idOf(name)}".`,
    );
  if (previous) requireComparable(name, locationOf(previous), location);
  const from = previous && basename(previous.folder);
  const exceeded: string[] = [];
  for (const { name: listing, facts, changes, news } of listings) {
    const gates = gatesOf(listing);
    if (!hasGates(gates)) continue;
    const old = before.get(listing);
    if (old) {
      const known = news && "diff" in news ? news.diff : undefined;
      const opened = () => openRelease(join(dist, RELEASES, name, listing));
      const found = known ? judge(known, gates) : await compare([old, await opened()], name, gates, changes?.matches);
      reports.set(listing, { previous: from, ...found.counts });
      exceeded.push(...found.exceeded.map((sentence) => (listing === "" ? sentence : `${listing}: ${sentence}`)));
    } else {
      reports.set(listing, { previous: from, added: previous ? facts.count : 0, removed: 0, changed: 0 });
      if (previous) exceeded.push(...findExceededByListing({ name: listing, count: facts.count }, "added", gates));
    }
  }
  for (const [listing, { snapshot }] of before) {
    if (listings.some((other) => other.name === listing)) continue;
    const removed = { name: listing, count: snapshot.count };
    exceeded.push(...findExceededByListing(removed, "removed", gatesOf(listing)));
  }
  if (exceeded.length > 0) throw new GateError(name, exceeded);
  return reports;
}

function requireComparable(name: string, before: ListingLocation, after: ListingLocation): void {
  if (!isOtherListing(before, after)) return;
  throw new UserError(
    `Release ${name} was built, but current is unchanged, because gates do not compare it with another listing, ${listingUrl(before)}. Accept it with "rollcall use ${idOf(name)}".`,
  );
}

/** @param matches are closed by this. */
async function compare(
  [old, now]: readonly [Release, Release],
  name: string,
  gates: Gates,
  matches: WrittenChanges["matches"],
) {
  const result = await compareSides(openReleaseSide(old, CURRENT), openReleaseSide(now, name), { matches });
  try {
    return judge(result, gates);
  } finally {
    result.close();
  }
}

function judge(diff: Diff, gates: Gates) {
  const { added, removed, changed } = diff;
  return { counts: { added, removed, changed }, exceeded: findExceeded(diff, gates) };
}
