/** Finds out whether keys may be repeated, from hashes of all keys: to compare the keys, SQLite would have to sort them. */
import { KEY_AT } from "../core/release/record-lines.js";

/** Maximum number of records whose keys are hashed. The hashes take 8 bytes a record. */
export const MOST_HASHED = 2_000_000;

/** Numbers of 32 bits in a hash. */
const WORDS = 2;
const NEWLINE = 10;

/** The hashes of the keys of a listing. */
export class KeyHashes {
  readonly #words: Uint32Array<ArrayBuffer>;
  /** Words so far. */
  #length = 0;

  constructor(records: number) {
    this.#words = new Uint32Array(WORDS * records);
  }

  /** Adds the keys of some records. @param lines their lines of records.sha256 */
  add(lines: Uint8Array): void {
    for (let at = 0; at < lines.length; at++) {
      let one = 0x811c9dc5;
      let other = 0;
      for (at += KEY_AT; at < lines.length; at++) {
        const byte = lines[at] as number;
        if (byte === NEWLINE) break;
        one = Math.imul(one ^ byte, 0x01000193);
        other = Math.imul(other + byte, 0x9e3779b1) ^ (other >>> 15);
      }
      this.#words[this.#length] = one;
      this.#words[this.#length + 1] = other;
      this.#length += WORDS;
    }
  }

  /** Whether two hashes are equal, so that two keys may be. Call it once, after all keys were added. */
  mayRepeat(): boolean {
    new BigUint64Array(this.#words.buffer, 0, this.#length / WORDS).sort();
    const words = this.#words;
    for (let at = WORDS; at < this.#length; at += WORDS)
      if (words[at] === words[at - WORDS] && words[at + 1] === words[at + 1 - WORDS]) return true;
    return false;
  }
}
