/** The SHA-256 digests of a release's files: 32 bytes for each page file in memory, and SHA256SUMS on disk. */
import type { PagePaths, Variant } from "./layout.js";

const BYTES = 32;

/** The digests of consecutive pages by variant, 32 bytes each: the form in which threads exchange them. */
export type DigestBytes = Partial<Record<Variant, Uint8Array>>;

/** The digests of all pages in some variants, by page number, given in hexadecimal. */
export class PageDigests {
  readonly #bytes: ReadonlyMap<Variant, Buffer>;

  constructor(
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#bytes = new Map(variants.map((variant) => [variant, Buffer.alloc(pages * BYTES)]));
  }

  /** The digests of `count` pages from `first` on; fewer where there are no more pages. */
  slice(first: number, count: number): DigestBytes {
    const [begin, end] = [(first - 1) * BYTES, (first - 1 + count) * BYTES];
    return Object.fromEntries(
      [...this.#bytes].map(([key, bytes]) => [key, Uint8Array.from(bytes.subarray(begin, end))]),
    );
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

  /** Whether the digests of plain pages 1 to `pages` were all set. */
  isComplete(pages: number): boolean {
    for (let page = 1; page <= pages; page++) if (!this.has(page, "identity")) return false;
    return true;
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
}

export interface Sums {
  /** Where the pages are. */
  paths: PagePaths;
  pages: PageDigests;
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

/** @throws Error naming a line that is not valid, or saying which pages are missing or listed twice. */
export function parseSums(text: string, paths: PagePaths, pages: number, variants: readonly Variant[]): Sums {
  const expected = pages * variants.length;
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (text.length < expected * encodeSum(UNSET, paths.path(1)).length)
    throw new Error(`it is too short for ${expected} page files`);
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  let found = 0;
  for (const { line, sum } of readSumLines(text)) {
    if (!sum) throw new Error(`${JSON.stringify(line)} is no line of SHA256SUMS`);
    const { path, digest } = sum;
    const { page, variant } = paths.find(path) ?? {};
    if (page === undefined || variant === undefined) others.set(path, digest);
    else if (digests.get(page, variant) === undefined || digests.has(page, variant))
      throw new Error(`${path} is not expected, or listed twice`);
    else {
      digests.set(page, variant, digest);
      found++;
    }
  }
  if (found !== expected) throw new Error(`${found} page files are listed, ${expected} were expected`);
  return { paths, pages: digests, others };
}

const UNSET = "0".repeat(2 * BYTES);

/** One by one: a list of a million takes much memory. `sum` is there for a line whose path stays in the release. */
export function* readSumLines(text: string): Generator<{ line: string; sum?: { digest: string; path: string } }> {
  for (let begin = 0; ; ) {
    const end = text.indexOf("\n", begin);
    if (end < 0) return;
    const line = text.slice(begin, end);
    const [, digest = "", path = ""] = /^([0-9a-f]{64}) {2}(\S{1,4096})$/.exec(line) ?? [];
    const isInside = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
    yield isInside ? { line, sum: { digest, path } } : { line };
    begin = end + 1;
  }
}
