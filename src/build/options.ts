/** The options of a build. Their defaults and ranges are in the settings table; `rollcall build --help` lists them. */
import { join } from "node:path";
import { type Gates, readGates } from "../core/compare/gates.js";
import { parseBaseUrl } from "../core/contract/base-url.js";
import { type Contract, contractOf } from "../core/contract/contract.js";
import { loadContract } from "../core/contract/file/load.js";
import { ENCODINGS, type Encoding } from "../core/contract/headers.js";
import { AVATAR_PATH } from "../core/contract/links.js";
import { kindOf } from "../core/contract/record/kind.js";
import { referencesOf } from "../core/contract/references.js";
import { USERS_CONTRACT } from "../core/contract/users.js";
import { beforeViews, formsOf, type GivenViews, type View, viewsOf } from "../core/contract/views.js";
import { manyMistakes, usageError } from "../core/errors.js";
import { suggest } from "../core/print/near.js";
import {
  BULK,
  CHANGES,
  CSV,
  CURRENT,
  DATA_PACKAGE,
  EXPLORER,
  FEED,
  isPacked,
  LOOKUP,
  PARQUET,
  SIGNATURE,
  VIEWS,
  VIEWS_FOLDER,
} from "../core/release/layout.js";
import { SITE_PATH } from "../core/release/location.js";
import { readSiteSnapshot } from "../core/release/site.js";
import { STDIN } from "../core/settings/kinds.js";
import { type Complete, dataOf, type OptionsFor, type SettingsOfListing } from "../core/settings/settings.js";
import { isFolder } from "../core/source/text-files.js";
import { type SourcePath, textFormatOf } from "../core/source/text-format.js";
import { hostSettings } from "../host/hosted-site.js";
import { pagesTogether } from "./artifacts/bulk.js";
import { describeApi } from "./artifacts/openapi/openapi.js";
import type { Password } from "./signer.js";

export interface BuildOptions extends Omit<OptionsFor<"build">, "listings"> {
  /** Several tables, by name: the path of each below the base URL. */
  listings?: Readonly<Record<string, SettingsOfListing>> | undefined;
  /** The SQLite or text file of records, a folder of text files, or several of them. */
  db: SourcePath;
  /** The URL that the listing will be served at: absolute http(s), optionally with a path. */
  baseUrl: string;
}

/** Defined here because the library's types must not import better-sqlite3's, which its users do not install. */
export type OnBuildProgress = (read: BuildProgress) => void;
interface BuildProgress {
  /** Counts of records, or of the things that `words` name. */
  records: number;
  total: number;
  /** The words for one and for many counted things, if they are not records: megabytes of a text file. */
  words?: readonly [one: string, many: string] | undefined;
}

export interface BuildEffects {
  /** The clock, for the name of the release's folder. */
  now?: (() => Date) | undefined;
  /** Called while a text file is read, then with 0 records, and then as records are read. */
  onProgress?: OnBuildProgress | undefined;
  /** The password of `signKey`, or a function that returns it. The function is called only for a key with a password, before anything is read. */
  signPassword?: Password | undefined;
  /** Stops the build, which then throws the signal's reason. Has no effect once the release is complete. */
  signal?: AbortSignal | undefined;
}

const ENCODING_NAMES = Object.keys(ENCODINGS) as Encoding[];

export type BuildSettings = Awaited<ReturnType<typeof resolveOptions>>;

export type SiteSettings = Awaited<ReturnType<typeof resolveSite>>;

/**
 * Derives from the options of a build what its stages need: for one listing, or for each of `listings`.
 * @throws UserError (usage) if they do not fit together
 */
export async function resolveSite({ listings: own, ...options }: Complete<BuildOptions>) {
  if (own === undefined) {
    for (const key of ["title", "description"] as const)
      if (options[key] !== undefined)
        throw usageError(
          `${key} is for a site of several listings; of one listing, set x-listing.${key} in its contract.`,
        );
    const settings = await resolveOptions(options);
    const { baseUrl, contract } = settings;
    const location = { baseUrl, path: contract.listing.path };
    const listings = [{ name: "", settings }];
    requireCsv(options, listings);
    const gatesOf = readGates(options, new Map([["", [contract]]]));
    const files = await forHosts(options, baseUrl, listings);
    return { ...options, baseUrl, location, isPlain: true, listings, gatesOf, ...files };
  }
  requireDatabase(options, Object.keys(own)[0] ?? "");
  const baseUrl = parseBaseUrl(options.baseUrl);
  const listings: { name: string; settings: BuildSettings }[] = [];
  for (const [name, given] of Object.entries(own).sort()) {
    const contract = await contractInSite(name, given.contract, options.contract);
    const whole = { ...options, ...given, contract: contract.file, baseUrl: `${baseUrl}/${name}` };
    listings.push({ name, settings: await resolveOptions(whole as Complete<BuildOptions>, name, baseUrl) });
  }
  requireTargets(listings);
  requireCsv(options, listings);
  const location = { baseUrl, path: SITE_PATH };
  const gatesOf = await gatesOfSite(options, own, listings);
  const files = await forHosts(options, baseUrl, listings);
  return { ...options, baseUrl, location, isPlain: false, listings, gatesOf, ...files };
}

/** @param flag of shards or their join, which leave out no records. @throws UserError (usage) if a listing would leave out some */
export function requireAllRecords(
  { skipInvalid, listings }: Pick<SiteSettings, "skipInvalid" | "listings">,
  flag: "--shard" | "--join",
): void {
  const skipping = listings.find(({ settings }) => settings.skipInvalid);
  if (!skipping) return;
  const setting = skipInvalid ? "--skip-invalid" : `listings.${skipping.name}.skipInvalid`;
  throw usageError(`${setting} and ${flag} exclude each other: every shard would have to check all records.`);
}

/** Finds the gates of each listing, also of those that the current release has and this one removes. */
async function gatesOfSite(
  options: Complete<Omit<BuildOptions, "listings">>,
  own: Readonly<Record<string, SettingsOfListing>>,
  listings: readonly { name: string; settings: BuildSettings }[],
): Promise<(listing: string) => Gates> {
  const current = await readSiteSnapshot(join(options.dist, CURRENT));
  const known = new Map<string, Contract[] | undefined>();
  for (const name of Object.keys(current?.listings ?? {})) known.set(name, undefined);
  for (const { name, settings } of listings) known.set(name, [settings.contract]);
  const gatesOf = readGates(options, known);
  for (const { name } of listings) gatesOf(name, own[name]);
  return (name) => gatesOf(name, own[name]);
}

/** The settings of hosts' files for a site, and the files that its release has for the hosts of `adapt`. */
async function forHosts(
  options: Complete<Omit<BuildOptions, "listings">>,
  baseUrl: string,
  listings: readonly { name: string; settings: BuildSettings }[],
) {
  const places = listings.map(({ name, settings }) => ({ name, path: settings.contract.listing.path }));
  const encodings = encodingsOf(options);
  const hosted = hostSettings({ baseUrl, listings: places, encodings }, options);
  // Loaded only when needed: most builds have no files for other hosts.
  const hosts = options.adapt?.length ? await import("../host/hosts.js") : undefined;
  return { hosted, hostFiles: hosts?.releaseFilesOf(options.adapt ?? [], hosted) ?? [] };
}

/** The codings of pages, always in one order, so that the same options make the same release. */
function encodingsOf({ compress }: Pick<BuildOptions, "compress">): Encoding[] {
  return ENCODING_NAMES.filter((encoding) => compress?.includes(encoding));
}

/**
 * Loads the contract of a listing of a site, its own or that of all. The name says what the path would, so the built-in contract
 * loses its path.
 */
async function contractInSite(
  name: string,
  own: BuildOptions["contract"],
  ofAll: BuildOptions["contract"],
): Promise<Contract> {
  const setting = own === undefined ? "contract" : `listings.${name}.contract`;
  const contract = await loadContract(own ?? ofAll, setting);
  const { path, ...listing } = contract.file["x-listing"];
  if (path === undefined) return contract;
  if (contract.text !== USERS_CONTRACT.text)
    throw usageError(`${setting}: remove x-listing.path: in a site, the name is the path.`);
  return contractOf({ ...contract.file, "x-listing": listing });
}

/** A site needs several tables, and settings for each. A text file alone has one table. @param first the name of a listing, as example */
function requireDatabase(options: Complete<BuildOptions>, first: string): void {
  const { db, table, query, views } = options;
  if (typeof db === "string" && !isFolder(db) && (db === STDIN || textFormatOf(db, options) !== undefined))
    throw usageError(
      `${db === STDIN ? "Standard input" : db} is one table, and listings are tables of a SQLite file or of several text files; give those as db.`,
    );
  if (table !== undefined || query !== undefined)
    throw usageError(
      `Each listing has a table or a query of its own; give it in listings.${first}.table or listings.${first}.query.`,
    );
  if (views !== undefined)
    throw usageError(
      `--views is for one listing, and here are several. Name the views of each in the config file, as in "listings": {${JSON.stringify(first)}: {"views": ["field"]}}.`,
    );
}

/** @throws UserError (usage) for a Data Package without a CSV file that it would describe */
function requireCsv(
  { dataPackage }: Pick<BuildOptions, "dataPackage">,
  listings: readonly { settings: BuildSettings }[],
): void {
  if (!dataPackage || listings.some(({ settings }) => settings.described.files.includes(CSV))) return;
  throw usageError(`--data-package describes ${CSV}, which is not made. Add --csv, or remove --data-package.`);
}

/** @throws UserError (usage) for references to listings that do not exist, or whose key has another type */
function requireTargets(listings: readonly { name: string; settings: BuildSettings }[]): void {
  const contracts = new Map(listings.map(({ name, settings }) => [name, settings.contract]));
  const mistakes: string[] = [];
  for (const [name, contract] of contracts)
    for (const { field, to } of referencesOf(contract)) {
      const key = contracts.get(to)?.key;
      const what = `listings.${name}: ${field.path} refers to ${to}`;
      if (!key) mistakes.push(`${what}, which is not a listing; ${suggest(to, [...contracts.keys()])}`);
      else if (kindOf(key.schema) !== kindOf(field.schema))
        mistakes.push(`${what}, whose key ${key.path} is ${kindOf(key.schema)}, not ${kindOf(field.schema)}.`);
    }
  if (mistakes.length > 0) throw manyMistakes("listings", mistakes);
}

/** The views of a listing. @throws UserError (usage) if they do not fit its contract */
function viewsFor(contract: Contract, given: GivenViews | undefined, listing: string): readonly View[] {
  const found = viewsOf(contract, given ?? {});
  if ("views" in found) return found.views;
  throw manyMistakes(
    "views",
    found.mistakes.map((mistake) => beforeViews(listing) + mistake),
  );
}

/** @throws UserError (usage) if the path of a listing begins with a name of the files that the options ask for */
function requireFreePath(
  { path }: Contract["listing"],
  { views, parquet }: { views: boolean; parquet: boolean },
): void {
  const first = path.split("/")[1]?.toLowerCase() ?? "";
  const choose = "Choose another path.";
  if (views && [VIEWS_FOLDER, VIEWS].includes(first))
    throw usageError(
      `views and x-listing.path ${path} exclude each other, since views are in ${VIEWS_FOLDER} and ${VIEWS}. ${choose}`,
    );
  if (parquet && first === PARQUET)
    throw usageError(
      `parquet and x-listing.path ${path} exclude each other, since parquet writes ${PARQUET}. ${choose}`,
    );
}

/**
 * Derives from the options of a build what the stages of a listing need.
 * @param name of the listing in its site; empty for a plain release.
 * @param site the base URL of the site, if the listing is one of several.
 * @throws UserError (usage) if they do not fit together
 */
async function resolveOptions(options: Complete<BuildOptions>, name = "", site?: string) {
  if (options.table !== undefined && options.query !== undefined)
    throw usageError("build: table and query exclude each other; give one of them.");
  const contract = await loadContract(options.contract);
  const baseUrl = parseBaseUrl(options.baseUrl, contract.listing.path);
  const encodings = encodingsOf(options);
  const hasAvatars = contract.fields.some(({ schema }) => schema["x-null"] && "setting" in schema["x-null"]);
  const carriesAvatar = hasAvatars && options.defaultAvatar === undefined;
  const { bulk, changes, csv, explorer, feed, links, pageSize, parquet } = options;
  const lookup = explorer || options.lookup;
  const views = viewsFor(contract, options.views, name);
  requireFreePath(contract.listing, { views: views.length > 0, parquet });
  const chosen = { ...options, contract, baseUrl, encodings, carriesAvatar, lookup, explorer, feed, views };
  const files = [
    ...(carriesAvatar ? [AVATAR_PATH] : []),
    ...(bulk ? [BULK] : []),
    ...(csv ? [CSV] : []),
    ...(parquet ? [PARQUET] : []),
    // A site has it at its top.
    ...(options.dataPackage && site === undefined ? [DATA_PACKAGE] : []),
    ...(changes > 0 ? [CHANGES] : []),
    // A site has its feed at the top.
    ...(feed && site === undefined ? [FEED] : []),
    ...(lookup ? [LOOKUP] : []),
    ...(explorer ? [EXPLORER] : []),
    ...(views.length > 0 ? [VIEWS] : []),
    ...(options.signKey === undefined ? [] : [SIGNATURE]),
  ];
  const defaultAvatar = options.defaultAvatar ?? `${baseUrl}/${AVATAR_PATH}`;
  const data = dataOf({
    pageSize,
    links,
    defaultAvatar,
    bulk,
    csv,
    parquet,
    contract: contract.file,
    baseUrl,
    compress: encodings,
    lookup,
    explorer,
    views: formsOf(options.views ?? {}).forms,
  });
  const packs = files.some((path) => path === BULK || isPacked(path));
  const described = { baseUrl, links, encodings, files, views, isInSite: site !== undefined };
  return {
    ...chosen,
    defaultAvatar,
    data,
    described,
    description: describeApi(contract, described),
    site,
    /** Whether records are compressed together. */
    packs,
    /** Number of pages, counted from page 1, whose records are compressed together. */
    pagesTogether: await pagesCompressedTogether(files, pageSize, packs),
  };
}

async function pagesCompressedTogether(files: readonly string[], pageSize: number, packs: boolean): Promise<number> {
  if (files.includes(PARQUET)) return (await import("./artifacts/parquet.js")).pagesOfGroup(pageSize);
  return packs ? pagesTogether(pageSize) : 1;
}
