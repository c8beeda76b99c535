/** SHA-256 digests of a release's files: 32 bytes a page in memory, SHA256SUMS on disk. */
import { findPage, pagePath, type Variant } from "./layout.js";

const BYTES = 32;

/** Digests of consecutive pages by variant, 32 bytes each: how threads tell each other. */
export type DigestBytes = Partial<Record<Variant, Uint8Array>>;

/** The digests of all pages in some variants, by page number. */
export class PageDigests {
  readonly #bytes: ReadonlyMap<Variant, Buffer>;

  constructor(
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#bytes = new Map(variants.map((variant) => [variant, Buffer.alloc(pages * BYTES)]));
  }

  /** The digests of `count` pages from `first` on, or of those of them that there are. */
  slice(first: number, count: number): DigestBytes {
    const part = [...this.#bytes].map(([variant, bytes]) => {
      return [variant, Uint8Array.from(bytes.subarray((first - 1) * BYTES, (first - 1 + count) * BYTES))];
    });
    return Object.fromEntries(part);
  }

  /** Takes over the digests of pages from `first` on. */
  fill(first: number, part: DigestBytes): void {
    for (const [variant, bytes] of this.#bytes) bytes.set(part[variant] ?? [], (first - 1) * BYTES);
  }

  /** Stores a digest given in hexadecimal. */
  set(page: number, variant: Variant, digest: string): void {
    this.#bytes.get(variant)?.write(digest, (page - 1) * BYTES, BYTES, "hex");
  }

  /** The digest of a page in a variant, or undefined when it was never set. */
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
}

/** What SHA256SUMS lists. */
export interface Sums {
  pages: PageDigests;
  /** Every other file's path and digest, by path. */
  others: ReadonlyMap<string, string>;
}

/** The lines of SHA256SUMS: pages in order, each with its variants, then other files by path. */
export function* encodeSums({ pages, others }: Sums): Generator<string> {
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of pages.variants) yield encodeSum(pages.get(page, variant), pagePath(page, variant));
  }
  for (const [path, digest] of others) yield encodeSum(digest, path);
}

/** One line, as `sha256sum -c` reads it. */
export function encodeSum(digest: string | undefined, path: string): string {
  return `${digest}  ${path}\n`;
}

/**
 * Reads SHA256SUMS of a release of `pages` pages.
 * @throws Error naming the line that is not of the form, or the page that has no or a second line.
 */
export function parseSums(text: string, pages: number, variants: readonly Variant[]): Sums {
  const expected = pages * variants.length;
  // What another file says is no reason to reserve memory.
  if (text.length < expected * encodeSum(UNSET, pagePath(1)).length)
    throw new Error(`it is too short for ${expected} page files`);
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  let found = 0;
  for (const line of linesOf(text)) {
    const [, digest, path] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (!digest || !path) throw new Error(`${JSON.stringify(line)} is no line of SHA256SUMS`);
    const at = findPage(path);
    if (!at) {
      others.set(path, digest);
      continue;
    }
    if (digests.get(at.page, at.variant) === undefined || digests.has(at.page, at.variant))
      throw new Error(`${path} is not expected, or listed twice`);
    digests.set(at.page, at.variant, digest);
    found++;
  }
  if (found !== expected) throw new Error(`${found} page files are listed, ${expected} were expected`);
  return { pages: digests, others };
}

const UNSET = "0".repeat(2 * BYTES);

/** Whole lines one by one: a list of a million of them would take more memory than the text. */
export function* linesOf(text: string): Generator<string, void> {
  for (let begin = 0; ; ) {
    const end = text.indexOf("\n", begin);
    if (end < 0) return;
    yield text.slice(begin, end);
    begin = end + 1;
  }
}
