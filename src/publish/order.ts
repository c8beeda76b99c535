/** The files of a release, in the order in which they are published. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { UserError } from "../errors.js";
import {
  BULK,
  CHANGES,
  EXPLORER,
  LOOKUP,
  type PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMMARY,
  SUMS,
  unlistedFiles,
  type Variant,
} from "../release/layout.js";
import type { Release } from "../release/open.js";
import { hashPlain } from "../release/plain-files.js";
import { encodeSums } from "../release/sums.js";

export interface PublishedFile {
  /** Its number in the order of publishing, from 0. */
  index: number;
  /** Its path inside the release, with `/`. */
  path: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
  /** Undefined for a file that is not a page. */
  variant: Variant | undefined;
}

/** Files that refer to others, and that SHA256SUMS lists, in the order in which they are put. */
const ANNOUNCING: readonly string[] = [LOOKUP, SUMMARY, CHANGES, BULK];

/**
 * The files of a release that are published: SHA256SUMS, its signature, and all that it lists, except files for host
 * configurations. Numbers of files are computed, so memory does not grow with the number of pages.
 *
 * The order is: other files, pages, lookup/index.json, explorer/summary.json, changes.json, bulk.json, SHA256SUMS, its
 * signature, snapshot.json, index.html. Each of the last ones refers to files before it, so these are put first. The explorer
 * comes after snapshot.json, because it needs that and its own scripts. Pages go from the last to the first: where the newest
 * records come first, new ones push older ones to later pages, and a reader in between sees a record twice but misses none.
 */
export class ReleaseFiles {
  readonly folder: string;
  readonly snapshot: Release["snapshot"];
  readonly paths: PagePaths;
  readonly pages: number;
  readonly variants: readonly Variant[];
  /** All files that are not pages. */
  readonly others: readonly string[];
  readonly length: number;
  /** The number of the first file that refers to others. */
  readonly announcing: number;
  readonly #sums: Release["sums"];
  /** The digests of SHA256SUMS and its signature. */
  readonly #unlisted: ReadonlyMap<string, string>;
  /** Files before the pages, and files after them. */
  readonly #first: readonly string[];
  readonly #last: readonly string[];
  readonly #otherIndex: ReadonlyMap<string, number>;

  /** @throws UserError if SHA256SUMS lists a path that may not be published. */
  constructor({ folder, snapshot, paths, sums, isSigned }: Release) {
    const listed = [...sums.others.keys()].filter((path) => path !== SNAPSHOT);
    const unfit = listed.find((path) => !isPublishable(path));
    if (unfit !== undefined)
      throw new UserError(`SHA256SUMS lists ${JSON.stringify(unfit)}, which is not a valid file name; build again.`);
    const among = (names: readonly string[]) => names.filter((name) => listed.includes(name));
    this.folder = folder;
    this.snapshot = snapshot;
    this.paths = paths;
    this.pages = sums.pages.pages;
    this.variants = sums.pages.variants;
    this.others = [...listed, ...unlistedFiles({ isSigned }), SNAPSHOT];
    this.#first = listed.filter((path) => !ANNOUNCING.includes(path) && path !== EXPLORER);
    this.#last = [...among(ANNOUNCING), ...unlistedFiles({ isSigned }), SNAPSHOT, ...among([EXPLORER])];
    this.#otherIndex = new Map(this.#first.map((path, index) => [path, index]));
    this.announcing = this.#first.length + this.pages * this.variants.length;
    this.length = this.announcing + this.#last.length;
    this.#sums = sums;
    const hash = createHash("sha256");
    for (const text of encodeSums(sums)) hash.update(text);
    this.#unlisted = new Map([
      [SUMS, hash.digest("hex")],
      [SIGNATURE, hashPlain(join(folder, SIGNATURE)) ?? ""],
    ]);
  }

  /** The file with a number. */
  at(index: number): PublishedFile {
    const path = this.#pathAt(index);
    const found = this.paths.find(path);
    const { pages, others } = this.#sums;
    const listed = found ? pages.get(found.page, found.variant) : others.get(path);
    return { index, path, digest: this.#unlisted.get(path) ?? listed ?? "", variant: found?.variant };
  }

  /** The digest of a file; undefined if the release has no such file. */
  digestOf(path: string): string | undefined {
    const index = this.indexOf(path);
    return index === undefined ? undefined : this.at(index).digest;
  }

  /** The number of a file; undefined if the release has no such file. */
  indexOf(path: string): number | undefined {
    const last = this.#last.indexOf(path);
    if (last >= 0) return this.announcing + last;
    const found = this.paths.find(path);
    if (!found) return this.#otherIndex.get(path);
    const variant = this.variants.indexOf(found.variant);
    if (variant < 0 || found.page > this.pages) return undefined;
    return this.#first.length + (this.pages - found.page) * this.variants.length + variant;
  }

  *[Symbol.iterator](): Generator<PublishedFile> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  /** The error for a file that does not match its digest. */
  damaged(path: string): UserError {
    return new UserError(
      `Release ${basename(this.folder)} is damaged: ${path} does not match its digest. Build again, or publish another one with --release.`,
    );
  }

  #pathAt(index: number): string {
    const other = this.#last[index - this.announcing] ?? this.#first[index];
    if (other !== undefined) return other;
    const { pages, variants } = this;
    const position = index - this.#first.length;
    return this.paths.path(pages - Math.floor(position / variants.length), variants[position % variants.length]);
  }
}

/** The beginning of names of Rollcall's own files in a target. A release has no such file. */
export const OWN_PREFIX = ".rollcall-";

/**
 * Whether a path may be written or removed in a target: it must not lead out of the target, or have a part that is `.git` or
 * the name of one of Rollcall's own files.
 */
export function isPublishable(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase()) && !part.startsWith(OWN_PREFIX))
  );
}
