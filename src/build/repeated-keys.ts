/** Looks for repeated keys in bounded memory. A temporary table, which would name them, takes more than four times as long. */
import { randomInt } from "node:crypto";
import Database from "better-sqlite3";
import { RecordLines } from "../release/record/lines.js";
import { KEY_AT } from "../release/record/list.js";

/** Keys that are compared at once: the first of a longer list while its pages are made, the others when it is read again. */
const TOGETHER = 2 ** 21;
const LINES = 8192;
const WORD_BYTES = 4;
const NEWLINE = 10;

/** Is told the lines of a list of records in any order, and in the end whether two may have the same key. */
export class RepeatedKeys {
  readonly #hash = newHash();
  readonly #parts: number;
  readonly #hashes: Float64Array;
  #found = 0;
  /** The first part that has to be read from the list. */
  #unread = 0;

  /** @param count how many lines there are. @param together how many of their keys are compared at once. */
  constructor(
    private readonly count: number,
    together = TOGETHER,
  ) {
    this.#parts = Math.ceil(count / together);
    // A hash spreads keys nearly evenly over the parts.
    this.#hashes = new Float64Array(Math.ceil((count / Math.max(1, this.#parts)) * 1.1) + 1000);
  }

  /** Some whole lines. Where any are added, all have to be. */
  add(lines: Buffer): void {
    this.#unread = 1;
    for (let at = 0; at < lines.length; ) {
      let end = at + KEY_AT;
      while (lines[end] !== NEWLINE) end++;
      this.#keep(this.#hash(lines, at + KEY_AT, end), 0);
      at = end + 1;
    }
  }

  /**
   * To be called when all lines have been added, or none.
   * @param path of the list, which is read for what has not been added, and again if it is long.
   * @returns false when all keys differ; true when two are equal or, very rarely, only have equal hashes.
   */
  mayRepeat(path: string): boolean {
    if (this.#areTwoEqual()) return true;
    if (this.#unread >= this.#parts) return false;
    const lines = new RecordLines(path);
    try {
      for (let part = this.#unread; part < this.#parts; part++) {
        this.#readPart(lines, part);
        if (this.#areTwoEqual()) return true;
      }
      return false;
    } finally {
      lines.close();
    }
  }

  #readPart(lines: RecordLines, part: number): void {
    this.#found = 0;
    for (let at = 0, held = 0; at < this.count; at += held) {
      held = Math.min(lines.hold(at, LINES), this.count - at);
      if (held === 0) break;
      for (let line = at; line < at + held; line++)
        this.#keep(this.#hash(lines.memory, lines.startOf(line) + KEY_AT, lines.startOf(line + 1) - 1), part);
    }
  }

  #keep(hash: number, part: number): void {
    if (this.#parts <= 1 || hash % this.#parts === part) this.#hashes[this.#found++] = hash;
  }

  #areTwoEqual(): boolean {
    const sorted = this.#hashes.subarray(0, this.#found).sort();
    for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) return true;
    return false;
  }
}

/**
 * Which key two records have.
 * @returns a key as the list has it, and the numbers (from 0) of the first two records that share one; undefined where none do.
 */
export function findRepeatedKey(path: string, count: number): { key: string; records: [number, number] } | undefined {
  // Comparing hashes is fast, and where it finds nothing, there is nothing.
  if (!new RepeatedKeys(count).mayRepeat(path)) return undefined;
  const lines = new RecordLines(path);
  // An empty name is a temporary file.
  const db = new Database("");
  try {
    db.exec("PRAGMA journal_mode = OFF; BEGIN; CREATE TABLE keys (key TEXT PRIMARY KEY, record INTEGER) WITHOUT ROWID");
    const insert = db.prepare<[string, number]>("INSERT OR IGNORE INTO keys VALUES (?, ?)");
    const find = db.prepare<[string], number>("SELECT record FROM keys WHERE key = ?").pluck();
    for (let at = 0, held = 0; at < count; at += held) {
      held = Math.min(lines.hold(at, LINES), count - at);
      if (held === 0) return undefined;
      for (let record = at; record < at + held; record++) {
        const key = lines.key(record);
        if (insert.run(key, record).changes === 0) return { key, records: [find.get(key) ?? 0, record] };
      }
    }
    return undefined;
  } finally {
    db.close();
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
