/** Sorts terms by their bytes. */
import { endianness } from "node:os";

/** Where the lower and the higher half of a number stand in memory. */
const [LOWER, HIGHER] = endianness() === "LE" ? [0, 1] : [1, 0];
const PLACE_BITS = 20;
const MOST_PLACES = 2 ** PLACE_BITS;
/** All bytes from one before this on are one to the numbers. Most terms have none of them among their first. */
const HIGHEST_DIGIT = 0x7f;

/**
 * The places of all terms in the order of their bytes. Numbers made of what stands behind the beginning that all share are
 * sorted by the engine, which is many times as fast as comparing terms; only those with equal numbers are compared.
 * @param ends where each term ends in `bytes`.
 */
export function sortTerms(bytes: Uint8Array, ends: Uint32Array): Uint32Array {
  const places = new Uint32Array(ends.length);
  const compare = (one: number, other: number) => comparePlaces(bytes, ends, one, other);
  if (ends.length >= MOST_PLACES) return places.map((_, place) => place).sort(compare);
  const halves = new Uint32Array(numbersOf(bytes, ends).sort().buffer);
  const numberAt = (at: number) => (halves[2 * at + LOWER] ?? 0) & -MOST_PLACES;
  for (let at = 0; at < places.length; at++) places[at] = (halves[2 * at + LOWER] ?? 0) & (MOST_PLACES - 1);
  for (let begin = 0, end = 1; begin < places.length; begin = end, end++) {
    while (
      end < places.length &&
      halves[2 * end + HIGHER] === halves[2 * begin + HIGHER] &&
      numberAt(end) === numberAt(begin)
    )
      end++;
    if (end - begin > 1) places.subarray(begin, end).sort(compare);
  }
  return places;
}

/** Numbers whose 62 bits are seven of each of a term's first six bytes, and its place. Positive, they are ordered as their bits are. */
function numbersOf(bytes: Uint8Array, ends: Uint32Array): Float64Array {
  const shared = sharedBeginning(bytes, ends);
  const numbers = new Float64Array(ends.length);
  const halves = new Uint32Array(numbers.buffer);
  for (let place = 0, begin = 0; place < ends.length; place++) {
    const end = ends[place] ?? 0;
    let isTold = true;
    // The end comes before every byte. What stands behind a byte that is one with others tells nothing.
    const digit = (at: number) => {
      if (at >= end || !isTold) return 0;
      const code = (bytes[at] ?? 0) + 1;
      isTold = code < HIGHEST_DIGIT;
      return isTold ? code : HIGHEST_DIGIT;
    };
    const from = begin + shared;
    const beginning = (digit(from) << 23) | (digit(from + 1) << 16) | (digit(from + 2) << 9) | (digit(from + 3) << 2);
    const middle = digit(from + 4);
    halves[2 * place + HIGHER] = beginning | (middle >> 5);
    halves[2 * place + LOWER] = ((middle & 31) << 27) | (digit(from + 5) << PLACE_BITS) | place;
    begin = end;
  }
  return numbers;
}

/** How many bytes all terms begin with alike. */
function sharedBeginning(bytes: Uint8Array, ends: Uint32Array): number {
  let shared = ends[0] ?? 0;
  for (let place = 1; place < ends.length && shared > 0; place++) {
    const begin = ends[place - 1] ?? 0;
    shared = Math.min(shared, (ends[place] ?? 0) - begin);
    let at = 0;
    while (at < shared && bytes[at] === bytes[begin + at]) at++;
    shared = at;
  }
  return shared;
}

function comparePlaces(bytes: Uint8Array, ends: Uint32Array, one: number, other: number): number {
  let at = one === 0 ? 0 : (ends[one - 1] ?? 0);
  let against = other === 0 ? 0 : (ends[other - 1] ?? 0);
  const [end, otherEnd] = [ends[one] ?? 0, ends[other] ?? 0];
  for (; at < end && against < otherEnd; at++, against++) {
    const difference = (bytes[at] ?? 0) - (bytes[against] ?? 0);
    if (difference !== 0) return difference;
  }
  return end - at - (otherEnd - against);
}
