/** SHA256SUMS: the digests of a release's files, 32 bytes for each page file in memory, and how they are written and read. */
import { createHash, type Hash } from "node:crypto";
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Snapshot } from "../contract/snapshot.js";
import { readBlocks } from "./files.js";
import type { PagePaths, Variant } from "./layout.js";

/** Of a digest in bytes, and in hexadecimal. */
const [BYTES, DIGITS] = [32, 64];
const UNSET = "0".repeat(DIGITS);

/** The digests of consecutive pages by variant, 32 bytes each: the form in which threads exchange them. */
export type DigestBytes = Partial<Record<Variant, Uint8Array>>;

/** The digests of all pages in some variants. Zeros stand for a digest that is not known. */
export class PageDigests {
  readonly #bytes: ReadonlyMap<Variant, Buffer>;

  constructor(
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#bytes = new Map(variants.map((variant) => [variant, Buffer.alloc(pages * BYTES)]));
  }

  /** Copies of the digests of `count` pages from page `first` on; fewer where there are no more pages. */
  slice(first: number, count: number): DigestBytes {
    const [begin, end] = [(first - 1) * BYTES, (first - 1 + count) * BYTES];
    const slices = [...this.#bytes].map(([variant, bytes]) => [variant, Uint8Array.from(bytes.subarray(begin, end))]);
    return Object.fromEntries(slices);
  }

  fill(first: number, digests: DigestBytes): void {
    for (const [variant, bytes] of this.#bytes) bytes.set(digests[variant] ?? [], (first - 1) * BYTES);
  }

  /** @param digest in hexadecimal. What stands behind it does not matter */
  set(page: number, variant: Variant, digest: string): void {
    this.#bytes.get(variant)?.write(digest, (page - 1) * BYTES, BYTES, "hex");
  }

  /** Whether there is such a page (from 1) and variant. */
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
  *files(paths: PagePaths): Generator<[path: string, digest: string]> {
    for (let page = 1; page <= this.pages; page++)
      for (const variant of this.variants) yield [paths.path(page, variant), this.get(page, variant) ?? UNSET];
  }

  /** A hash that has taken the lines of all plain pages. */
  content(paths: PagePaths): Hash {
    const hash = createHash("sha256");
    for (let page = 1; page <= this.pages; page++)
      hash.update(encodeSum(this.get(page, "identity") ?? "", paths.path(page)));
    return hash;
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
export function encodeSum(digest: string, path: string): string {
  return `${digest}  ${path}\n`;
}

/** An open SHA256SUMS. */
export interface OpenSums {
  file: number;
  size: number;
}

/** What pages a release should list. */
export type PagesToList = Pick<Sums, "paths"> & Pick<PageDigests, "pages" | "variants">;

export function pagesToList(
  paths: PagePaths,
  { pages, encodings }: Pick<Snapshot, "pages" | "encodings">,
): PagesToList {
  return { paths, pages, variants: ["identity", ...encodings] };
}

/** Lines that are read before other work goes on. */
const AT_ONCE = 5000;

/**
 * What a file lists, in any order of its lines.
 * @throws Error naming a line that is not valid, or saying which pages are missing or listed twice
 */
export async function readSums(from: OpenSums, { paths, pages, variants }: PagesToList): Promise<Sums> {
  const expected = pages * variants.length;
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (from.size < expected * (DIGITS + encodeSum("", paths.path(1)).length))
    throw new Error(`it is too short for ${expected} page files`);
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  let [read, found] = [0, 0];
  for (const { line, isWhole } of readSumLines(from.file)) {
    if (++read % AT_ONCE === 0) await setImmediate();
    if (!isWhole) break;
    const sum = parseSum(line);
    if (!sum) throw new Error(`${JSON.stringify(line)} is no line of SHA256SUMS`);
    const { path, digest } = sum;
    const page = paths.find(path);
    if (!page) others.set(path, digest);
    else if (!digests.includes(page.page, page.variant) || digests.get(page.page, page.variant) !== undefined)
      throw new Error(`${path} is not expected, or listed twice`);
    else {
      digests.set(page.page, page.variant, digest);
      found++;
    }
  }
  if (found !== expected) throw new Error(`${found} page files are listed, ${expected} were expected`);
  return { paths, pages: digests, others };
}

/** Bytes of the longest path, a digest and what is between them. A longer line is cut: it is no line of SHA256SUMS. */
const LONGEST = 4096 * 3 + DIGITS + 2;

interface SumLine {
  line: string;
  /** False for what stands behind the last newline, and is not too long. */
  isWhole: boolean;
}

/** The lines of an open SHA256SUMS, one by one. A line that is too long is the last one. */
export function* readSumLines(file: number): Generator<SumLine> {
  let rest = "";
  for (const block of readBlocks(file)) {
    const lines = (rest + block.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      yield { line: decoded(line), isWhole: true };
      if (line.length > LONGEST) return;
    }
    // The end of an endless line is not looked for.
    if (rest.length > LONGEST) break;
  }
  if (rest !== "") yield { line: decoded(rest), isWhole: rest.length > LONGEST };
}

const NOT_ASCII = /[^\0-\x7f]/;

/** The text of bytes, one character each. */
function decoded(bytes: string): string {
  const some = bytes.slice(0, LONGEST + 1);
  return NOT_ASCII.test(some) ? Buffer.from(some, "latin1").toString() : some;
}

const SUM = /^([0-9a-f]{64}) {2}(\S{1,4096})$/;
const LEADS_OUT = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Undefined for what is no line, or whose path leads out of the release. */
export function parseSum(line: string): { digest: string; path: string } | undefined {
  const [, digest = "", path = ""] = SUM.exec(line) ?? [];
  return digest === "" || digest === UNSET || LEADS_OUT.test(path) ? undefined : { digest, path };
}

/** Bytes that are searched at once, and in all: files that are no pages take far less. */
const [STEP, MOST] = [2 ** 16, 2 ** 26];

/** The digest that the last line of a path gives. Sought from the end, where files that are no pages are listed. */
export function findListed({ file, size }: OpenSums, path: string): string | undefined {
  const wanted = `  ${path}\n`;
  const memory = Buffer.alloc(STEP + DIGITS + wanted.length);
  for (let end = size; end > Math.max(0, size - MOST); end -= STEP) {
    const begin = Math.max(0, end - memory.length);
    const found = memory.subarray(0, readSync(file, memory, 0, end - begin, begin));
    const at = found.lastIndexOf(wanted);
    const [, digest] = /(?:^|\n)([0-9a-f]{64})$/.exec(found.toString("latin1", Math.max(0, at - DIGITS - 1), at)) ?? [];
    if (at >= 0 && digest !== undefined) return digest;
  }
  return undefined;
}
