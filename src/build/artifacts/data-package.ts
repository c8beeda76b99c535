/** datapackage.json: a Data Package, version 2, of the files that hold all records. */
import { lstatSync } from "node:fs";
import { extname, join } from "node:path";
import type { Contract } from "../../core/contract/contract.js";
import { isHttpUrl } from "../../core/contract/links.js";
import { referencesOf } from "../../core/contract/references.js";
import { CSV, fileHeaders, PARQUET, WHOLE_FILES } from "../../core/release/layout.js";
import { pathInSite } from "../../core/release/site.js";
import type { Sums } from "../../core/release/sums.js";
import type { DescribedSite } from "../../explorer/overview.js";
import { type Described, type ForeignKey, tableSchema } from "./table-schema.js";

/** A listing, and its files that hold all records. */
export interface PackagedListing {
  /** Empty for a plain release. */
  name: string;
  contract: Contract;
  files: readonly PackagedFile[];
}

export interface PackagedFile {
  /** In the folder of the listing. */
  path: string;
  sha256: string;
  bytes: number;
}

/** Finds the files of a listing that the package names. @param others the digests of its files; one that does not exist is left out */
export function packagedFiles(folder: string, others: Sums["others"]): PackagedFile[] {
  return WHOLE_FILES.flatMap((path) => {
    const sha256 = others.get(path);
    const bytes = lstatSync(join(folder, path), { throwIfNoEntry: false })?.size;
    return sha256 === undefined || bytes === undefined ? [] : [{ path, sha256, bytes }];
  });
}

/** Writes datapackage.json of a plain release. Equal arguments give equal bytes. */
export function describePackage(contract: Contract, files: readonly PackagedFile[]): string {
  const { publisher, contact } = contract.listing;
  const listing = { name: "", contract, files };
  const names = resourceNames([listing]);
  return written({
    name: names.get(CSV),
    ...aboutOf(contract),
    contributors:
      publisher === undefined ? undefined : [{ title: publisher, ...contactOf(contact), roles: ["publisher"] }],
    // In a plain release, references lead nowhere.
    resources: resourcesOf(listing, names, []),
  });
}

/** Writes datapackage.json at the top of a site, of all listings that have a CSV file. Equal arguments give equal bytes. */
export function describeSitePackage(site: DescribedSite, all: readonly PackagedListing[]): string {
  const listings = all.filter(({ files }) => files.some(({ path }) => path === CSV));
  const names = resourceNames(listings);
  const { host, pathname } = new URL(site.baseUrl);
  const resources = listings.flatMap((listing) => {
    const about = aboutOf(listing.contract);
    const foreignKeys = foreignKeysOf(listing, listings, names);
    return resourcesOf(listing, names, foreignKeys).map((resource) => ({ ...resource, ...about }));
  });
  return written({
    name: resourceName(`${host}${pathname}`),
    title: site.title,
    description: site.description,
    resources,
  });
}

function written(described: Described): string {
  const document = { $schema: "https://datapackage.org/profiles/2.0/datapackage.json", ...described };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What a contract says of its listing as a whole. */
function aboutOf({ listing, file }: Contract): Described {
  const { title, description = file.description, license, source } = listing;
  return {
    title,
    description,
    licenses: license === undefined ? undefined : [licenseOf(license)],
    sources: source === undefined ? undefined : [{ title: source, path: source }],
  };
}

function licenseOf(license: string): Described {
  if (isHttpUrl(license)) return { path: license };
  // The name of a licence has no plus sign.
  return license.includes("+") ? { path: `https://spdx.org/licenses/${license}.html` } : { name: license };
}

function contactOf(contact: string | undefined): Described {
  if (contact === undefined) return {};
  return isHttpUrl(contact) ? { path: contact } : { email: contact };
}

/**
 * The names of all resources, by the paths of their files. A CSV file has the name of its listing, and a Parquet file that of the
 * CSV file and an ending. Names that would be equal get numbers.
 */
function resourceNames(listings: readonly PackagedListing[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const path of WHOLE_FILES)
    for (const { name, contract, files } of listings) {
      if (!files.some((file) => file.path === path)) continue;
      const table = names.get(pathInSite(name, CSV));
      const base = table === undefined ? resourceName(name || contract.listing.words[1]) : table + extname(path);
      let own = base;
      for (let number = 2; taken.has(own); number++) own = `${base}-${number}`;
      taken.add(own);
      names.set(pathInSite(name, path), own);
    }
  return names;
}

/** A name of lower-case letters, digits and `._-`: `v1.orders` for `v1/Orders`. */
function resourceName(text: string): string {
  const name = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/\//g, ".")
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  return name || "records";
}

function resourcesOf(
  { name, contract, files }: PackagedListing,
  names: ReadonlyMap<string, string>,
  foreignKeys: readonly ForeignKey[],
): Described[] {
  return files.map(({ path, sha256, bytes }) => ({
    name: names.get(pathInSite(name, path)),
    path: pathInSite(name, path),
    ...(path === CSV ? TABLE : PARQUET_FILE),
    bytes,
    hash: `sha256:${sha256}`,
    schema: path === CSV ? tableSchema(contract, foreignKeys) : undefined,
  }));
}

const TABLE = {
  type: "table",
  // Programs that know version 1 look for it.
  profile: "tabular-data-resource",
  format: "csv",
  mediatype: "text/csv",
  encoding: "utf-8",
  compression: "gz",
  dialect: { lineTerminator: "\n" },
} as const;

const PARQUET_FILE = { format: "parquet", mediatype: fileHeaders(PARQUET, "")["Content-Type"] } as const;

/** The references of a listing that hold for all of its records, to listings of the package. */
function foreignKeysOf(
  { name, contract }: PackagedListing,
  listings: readonly PackagedListing[],
  names: ReadonlyMap<string, string>,
): ForeignKey[] {
  return referencesOf(contract).flatMap(({ field, to, isObserved }) => {
    const target = listings.find((other) => other.name === to);
    if (isObserved || !target) return [];
    const resource = to === name ? undefined : names.get(pathInSite(to, CSV));
    return [{ field, key: target.contract.key, resource }];
  });
}
