/** SHA256SUMS: the digests of all files of a release. In memory, the digest of a page file takes 32 bytes. */
import { readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setImmediate } from "node:timers/promises";
import type { Snapshot } from "../contract/snapshot.js";
import { shorten } from "../print/text.js";
import type { NumberedPaths, PagePaths, Variant } from "./layout.js";
import { readBlocks } from "./plain-files.js";

/** Length of a digest in bytes. */
const BYTES = 32;
/** Length of a digest in hexadecimal digits. */
const DIGITS = 64;
const UNSET = "0".repeat(DIGITS);

/** The digests of consecutive pages by variant, 32 bytes each. Threads exchange digests in this form. */
export type DigestBytes = Partial<Record<Variant, Uint8Array>>;

/** The digests of all pages in some variants. 32 zero bytes mean that a digest is not known. */
export class PageDigests {
  readonly #bytes: ReadonlyMap<Variant, Buffer>;

  constructor(
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#bytes = new Map(variants.map((variant) => [variant, Buffer.alloc(pages * BYTES)]));
  }

  /** Copies the digests of `count` pages from page `first` on, or fewer at the end. */
  slice(first: number, count: number): DigestBytes {
    const begin = (first - 1) * BYTES;
    const end = (first - 1 + count) * BYTES;
    const slices = [...this.#bytes].map(([variant, bytes]) => [variant, Uint8Array.from(bytes.subarray(begin, end))]);
    return Object.fromEntries(slices);
  }

  /** Sets the digests of consecutive pages from page `first` on. */
  fill(first: number, digests: DigestBytes): void {
    for (const [variant, bytes] of this.#bytes) bytes.set(digests[variant] ?? [], (first - 1) * BYTES);
  }

  /** @param digest hexadecimal; anything after its 64 digits is ignored */
  set(page: number, variant: Variant, digest: string): void {
    this.#bytes.get(variant)?.write(digest, (page - 1) * BYTES, BYTES, "hex");
  }

  /** Whether the release has this page (from 1) in this variant. */
  includes(page: number, variant: Variant): boolean {
    return this.#bytes.has(variant) && page >= 1 && page <= this.pages;
  }

  /** The digest in hexadecimal; undefined where it is not known. */
  get(page: number, variant: Variant): string | undefined {
    const bytes = this.includes(page, variant) ? this.#bytes.get(variant) : undefined;
    const digest = bytes?.toString("hex", (page - 1) * BYTES, page * BYTES);
    return digest === UNSET ? undefined : digest;
  }

  /** Every file's path and digest, page by page. */
  *files(paths: NumberedPaths): Generator<[path: string, digest: string]> {
    for (let page = 1; page <= this.pages; page++)
      for (const variant of this.variants) yield [paths.path(page, variant), this.get(page, variant) ?? UNSET];
  }
}

/** The content of SHA256SUMS. */
export interface Sums<Paths extends NumberedPaths = PagePaths> {
  /** The paths of the pages. */
  paths: Paths;
  pages: PageDigests;
  /** Every other file's path and digest, by path. */
  others: ReadonlyMap<string, string>;
}

/** All files that SHA256SUMS lists, with digests: pages in order, each in all variants, then others by path. */
export function* listFiles({ paths, pages, others }: Sums<NumberedPaths>): Generator<[path: string, digest: string]> {
  yield* pages.files(paths);
  yield* others;
}

/** Characters of SHA256SUMS that are yielded at once. */
const CHUNK = 2 ** 16;

/** The text of SHA256SUMS, in parts. */
export function* encodeSums(sums: Sums<NumberedPaths>): Generator<string> {
  let text = "";
  for (const [path, digest] of listFiles(sums)) {
    text += encodeSum(digest, path);
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** One line of SHA256SUMS, as `sha256sum -c` reads it. */
export function encodeSum(digest: string, path: string): string {
  return `${digest}  ${path}\n`;
}

/** An open SHA256SUMS: its descriptor and its size in bytes. */
export interface OpenSums {
  file: number;
  size: number;
}

/** Which pages SHA256SUMS should list, and in which variants. */
export type PagesToList<Paths extends NumberedPaths = PagePaths> = Pick<Sums<Paths>, "paths"> &
  Pick<PageDigests, "pages" | "variants">;

/** The pages that a release with this snapshot.json should list. */
export function pagesToList(
  paths: PagePaths,
  { pages, encodings }: Pick<Snapshot, "pages" | "encodings">,
): PagesToList {
  return { paths, pages, variants: ["identity", ...encodings] };
}

/** Lines that are read before the event loop gets a turn. */
const AT_ONCE = 5000;

/** Reads a whole SHA256SUMS, whose lines may be in any order. `why` is the end of a sentence about what is wrong with it. */
export async function readSums<Paths extends NumberedPaths>(
  { file, size }: OpenSums,
  { paths, pages, variants }: PagesToList<Paths>,
): Promise<Sums<Paths> | { why: string }> {
  const expected = pages * variants.length;
  // The number of pages comes from another file, so check it before memory is allocated for it.
  if (size < expected * (encodeSum(UNSET, "").length + paths.shortest))
    return { why: `is too short for ${expected} page files` };
  if (!endsLine(file, size)) return { why: "has no newline at its end" };
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  let read = 0;
  let found = 0;
  for (const line of readSumLines(file)) {
    if (++read % AT_ONCE === 0) await setImmediate();
    const sum = parseSum(line);
    if (!sum)
      return {
        why: `has the line ${JSON.stringify(shorten(line, 100))}, not 64 hexadecimal digits, two spaces and a path`,
      };
    const { path, digest } = sum;
    const { page = 0, variant = "identity" } = paths.find(path) ?? {};
    const isListed = page === 0 ? others.has(path) : digests.get(page, variant) !== undefined;
    if (isListed) return { why: `lists ${path} twice` };
    if (page === 0) others.set(path, digest);
    else if (!digests.includes(page, variant)) return { why: `lists ${path}, which is not one of ${pages} pages` };
    else {
      digests.set(page, variant, digest);
      found++;
    }
  }
  if (found !== expected) return { why: `lists ${found} page files, not ${expected}` };
  return { paths, pages: digests, others };
}

function endsLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, Math.max(0, size - 1));
  return String(last) === "\n";
}

/** Maximum length of a line: a digest, two spaces and a path. */
const LONGEST = DIGITS + 2 + 4096;

/** Reads the lines of an open SHA256SUMS. A line that is too long is truncated to an invalid one. */
function* readSumLines(file: number): Generator<string> {
  const cut = (line: string) => line.slice(0, LONGEST + 1);
  const decoder = new StringDecoder("utf8");
  let unfinished = "";
  for (const block of readBlocks(file)) {
    const lines = (unfinished + decoder.write(block)).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) yield cut(line);
    // The line is too long already: its end does not matter.
    if (unfinished.length > LONGEST) break;
  }
  if (unfinished !== "") yield cut(unfinished);
}

const SUM = /^([0-9a-f]{64}) {2}(\S{1,4096})$/;
const LEADS_OUT = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Parses a line of SHA256SUMS; undefined for a line that is not valid, or whose path leads out of the release. */
export function parseSum(line: string): { digest: string; path: string } | undefined {
  const [, digest = "", path = ""] = SUM.exec(line) ?? [];
  return digest === "" || digest === UNSET || LEADS_OUT.test(path) ? undefined : { digest, path };
}
