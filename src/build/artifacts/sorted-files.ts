/** Writes sorted files (keys, words or facets): sorts terms, writes a line for each, and splits lines into files. */
import { type Beginning, type Beginnings, HIGHEST, LIST_DIGITS, MARKS } from "../../core/contract/lookup.js";
import { type SORTED_FOLDERS, sortedPath } from "../../core/release/layout.js";
import type { createTurns } from "../../core/workers/turns.js";
import type { Sink } from "./artifact.js";
import { type HeldLine, OpenPrefixes, type RecordSet } from "./beginnings.js";
import { type BytePlace, extendByCharacter, sharedBytes, type Term, TermTable, textAt, writtenTerm } from "./terms.js";

/** Sizes of the files of a family, a compromise between few files and quick downloads. */
export interface FamilySizes {
  /** Minimum size of a file in bytes. */
  minBytes: number;
  /** Number of files for the lines of terms. Lines of prefixes add about half of that with a million users. */
  targetFiles: number;
  /** After this number of files, the size doubles with every `FILES_OF_SIZE` files. */
  doublingAfter: number;
  /**
   * Whether readers search by prefix. If so, prefixes have lines too, and a term of a single record is cut to its shortest
   * unique prefix.
   */
  hasPrefixes: boolean;
}

/** The sorted files of one folder. Close it in a `finally`. */
export class SortedFamily {
  readonly #terms = new TermTable();

  /** @param count number of all records. */
  constructor(
    private readonly count: number,
    private readonly form: FamilySizes,
  ) {}

  add(terms: Buffer): void {
    this.#terms.add(terms);
  }

  /** All terms, sorted. Read it after the last `add`. */
  get terms(): Iterable<Term> {
    return this.#terms;
  }

  /** Writes the files in order, each as soon as it is complete. @returns the first term of each */
  async write(
    folder: keyof typeof SORTED_FOLDERS,
    sink: Sink,
    turn: ReturnType<typeof createTurns>,
  ): Promise<Beginnings> {
    let bytes = 0;
    for (const line of this.#lines()) {
      bytes += bytesOf(line);
      const wait = turn();
      if (wait) await wait;
    }
    const cutter = new FileSplitter(this.count, this.form, bytes);
    let files = 0;
    const putAll = async () => {
      for (const file of cutter.done.splice(0)) await sink.put(sortedPath(folder, ++files), file);
    };
    for (const line of this.#lines()) {
      cutter.add(line);
      const wait = turn();
      if (wait) await wait;
      if (cutter.done.length > 0) await putAll();
    }
    cutter.finish();
    await putAll();
    return cutter.beginnings;
  }

  close(): void {
    this.#terms.close();
  }

  *#lines(): Generator<TermLine> {
    let last: { term: Term; shared: number } | undefined;
    for (const term of this.#terms) {
      const shared = last ? sharedBytes(last.term.place, term.place) : 0;
      if (last) yield this.#lineOf(last.term, last.shared, shared);
      last = { term, shared };
    }
    if (last) yield this.#lineOf(last.term, last.shared, 0);
  }

  #lineOf({ place, numbers }: Term, shared: number, sharedWithNext: number): TermLine {
    const isOnly = this.form.hasPrefixes && numbers.length === 1;
    const length = isOnly ? extendByCharacter(place, Math.max(shared, sharedWithNext)) : place.end - place.begin;
    const term = { ...place, end: place.begin + length };
    return { term, mark: term.end < place.end ? MARKS.only : "", numbers, shared };
  }
}

interface Line {
  term: BytePlace;
  mark: "" | (typeof MARKS)[keyof typeof MARKS];
  numbers: Pick<RecordSet, "forEach">;
}

interface TermLine extends Line {
  numbers: readonly number[];
  /** Bytes that the term shares with the term of the line before, in whole characters. */
  shared: number;
}

/** Size of a line that is not split. */
function bytesOf({ term, mark, numbers }: Line): number {
  const { begin, end } = writtenTerm(term);
  let bytes = end - begin + mark.length + TAB_AND_NEWLINE;
  let before = 0;
  numbers.forEach((number) => {
    bytes += digitsOf(number - before);
    before = number;
  });
  return bytes;
}

const TAB_AND_NEWLINE = 2;
const TAB = 0x09;
const NEWLINE = 0x0a;
/** Number of files before the size doubles again. */
const FILES_OF_SIZE = 4;

/** Splits lines into files, and adds lines for prefixes whose terms are in several files. */
class FileSplitter {
  readonly beginnings: Beginning[] = [];
  /** Complete files. */
  readonly done: Buffer[] = [];
  #bytes: Buffer = Buffer.alloc(2 ** 16);
  #length = 0;
  /** Maximum size of the current file. */
  #limit: number;
  #files = 0;
  readonly #open: OpenPrefixes;
  /** Lines of terms in the current file with their numbers, and the last term. */
  #held: HeldLine[] = [];
  #heldNumbers: number[] = [];
  #last: BytePlace = { bytes: Buffer.alloc(0), begin: 0, end: 0 };
  /** Whether the last line of the current file has the mark `all`. */
  #endsWithAll = false;

  /** @param bytes size of all lines of terms. */
  constructor(
    count: number,
    private readonly form: FamilySizes,
    private readonly bytes: number,
  ) {
    this.#open = new OpenPrefixes(count);
    this.#limit = this.#nextLimit();
  }

  add(line: TermLine): void {
    const { term, numbers, shared } = line;
    if (this.#open.longest > shared) this.#end(shared);
    if (!this.#hasRoom(bytesOf(line))) this.#cut(shared);
    this.#last = term;
    this.#endsWithAll = false;
    this.#write(line, shared);
    this.#open.add(numbers);
  }

  finish(): void {
    this.#end(0);
    if (this.#length > 0) this.#take();
  }

  /** Writes the lines of prefixes that the next term does not have. */
  #end(shared: number): void {
    this.#open.end(shared, (length, records, isSame) => {
      const term = { ...this.#last, end: this.#last.begin + length };
      const same: Line = { term, mark: MARKS.same, numbers: [] };
      if (isSame && this.#endsWithAll && this.#hasRoom(bytesOf(same))) return this.#write(same);
      const all: Line = { term, mark: MARKS.all, numbers: records };
      if (!this.#hasRoom(bytesOf(all))) this.#cut(0);
      this.#write(all);
      this.#endsWithAll = true;
    });
  }

  /** Writes a line, split over files if its list is too long. @param shared undefined for the line of a prefix. */
  #write(line: Line, shared?: number): void {
    this.#writeHead(line, shared);
    let before: number | undefined;
    line.numbers.forEach((number) => {
      if (before !== undefined && this.#length + digitsOf(number - before) + 1 > this.#limit) {
        this.#bytes[this.#length++] = NEWLINE;
        this.#cut(shared === undefined ? 0 : line.term.end - line.term.begin);
        this.#writeHead(line, shared, number);
        before = undefined;
      }
      // And for a newline.
      this.#makeRoom(MAX_DIGITS + 1);
      this.#length = writeNumber(this.#bytes, this.#length, number - (before ?? 0));
      before = number;
      if (shared !== undefined) this.#heldNumbers.push(number);
    });
    this.#bytes[this.#length++] = NEWLINE;
  }

  /** Writes a term and its mark. @param from the first number, if the list is continued from another file. */
  #writeHead({ term, mark }: Line, shared: number | undefined, from?: number): void {
    if (this.#length === 0) {
      const place = textAt(term) + (shared === undefined ? HIGHEST : "");
      this.beginnings.push(from === undefined ? place : [place, from]);
    }
    if (shared !== undefined) this.#held.push({ begin: this.#heldNumbers.length, shared });
    const { bytes, begin, end } = writtenTerm(term);
    this.#makeRoom(end - begin + mark.length + TAB_AND_NEWLINE);
    for (let at = begin; at < end; at++) this.#bytes[this.#length++] = bytes[at] ?? 0;
    this.#bytes[this.#length++] = TAB;
    if (mark !== "") this.#bytes[this.#length++] = mark.charCodeAt(0);
  }

  #hasRoom(bytes: number): boolean {
    return this.#length === 0 || this.#length + bytes <= this.#limit;
  }

  /** Ends the current file. @param shared bytes that the next file's first term shares with the last term. */
  #cut(shared: number): void {
    if (this.form.hasPrefixes) this.#open.open(this.#last, shared, this.#held, this.#heldNumbers);
    this.#take();
    this.#held = [];
    this.#heldNumbers = [];
    this.#length = 0;
    this.#limit = this.#nextLimit();
  }

  #take(): void {
    this.done.push(Buffer.from(this.#bytes.subarray(0, this.#length)));
  }

  #nextLimit(): number {
    const { minBytes, targetFiles, doublingAfter } = this.form;
    const beyond = Math.max(0, ++this.#files - doublingAfter);
    return Math.max(minBytes, Math.ceil(this.bytes / targetFiles)) * 2 ** Math.ceil(beyond / FILES_OF_SIZE);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const DIGITS = Uint8Array.from(Buffer.from(LIST_DIGITS));
const BITS = 5;
const LAST = 32;

/** Digits of the longest number, which has 32 bits. */
export const MAX_DIGITS = 7;

function digitsOf(number: number): number {
  return number < LAST ? 1 : Math.ceil((32 - Math.clz32(number)) / BITS);
}

/** Writes a number in base 32, highest digit first. The last digit is marked. @returns the offset after it */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  const last = at + digitsOf(number) - 1;
  bytes[last] = DIGITS[LAST + (number & (LAST - 1))] ?? 0;
  for (let to = last - 1, rest = number >>> BITS; to >= at; to--, rest >>>= BITS)
    bytes[to] = DIGITS[rest & (LAST - 1)] ?? 0;
  return last + 1;
}
