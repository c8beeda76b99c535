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

  /** Adds a line. @param head its term and mark, as they are written. */
  add(head: Uint8Array, list: Uint8Array, listBegin: number, listEnd: number, shared: number): void {
    const length = head.length + listEnd - listBegin + 1;
    if (this.#length + length > PIECE) this.#cut();
    while (this.#length + length > this.#line.length) this.#line = larger(this.#line);
    this.#write(head, 0, head.length);
    const facts = [length, head.length, shared];
    if (FACTS * (this.#lines + 1) > this.#facts.length) this.#facts = larger(this.#facts);
    for (let fact = 0; fact < FACTS; fact++) this.#facts[FACTS * this.#lines + fact] = facts[fact] ?? 0;
    this.#write(list, listBegin, listEnd);
    this.#line[this.#length++] = NEWLINE;
    this.#lines++;
  }

  finish(): void {
    this.#cut();
  }

  *[Symbol.iterator](): Generator<SortedLine> {
    for (const [lines, known] of this.#pieces) {
      const bytes = this.temporary.get(lines);
      const stored = this.temporary.get(known);
      const facts = new Uint32Array(Uint8Array.from(stored).buffer);
      for (let at = 0, begin = 0; at < facts.length; at += FACTS) {
        const end = begin + (facts[at] ?? 0);
        yield { bytes, begin, listBegin: begin + (facts[at + 1] ?? 0), end, shared: facts[at + 2] ?? 0 };
        begin = end;
      }
    }
  }

  #write(from: Uint8Array, begin: number, end: number): void {
    for (let at = begin; at < end; at++) this.#line[this.#length++] = from[at] ?? 0;
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
