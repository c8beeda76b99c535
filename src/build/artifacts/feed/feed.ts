/** feed.xml of a release: the entry on what it changed, and the entries of the last release. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findContractChanges } from "../../../core/contract/changes.js";
import { listed } from "../../../core/print/text.js";
import { CURRENT, explorerPath, FEED } from "../../../core/release/layout.js";
import { type ListingLocation, listingUrl, locationOf } from "../../../core/release/location.js";
import { requireClock } from "../../../core/release/name.js";
import type { Release } from "../../../core/release/open.js";
import { findCurrent } from "../../../core/release/releases.js";
import type { Site } from "../../../core/release/site.js";
import type { Sums } from "../../../core/release/sums.js";
import { titleOf } from "../../../explorer/meaning.js";
import { readIntact } from "../artifact.js";
import { type Beginning, type ToldListing, tellRelease } from "./entry.js";
import { digestOfRecords, encodeFeed, type Feed, type FeedEntry, parseFeed, timeText } from "./file.js";
import { cut, MOST_NAMES } from "./news.js";

/** A release that has all files but those that name all others. */
interface FeedSite {
  dist: string;
  location: ListingLocation;
  /** The title of a site with several listings. */
  title: string | undefined;
  /** Whether the release has an explorer. */
  explorer: boolean;
  /** The current release, unless it is broken. */
  previous: Site | undefined;
}

type FeedListing = ToldListing & { sums: Pick<Sums, "others"> };

/** What a build says of its feed. */
export interface FeedReport {
  /** The title of the new entry; undefined if neither records nor contracts have changed. */
  entry: string | undefined;
  /** Sentences for the user: that entries are lost, or why the new one does not say what changed. */
  notes: readonly string[];
}

export interface PlannedFeed {
  report: FeedReport;
  /** Writes feed.xml. @param now the time of the build. The new entry has a later one if the entry before it has. */
  encode(now: Date): string;
}

/** Plans the feed of a release. @param id the release's */
export function planFeed(site: FeedSite, id: string, listings: readonly FeedListing[]): PlannedFeed {
  const { location, explorer, previous } = site;
  const { entries, beginning, lost } = lastEntries(site, listings);
  const page = explorer ? location.baseUrl + explorerPath(location.path) : undefined;
  const frame = { ...nameFeed(site, listings), baseUrl: location.baseUrl, page };
  const digest = digestOfRecords(listings);
  const [last] = entries;
  if (last?.digest === digest)
    return { report: { entry: undefined, notes: [] }, encode: () => encodeFeed({ ...frame, entries }) };
  const told = tellRelease({ id, listings, previous, beginning });
  const notes = [
    ...(lost === undefined ? [] : [`${FEED} begins anew, without earlier entries: ${lost}`]),
    ...listings.flatMap(({ news }) =>
      news && "why" in news ? [`${FEED} does not say what changed: ${news.why}`] : [],
    ),
  ];
  return {
    report: { entry: told.title, notes },
    encode(now) {
      const updated = timeText(timeAfter(last?.updated, now));
      return encodeFeed({ ...frame, entries: [{ ...told, digest, page, updated }, ...entries] });
    },
  };
}

/** The time of a build, or a second after the last entry. @throws UserError as `requireClock` does */
function timeAfter(last: string | undefined, now: Date): Date {
  const time = last === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(last) + 1000));
  requireClock(time);
  return time;
}

function nameFeed({ location, title }: FeedSite, [first]: readonly FeedListing[]): Pick<Feed, "title" | "author"> {
  const { host } = new URL(location.baseUrl);
  const contract = first?.name === "" ? first.settings.contract : undefined;
  const named = contract ? titleOf(contract) : (title ?? "Listings");
  return { title: `${cut(named)} at ${host}`, author: cut(contract?.listing.publisher ?? host) };
}

interface LastEntries {
  entries: readonly FeedEntry[];
  /** Given if there is no release to compare with. */
  beginning?: Beginning;
  /** Why the entries of the current release are lost. */
  lost?: string;
}

/** The entries of the current release, if its feed is intact and of this listing. */
function lastEntries({ dist, location, previous }: FeedSite, listings: readonly FeedListing[]): LastEntries {
  if (!previous) {
    const beginning = findCurrent(dist) === undefined ? "First release" : "Feed begins";
    const hadFeed = existsSync(join(dist, CURRENT, FEED));
    return { entries: [], beginning, ...(hadFeed && { lost: "the last release is broken" }) };
  }
  const files = withFeed(previous);
  const hadFeed = files.sums.others.has(FEED);
  const before = locationOf(previous);
  if (before.baseUrl !== location.baseUrl || before.path !== location.path)
    return {
      entries: [],
      beginning: "First release",
      ...(hadFeed && { lost: `they are about ${listingUrl(before)}` }),
    };
  if (!hadFeed) return { entries: [] };
  const text = readIntact(files, FEED);
  if (text === undefined) return { entries: [], lost: "that of the last release is damaged" };
  const feed = parseFeed(text);
  if ("why" in feed) return { entries: [], lost: `that of the last release ${feed.why}` };
  const { entries, baseUrl } = feed;
  if (baseUrl !== location.baseUrl) return { entries: [], lost: `that of the last release is of ${baseUrl}` };
  const removed = removedFields(previous, listings);
  if (removed.length === 0) return { entries };
  return { entries: [], lost: `they may have values of ${listed(removed, MOST_NAMES)}, no longer in the contract` };
}

/** The fields that contracts of the last release have and those of the new one lack: `name`, or `customers.name` in a site. */
function removedFields({ listings: before }: Site, listings: readonly FeedListing[]): string[] {
  return listings.flatMap(({ name, settings: { contract } }) => {
    const old = before.find((listing) => listing.name === name)?.release.contract;
    const paths = (old && findContractChanges(old, contract)?.removed) ?? [];
    return paths.map((path) => cut(name === "" ? path : `${name}.${path}`));
  });
}

/** The files among which a release has its feed: those at its top. */
export function withFeed({ folder, listings, top }: Site): Pick<Release, "folder" | "sums"> {
  const sums = top?.sums ?? listings[0]?.release.sums;
  if (!sums) throw new Error("A release without listings");
  return { folder, sums };
}
