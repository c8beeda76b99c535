/** Tells listings apart. A folder of releases, a published folder and a bucket each hold one listing. */
import { join } from "node:path";
import { z } from "zod";
import { parseContract } from "../contract/file/load.js";
import { parseAs } from "../contract/json.js";
import { canParse, isLoopback, type ListingPlace } from "../contract/links.js";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { CONTRACT, CURRENT, SNAPSHOT } from "./layout.js";
import { readPlain } from "./plain-files.js";

/** What names a listing. */
export type ListingName = Pick<ListingPlace, "baseUrl" | "path">;

/** What snapshot.json says about a release that may be replaced. */
export interface Announced {
  id: string;
  base_url: string;
  count: number;
}

const announcedSchema: z.ZodType<Announced> = z.object({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  base_url: z.string(),
  count: z.int(),
});

/** Reads snapshot.json of any version of Rollcall; undefined if it is something else. */
export function parseAnnounced(text: string): Announced | undefined {
  return parseAs(announcedSchema, text);
}

/**
 * Whether `after` is another listing than `before`: it has another path or base URL. A listing with a loopback base URL can move
 * to any other one, since readers on other machines have never seen it.
 */
export function isOtherListing(before: ListingName, after: ListingName): boolean {
  if (before.path !== after.path) return true;
  return before.baseUrl !== after.baseUrl && !isOnLoopback(before.baseUrl);
}

function isOnLoopback(baseUrl: string): boolean {
  return canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

/** The URL of a listing, for messages. */
export function listingUrl({ baseUrl, path }: ListingName): string {
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
  after: ListingName,
  elsewhere: string,
): UserError {
  const there = listingUrl({ baseUrl: announced.base_url, path });
  const release = `release ${announced.id}, ${count(announced.count, "record")}`;
  return new UserError(
    `${where} holds another listing, ${there} (${release}), and this one is ${listingUrl(after)}. ${elsewhere}, or replace that listing with --force.`,
  );
}

/**
 * Requires the current release of `dist`, even a broken one, to be of the same listing, unless `force`.
 * @returns the base URL of the current release, if it is on loopback and the listing moves to another one.
 * @throws UserError if it is of another listing.
 */
export async function requireSameListing(
  dist: string,
  after: ListingName,
  force: boolean,
): Promise<string | undefined> {
  const announced = parseAnnounced(String(readPlain(join(dist, CURRENT, SNAPSHOT)) ?? ""));
  const contract = await parseContract(String(readPlain(join(dist, CURRENT, CONTRACT)) ?? ""));
  if (announced === undefined || "mistakes" in contract) return undefined;
  const before = { baseUrl: announced.base_url, path: contract.listing.path };
  const isOther = isOtherListing(before, after);
  if (isOther && !force)
    throw otherListing(dist, { announced, path: before.path }, after, "Name another folder with --dist");
  return isOther || before.baseUrl === after.baseUrl ? undefined : before.baseUrl;
}
