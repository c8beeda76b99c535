/** Writes the lines of pages into SHA256SUMS while pages are written, in any order, so that nothing grows with their number. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DigestBytes } from "../digests.js";
import { type PagePaths, SUMS, type Variant } from "../layout.js";
import { SumsLayout } from "./layout.js";
import { BlockProofs, ListedPages } from "./listed.js";

export class SumsWriter {
  readonly #path: string;
  readonly #layout: SumsLayout;
  readonly #proofs: BlockProofs;
  #file: number | undefined;
  /** Rows that came before their turn, by their first page. */
  readonly #early = new Map<number, { count: number; rows: Buffer }>();
  /** The first page whose row has not come. */
  #next = 1;
  /** Rows of a block that is not whole yet. */
  #rows: Buffer[] = [];
  #block = 0;

  /** @param folder of the release, in which there is no SHA256SUMS yet. */
  constructor(folder: string, paths: PagePaths, pages: number, variants: readonly Variant[]) {
    this.#path = join(folder, SUMS);
    this.#layout = new SumsLayout(paths, pages, variants);
    this.#proofs = new BlockProofs(this.#layout);
    this.#file = openSync(this.#path, "wx");
  }

  /** Takes the digests of `count` pages from `first` on. */
  add(first: number, count: number, digests: DigestBytes): void {
    this.#early.set(first, { count, rows: this.#layout.encode(first, count, digests) });
    for (let found = this.#early.get(this.#next); found; found = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#append(found.rows, found.count);
    }
  }

  /** @returns the digests of all pages, of which each has come. The file is still to be flushed, with the lines of other files. */
  finish(): ListedPages {
    this.close();
    if (this.#next !== this.#layout.pages + 1) throw new Error(`${this.#next - 1} pages came of ${this.#layout.pages}`);
    return new ListedPages(this.#path, this.#proofs);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Rows are cut where a block ends: each block is proved by itself. */
  #append(rows: Buffer, count: number): void {
    const begin = this.#layout.offset(this.#next);
    for (const end = this.#next + count; this.#next < end; ) {
      const { first, count: length } = this.#proofs.pagesOf(this.#block);
      const next = Math.min(end, first + length);
      this.#rows.push(rows.subarray(this.#layout.offset(this.#next) - begin, this.#layout.offset(next) - begin));
      this.#next = next;
      if (next < first + length) continue;
      const block = Buffer.concat(this.#rows);
      writeFileSync(this.#file ?? -1, block);
      this.#proofs.add(block);
      this.#rows = [];
      this.#block++;
    }
  }
}
