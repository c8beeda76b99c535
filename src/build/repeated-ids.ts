/** Looks for ids that are published twice, in memory that does not grow with their number. */
import { randomInt } from "node:crypto";
import { ID_AT, ID_LENGTH, LINE_BYTES, UserIndexReader } from "../release/user-index.js";

/** Ids that are looked at together; of more, the list is read several times. */
const TOGETHER = 2 ** 21;
const LINES = 8192;
const WORD_BYTES = 4;

/**
 * @param folder of a release with its list of users, `count` of them.
 * @returns false when all ids differ; true when two are the same, or, once in a great many lists, only seem to be.
 */
export function mayRepeatIds(folder: string, count: number): boolean {
  const reader = new UserIndexReader(folder);
  try {
    const parts = Math.ceil(count / TOGETHER);
    const hash = newHash();
    // A hash spreads ids nearly evenly over the parts.
    const keys = new Float64Array(Math.ceil((count / parts) * 1.1) + 1000);
    for (let part = 0; part < parts; part++) {
      if (hasRepeated(keys.subarray(0, readKeys(reader, { count, keys, hash, part, parts })))) return true;
    }
    return false;
  } finally {
    reader.close();
  }
}

interface Reading {
  count: number;
  /** Where the keys of one part go. */
  keys: Float64Array;
  hash: (lines: Buffer, at: number) => number;
  part: number;
  parts: number;
}

/** @returns how many keys there are. */
function readKeys(reader: UserIndexReader, { count, keys, hash, part, parts }: Reading): number {
  let found = 0;
  for (let first = 0; first < count; first += LINES) {
    const lines = reader.lines(first, Math.min(LINES, count - first));
    for (let at = ID_AT; at < lines.length; at += LINE_BYTES) {
      const key = hash(lines, at);
      if (key % parts === part) keys[found++] = key;
    }
  }
  return found;
}

function hasRepeated(keys: Float64Array): boolean {
  keys.sort();
  for (let at = 1; at < keys.length; at++) if (keys[at] === keys[at - 1]) return true;
  return false;
}

/** Makes 53 bits of an id's text; differs from run to run, so that nobody can make ids that seem to be the same. */
function newHash(): Reading["hash"] {
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
