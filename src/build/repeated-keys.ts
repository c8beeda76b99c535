/** Looks for repeated keys in bounded memory. A temporary table, which would name them, takes more than four times as long. */
import { randomInt } from "node:crypto";
import Database from "better-sqlite3";
import { TemporaryBytes } from "../lookup/temporary.js";
import { RecordLines } from "../release/record/lines.js";
import { KEY_AT } from "../release/record/list.js";

/** Keys that are compared at once. */
const TOGETHER = 2 ** 21;
/** Hashes of a part of all keys that are put aside at once. */
const PIECE = 2 ** 12;
const LINES = 8192;
const WORD_BYTES = 4;
const NEWLINE = 10;

/** Keys whose hashes leave the same rest: two that are equal are in one part. */
interface KeyPart {
  hashes: Float64Array<ArrayBuffer>;
  length: number;
  /** Numbers of what was put aside. */
  pieces: number[];
}

/** Is told the lines of a list of records in any order, and in the end whether two may have the same key. To be closed in a `finally`. */
export class RepeatedKeys {
  readonly #hash = newHash();
  readonly #parts: KeyPart[];
  #temporary: TemporaryBytes | undefined;

  /** @param count how many lines there are. @param together how many of their keys are compared at once. */
  constructor(count: number, together = TOGETHER) {
    // What is compared at once needs not be put aside.
    const parts = Math.max(1, Math.ceil(count / together));
    const room = parts === 1 ? count : PIECE;
    this.#parts = Array.from({ length: parts }, () => ({ hashes: new Float64Array(room), length: 0, pieces: [] }));
  }

  /** Some whole lines. */
  add(lines: Buffer): void {
    for (let at = 0; at < lines.length; ) {
      let end = at + KEY_AT;
      while (lines[end] !== NEWLINE) end++;
      this.#keep(this.#hash(lines, at + KEY_AT, end));
      at = end + 1;
    }
  }

  /**
   * To be called when all lines have been added.
   * @returns false when all keys differ; true when two are equal or, very rarely, only have equal hashes.
   */
  mayRepeat(): boolean {
    return this.#parts.some((part) => {
      const hashes = this.#allOf(part).sort();
      for (let at = 1; at < hashes.length; at++) if (hashes[at] === hashes[at - 1]) return true;
      return false;
    });
  }

  close(): void {
    this.#temporary?.close();
  }

  #keep(hash: number): void {
    const part = this.#parts[this.#parts.length === 1 ? 0 : hash % this.#parts.length];
    if (!part) return;
    if (part.length === part.hashes.length) {
      this.#temporary ??= new TemporaryBytes("compare keys in");
      part.pieces.push(this.#temporary.put(new Uint8Array(part.hashes.buffer)));
      part.length = 0;
    }
    part.hashes[part.length++] = hash;
  }

  #allOf({ hashes, length, pieces }: KeyPart): Float64Array {
    const last = hashes.subarray(0, length);
    if (pieces.length === 0) return last;
    const all = new Float64Array(pieces.length * hashes.length + length);
    const bytes = new Uint8Array(all.buffer);
    for (const [at, piece] of pieces.entries()) bytes.set(this.#temporary?.get(piece) ?? [], at * hashes.byteLength);
    all.set(last, pieces.length * hashes.length);
    return all;
  }
}

/**
 * Which key two records have.
 * @returns a key as the list has it, and the numbers (from 0) of the first two records that share one; undefined where none do.
 */
export function findRepeatedKey(path: string, count: number): { key: string; records: [number, number] } | undefined {
  // Comparing hashes is fast, and where it finds nothing, there is nothing.
  if (!mayRepeat(path, count)) return undefined;
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

function mayRepeat(path: string, count: number): boolean {
  const keys = new RepeatedKeys(count);
  const lines = new RecordLines(path);
  try {
    for (let at = 0, held = 0; at < count; at += held) {
      held = Math.min(lines.hold(at, LINES), count - at);
      if (held === 0) break;
      keys.add(lines.memory.subarray(lines.startOf(at), lines.startOf(at + held)));
    }
    return keys.mayRepeat();
  } finally {
    lines.close();
    keys.close();
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
