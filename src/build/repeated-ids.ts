/** Looks for repeated ids in bounded memory. A temporary table, which would name them, takes more than four times as long. */
import { randomInt } from "node:crypto";
import { ID_AT, ID_LENGTH, LINE_BYTES, UserIndexReader } from "../release/user-index.js";

/** Ids that are compared at once; a longer index is read several times. */
const TOGETHER = 2 ** 21;
const LINES = 8192;
const WORD_BYTES = 4;

/** @returns false when all ids differ; true when two are equal or, very rarely, only have equal hashes. */
export function mayRepeatIds(folder: string, count: number): boolean {
  const reader = new UserIndexReader(folder);
  try {
    const parts = Math.ceil(count / TOGETHER);
    const hash = newHash();
    // A hash spreads ids nearly evenly over the parts.
    const keys = new Float64Array(Math.ceil((count / parts) * 1.1) + 1000);
    for (let part = 0; part < parts; part++) {
      let found = 0;
      for (let first = 0; first < count; first += LINES) {
        const lines = reader.lines(first, Math.min(LINES, count - first));
        for (let at = ID_AT; at < lines.length; at += LINE_BYTES) {
          const key = hash(lines, at);
          if (key % parts === part) keys[found++] = key;
        }
      }
      const sorted = keys.subarray(0, found).sort();
      for (let at = 1; at < found; at++) if (sorted[at] === sorted[at - 1]) return true;
    }
    return false;
  } finally {
    reader.close();
  }
}

/** Makes 53 bits of an id's text. It differs from run to run, so nobody can prepare ids with equal hashes. */
function newHash(): (lines: Buffer, at: number) => number {
  const [one, other] = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1];
  return (lines, at) => {
    let [high, low] = [one, other];
    for (let word = at; word < at + ID_LENGTH; word += WORD_BYTES) {
      const bits = lines.readInt32LE(word);
      high = Math.imul(high ^ bits, one);
      high ^= high >>> 15;
      low = Math.imul(low ^ bits, other);
      low ^= low >>> 13;
    }
    return (high >>> 0) * 2 ** 21 + (low >>> 11);
  };
}
