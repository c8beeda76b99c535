/** The files of a release in the order in which they are published. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { UserError } from "../errors.js";
import { readReleaseFileSync, sha256 } from "../release/files.js";
import {
  BULK,
  CHANGES,
  EXPLORER,
  isForAdapters,
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
import { encodeSums } from "../release/sums.js";
import { cutPages, type PageRange, type Shard } from "../shards/cut.js";

export interface PublishedFile {
  /** In the order of publishing, from 0. */
  index: number;
  /** Inside the release, with `/`. */
  path: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
  /** Undefined for a file that is no page. */
  variant: Variant | undefined;
}

export interface Shape {
  paths: PagePaths;
  pages: number;
  variants: readonly Variant[];
  /** Paths of files that are neither pages nor SHA256SUMS, its signature or snapshot.json. */
  others: readonly string[];
  isSigned: boolean;
}

/** Of the files that announce others, those that SHA256SUMS lists, in their order. */
const ANNOUNCING: readonly string[] = [LOOKUP, SUMMARY, CHANGES, BULK];

/**
 * Numbers the files of a release. Numbers are computed, so that 1,000,000 pages take no more memory than one.
 *
 * The order is: other files, pages, lookup/index.json, explorer/summary.json, changes.json, bulk.json, SHA256SUMS, its
 * signature, snapshot.json, index.html. The last ones announce the others: none of them is ever that of sorted files, steps or
 * parts which are not there yet. The page for people is behind snapshot.json, so that nobody is given one whose script or data is
 * not there. Pages of records go from the last to the first: where records come newest first, new ones push older ones to later
 * pages, and a reader who meets pages that have just changed sees a record twice but misses none.
 */
export class FileOrder {
  readonly length: number;
  /** The number of the first file that announces the others. */
  readonly announcing: number;
  readonly shape: Shape;
  /** The files that announce the others. */
  readonly #last: readonly string[];
  readonly #first: readonly string[];
  readonly #otherIndex: ReadonlyMap<string, number>;

  constructor({ paths, pages, variants, others, isSigned }: Shape) {
    this.shape = { paths, pages, variants, others, isSigned };
    const among = (names: readonly string[]) => names.filter((name) => others.includes(name));
    this.#first = others.filter((path) => !ANNOUNCING.includes(path) && path !== EXPLORER);
    this.#last = [...among(ANNOUNCING), ...unlistedFiles({ isSigned }), SNAPSHOT, ...among([EXPLORER])];
    this.#otherIndex = new Map(this.#first.map((path, index) => [path, index]));
    this.announcing = this.#first.length + pages * variants.length;
    this.length = this.announcing + this.#last.length;
  }

  pathAt(index: number): string {
    const last = this.#last[index - this.announcing];
    if (last !== undefined) return last;
    const other = this.#first[index];
    if (other !== undefined) return other;
    const { paths, pages, variants } = this.shape;
    const position = index - this.#first.length;
    return paths.path(pages - Math.floor(position / variants.length), variants[position % variants.length]);
  }

  /** The numbers of all files of some pages, which follow each other: from `first` to the one before `end`. */
  filesOf({ first, last }: PageRange): { first: number; end: number } {
    const { pages, variants } = this.shape;
    const at = (page: number) => this.#first.length + (pages - page) * variants.length;
    return { first: at(last), end: at(first - 1) };
  }

  indexOf(path: string): number | undefined {
    const last = this.#last.indexOf(path);
    if (last >= 0) return this.announcing + last;
    const { paths, pages, variants } = this.shape;
    const found = paths.find(path);
    if (!found) return this.#otherIndex.get(path);
    const variant = variants.indexOf(found.variant);
    if (variant < 0 || found.page > pages) return undefined;
    return this.#first.length + (pages - found.page) * variants.length + variant;
  }
}

/**
 * What a target holds of a release: SHA256SUMS, its signature and what it lists, except what hosts include, which nobody may be served.
 * The digests of records are not for readers either, but they say no more than the pages do, and `rollcall diff` needs
 * them of a folder that is kept in git.
 */
export class ReleaseFiles extends FileOrder {
  readonly folder: string;
  readonly snapshot: Release["snapshot"];
  /** Whether a run puts only some of the pages, and others put the rest. */
  readonly isShare: boolean;
  /** The numbers of the files that a run puts where they are missing. */
  readonly #own: { first: number; end: number };
  readonly #sums: Release["sums"];
  readonly #unlisted: ReadonlyMap<string, string>;

  /**
   * @param shard whose pages alone are put.
   * @throws UserError when SHA256SUMS lists a path that may not be published.
   */
  constructor({ folder, snapshot, paths, sums, isSigned }: Release, shard?: Shard) {
    const others = [...sums.others.keys()].filter((path) => path !== SNAPSHOT && !isForAdapters(path));
    const unfit = others.find((path) => !isPublishable(path));
    if (unfit !== undefined)
      throw new UserError(
        `SHA256SUMS lists ${JSON.stringify(unfit)}, which is not a valid name for a file; build again.`,
      );
    super({ paths, pages: sums.pages.pages, variants: sums.pages.variants, others, isSigned });
    this.folder = folder;
    this.snapshot = snapshot;
    this.isShare = shard !== undefined;
    this.#own = shard ? this.filesOf(cutPages(sums.pages.pages, shard)) : { first: 0, end: this.length };
    this.#sums = sums;
    const hash = createHash("sha256");
    for (const text of encodeSums(sums)) hash.update(text);
    const signature = isSigned ? readReleaseFileSync(join(folder, SIGNATURE)) : undefined;
    this.#unlisted = new Map([
      [SUMS, hash.digest("hex")],
      [SIGNATURE, sha256(signature ?? "")],
    ]);
  }

  at(index: number): PublishedFile {
    const path = this.pathAt(index);
    const found = this.shape.paths.find(path);
    const { pages, others } = this.#sums;
    const listed = found ? pages.get(found.page, found.variant) : others.get(path);
    return { index, path, digest: this.#unlisted.get(path) ?? listed ?? "", variant: found?.variant };
  }

  isOwn(index: number): boolean {
    return index >= this.#own.first && index < this.#own.end;
  }

  /** Those that this run puts where they are missing. */
  *[Symbol.iterator](): Generator<PublishedFile> {
    for (let index = this.#own.first; index < this.#own.end; index++) yield this.at(index);
  }

  /** What this run puts, as SHA256SUMS lists it. */
  *digests(): Generator<[path: string, digest: string]> {
    for (const { path, digest } of this) yield [path, digest];
  }

  damaged(path: string): UserError {
    return new UserError(
      `Release ${basename(this.folder)} is damaged: ${path} does not match its digest. Build again, or publish another one with --release.`,
    );
  }
}

/** The names of all files that Rollcall keeps in a target for itself begin with this; a release has no such file. */
export const OWN_PREFIX = ".rollcall-";

/**
 * Whether a path may be written or removed in a target: no part leads up or out of it, `.git` is left to git, and
 * Rollcall's own files are not part of a release.
 */
export function isPublishable(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase()) && !part.startsWith(OWN_PREFIX))
  );
}
