/** Checks that datapackage.json is what the contracts and the files that it names make. */
import { join } from "node:path";
import {
  describePackage,
  describeSitePackage,
  type PackagedListing,
  packagedFiles,
} from "../../build/artifacts/data-package.js";
import { parseJson } from "../../core/contract/json.js";
import { DATA_PACKAGE, WHOLE_FILES } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { hashPlain, sha256 } from "../../core/release/plain-files.js";
import type { Site } from "../../core/release/site.js";
import type { AddFinding } from "./files.js";
import { readPageFile } from "./page-check.js";

const UNREAD = "a file that it names could not be read";

/** Checks the file of a plain release. @returns why it cannot be checked, if so */
export function checkPackage(release: Release, add: AddFinding): string | undefined {
  const listing = packaged("", release);
  if (!listing) return UNREAD;
  compare(release.folder, describePackage(listing.contract, listing.files), add);
  return undefined;
}

/** Checks the file at the top of a site, unless a listing, or a file that it names, cannot be read. That is a finding of another check. */
export function checkSitePackage({ folder, baseUrl, listings, top }: Site, add: AddFinding): void {
  if (!top?.sums.others.has(DATA_PACKAGE)) return;
  const all = listings.flatMap(({ name, release }) => packaged(name, release) ?? []);
  if (all.length < Object.keys(top.snapshot.listings).length) return;
  compare(folder, describeSitePackage({ baseUrl, ...titlesIn(folder) }, all), add);
}

/** A listing of a package; undefined if a file that the package names is not there. */
function packaged(name: string, { folder, contract, sums }: Release): PackagedListing | undefined {
  const files = packagedFiles(folder, sums.others);
  const named = WHOLE_FILES.filter((path) => sums.others.has(path));
  return files.length < named.length ? undefined : { name, contract, files };
}

/** The title and description of a site, which no other file has as they are. */
function titlesIn(folder: string): { title?: string; description?: string } {
  const bytes = readPageFile(join(folder, DATA_PACKAGE));
  const read = Buffer.isBuffer(bytes) ? parseJson(String(bytes)) : { why: "" };
  const { title, description } = Object("why" in read ? undefined : read.value);
  return { ...(typeof title === "string" && { title }), ...(typeof description === "string" && { description }) };
}

/** Compares the file, unless it is not there, which is a finding of another check. */
function compare(folder: string, text: string, add: AddFinding): void {
  const found = hashPlain(join(folder, DATA_PACKAGE));
  const expected = sha256(text);
  if (found !== undefined && found !== expected)
    add(DATA_PACKAGE, {
      found: `other bytes, ${found}`,
      expected: `${expected}, as the contract and the files that it names make it`,
    });
}
