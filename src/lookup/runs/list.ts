/** Lists of one term, made one, in whatever order they come. */

import { BITS_OF_WORD, type Bits, bitsOf, larger, setBit } from "../bits.js";
import type { BytePlace } from "../lines.js";
import { MOST_DIGITS, readNumbers, setBits, writeBits, writeNumber } from "../numbers.js";

/** Numbers up to which they are kept as such, however few records there are. */
const FEW = 2 ** 10;
/** So few numbers are sorted faster here than by a call of the engine. */
const MOST_INSERTED = 24;

export class ListSum {
  #numbers = new Uint32Array(FEW);
  #length = 0;
  /** Memory of what was given, and of what was given before that: new memory for each list would be more than the lists. */
  #given = new Uint8Array(FEW);
  #givenBefore = new Uint8Array(FEW);
  /** Instead of so many numbers that a bit for each record takes less. */
  #bits: Bits | undefined;

  /** @param count of all records. */
  constructor(private readonly count: number) {}

  add(list: Uint8Array, begin: number, end: number): void {
    // A number has at least one digit.
    while (!this.#bits && this.#length + end - begin > this.#numbers.length) this.#makeRoom();
    if (this.#bits) setBits(this.#bits, list, begin, end);
    else this.#length = readNumbers(list, begin, end, this.#numbers, this.#length);
  }

  /** Gives the digits of all numbers that were added, until the call after the next, and is empty then. */
  finish(): BytePlace {
    const list = this.#bits ? writeBits(this.#bits, this.#givenBefore) : this.#writeNumbers(this.#givenBefore);
    [this.#givenBefore, this.#given] = [this.#given, list.bytes];
    [this.#length, this.#bits] = [0, undefined];
    return list;
  }

  #writeNumbers(room: Uint8Array<ArrayBuffer>) {
    const numbers = this.#numbers;
    sort(numbers, this.#length);
    let bytes = room;
    while (this.#length * MOST_DIGITS > bytes.length) bytes = larger(bytes);
    let [end, before] = [0, 0];
    for (let at = 0; at < this.#length; at++) {
      const number = numbers[at] ?? 0;
      end = writeNumber(bytes, end, number - before);
      before = number;
    }
    return { bytes, begin: 0, end };
  }

  #makeRoom(): void {
    if (this.#numbers.length * BITS_OF_WORD < this.count) this.#numbers = larger(this.#numbers);
    else {
      this.#bits = bitsOf(this.count);
      for (let at = 0; at < this.#length; at++) setBit(this.#bits, this.#numbers[at] ?? 0);
    }
  }
}

function sort(numbers: Uint32Array, length: number): void {
  if (length > MOST_INSERTED) {
    numbers.subarray(0, length).sort();
    return;
  }
  for (let from = 1; from < length; from++) {
    const number = numbers[from] ?? 0;
    let at = from;
    for (; at > 0 && (numbers[at - 1] ?? 0) > number; at--) numbers[at] = numbers[at - 1] ?? 0;
    numbers[at] = number;
  }
}
