/** Sorted terms with their lists, as they are handed from a thread to what merges them. */

/** Terms in the order of their bytes, in pieces that can be read one by one. */
export interface Run {
  /** With room behind the last piece. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where each piece ends. */
  ends: readonly number[];
}

/** Bytes of a piece, or of the entry that is larger. */
const PIECE = 2 ** 15;
/** Bytes of a length. */
const LENGTH = 4;

export class RunWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #ends: number[] = [];
  #length = 0;
  #begin = 0;

  /** @param most bytes of all terms and lists. */
  constructor(terms: number, most: number) {
    this.#bytes = new Uint8Array(2 * LENGTH * terms + most);
  }

  /** @param list the digits of the numbers, see numbers.ts. */
  add(bytes: Uint8Array, begin: number, end: number, list: Uint8Array, listLength: number): void {
    const needed = this.#length + 2 * LENGTH + end - begin + listLength;
    if (needed - this.#begin > PIECE) this.#cut();
    this.#writeLength(end - begin);
    this.#writeLength(listLength);
    this.#write(bytes, begin, end);
    this.#write(list, 0, listLength);
  }

  finish(): Run {
    this.#cut();
    return { bytes: this.#bytes, ends: this.#ends };
  }

  #cut(): void {
    if (this.#length > this.#begin) this.#ends.push(this.#length);
    this.#begin = this.#length;
  }

  #writeLength(length: number): void {
    for (let bits = 0; bits < 8 * LENGTH; bits += 8) this.#bytes[this.#length++] = length >>> bits;
  }

  #write(from: Uint8Array, begin: number, end: number): void {
    const to = this.#bytes;
    let length = this.#length;
    for (let at = begin; at < end; at++) to[length++] = from[at] ?? 0;
    this.#length = length;
  }
}

/** Reads a run entry by entry. */
export class RunReader {
  /** Where the entry's term and its list stand. */
  bytes: Uint8Array = new Uint8Array();
  begin = 0;
  end = 0;
  listEnd = 0;
  /** The term's first bytes as a number, by which most terms are told apart. */
  beginning = 0;

  /** @param next gives the next piece; undefined behind the last. */
  constructor(private readonly next: () => Uint8Array | undefined) {}

  /** Goes on to the next entry. @returns false when there is none. */
  read(): boolean {
    if (this.listEnd >= this.bytes.length) {
      const bytes = this.next();
      if (!bytes) return false;
      this.bytes = bytes;
      this.listEnd = 0;
    }
    const at = this.listEnd;
    this.begin = at + 2 * LENGTH;
    this.end = this.begin + this.#lengthAt(at);
    this.listEnd = this.end + this.#lengthAt(at + LENGTH);
    this.beginning = 0;
    for (let byte = this.begin; byte < this.begin + BEGINNING; byte++)
      this.beginning = 256 * this.beginning + (byte < this.end ? (this.bytes[byte] ?? 0) : 0);
    return true;
  }

  #lengthAt(at: number): number {
    const { bytes } = this;
    return (
      ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>>
      0
    );
  }
}

/** As many bytes as a number holds exactly. */
const BEGINNING = 6;

/** Below 0 where the first reader's term comes before the other's, 0 where they are one. */
export function compareTerms(one: RunReader, other: RunReader): number {
  if (one.beginning !== other.beginning) return one.beginning - other.beginning;
  const [length, otherLength] = [one.end - one.begin, other.end - other.begin];
  const shared = Math.min(length, otherLength);
  for (let at = Math.min(BEGINNING, shared); at < shared; at++) {
    const difference = (one.bytes[one.begin + at] ?? 0) - (other.bytes[other.begin + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}
