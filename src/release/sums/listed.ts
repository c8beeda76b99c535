/** The digests of pages, read from SHA256SUMS when they are asked for: a release may have any number of pages. */
import { createHash, type Hash } from "node:crypto";
import { read, readSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../../errors.js";
import { type DigestBytes, PageDigests, type PageSums } from "../digests.js";
import { closing, openPlain } from "../files.js";
import type { PagePaths, Variant } from "../layout.js";
import { BYTES, type SumsLayout } from "./layout.js";

/** Pages whose rows are proved together, and how many such blocks are read together by who reads all. */
const [ROWS, TOGETHER] = [256, 16] as const;
/** Blocks in memory: pages are mostly asked for in one order or another, and one order of names goes through several of numbers. */
const KEPT = 16;

const readFile = promisify(read);

/** A digest for each block of rows, from when they were written or first read: whoever asks later gets those rows, or an error. */
export class BlockProofs {
  /** Of the lines of plain pages. */
  readonly content: Hash = createHash("sha256");
  readonly #digests: Buffer;
  #count = 0;

  constructor(readonly layout: SumsLayout) {
    this.#digests = Buffer.alloc(Math.ceil(layout.pages / ROWS) * BYTES);
  }

  /** The first page of a block, and how many it has. */
  pagesOf(block: number): { first: number; count: number } {
    const first = block * ROWS + 1;
    return { first, count: Math.min(ROWS, this.layout.pages - first + 1) };
  }

  /** Takes the rows of the next block. */
  add(rows: Buffer): void {
    const { first, count } = this.pagesOf(this.#count);
    this.#digests.set(digestOf(rows), this.#count++ * BYTES);
    this.layout.hashPlain(rows, first, count, this.content);
  }

  fits(block: number, rows: Buffer): boolean {
    return digestOf(rows).equals(this.#digests.subarray(block * BYTES, (block + 1) * BYTES));
  }
}

/** The pages of SHA256SUMS, which begins with their rows. The file may be moved and is opened for each block, but never changes. */
export class ListedPages implements PageSums {
  /** By number; what was asked for last is at the end. */
  readonly #blocks = new Map<number, Buffer>();

  /**
   * @param proofs of all blocks.
   * @param kept all digests, where they are in memory.
   */
  constructor(
    private readonly path: string,
    private readonly proofs: BlockProofs,
    private readonly kept?: PageDigests,
  ) {}

  /**
   * Reads an open file while other work goes on.
   * @param isKept whether the digests stay in memory.
   * @returns undefined where it does not begin with the rows of exactly these pages.
   */
  static async read(file: number, path: string, layout: SumsLayout, isKept: boolean): Promise<ListedPages | undefined> {
    const { pages, variants } = layout;
    const proofs = new BlockProofs(layout);
    const kept = isKept ? new PageDigests(pages, variants) : undefined;
    const beginOf = (block: number) => layout.offset(Math.min(block * ROWS, pages) + 1);
    const blocks = Math.ceil(pages / ROWS);
    // The last row is the longest.
    const longest = layout.end - layout.offset(pages);
    const memory = Buffer.allocUnsafeSlow(Math.min(pages, ROWS * TOGETHER) * longest);
    for (let block = 0; block < blocks; ) {
      const begin = beginOf(block);
      const length = beginOf(block + TOGETHER) - begin;
      if ((await readFile(file, memory, 0, length, begin)).bytesRead < length) return undefined;
      for (const next = Math.min(blocks, block + TOGETHER); block < next; block++) {
        const { first, count } = proofs.pagesOf(block);
        const rows = memory.subarray(beginOf(block) - begin, beginOf(block + 1) - begin);
        if (!layout.areRows(rows, first, count, kept?.part(first, count))) return undefined;
        proofs.add(rows);
      }
    }
    return new ListedPages(path, proofs, kept);
  }

  get pages(): number {
    return this.proofs.layout.pages;
  }

  get variants(): readonly Variant[] {
    return this.proofs.layout.variants;
  }

  get(page: number, variant: Variant): string | undefined {
    if (this.kept) return this.kept.get(page, variant);
    if (!(page >= 1 && page <= this.pages) || !this.variants.includes(variant)) return undefined;
    const block = Math.floor((page - 1) / ROWS);
    return this.proofs.layout.digestIn(this.#read(block), block * ROWS + 1, page, variant);
  }

  slice(first: number, count: number): DigestBytes {
    if (this.kept) return this.kept.slice(first, count);
    const end = Math.min(first + count, this.pages + 1);
    const bytes = new Map(this.variants.map((variant) => [variant, new Uint8Array(Math.max(0, end - first) * BYTES)]));
    for (let page = first; page < end; ) {
      const block = Math.floor((page - 1) / ROWS);
      const next = Math.min(end, (block + 1) * ROWS + 1);
      for (const [variant, into] of bytes) {
        const rows = { rows: this.#read(block), first: block * ROWS + 1 };
        this.proofs.layout.decode(rows, { page, next, variant }, into.subarray((page - first) * BYTES));
      }
      page = next;
    }
    return Object.fromEntries(bytes);
  }

  *files(paths: PagePaths): Generator<[path: string, digest: string]> {
    for (let page = 1; page <= this.pages; page++)
      for (const variant of this.variants) yield [paths.path(page, variant), this.get(page, variant) ?? ""];
  }

  content(): Hash {
    return this.proofs.content.copy();
  }

  *lines(): Generator<Buffer> {
    for (let block = 0; block * ROWS < this.pages; block++) yield this.#read(block);
  }

  /** @throws UserError when the file has changed since, or is gone. */
  #read(block: number): Buffer {
    const known = this.#blocks.get(block);
    const rows = known ?? this.#readFile(block);
    this.#blocks.delete(block);
    this.#blocks.set(block, rows);
    if (this.#blocks.size > KEPT) this.#blocks.delete(this.#blocks.keys().next().value ?? block);
    return rows;
  }

  #readFile(block: number): Buffer {
    const { layout } = this.proofs;
    const { first, count } = this.proofs.pagesOf(block);
    const rows = Buffer.allocUnsafe(layout.offset(first + count) - layout.offset(first));
    const file = openPlain(this.path);
    const bytes =
      file === undefined ? 0 : closing(file, () => readSync(file, rows, 0, rows.length, layout.offset(first)));
    if (bytes === rows.length && this.proofs.fits(block, rows)) return rows;
    throw new UserError(
      `${this.path} has changed while it was in use, or is gone. Build again, or "rollcall use" another release than ${dirname(this.path)}.`,
    );
  }
}

function digestOf(rows: Buffer): Buffer {
  return createHash("sha256").update(rows).digest();
}
