/** Lists of one term, made one, in whatever order they come. */

import { BITS_OF_WORD, bitsOf, eachBit, larger, setBit } from "../bits.js";
import type { BytePlace } from "../lines.js";
import { eachNumber, MOST_DIGITS, writeNumber } from "../numbers.js";

/** Numbers up to which they are kept as such, however few records there are. */
const FEW = 2 ** 10;

export class ListSum {
  #numbers = new Uint32Array(FEW);
  #length = 0;
  /** Memory of what was given, and of what was given before that: new memory for each list would be more than the lists. */
  #given = new Uint8Array(FEW);
  #givenBefore = new Uint8Array(FEW);
  #isInOrder = true;
  /** Instead of so many numbers that a bit for each record takes less. */
  #bits: Uint32Array | undefined;

  /** @param count of all records. */
  constructor(private readonly count: number) {}

  add(list: Uint8Array, begin: number, end: number): void {
    eachNumber(list, begin, end, (number) => this.#add(number));
  }

  /** Gives the digits of all numbers that were added, until the call after the next, and is empty then. */
  finish(): BytePlace {
    let bytes = this.#givenBefore;
    let [length, before] = [0, 0];
    const write = (number: number) => {
      if (length + MOST_DIGITS > bytes.length) bytes = larger(bytes);
      length = writeNumber(bytes, length, number - before);
      before = number;
    };
    if (this.#bits) eachBit(this.#bits, write);
    else {
      const numbers = this.#numbers.subarray(0, this.#length);
      if (!this.#isInOrder) numbers.sort();
      for (const number of numbers) write(number);
    }
    [this.#givenBefore, this.#given] = [this.#given, bytes];
    [this.#length, this.#isInOrder, this.#bits] = [0, true, undefined];
    return { bytes, begin: 0, end: length };
  }

  #add(number: number): void {
    if (this.#length === this.#numbers.length) this.#makeRoom();
    if (this.#bits) setBit(this.#bits, number);
    else {
      this.#isInOrder &&= this.#length === 0 || number > (this.#numbers[this.#length - 1] ?? 0);
      this.#numbers[this.#length++] = number;
    }
  }

  #makeRoom(): void {
    if (this.#length * BITS_OF_WORD < this.count) this.#numbers = larger(this.#numbers);
    else if (!this.#bits) {
      this.#bits = bitsOf(this.count);
      for (const number of this.#numbers) setBit(this.#bits, number);
    }
  }
}
