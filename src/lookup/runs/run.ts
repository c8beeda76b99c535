/** Sorted terms with their lists, as they are handed from a thread to what merges them. */

import { larger } from "../bits.js";

/** Terms in the order of their bytes, in pieces that can be read one by one. */
export interface Run {
  /** With room behind the last piece. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where each piece ends. */
  ends: readonly number[];
}

/** Views of the pieces of a run. */
export function* piecesOf({ bytes, ends }: Run): Generator<Uint8Array> {
  let begin = 0;
  for (const end of ends) {
    yield Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin);
    begin = end;
  }
}

/** Bytes of a piece, or of the entry that is larger. */
const PIECE = 2 ** 15;
/** A length is one byte; one that is not smaller than this has this byte, and four more. */
const LONG = 0xff;
const [SHORT_LENGTH, LONG_LENGTH] = [1, 5];
const LENGTHS = 2;

export class RunWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  readonly #ends: number[] = [];
  #length = 0;
  #begin = 0;

  /** @param most bytes of all terms and lists. It grows where lengths are long. */
  constructor(terms: number, most: number) {
    this.#bytes = new Uint8Array(LENGTHS * (SHORT_LENGTH * terms + LONG_LENGTH) + most);
  }

  /** @param list the digits of the numbers, see numbers.ts. */
  add(bytes: Uint8Array, begin: number, end: number, list: Uint8Array, listLength: number): void {
    const needed = this.#length + LENGTHS * LONG_LENGTH + end - begin + listLength;
    if (needed - this.#begin > PIECE) this.#cut();
    while (needed > this.#bytes.length) this.#bytes = larger(this.#bytes);
    const to = this.#bytes;
    let length = writeLength(to, this.#length, end - begin);
    length = writeLength(to, length, listLength);
    for (let at = begin; at < end; at++) to[length++] = bytes[at] ?? 0;
    for (let at = 0; at < listLength; at++) to[length++] = list[at] ?? 0;
    this.#length = length;
  }

  finish(): Run {
    this.#cut();
    return { bytes: this.#bytes, ends: this.#ends };
  }

  #cut(): void {
    if (this.#length > this.#begin) this.#ends.push(this.#length);
    this.#begin = this.#length;
  }
}

/** @returns where the length ends. */
function writeLength(bytes: Uint8Array, at: number, length: number): number {
  if (length < LONG) {
    bytes[at] = length;
    return at + SHORT_LENGTH;
  }
  bytes[at] = LONG;
  for (let byte = 1; byte < LONG_LENGTH; byte++) bytes[at + byte] = length >>> (8 * (byte - 1));
  return at + LONG_LENGTH;
}

function readLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < LONG) return first;
  let length = 0;
  for (let byte = LONG_LENGTH - 1; byte > 0; byte--) length = 256 * length + (bytes[at + byte] ?? 0);
  return length;
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
    const { bytes } = this;
    let at = this.listEnd;
    const length = readLength(bytes, at);
    at += length < LONG ? SHORT_LENGTH : LONG_LENGTH;
    const listLength = readLength(bytes, at);
    at += listLength < LONG ? SHORT_LENGTH : LONG_LENGTH;
    const end = at + length;
    let beginning = 0;
    for (let byte = at; byte < at + BEGINNING; byte++)
      beginning = 256 * beginning + (byte < end ? (bytes[byte] ?? 0) : 0);
    this.begin = at;
    this.end = end;
    this.listEnd = end + listLength;
    this.beginning = beginning;
    return true;
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
