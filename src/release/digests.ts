/** The SHA-256 digests of a release's files, as SHA256SUMS lists them. */
import { createHash, type Hash } from "node:crypto";
import type { PagePaths, Variant } from "./layout.js";
import { readSumLines } from "./sums/lines.js";

const BYTES = 32;

/** The digests of consecutive pages by variant, 32 bytes each: the form in which threads exchange them. */
export type DigestBytes = Partial<Record<Variant, Uint8Array>>;

/** The digests of all pages in some variants, wherever they are kept. */
export interface PageSums {
  readonly pages: number;
  readonly variants: readonly Variant[];
  /** A digest in hexadecimal; undefined when there is no such page (from 1) or variant. */
  get(page: number, variant: Variant): string | undefined;
  /** The digests of `count` pages from `first` on; fewer where there are no more pages. */
  slice(first: number, count: number): DigestBytes;
  /** Every file's path and digest, page by page. */
  files(paths: PagePaths): Generator<[path: string, digest: string]>;
  /** A hash that has taken the lines of all plain pages. */
  content(paths: PagePaths): Hash;
  /** All lines, as SHA256SUMS has them. */
  lines(paths: PagePaths): Generator<Uint8Array>;
}

/** Digests in memory, 32 bytes for each page and variant. */
export class PageDigests implements PageSums {
  readonly #bytes: ReadonlyMap<Variant, Buffer>;

  constructor(
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#bytes = new Map(variants.map((variant) => [variant, Buffer.alloc(pages * BYTES)]));
  }

  /** The memory of the digests of `count` pages from `first` on. */
  part(first: number, count: number): DigestBytes {
    const [begin, end] = [(first - 1) * BYTES, (first - 1 + count) * BYTES];
    return Object.fromEntries([...this.#bytes].map(([variant, bytes]) => [variant, bytes.subarray(begin, end)]));
  }

  slice(first: number, count: number): DigestBytes {
    const parts = Object.entries(this.part(first, count));
    return Object.fromEntries(parts.map(([variant, bytes]) => [variant, Uint8Array.from(bytes)]));
  }

  fill(first: number, part: DigestBytes): void {
    for (const [variant, bytes] of this.#bytes) bytes.set(part[variant] ?? [], (first - 1) * BYTES);
  }

  set(page: number, variant: Variant, digest: string): void {
    this.#bytes.get(variant)?.write(digest, (page - 1) * BYTES, BYTES, "hex");
  }

  find(page: number, variant: Variant): string | undefined {
    const digest = this.get(page, variant);
    return digest === UNSET ? undefined : digest;
  }

  has(page: number, variant: Variant): boolean {
    return this.find(page, variant) !== undefined;
  }

  /** The digest in hexadecimal; all zeros when it was never set, undefined when there is no such page or variant. */
  get(page: number, variant: Variant): string | undefined {
    const bytes = this.#bytes.get(variant);
    if (!bytes || page < 1 || page > this.pages) return undefined;
    return bytes.toString("hex", (page - 1) * BYTES, page * BYTES);
  }

  *files(paths: PagePaths): Generator<[path: string, digest: string]> {
    for (let page = 1; page <= this.pages; page++) {
      for (const variant of this.variants) yield [paths.path(page, variant), this.get(page, variant) ?? UNSET];
    }
  }

  content(paths: PagePaths): Hash {
    const hash = createHash("sha256");
    for (let page = 1; page <= this.pages; page++) hash.update(encodeSum(this.get(page, "identity"), paths.path(page)));
    return hash;
  }

  *lines(paths: PagePaths): Generator<Uint8Array> {
    for (const [path, digest] of this.files(paths)) yield Buffer.from(encodeSum(digest, path));
  }
}

export interface Sums {
  /** Where the pages are. */
  paths: PagePaths;
  pages: PageSums;
  /** Every other file's path and digest, by path. */
  others: ReadonlyMap<string, string>;
}

/** What SHA256SUMS lists: pages in order, each with its variants, then others by path. */
export function* listFiles({ paths, pages, others }: Sums): Generator<[path: string, digest: string]> {
  yield* pages.files(paths);
  yield* others;
}

export function* encodeSums(sums: Sums): Generator<string> {
  for (const [path, digest] of listFiles(sums)) yield encodeSum(digest, path);
}

/** One line of SHA256SUMS, as `sha256sum -c` reads it. */
export function encodeSum(digest: string | undefined, path: string): string {
  return `${digest}  ${path}\n`;
}

/**
 * What SHA256SUMS lists, in any order.
 * @param bytes how many the pieces have.
 * @throws Error naming a line that is not valid, or saying which pages are missing or listed twice.
 */
export function parseSums(
  pieces: Iterable<Uint8Array>,
  bytes: number,
  { paths, pages, variants }: Pick<Sums, "paths"> & Pick<PageSums, "pages" | "variants">,
): Sums {
  const expected = pages * variants.length;
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (bytes < expected * encodeSum(UNSET, paths.path(1)).length)
    throw new Error(`it is too short for ${expected} page files`);
  const digests = new PageDigests(pages, variants);
  let found = 0;
  const others = parseOthers(pieces, paths, (path, { page, variant }, digest) => {
    if (digests.get(page, variant) === undefined || digests.has(page, variant)) throw unexpected(path);
    digests.set(page, variant, digest);
    found++;
  });
  if (found !== expected) throw new Error(`${found} page files are listed, ${expected} were expected`);
  return { paths, pages: digests, others };
}

/** The files that are no pages, by path. @param onPage told of each line of a page. @throws Error naming a line that is not valid. */
export function parseOthers(
  pieces: Iterable<Uint8Array>,
  paths: PagePaths,
  onPage: (path: string, page: { page: number; variant: Variant }, digest: string) => void = (path) => {
    throw unexpected(path);
  },
): Map<string, string> {
  const others = new Map<string, string>();
  for (const { line, isWhole, sum } of readSumLines(pieces)) {
    if (!isWhole) break;
    if (!sum) throw new Error(`${JSON.stringify(line)} is no line of SHA256SUMS`);
    const found = paths.find(sum.path);
    if (found) onPage(sum.path, found, sum.digest);
    else others.set(sum.path, sum.digest);
  }
  return others;
}

function unexpected(path: string): Error {
  return new Error(`${path} is not expected, or listed twice`);
}

const UNSET = "0".repeat(2 * BYTES);
