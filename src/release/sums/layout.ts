/** Where each page's lines stand in SHA256SUMS: pages come first and in order, so their places follow from their numbers. */
import type { Hash } from "node:crypto";
import type { PagePaths, Variant } from "../layout.js";

/** Of a digest in bytes, and in hexadecimal. */
export const [BYTES, DIGITS] = [32, 64] as const;

/** A page number may have nine digits, and the one behind the last page ten. */
const MOST_DIGITS = 10;
const ZERO = 48;
const EMPTY: Buffer = Buffer.alloc(0);
/** The byte that two hexadecimal digits in lower case say, by their two characters; `NONE` for any others. */
const NONE = 256;
const PAIRS = new Uint16Array(2 ** 16).fill(NONE);
for (let byte = 0; byte < 256; byte++) PAIRS[Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE()] = byte;

/** The byte that the two digits at a place say, or `NONE`. */
function byteAt(digits: Uint8Array, at: number): number {
  return PAIRS[((digits[at] ?? 0) << 8) | (digits[at + 1] ?? 0)] ?? NONE;
}

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

  /**
   * Whether bytes are the rows of `count` pages from `first` on, whatever digests they give. Zeros stand for none.
   * @param into takes the digests of each variant.
   */
  areRows(bytes: Buffer, first: number, count: number, into: Partial<Record<Variant, Uint8Array>> = {}): boolean {
    let at = 0;
    for (let page = first; page < first + count; page++)
      for (let variant = 0; variant < this.#behind.length; variant++) {
        const digests = into[this.variants[variant] ?? "identity"];
        if (!isDigest(bytes, at, digests, (page - first) * BYTES)) return false;
        at = this.#endOfPath(bytes, at + DIGITS, page, this.#behind[variant]);
        if (at < 0) return false;
      }
    return at === bytes.length;
  }

  /** Where a line ends whose digest ends at a place; -1 where it is not of this page. */
  #endOfPath(bytes: Buffer, from: number, page: number, behind = EMPTY): number {
    if (!isAt(bytes, from, this.#before)) return -1;
    const end = from + this.#before.length + String(page).length;
    let at = end;
    for (let left = page; left > 0; left = Math.floor(left / 10)) if (bytes[--at] !== ZERO + (left % 10)) return -1;
    return isAt(bytes, end, behind) ? end + behind.length : -1;
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
      for (const end = to + BYTES; to < end; to++, from += 2) into[to] = byteAt(rows, from);
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

/** Whether a digest stands at a place, other than zeros. @param into takes it, from `to` on. */
function isDigest(bytes: Buffer, from: number, into: Uint8Array | undefined, to: number): boolean {
  let any = 0;
  for (let byte = 0; byte < BYTES; byte++) {
    const found = byteAt(bytes, from + 2 * byte);
    if (found === NONE) return false;
    any |= found;
    if (into) into[to + byte] = found;
  }
  return any !== 0;
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
