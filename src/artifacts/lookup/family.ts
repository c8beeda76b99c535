/** A family of sorted files (keys, words or facets): from terms in any order to lines, and from lines to files. */
import { type Beginnings, MARKS } from "../../contract/lookup.js";
import type { createTurns } from "../../workers/turns.js";
import { type FilesOptions, type SortedLine, writeFiles } from "./files.js";
import { larger, MOST_DIGITS, writeNumber } from "./numbers.js";
import { type FileForm, FileSizes } from "./sizes.js";
import { oneMore, sharedBytes, writtenTerm } from "./term.js";
import { type Term, TermTable } from "./terms.js";

interface FamilyOptions {
  /** Number of all records. */
  count: number;
  /** Whether a term of a single record is cut to the shortest beginning that no other term has. */
  isCut: boolean;
  /** Whether beginnings of terms have lines of their own. */
  hasAll: boolean;
  files: FileForm;
}

type Turn = ReturnType<typeof createTurns>;

const [TAB, NEWLINE] = [0x09, 0x0a];
const ONLY = MARKS.only.charCodeAt(0);
/** Bytes of a line besides its term and its numbers. */
const MOST_BESIDE = 3;

/** Close it in a `finally`. */
export class SortedFamily {
  readonly #terms = new TermTable();

  constructor(private readonly options: FamilyOptions) {}

  take(terms: Buffer): void {
    this.#terms.take(terms);
  }

  /** Call it once, when all terms are taken, and before `terms` or `write`. */
  sort(): void {
    this.#terms.sort();
  }

  get terms(): Iterable<Term> {
    return this.#terms;
  }

  async write(options: Pick<FilesOptions, "turn" | "put">): Promise<Beginnings> {
    const sizes = new FileSizes(await this.#measure(options.turn), this.options.files);
    return writeFiles(this.#lines(), { ...this.options, sizes, ...options });
  }

  close(): void {
    this.#terms.close();
  }

  async #measure(turn: Turn): Promise<number> {
    let bytes = 0;
    for (const { end } of this.#lines()) {
      bytes += end;
      const wait = turn();
      if (wait) await wait;
    }
    return bytes;
  }

  *#lines(): Generator<SortedLine> {
    const writer = new LineWriter(this.options.isCut);
    let last: { term: Term; shared: number } | undefined;
    for (const term of this.#terms) {
      const shared = last ? sharedBytes(last.term.place, term.place) : 0;
      if (last) yield writer.write(last.term, last.shared, shared);
      last = { term, shared };
    }
    if (last) yield writer.write(last.term, last.shared, 0);
  }
}

/** Writes lines, one after the other, into the same memory. */
class LineWriter {
  #bytes: Buffer = Buffer.alloc(2 ** 10);

  constructor(private readonly isCut: boolean) {}

  write({ place, numbers }: Term, shared: number, sharedWithNext: number): SortedLine {
    const isOnly = this.isCut && numbers.length === 1;
    const length = isOnly ? oneMore(place, Math.max(shared, sharedWithNext)) : place.end - place.begin;
    const term = { ...place, end: place.begin + length };
    const { bytes: from, begin, end: termEnd } = writtenTerm(term);
    const most = termEnd - begin + MOST_DIGITS * numbers.length + MOST_BESIDE;
    while (most > this.#bytes.length) this.#bytes = larger(this.#bytes);
    const bytes = this.#bytes;
    let end = 0;
    for (let at = begin; at < termEnd; at++) bytes[end++] = from[at] ?? 0;
    bytes[end++] = TAB;
    if (term.end < place.end) bytes[end++] = ONLY;
    const listBegin = end;
    let before = 0;
    for (const number of numbers) {
      end = writeNumber(bytes, end, number - before);
      before = number;
    }
    bytes[end++] = NEWLINE;
    return { bytes, listBegin, end, term, shared };
  }
}
