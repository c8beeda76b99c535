/** Finds entries with the same id among some that fit in memory. */
import { randomInt } from "node:crypto";

/** Words of 32 bits: four of a UUID, and the page behind them. */
export const ID_WORDS = 4;
export const ENTRY_WORDS = ID_WORDS + 1;

/** Spreads ids over 32 bits. */
export type IdHash = (words: Uint32Array, at: number) => number;

/** Differs from run to run, so that nobody can make ids that all fall on one place. */
export function newIdHash(): IdHash {
  const [a, b, c, d] = Array.from({ length: ID_WORDS }, () => randomInt(2 ** 31) * 2 + 1);
  return (words, at) => {
    const sum =
      Math.imul(words[at] ?? 0, a ?? 0) +
      Math.imul(words[at + 1] ?? 0, b ?? 0) +
      Math.imul(words[at + 2] ?? 0, c ?? 0) +
      Math.imul(words[at + 3] ?? 0, d ?? 0);
    return Math.imul(sum ^ (sum >>> 15), a ?? 0) >>> 0;
  };
}

export interface Repeated {
  id: string;
  times: number;
  /** The first and the last page that it is on. */
  first: number;
  last: number;
}

/** All ids that come more than once in `entries`. */
export function findRepeated(entries: Uint32Array, hash: IdHash): Iterable<Repeated> {
  const repeated = new Map<number, Repeated>();
  const bits = Math.max(4, 33 - Math.clz32(entries.length / ENTRY_WORDS));
  const mask = 2 ** bits - 1;
  /** Where in `entries` an entry begins, plus 1; 0 where the place is free. */
  const places = new Uint32Array(mask + 1);
  for (let at = 0; at < entries.length; at += ENTRY_WORDS) {
    // The upper bits have told the part.
    let place = hash(entries, at) & mask;
    for (let other = places[place]; other; other = places[place]) {
      if (isSame(entries, at, other - 1)) {
        count(repeated, entries, other - 1, at);
        break;
      }
      place = (place + 1) & mask;
    }
    if (!places[place]) places[place] = at + 1;
  }
  return repeated.values();
}

function isSame(entries: Uint32Array, one: number, other: number): boolean {
  for (let word = 0; word < ID_WORDS; word++) if (entries[one + word] !== entries[other + word]) return false;
  return true;
}

function count(repeated: Map<number, Repeated>, entries: Uint32Array, earlier: number, at: number): void {
  const [page = 0, before = 0] = [entries[at + ID_WORDS], entries[earlier + ID_WORDS]];
  const { id, times, first, last } = repeated.get(earlier) ?? {
    id: toId(entries.slice(earlier, earlier + ID_WORDS)),
    times: 1,
    first: before,
    last: before,
  };
  repeated.set(earlier, { id, times: times + 1, first: Math.min(first, page), last: Math.max(last, page) });
}

function toId(words: Uint32Array): string {
  const hex = Buffer.from(words.buffer).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
