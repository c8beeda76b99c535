/** Tells listings apart. A folder of releases, a published folder and a bucket each hold one listing. */
import { join } from "node:path";
import * as z from "zod";
import { parseContract } from "../contract/file/load.js";
import { parseAs } from "../contract/json.js";
import { canParse, DEFAULT_PATH, isLoopback, type ListingPlace } from "../contract/links.js";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { CONTRACT, CURRENT, SNAPSHOT } from "./layout.js";
import { readPlain } from "./plain-files.js";
import { parseSiteSnapshot, type Site } from "./site.js";

/** What tells a listing from others. */
export type ListingLocation = Pick<ListingPlace, "baseUrl" | "path">;

/** What snapshot.json says about a release that may be replaced. */
export interface Announced {
  id: string;
  base_url: string;
  count: number;
  /** `SITE_PATH` for a site. The contract has the path of a plain release. */
  path?: string;
}

const announcedSchema: z.ZodType<Announced> = z.object({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  base_url: z.string(),
  count: z.int(),
});

/** The path of a site with several listings, which no listing has. */
export const SITE_PATH = "";

/**
 * Finds what a folder or a bucket holds.
 * @param snapshot the text of snapshot.json. @param readContractText reads contract.json.
 * @returns undefined if it is not a release.
 */
async function findListing(
  snapshot: string,
  readContractText: () => Promise<string>,
): Promise<{ announced: Announced; path: string } | undefined> {
  const announced = parseAnnounced(snapshot);
  if (announced?.path !== undefined) return { announced, path: announced.path };
  const contract = announced && (await parseContract(await readContractText()));
  if (!contract || "mistakes" in contract) return undefined;
  return { announced, path: contract.listing.path };
}

/** Reads snapshot.json of any version of Rollcall; undefined if it is something else. */
export function parseAnnounced(text: string): Announced | undefined {
  const site = parseSiteSnapshot(text);
  if (!site) return parseAs(announcedSchema, text);
  const { id, base_url, listings } = site;
  const count = Object.values(listings).reduce((sum, listing) => sum + listing.count, 0);
  return { id, base_url, count, path: SITE_PATH };
}

/** The location of a release: its base URL, and the path of its listing; `SITE_PATH` for a site. */
export function locationOf({ baseUrl, listings, top }: Pick<Site, "baseUrl" | "listings" | "top">): ListingLocation {
  return { baseUrl, path: top ? SITE_PATH : (listings[0]?.release.paths.listing ?? DEFAULT_PATH) };
}

/**
 * Whether `after` is another listing than `before`: it has another path or base URL. A listing with a loopback base URL can move
 * to any other one, since readers on other machines have never seen it.
 */
export function isOtherListing(before: ListingLocation, after: ListingLocation): boolean {
  if (before.path !== after.path) return true;
  return before.baseUrl !== after.baseUrl && !isOnLoopback(before.baseUrl);
}

function isOnLoopback(baseUrl: string): boolean {
  return canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

/** The URL of a listing, for messages. */
export function listingUrl({ baseUrl, path }: ListingLocation): string {
  return `${baseUrl}${path}`;
}

/**
 * Makes the error for a folder or a bucket that holds another listing.
 * @param where its name in messages.
 * @param elsewhere how to name another one.
 */
export function otherListing(
  where: string,
  { announced, path }: { announced: Announced; path: string },
  after: ListingLocation,
  elsewhere: string,
): UserError {
  const before = { baseUrl: announced.base_url, path };
  const isPlain = ![path, after.path].includes(SITE_PATH);
  const kind = isPlain ? "listing" : "release";
  const show = (name: ListingLocation) =>
    isPlain ? listingUrl(name) : `the ${name.path === SITE_PATH ? "site" : "listing"} ${listingUrl(name)}`;
  const release = `release ${announced.id}, ${count(announced.count, "record")}`;
  return new UserError(
    `${where} holds another ${kind}, ${show(before)} (${release}), and this one is ${show(after)}. ${elsewhere}, or replace that ${kind} with --force.`,
  );
}

/**
 * Requires the current release of `dist`, even a broken one, to be of the same listing, unless `force`.
 * @returns the base URL of the current release, if it is on loopback and the listing moves to another one.
 * @throws UserError if it is of another listing.
 */
export async function requireSameListing(
  dist: string,
  after: ListingLocation,
  force: boolean,
): Promise<string | undefined> {
  const readText = (name: string) => String(readPlain(join(dist, CURRENT, name)) ?? "");
  const found = await findListing(readText(SNAPSHOT), async () => readText(CONTRACT));
  if (found === undefined) return undefined;
  const before = { baseUrl: found.announced.base_url, path: found.path };
  const isOther = isOtherListing(before, after);
  if (isOther && !force) throw otherListing(dist, found, after, "Name another folder with --dist");
  return isOther || before.baseUrl === after.baseUrl ? undefined : before.baseUrl;
}
