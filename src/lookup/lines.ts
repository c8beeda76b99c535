/** The lines of a family before they are cut into files, kept in pieces. */
import { larger } from "./bits.js";
import type { TemporaryBytes } from "./temporary.js";

/** One line, as it stands among others. */
export interface SortedLine {
  bytes: Uint8Array;
  begin: number;
  /** Where its numbers begin. */
  listBegin: number;
  /** Behind its newline. */
  end: number;
  /** How many bytes its term shares with that of the line before: whole characters. */
  shared: number;
}

export const [TAB, NEWLINE] = [0x09, 0x0a];
/** Bytes of a piece, or of the line that is larger. */
const PIECE = 2 ** 18;
const FACTS = 3;
/** Bytes of a line that belong neither to its term nor to its numbers. */
const MOST_BESIDE = 3;

/** Where a term stands, or a list. */
export interface BytePlace {
  bytes: Uint8Array;
  begin: number;
  end: number;
}

export class Lines {
  /** Of all lines. */
  bytes = 0;
  /** Pairs of pieces: lines, and what is known of each. */
  readonly #pieces: [lines: number, facts: number][] = [];
  #line = new Uint8Array(2 * PIECE);
  #length = 0;
  #facts = new Uint32Array(2 ** 12);
  #lines = 0;

  constructor(private readonly temporary: TemporaryBytes) {}

  /**
   * Adds a line.
   * @param term as it is written. @param mark a character's code; 0 for none. @param list where its numbers stand.
   */
  add(term: BytePlace, mark: number, list: BytePlace, shared: number): void {
    const most = term.end - term.begin + list.end - list.begin + MOST_BESIDE;
    if (this.#length + most > PIECE) this.#cut();
    while (this.#length + most > this.#line.length) this.#line = larger(this.#line);
    const begin = this.#length;
    this.#write(term);
    this.#line[this.#length++] = TAB;
    if (mark > 0) this.#line[this.#length++] = mark;
    const listAt = this.#length - begin;
    this.#write(list);
    this.#line[this.#length++] = NEWLINE;
    const fact = FACTS * this.#lines++;
    if (fact + FACTS > this.#facts.length) this.#facts = larger(this.#facts);
    this.#facts[fact] = this.#length - begin;
    this.#facts[fact + 1] = listAt;
    this.#facts[fact + 2] = shared;
  }

  finish(): void {
    this.#cut();
  }

  /** All lines in turn, each in the same object. */
  *[Symbol.iterator](): Generator<SortedLine> {
    const line: SortedLine = { bytes: new Uint8Array(), begin: 0, listBegin: 0, end: 0, shared: 0 };
    for (const [lines, known] of this.#pieces) {
      const bytes = this.temporary.get(lines);
      const stored = this.temporary.get(known);
      const facts = new Uint32Array(Uint8Array.from(stored).buffer);
      line.bytes = bytes;
      for (let at = 0, begin = 0; at < facts.length; at += FACTS) {
        const end = begin + (facts[at] ?? 0);
        line.begin = begin;
        line.listBegin = begin + (facts[at + 1] ?? 0);
        line.end = begin = end;
        line.shared = facts[at + 2] ?? 0;
        yield line;
      }
    }
  }

  #write({ bytes, begin, end }: BytePlace): void {
    const line = this.#line;
    let length = this.#length;
    for (let at = begin; at < end; at++) line[length++] = bytes[at] ?? 0;
    this.#length = length;
  }

  #cut(): void {
    if (this.#lines === 0) return;
    const facts = Buffer.from(this.#facts.buffer, 0, 4 * FACTS * this.#lines);
    const lines = Buffer.from(this.#line.buffer, 0, this.#length);
    this.#pieces.push([this.temporary.put(lines), this.temporary.put(facts)]);
    this.bytes += this.#length;
    [this.#length, this.#lines] = [0, 0];
  }
}
