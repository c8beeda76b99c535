/** Looks for repeated keys in bounded memory. A temporary table, which would name them, takes more than four times as long. */
import { randomInt } from "node:crypto";
import { RecordLines } from "../release/record/lines.js";
import { KEY_AT } from "../release/record/list.js";

/** Keys that are compared at once; a longer list is read several times. */
const TOGETHER = 2 ** 21;
const LINES = 8192;
const WORD_BYTES = 4;

/**
 * @param path of a list of records.
 * @param count how many it has.
 * @returns false when all keys differ; true when two are equal or, very rarely, only have equal hashes.
 */
export function mayRepeatKeys(path: string, count: number): boolean {
  const lines = new RecordLines(path);
  try {
    const parts = Math.ceil(count / TOGETHER);
    const hash = newHash();
    // A hash spreads keys nearly evenly over the parts.
    const hashes = new Float64Array(Math.ceil((count / parts) * 1.1) + 1000);
    for (let part = 0; part < parts; part++) {
      let found = 0;
      for (let at = 0, held = 0; at < count; at += held) {
        held = Math.min(lines.hold(at, LINES), count - at);
        if (held === 0) break;
        for (let line = at; line < at + held; line++) {
          const key = hash(lines.memory, lines.startOf(line) + KEY_AT, lines.startOf(line + 1) - 1);
          if (key % parts === part) hashes[found++] = key;
        }
      }
      const sorted = hashes.subarray(0, found).sort();
      for (let at = 1; at < found; at++) if (sorted[at] === sorted[at - 1]) return true;
    }
    return false;
  } finally {
    lines.close();
  }
}

/** Makes 53 bits of a key's text. It differs from run to run, so nobody can prepare keys with equal hashes. */
function newHash(): (memory: Buffer, from: number, to: number) => number {
  const [one, other] = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1];
  return (memory, from, to) => {
    // Keys of other lengths differ from the start: the last word of a key is filled up with zeros.
    let [high, low] = [one ^ (to - from), other ^ (to - from)];
    for (let word = from; word < to; word += WORD_BYTES) {
      const bits = to - word >= WORD_BYTES ? memory.readInt32LE(word) : memory.readIntLE(word, to - word);
      high = Math.imul(high ^ bits, one);
      high ^= high >>> 15;
      low = Math.imul(low ^ bits, other);
      low ^= low >>> 13;
    }
    return (high >>> 0) * 2 ** 21 + (low >>> 11);
  };
}
