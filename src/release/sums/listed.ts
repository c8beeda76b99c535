/** The digests of pages, read from SHA256SUMS when they are asked for: a release may have any number of pages. */
import { createHash, type Hash } from "node:crypto";
import { read, readSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../../errors.js";
import type { DigestBytes, PageSums } from "../digests.js";
import { closing, openPlain } from "../files.js";
import type { PagePaths, Variant } from "../layout.js";
import { BYTES, type SumsLayout } from "./layout.js";

/** Pages whose rows are read together. */
const ROWS = 256;
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

  /** @param proofs of all blocks. */
  constructor(
    private readonly path: string,
    private readonly proofs: BlockProofs,
  ) {}

  /** Reads an open file while other work goes on. @returns undefined where it does not begin with the rows of exactly these pages. */
  static async read(file: number, path: string, layout: SumsLayout): Promise<ListedPages | undefined> {
    const proofs = new BlockProofs(layout);
    for (let block = 0; block * ROWS < layout.pages; block++) {
      const { first, count } = proofs.pagesOf(block);
      const rows = Buffer.allocUnsafe(layout.offset(first + count) - layout.offset(first));
      const { bytesRead } = await readFile(file, rows, 0, rows.length, layout.offset(first));
      if (bytesRead < rows.length || !layout.areRows(rows, first, count)) return undefined;
      proofs.add(rows);
    }
    return new ListedPages(path, proofs);
  }

  get pages(): number {
    return this.proofs.layout.pages;
  }

  get variants(): readonly Variant[] {
    return this.proofs.layout.variants;
  }

  get(page: number, variant: Variant): string | undefined {
    if (!(page >= 1 && page <= this.pages) || !this.variants.includes(variant)) return undefined;
    const block = Math.floor((page - 1) / ROWS);
    return this.proofs.layout.digestIn(this.#read(block), block * ROWS + 1, page, variant);
  }

  slice(first: number, count: number): DigestBytes {
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
