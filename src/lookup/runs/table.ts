/** Terms with the numbers of the records that have them, in bounded memory, until they are handed over as a sorted run. */
import { larger } from "../bits.js";
import { MOST_DIGITS, writeNumber } from "../numbers.js";
import { type Run, RunWriter } from "./run.js";
import { sortTerms } from "./sort.js";

/** Numbers and bytes from which on a table is full. */
const FULL_NUMBERS = 2 ** 16;
const FULL_BYTES = 2 ** 21;

/** Strings would be slower: millions of them are made, and each is looked for among all others. */
export class TermTable {
  /** All terms, one after the other, and where each ends. */
  #bytes = new Uint8Array(FULL_BYTES / 16);
  #ends = new Uint32Array(FULL_NUMBERS / 16);
  #terms = 0;
  /** A hash of each term, and in open addressing the terms (from 1) by it. */
  #hashes = new Uint32Array(this.#ends.length);
  #slots = new Uint32Array(2 * this.#ends.length);
  /** Of each term, the places (from 1) of its first and its last number. */
  #firsts = new Uint32Array(this.#ends.length);
  #lasts = new Uint32Array(this.#ends.length);
  /** All numbers as they came, and the place of the next one of the same term. */
  #numbers = new Uint32Array(FULL_NUMBERS / 8);
  #nexts = new Uint32Array(this.#numbers.length);
  #count = 0;

  /** @param isUnique whether each term comes once, so that none is looked for. */
  constructor(private readonly isUnique = false) {}

  /** Whether it is time to call `finish`. It can take more. */
  get isFull(): boolean {
    return this.#count >= FULL_NUMBERS || this.#endOf(this.#terms - 1) >= FULL_BYTES;
  }

  /**
   * Adds a term of a record.
   * @param bytes its UTF-8 stands there.
   * @param record its number. A record may come again and again with the same term; none may come after a later one.
   */
  add(bytes: Uint8Array, begin: number, end: number, record: number): void {
    const term = this.isUnique ? this.#append(bytes, begin, end, 0) : this.#find(bytes, begin, end);
    const last = this.#lasts[term] ?? 0;
    if (last > 0 && this.#numbers[last - 1] === record) return;
    if (this.#count === this.#numbers.length) {
      this.#numbers = larger(this.#numbers);
      this.#nexts = larger(this.#nexts);
    }
    this.#numbers[this.#count] = record;
    this.#nexts[this.#count] = 0;
    const place = ++this.#count;
    if (last > 0) this.#nexts[last - 1] = place;
    else this.#firsts[term] = place;
    this.#lasts[term] = place;
  }

  /** All terms, sorted. The table is empty afterwards. */
  finish(): Run {
    let list = new Uint8Array(2 ** 10);
    // No number has more digits than the last one.
    const digits = writeNumber(list, 0, this.#numbers[Math.max(0, this.#count - 1)] ?? 0) * this.#count;
    const writer = new RunWriter(this.#terms, this.#endOf(this.#terms - 1) + digits);
    for (const term of sortTerms(this.#bytes, this.#ends.subarray(0, this.#terms))) {
      let length = 0;
      let before = 0;
      for (let place = this.#firsts[term] ?? 0; place > 0; place = this.#nexts[place - 1] ?? 0) {
        const number = this.#numbers[place - 1] ?? 0;
        if (length + MOST_DIGITS > list.length) list = larger(list);
        length = writeNumber(list, length, number - before);
        before = number;
      }
      writer.add(this.#bytes, this.#endOf(term - 1), this.#endOf(term), list, length);
    }
    this.#slots.fill(0);
    this.#terms = 0;
    this.#count = 0;
    return writer.finish();
  }

  #endOf(term: number): number {
    return term < 0 ? 0 : (this.#ends[term] ?? 0);
  }

  /** The term's place, which is made where it is new. */
  #find(bytes: Uint8Array, begin: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = begin; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0) {
        this.#slots[slot] = this.#terms + 1;
        return this.#append(bytes, begin, end, hash);
      }
      if (this.#hashes[found - 1] === hash && this.#isAt(found - 1, bytes, begin, end)) return found - 1;
    }
  }

  #isAt(term: number, bytes: Uint8Array, begin: number, end: number): boolean {
    const own = this.#endOf(term - 1);
    if (this.#endOf(term) - own !== end - begin) return false;
    for (let at = begin; at < end; at++) if (this.#bytes[own + at - begin] !== bytes[at]) return false;
    return true;
  }

  #append(bytes: Uint8Array, begin: number, end: number, hash: number): number {
    const at = this.#endOf(this.#terms - 1);
    const length = at + end - begin;
    while (length > this.#bytes.length) this.#bytes = larger(this.#bytes);
    for (let from = begin; from < end; from++) this.#bytes[at + from - begin] = bytes[from] ?? 0;
    const term = this.#terms++;
    this.#ends[term] = length;
    this.#hashes[term] = hash;
    this.#firsts[term] = 0;
    this.#lasts[term] = 0;
    if (this.#terms === this.#ends.length) this.#grow();
    return term;
  }

  #grow(): void {
    this.#ends = larger(this.#ends);
    this.#hashes = larger(this.#hashes);
    this.#firsts = larger(this.#firsts);
    this.#lasts = larger(this.#lasts);
    if (this.isUnique) return;
    this.#slots = new Uint32Array(2 * this.#ends.length);
    const mask = this.#slots.length - 1;
    for (let term = 0; term < this.#terms; term++) {
      let slot = (this.#hashes[term] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = term + 1;
    }
  }
}
