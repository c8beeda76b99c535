/** Numbers as sorted files hold them: base 32, highest digit first, where the digit says whether more follow. */
import { LIST_DIGITS } from "../../contract/lookup.js";
import type { BytePlace } from "./term.js";

/** A bit for each record. Signed, since JavaScript's bit operations make signed numbers. */
export type Bits = Int32Array<ArrayBuffer>;
const BITS_OF_WORD = 32;

export function bitsOf(count: number): Bits {
  return new Int32Array(Math.ceil(count / BITS_OF_WORD));
}

/** Sets the bits of `others`. @returns whether `bits` has one that `others` lacks */
export function addBits(bits: Bits, others: Bits): boolean {
  let ownAlone = 0;
  for (let at = 0; at < bits.length; at++) {
    const own = bits[at] ?? 0;
    const other = others[at] ?? 0;
    ownAlone |= own & ~other;
    bits[at] = own | other;
  }
  return ownAlone !== 0;
}

/** A copy with twice the room. */
export function larger(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(2 * bytes.length);
  copy.set(bytes);
  return copy;
}

const DIGITS = Uint8Array.from(Buffer.from(LIST_DIGITS));
const [BITS, LAST] = [5, 32];

/** What each byte stands for as a digit. */
const VALUES = new Uint8Array(256);
for (const [value, digit] of DIGITS.entries()) VALUES[digit] = value;

/** Bytes of the longest number: 32 bits. */
export const MOST_DIGITS = 7;

/** @returns where the number ends. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  // Most are differences of a few digits.
  if (number < LAST) {
    bytes[at] = DIGITS[LAST + number] ?? 0;
    return at + 1;
  }
  if (number < LAST * LAST) {
    bytes[at] = DIGITS[number >>> BITS] ?? 0;
    bytes[at + 1] = DIGITS[LAST + (number & (LAST - 1))] ?? 0;
    return at + 2;
  }
  let shift = 0;
  for (let rest = number >>> BITS; rest > 0; rest >>>= BITS) shift += BITS;
  let end = at;
  for (; shift > 0; shift -= BITS) bytes[end++] = DIGITS[(number >>> shift) & (LAST - 1)] ?? 0;
  bytes[end++] = DIGITS[LAST + (number & (LAST - 1))] ?? 0;
  return end;
}

/** Calls `take` with each record's number of a list, and with where its digits end. */
export function eachNumber(
  bytes: Uint8Array,
  begin: number,
  end: number,
  take: (number: number, end: number) => void,
): void {
  let number = 0;
  let difference = 0;
  for (let at = begin; at < end; at++) {
    const value = VALUES[bytes[at] ?? 0] ?? 0;
    difference = (difference << BITS) | (value & (LAST - 1));
    if (value < LAST) continue;
    number += difference;
    difference = 0;
    take(number, at + 1);
  }
}

/** Sets the bit of each number of a list: what `eachNumber` does for the most part, without a call for each. */
export function setBits(bits: Bits, bytes: Uint8Array, begin: number, end: number): void {
  let number = 0;
  let difference = 0;
  for (let at = begin; at < end; at++) {
    const value = VALUES[bytes[at] ?? 0] ?? 0;
    difference = (difference << BITS) | (value & (LAST - 1));
    if (value < LAST) continue;
    number += difference;
    difference = 0;
    bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
  }
}

/** Writes the digits of all numbers whose bit is set into `room`, or into more where that is too small. */
export function writeBits(bits: Bits, room: Buffer): BytePlace {
  let bytes = room;
  let length = 0;
  let before = 0;
  for (let at = 0; at < bits.length; at++) {
    let word = bits[at] ?? 0;
    if (word === 0) continue;
    while (length + BITS_OF_WORD * MOST_DIGITS > bytes.length) bytes = larger(bytes);
    for (; word !== 0; word &= word - 1) {
      const number = at * BITS_OF_WORD + 31 - Math.clz32(word & -word);
      length = writeNumber(bytes, length, number - before);
      before = number;
    }
  }
  return { bytes, begin: 0, end: length };
}
