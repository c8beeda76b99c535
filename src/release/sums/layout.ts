/** Where each page's lines stand in SHA256SUMS: pages come first and in order, so their places follow from their numbers. */
import type { Hash } from "node:crypto";
import type { PagePaths, Variant } from "../layout.js";

/** Of a digest in bytes, and in hexadecimal. */
export const [BYTES, DIGITS] = [32, 64] as const;

/** A page number may have nine digits, and the one behind the last page ten. */
const MOST_DIGITS = 10;
const [ZERO, A] = [48, 97];
/** The value of a hexadecimal digit in lower case, by its character; `NONE` for any other character. */
const NONE = 255;
const VALUES = new Uint8Array(256).fill(NONE);
for (let value = 0; value < 16; value++) VALUES[value < 10 ? ZERO + value : A + value - 10] = value;

/** A row is the lines of a page, one for each variant. Rows of page numbers with equally many digits are equally long. */
export class SumsLayout {
  /** Where the rows end, and the lines of other files begin. */
  readonly end: number;
  /** What stands between a digest and the page's number. */
  readonly #before: Buffer;
  /** What stands behind the number, by variant. */
  readonly #behind: readonly Buffer[];
  /** For page numbers of one digit, of two and so on: the first, where its row begins, and how long each row is. */
  readonly #spans: { first: number; at: number; row: number }[] = [];

  constructor(
    readonly paths: PagePaths,
    readonly pages: number,
    readonly variants: readonly Variant[],
  ) {
    this.#before = Buffer.from(`  ${paths.folder}/`);
    const behind = variants.map((variant) => `${paths.path(1, variant).slice(paths.folder.length + 2)}\n`);
    this.#behind = behind.map((text) => Buffer.from(text));
    for (let [digits, at] = [1, 0]; digits <= MOST_DIGITS; digits++) {
      const first = 10 ** (digits - 1);
      const row = variants.reduce((sum, _, variant) => sum + this.#lineLength(digits, variant), 0);
      this.#spans.push({ first, at, row });
      at += row * 9 * first;
    }
    this.end = this.offset(pages + 1);
  }

  /** Where a page's row begins; for the page behind the last one, where the rows end. */
  offset(page: number): number {
    const { first, at, row } = this.#spans[String(page).length - 1] ?? { first: 1, at: 0, row: 0 };
    return at + (page - first) * row;
  }

  /** The rows of `count` pages from `first` on, as they are written. */
  encode(first: number, count: number, digests: Partial<Record<Variant, Uint8Array>>): Buffer {
    const all = this.variants.map((variant) => Buffer.from(digests[variant] ?? []));
    const lines: string[] = [];
    for (let at = 0; at < count; at++)
      for (const [index, variant] of this.variants.entries())
        lines.push(
          `${all[index]?.toString("hex", at * BYTES, (at + 1) * BYTES)}  ${this.paths.path(first + at, variant)}\n`,
        );
    return Buffer.from(lines.join(""));
  }

  /** Whether bytes are the rows of `count` pages from `first` on, whatever digests they give. Zeros stand for none. */
  areRows(bytes: Buffer, first: number, count: number): boolean {
    let at = 0;
    for (let page = first; page < first + count; page++) {
      const digits = String(page).length;
      for (const behind of this.#behind) {
        let any = 0;
        for (const end = at + DIGITS; at < end; at++) {
          const value = VALUES[bytes[at] ?? 0] ?? NONE;
          if (value === NONE) return false;
          any |= value;
        }
        if (any === 0) return false;
        if (!isAt(bytes, at, this.#before)) return false;
        at += this.#before.length + digits;
        for (let [left, last] = [page, at - 1]; left > 0; left = Math.floor(left / 10), last--)
          if (bytes[last] !== ZERO + (left % 10)) return false;
        if (!isAt(bytes, at, behind)) return false;
        at += behind.length;
      }
    }
    return at === bytes.length;
  }

  /** The digests of one variant of pages from `page` to before `next`, in rows that begin with that of `first`. */
  decode(
    { rows, first }: { rows: Buffer; first: number },
    { page: begin, next, variant }: { page: number; next: number; variant: Variant },
    into: Uint8Array,
  ): void {
    const index = this.variants.indexOf(variant);
    let [at, row, digits] = [0, 0, 0];
    for (let [page, to] = [begin, 0]; page < next; page++, at += row) {
      if (String(page).length > digits) {
        digits = String(page).length;
        row = this.offset(page + 1) - this.offset(page);
        at = this.offset(page) - this.offset(first) + this.#lineIn(page, index);
      }
      let from = at;
      for (const end = to + BYTES; to < end; to++, from += 2)
        into[to] = ((VALUES[rows[from] ?? 0] ?? 0) << 4) | (VALUES[rows[from + 1] ?? 0] ?? 0);
    }
  }

  /** The digest of a page in rows from that of `first` on, in hexadecimal; undefined where there is no such variant. */
  digestIn(rows: Buffer, first: number, page: number, variant: Variant): string | undefined {
    const index = this.variants.indexOf(variant);
    const at = this.offset(page) - this.offset(first) + this.#lineIn(page, index);
    return index < 0 ? undefined : rows.toString("latin1", at, at + DIGITS);
  }

  /** Adds the lines of plain pages, which alone count in the id. */
  hashPlain(rows: Buffer, first: number, count: number, hash: Hash): void {
    if (this.variants.length === 1) hash.update(rows);
    else
      for (let page = first; page < first + count; page++) {
        const at = this.offset(page) - this.offset(first);
        hash.update(rows.subarray(at, at + this.#lineLength(String(page).length, 0)));
      }
  }

  /** Where a variant's line begins in its page's row. */
  #lineIn(page: number, variant: number): number {
    let at = 0;
    for (let before = 0; before < variant; before++) at += this.#lineLength(String(page).length, before);
    return at;
  }

  #lineLength(digits: number, variant: number): number {
    return DIGITS + this.#before.length + digits + (this.#behind[variant]?.length ?? 0);
  }
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
