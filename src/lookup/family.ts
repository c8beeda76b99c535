/** One family of sorted files: keys, words or facets, from terms in any order to files. */
import { type Beginnings, MARKS } from "../contract/lookup.js";
import type { createTurns } from "../workers/turns.js";
import { larger } from "./bits.js";
import { type FilesOptions, writeFiles } from "./files.js";
import { type BytePlace, Lines } from "./lines.js";
import { countNumbers, MOST_DIGITS, writeNumber } from "./numbers.js";
import { type FileForm, FileSizes } from "./sizes.js";
import type { TemporaryBytes } from "./temporary.js";
import { oneMore, sharedBytes, termOfLine, textAt, writtenTerm } from "./term.js";
import { SortedTerms, type TermBytes, TermCollector } from "./terms.js";

interface FamilyOptions {
  /** Of all records. */
  count: number;
  /** Whether a term that one record has is cut to the beginning that no other term has. */
  isCut: boolean;
  /** Whether beginnings of terms have lines of their own. */
  hasAll: boolean;
  files: FileForm;
  temporary: TemporaryBytes;
}

/** A term and the numbers of its records, until the next term says how far it may be cut. */
interface Term {
  place: BytePlace;
  numbers: Uint32Array;
  /** Bytes that it shares with the term before, in whole characters. */
  shared: number;
}

type Turn = ReturnType<typeof createTurns>;

const ONLY = MARKS.only.charCodeAt(0);

/** To be closed in a `finally`. */
export class SortedFamily {
  readonly #terms = new SortedTerms();
  readonly #lines: Lines;
  /** For the digits of a term's numbers. */
  #list = new Uint8Array(2 ** 10);

  constructor(private readonly options: FamilyOptions) {
    this.#lines = new Lines(options.temporary);
  }

  take(terms: TermBytes): void {
    this.#terms.take(terms);
  }

  /** All terms in order, for another family to take: the same bytes, whoever collected which. */
  async *sortedTerms(turn: Turn): AsyncGenerator<TermBytes> {
    const terms = new TermCollector();
    for (const { term, numbers } of this.#terms) {
      const wait = turn();
      if (wait) await wait;
      for (const number of numbers) terms.add(term, 0, term.length, number);
      if (terms.isFull) yield terms.finish();
    }
    yield terms.finish();
  }

  /** Makes a line of each term. Nothing can be taken any more. */
  async merge(turn: Turn): Promise<void> {
    let last: Term | undefined;
    for (const { term, numbers } of this.#terms) {
      const wait = turn();
      if (wait) await wait;
      const place = { bytes: term, begin: 0, end: term.length };
      const shared = last ? sharedBytes(last.place, place) : 0;
      if (last) this.#addLine(last, shared);
      last = { place, numbers, shared };
    }
    if (last) this.#addLine(last, 0);
    this.#lines.finish();
  }

  /** Each term in order, and how many records have it. After `merge`, where terms are not cut. */
  *counts(): Generator<{ term: string; count: number }> {
    for (const line of this.#lines)
      yield { term: textAt(termOfLine(line)), count: countNumbers(line.bytes, line.listBegin, line.end) };
  }

  /** After `merge`. */
  async write(options: Pick<FilesOptions, "turn" | "put">): Promise<Beginnings> {
    const sizes = new FileSizes(this.#lines.bytes, this.options.files);
    return writeFiles(this.#lines, { ...this.options, sizes, ...options });
  }

  close(): void {
    this.#terms.close();
  }

  #addLine({ place, numbers, shared }: Term, sharedWithNext: number): void {
    const isCut = this.options.isCut && numbers.length === 1;
    const end = isCut ? oneMore(place, Math.max(shared, sharedWithNext)) : place.end;
    while (this.#list.length < MOST_DIGITS * numbers.length) this.#list = larger(this.#list);
    let [length, before] = [0, 0];
    for (const number of numbers) {
      length = writeNumber(this.#list, length, number - before);
      before = number;
    }
    const list = { bytes: this.#list, begin: 0, end: length };
    this.#lines.add(writtenTerm({ ...place, end }), end < place.end ? ONLY : 0, list, shared);
  }
}
