/** What a finished build tells its user besides its figures: sentences about the base URL, tables of mirrors, and hosts. */
import { basePath, DEFAULT_PATH, pageUrl } from "../core/contract/links.js";
import { noteOnMirrorTable } from "../core/contract/listing-names.js";
import { USERS_CONTRACT } from "../core/contract/users.js";
import { beforeViews, noteOnTimes, noteOnValues } from "../core/contract/views.js";
import { count } from "../core/print/numbers.js";
import { openSiteIfComplete, type ReleaseListing, type Site } from "../core/release/site.js";
import { describeTwins, findCaseTwins } from "../core/release/views.js";
import { notesOnSettings } from "../host/settings-record.js";
import type { MadeCurrent, WrittenListing } from "./finish.js";
import type { BuildSettings, SiteSettings } from "./options.js";
import type { WrittenView } from "./views/written-views.js";

/**
 * Makes the notes of a build.
 * @param folder of the release.
 * @param movedFrom the base URL of the current release, if it is on loopback and this build moves it to another one.
 * @param made what the build made current.
 * @param replaced the release that was current before, if another one is now.
 * @param written the listings of the release.
 */
export async function notesOf(
  settings: SiteSettings,
  folder: string,
  movedFrom: string | undefined,
  { feed }: Pick<MadeCurrent, "feed">,
  replaced: Site | undefined,
  written: readonly Pick<WrittenListing, "name" | "views">[],
): Promise<string[]> {
  const { baseUrl, dist, listings, hosted, isPlain } = settings;
  const moved = movedFrom === undefined ? [] : [`links led to ${movedFrom} until now; they lead to ${baseUrl}`];
  const removed = isPlain ? [] : noteOnRemoved(replaced?.listings ?? [], listings);
  const ofListings = listings.flatMap((listing) => noteOnBaseUrl(listing.settings));
  const ofMirrors = listings.flatMap(({ name, settings }) => {
    return noteOnMirrorTable(name, settings.contract.listing.words[1]) ?? [];
  });
  const ofHosts = await notesOnHosts(settings, folder);
  const ofViews = written.flatMap(({ name, views }) => {
    return views.flatMap(noteOnView).map((note) => beforeViews(name) + note);
  });
  return [
    ...new Set([
      ...moved,
      ...removed,
      ...ofListings,
      ...ofMirrors,
      ...ofViews,
      ...(feed?.notes ?? []),
      ...ofHosts,
      ...notesOnSettings(dist, hosted),
    ]),
  ];
}

/** The notes on a view: its values, its times, and URLs that only some hosts tell apart. */
function noteOnView({ view, sums, values = 0 }: WrittenView): string[] {
  const [twin] = findCaseTwins(sums.paths.values);
  const ofCase = twin && `${describeTwins(view.name, twin)}; a host whose folders ignore case cannot serve both`;
  return [noteOnValues(view, values), noteOnTimes(view), ofCase].flatMap((note) => note ?? []);
}

/** The notes for listings that a site has no longer. */
function noteOnRemoved(before: readonly ReleaseListing[], now: readonly { name: string }[]): string[] {
  const removed = before.filter(({ name }) => now.every((listing) => listing.name !== name));
  return removed.map(({ name, release: { snapshot, contract } }) => {
    return `the listing ${name} was removed, with ${count(snapshot.count, contract.listing.words)}`;
  });
}

/** The note for a base URL that ends like the path of the listing, which links then have twice. */
function noteOnBaseUrl({ baseUrl, links, contract }: BuildSettings): string[] {
  const { path } = contract.listing;
  if (path === DEFAULT_PATH || !`${basePath(baseUrl)}/`.endsWith(path)) return [];
  const above = baseUrl.slice(0, 1 - path.length);
  const page = pageUrl({ baseUrl, path, links }, 1);
  const wanted = pageUrl({ baseUrl: above, path, links }, 1);
  const way = `pass --base-url ${above}${contract.text === USERS_CONTRACT.text ? "" : ", or remove x-listing.path"}`;
  return [`the base URL ends like the listing's path, so page 1 is ${page}; for ${wanted}, ${way}`];
}

/** Notes on what the hosts of `adapt` cannot use, and on limits that the release exceeds. */
async function notesOnHosts({ adapt = [], hosted, links }: SiteSettings, folder: string): Promise<string[]> {
  // Loaded only when needed: most builds have no files for other hosts.
  if (adapt.length === 0) return [];
  const { hostOf, unsupportedFeatures } = await import("../host/hosts.js");
  const { notesOnSizes } = await import("../host/size-limits.js");
  const hosts = adapt.map(hostOf);
  const { encodings } = hosted;
  const unsupported = hosts.flatMap((host) => unsupportedFeatures(host, { encodings, links }));
  const site = await openSiteIfComplete(folder);
  return site ? [...unsupported, ...(await notesOnSizes(hosts, site))] : unsupported;
}
