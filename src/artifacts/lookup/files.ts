/** Cuts the lines of a family into files, and adds lines for the beginnings of terms that lie in several of them. */
import { type Beginning, HIGHEST, MARKS } from "../../contract/lookup.js";
import type { createTurns } from "../../workers/turns.js";
import { type HeldLine, OpenBeginnings } from "./beginnings.js";
import { type Bits, eachNumber, larger, MOST_DIGITS, writeBits, writeNumber } from "./numbers.js";
import type { FileSizes } from "./sizes.js";
import { type BytePlace, textAt, writtenTerm } from "./term.js";

const NEWLINE = 0x0a;

/** A line of a term, valid until the next one. */
export interface SortedLine {
  bytes: Buffer;
  /** Where its numbers begin. */
  listBegin: number;
  /** Behind its newline. */
  end: number;
  /** The term of the line, which stays valid. */
  term: BytePlace;
  /** Bytes that the term shares with that of the line before, in whole characters. */
  shared: number;
}

export interface FilesOptions {
  /** Of all records. */
  count: number;
  /** Whether beginnings of terms have lines of their own. */
  hasAll: boolean;
  sizes: FileSizes;
  turn: ReturnType<typeof createTurns>;
  /** Takes each file, in order, as soon as it is whole. */
  put(bytes: Buffer): Promise<void> | void;
}

/** @returns what each file begins with. */
export async function writeFiles(lines: Iterable<SortedLine>, options: FilesOptions): Promise<Beginning[]> {
  const cutter = new Cutter(options);
  const putAll = async () => {
    for (const file of cutter.done.splice(0)) await options.put(file);
  };
  for (const line of lines) {
    cutter.add(line);
    const wait = options.turn();
    if (wait) await wait;
    if (cutter.done.length > 0) await putAll();
  }
  cutter.finish();
  await putAll();
  return cutter.beginnings;
}

/** A list of numbers as it stands behind a term, and what names it. */
interface Entry {
  /** The term and its mark, as they are written. */
  head: Uint8Array;
  /** By which the line is sorted. */
  place: string;
  list: Uint8Array;
  listBegin: number;
  listEnd: number;
}

class Cutter {
  readonly beginnings: Beginning[] = [];
  /** Files that are whole. */
  readonly done: Buffer[] = [];
  #bytes: Buffer = Buffer.alloc(2 ** 16);
  #length = 0;
  #limit: number;
  readonly #open: OpenBeginnings;
  /** The lines of terms in this file, and the last term of all. */
  #held: HeldLine[] = [];
  #last: BytePlace = { bytes: Buffer.alloc(0), begin: 0, end: 0 };
  /** For the list of a beginning. */
  #list: Buffer = Buffer.alloc(2 ** 12);
  /** Whether the last line in this file is that of a beginning. */
  #endsWithAll = false;

  constructor(private readonly options: FilesOptions) {
    this.#open = new OpenBeginnings(options.count);
    this.#limit = options.sizes.next();
  }

  add(line: SortedLine): void {
    const { bytes, listBegin, end, term, shared } = line;
    if (this.#open.longest > shared) this.#end(shared);
    if (!this.#hasRoom(end)) this.#cut(shared);
    this.#last = term;
    this.#endsWithAll = false;
    if (end <= this.#limit) {
      if (this.#length === 0) this.beginnings.push(textAt(term));
      this.#held.push({ listBegin: this.#length + listBegin, listEnd: this.#length + end - 1, shared });
      this.#write(bytes, 0, end);
    } else {
      const entry = { head: bytes.subarray(0, listBegin), place: textAt(term) };
      this.#writeLong({ ...entry, list: bytes, listBegin, listEnd: end - 1 }, shared);
    }
    this.#open.add(bytes, listBegin, end - 1);
  }

  finish(): void {
    this.#end(0);
    if (this.#length > 0) this.#take();
  }

  /** Writes the lines of beginnings that the next term does not have. */
  #end(shared: number): void {
    this.#open.end(shared, (length, bits, isSame) => this.#writeAll(length, bits, isSame));
  }

  #writeAll(length: number, bits: Bits, isSame: boolean): void {
    const term = { ...this.#last, end: this.#last.begin + length };
    const written = textAt(writtenTerm(term));
    const same = Buffer.from(`${written}\t${MARKS.same}\n`);
    if (isSame && this.#endsWithAll && this.#hasRoom(same.length)) {
      this.#write(same, 0, same.length);
      return;
    }
    const head = Buffer.from(`${written}\t${MARKS.all}`);
    const list = writeBits(bits, this.#list);
    this.#list = list.bytes;
    if (!this.#hasRoom(head.length + list.end + 1)) this.#cut(0);
    const place = textAt(term) + HIGHEST;
    this.#writeLong({ head, place, list: list.bytes, listBegin: 0, listEnd: list.end }, undefined);
    this.#endsWithAll = true;
  }

  /** Writes a list that may be cut. @param shared of the line of a term, see `HeldLines`; undefined for that of a beginning. */
  #writeLong({ head, place, list, listBegin, listEnd }: Entry, shared: number | undefined): void {
    let from = -1;
    const hold = () => {
      if (shared !== undefined && from >= 0) this.#held.push({ listBegin: from, listEnd: this.#length, shared });
    };
    let before = listBegin;
    const digits = new Uint8Array(MOST_DIGITS);
    eachNumber(list, listBegin, listEnd, (number, end) => {
      if (from >= 0 && this.#length + end - before + 1 > this.#limit) {
        hold();
        this.#bytes[this.#length++] = NEWLINE;
        this.#cut(shared === undefined ? 0 : this.#last.end - this.#last.begin);
        from = -1;
      }
      if (from < 0) {
        if (this.#length === 0) this.beginnings.push(before === listBegin ? place : [place, number]);
        this.#write(head, 0, head.length);
        from = this.#length;
        this.#write(digits, 0, writeNumber(digits, 0, number));
      } else this.#write(list, before, end);
      before = end;
    });
    hold();
    this.#write(NEWLINES, 0, 1);
  }

  #hasRoom(bytes: number): boolean {
    return this.#length === 0 || this.#length + bytes <= this.#limit;
  }

  /** Ends this file. @param shared bytes of the last term that the next file's first line has, too. */
  #cut(shared: number): void {
    if (this.options.hasAll) this.#open.open(this.#last, shared, this.#held, this.#bytes);
    this.#take();
    this.#held = [];
    this.#length = 0;
    this.#limit = this.options.sizes.next();
  }

  #take(): void {
    this.done.push(Buffer.from(this.#bytes.subarray(0, this.#length)));
  }

  #write(from: Uint8Array, begin: number, end: number): void {
    // With room for a newline.
    while (this.#length + end - begin >= this.#bytes.length) this.#bytes = larger(this.#bytes);
    const to = this.#bytes;
    let length = this.#length;
    for (let at = begin; at < end; at++) to[length++] = from[at] ?? 0;
    this.#length = length;
  }
}

const NEWLINES = Uint8Array.of(NEWLINE);
