/** Numbers as sorted files hold them: base 32, highest digit first, where the digit says whether more follow. */
import { LIST_DIGITS } from "../contract/lookup.js";
import { setBit } from "./bits.js";

const DIGITS = Buffer.from(LIST_DIGITS);
const [BITS, LAST] = [5, 32];

/** What each byte stands for as a digit. */
const VALUES = new Uint8Array(256);
for (const [value, digit] of DIGITS.entries()) VALUES[digit] = value;

/** Bytes of the longest number: 32 bits. */
export const MOST_DIGITS = 7;

/** @returns where the number ends. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
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
  let [number, difference] = [0, 0];
  for (let at = begin; at < end; at++) {
    const value = VALUES[bytes[at] ?? 0] ?? 0;
    difference = (difference << BITS) | (value & (LAST - 1));
    if (value < LAST) continue;
    number += difference;
    difference = 0;
    take(number, at + 1);
  }
}

/** Whether a list has one number. */
export function isOneNumber(bytes: Uint8Array, begin: number, end: number): boolean {
  for (let at = begin; at < end - 1; at++) if ((VALUES[bytes[at] ?? 0] ?? 0) >= LAST) return false;
  return true;
}

/** How many numbers a list has. What ends the line is none. */
export function countNumbers(bytes: Uint8Array, begin: number, end: number): number {
  let count = 0;
  for (let at = begin; at < end; at++) if ((VALUES[bytes[at] ?? 0] ?? 0) >= LAST) count++;
  return count;
}

/** Sets the bit of each number of a list: what `eachNumber` does for the most part, without a call for each. */
export function setBits(bits: Uint32Array, bytes: Uint8Array, begin: number, end: number): void {
  let [number, difference] = [0, 0];
  for (let at = begin; at < end; at++) {
    const value = VALUES[bytes[at] ?? 0] ?? 0;
    difference = (difference << BITS) | (value & (LAST - 1));
    if (value < LAST) continue;
    number += difference;
    difference = 0;
    setBit(bits, number);
  }
}
