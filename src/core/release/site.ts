/**
 * A site: what one release holds. Either one listing, whose files are at the top, or several listings, each in a folder of its
 * own, which is a release by itself, and a few files at the top that name them.
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import type { Contract } from "../contract/contract.js";
import { parseAs } from "../contract/json.js";
import { DEFAULT_PATH, LISTING_NAME } from "../contract/links.js";
import type { SiteSnapshot, Snapshot } from "../contract/snapshot.js";
import { codeOf, UserError } from "../errors.js";
import { PagePaths, SIGNATURE, SNAPSHOT, SUMS, unlistedFiles } from "./layout.js";
import { broken, type Damage, findAltered, findDamage, inspect, type Release } from "./open.js";
import { hashPlain, readReleaseFile, sha256, withReleaseFile } from "./plain-files.js";
import { SNAPSHOT_MEMBERS, snapshotId } from "./snapshot.js";
import { listFiles, readSums, type Sums } from "./sums.js";

/** Files of a release in one folder, and their digests. */
export interface ListedFolder {
  /** The folder inside of the release: `v1/orders`; empty for the top. */
  name: string;
  sums: Sums;
  isSigned: boolean;
}

/** A listing of a site. */
export interface ReleaseListing {
  /** Its folder, and its path below the site's base URL: `orders`, `v1/orders`; empty for the listing of a plain release. */
  name: string;
  release: Release;
}

/** The files at the top of a site with several listings. */
interface SiteTop extends ListedFolder {
  name: "";
  snapshot: SiteSnapshot;
}

export interface Site {
  /** The folder of the release, as an absolute path with all links resolved. */
  folder: string;
  id: string;
  /** SHA-256 of its content. The id is its beginning. */
  digest: string;
  baseUrl: string;
  /** By name. */
  listings: readonly ReleaseListing[];
  /** Absent for a plain release, which is its only listing. */
  top?: SiteTop;
}

const { id, base_url, count, pages, state } = SNAPSHOT_MEMBERS;
/** The form of the snapshot.json at the top of a site with several listings. */
export const siteSchema: z.ZodType<SiteSnapshot> = z.strictObject({
  id,
  base_url,
  listings: z
    .record(z.string().regex(LISTING_NAME), z.strictObject({ count, id, pages, state }))
    .refine((listings) => Object.keys(listings).length > 0),
});

/** Reads the snapshot.json at the top of a site with several listings; undefined if it is something else. */
export function parseSiteSnapshot(text: string): SiteSnapshot | undefined {
  return parseAs(siteSchema, text);
}

/** Reads the snapshot.json at the top of the site in a folder; undefined if it is something else. */
export async function readSiteSnapshot(folder: string): Promise<SiteSnapshot | undefined> {
  return parseSiteSnapshot(String(await readReleaseFile(join(folder, SNAPSHOT)).catch(() => "")));
}

/** The text of snapshot.json at the top of a site. */
export function encodeSiteSnapshot(snapshot: SiteSnapshot): string {
  return `${stringify(snapshot)}\n`;
}

/** Makes the snapshot.json at the top of a site. @param listings their names, snapshots and content digests */
export function describeSite(
  baseUrl: string,
  listings: readonly { name: string; snapshot: Snapshot; digest: string }[],
): { snapshot: SiteSnapshot; digest: string } {
  const digests = Object.fromEntries(listings.map(({ name, digest }) => [name, digest]));
  const digest = sha256(stringify({ base_url: baseUrl, listings: digests }));
  const facts = listings.map(({ name, snapshot: { count, id, pages, state } }) => [name, { count, id, pages, state }]);
  return { snapshot: { id: snapshotId(digest), base_url: baseUrl, listings: Object.fromEntries(facts) }, digest };
}

/** A plain release as a site of one listing. */
function plainSite(release: Release): Site {
  const { folder, digest, snapshot } = release;
  return { folder, id: snapshot.id, digest, baseUrl: snapshot.base_url, listings: [{ name: "", release }] };
}

/** The words for the records of several listings. */
export const RECORDS_WORDS = ["record", "records"] as const;

/** Figures of a site for messages. */
export interface SiteFacts {
  /** For one record and for many. */
  words: Contract["listing"]["words"];
  records: number;
  pages: number;
  /** The number of records of each of several listings, by name. */
  listings?: Record<string, number>;
}

/** Adds up the figures of a site's listings. */
export function factsOf({ listings, top }: Pick<Site, "listings" | "top">): SiteFacts {
  const snapshots = listings.map(({ release }) => release.snapshot);
  const records = snapshots.reduce((sum, { count }) => sum + count, 0);
  const pages = snapshots.reduce((sum, snapshot) => sum + snapshot.pages, 0);
  if (!top) return { words: listings[0]?.release.contract.listing.words ?? RECORDS_WORDS, records, pages };
  const counts = listings.map(({ name, release }) => [name, release.snapshot.count] as const);
  return { words: RECORDS_WORDS, records, pages, listings: Object.fromEntries(counts) };
}

/** All parts of a site: its listings, and the files at its top. */
export function partsOf({ listings, top }: Pick<Site, "listings" | "top">): ListedFolder[] {
  const parts = listings.map(({ name, release: { sums, isSigned } }) => ({ name, sums, isSigned }));
  return top ? [...parts, top] : parts;
}

/** All files of a part but `.release`, by path in the release, each with its digest; an empty one if none is listed. */
export function* filesOf({ name, sums, isSigned }: ListedFolder): Generator<[path: string, digest: string]> {
  for (const [path, digest] of listFiles(sums)) yield [pathInSite(name, path), digest];
  for (const path of unlistedFiles({ isSigned })) yield [pathInSite(name, path), ""];
}

/** The path in the release of a file in the folder of a listing, or at the top. */
export function pathInSite(name: string, path: string): string {
  return name === "" ? path : `${name}/${path}`;
}

/**
 * Opens the site in `folder`, without reading pages, see `openRelease`.
 * @throws UserError if there is no release, or it has a problem that `inspectSite` finds.
 */
export async function openSiteRelease(folder: string): Promise<Site> {
  const { site, problems, root } = await inspectSite(folder);
  if (site && problems.length === 0) return site;
  throw broken(root, problems);
}

/** Opens a site as `openSiteRelease` does; undefined if it does not exist, or is not complete. */
export async function openSiteIfComplete(folder: string): Promise<Site | undefined> {
  try {
    return await openSiteRelease(folder);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

interface Inspected {
  /** Absent if a part of it is unusable. */
  site?: Site;
  /** The names of several listings; absent for a plain release. */
  names?: string[];
  problems: Damage[];
  /** The folder with all links resolved. */
  root: string;
}

/**
 * Finds everything that keeps the site in `folder` from being opened: what `inspect` finds in each listing, and what differs
 * between the listings and the files at the top.
 * @throws UserError if there is no folder, or no release in it.
 */
export async function inspectSite(folder: string): Promise<Inspected> {
  const root = await realpath(folder).catch(() => folder);
  const text = String(await readReleaseFile(join(root, SNAPSHOT)).catch(() => ""));
  const snapshot = parseSiteSnapshot(text);
  if (!snapshot) {
    const { release, problems, root } = await inspect(folder);
    return { ...(release && { site: plainSite(release) }), problems, root };
  }
  const problems: Damage[] = [];
  const add = (path: string, found: string, expected: string) => {
    problems.push({ check: "site", path, found, expected });
  };
  const names = Object.keys(snapshot.listings).sort();
  const listings: ReleaseListing[] = [];
  for (const name of names) {
    const facts = snapshot.listings[name];
    const found = await inspectListing(join(root, name));
    problems.push(...found.problems.map((problem) => ({ ...problem, path: pathInSite(name, problem.path) })));
    if (!found.release) continue;
    const { release } = found;
    listings.push({ name, release });
    const { count, id, pages, state, base_url, site } = release.snapshot;
    if (stringify({ count, id, pages, state }) !== stringify(facts))
      add(`${name}/${SNAPSHOT}`, "other facts", `those of the site's ${SNAPSHOT}`);
    if (base_url !== `${snapshot.base_url}/${name}`)
      add(`${name}/${SNAPSHOT}`, `the base URL ${base_url}`, `${snapshot.base_url}/${name}`);
    else if (site !== snapshot.base_url)
      add(`${name}/${SNAPSHOT}`, site === undefined ? "no site" : `the site ${site}`, `the site ${snapshot.base_url}`);
  }
  const sums = await readTop(root);
  if ("why" in sums) add(SUMS, `a file that ${sums.why}`, "one line for each file at the top, and for each listing");
  else {
    const listed = [
      [SNAPSHOT, sha256(text)],
      ...listings.map(({ name }) => [`${name}/${SUMS}`, hashPlain(join(root, name, SUMS))]),
    ];
    for (const [path = "", digest] of listed)
      if (sums.others.get(path) !== digest)
        add(path, `other bytes, ${digest}`, `${sums.others.get(path) ?? "a line"} in ${SUMS}`);
  }
  if (listings.length < names.length || "why" in sums) return { names, problems, root };
  const described = describeSite(
    snapshot.base_url,
    listings.map(({ name, release }) => ({ name, ...release })),
  );
  if (described.snapshot.id !== snapshot.id)
    add(SNAPSHOT, `id ${snapshot.id}`, `${described.snapshot.id}, which its content gives`);
  const isSigned = hashPlain(join(root, SIGNATURE)) !== undefined;
  const top: SiteTop = { name: "", snapshot, sums, isSigned };
  const { digest } = described;
  const site = { folder: root, id: snapshot.id, digest, baseUrl: snapshot.base_url, listings, top };
  return { site, names, problems, root };
}

/** Inspects the folder of a listing, which may not exist. */
async function inspectListing(folder: string): Promise<Awaited<ReturnType<typeof inspect>>> {
  const refuse = (found: string) => {
    const problem: Damage = { check: "site", path: SNAPSHOT, found, expected: "a listing" };
    return { problems: [problem], root: folder };
  };
  try {
    const found = await inspect(folder);
    return found.root === folder ? found : refuse("a link that leads out of the release");
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refuse("no release");
  }
}

async function readTop(root: string): Promise<Sums | { why: string }> {
  const none = { paths: new PagePaths(DEFAULT_PATH), pages: 0, variants: [] };
  try {
    return await withReleaseFile(join(root, SUMS), (file, size) => readSums({ file, size }, none));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { why: `cannot be read (${codeOf(error)})` };
  }
}

/** The path of the first file of a site whose bytes do not match its digest; undefined if all do. */
export async function findSiteDamage(
  { folder, listings, top }: Site,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const { name, release } of listings) {
    const damage = await findDamage(release, signal);
    if (damage !== undefined) return pathInSite(name, damage);
  }
  return top && (await findAltered(folder, top.sums.others, signal));
}
