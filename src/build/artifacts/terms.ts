/** Terms with their record numbers: collected from pages, and sorted by SQLite. */
import type { Statement } from "better-sqlite3";
import { TemporaryDatabase } from "../../core/scratch/database.js";

/** Bytes of an integer. A row is the term's length, the count of numbers, the numbers, and the term. */
const INTEGER = 4;
const HEAD = 2 * INTEGER;
/** Rows of one INSERT, since a call takes longer than a row. */
const ROWS_TOGETHER = 50;
/** Rows that are concatenated by one SELECT, since a value for JavaScript takes longer than a row. */
const ROWS_READ = 256;
/** KiB of SQLite's memory. */
const MEMORY = 4096;

/** Collects the terms of a batch. */
export class TermCollector {
  /** Record numbers by term, which has one character a byte. */
  readonly #terms = new Map<string, number[]>();
  /** Rows of terms that are not in the map. */
  #rows = Buffer.alloc(0);
  #length = 0;
  /** Size of the rows of the map. */
  #bytes = 0;

  /**
   * @param term one character for each UTF-8 byte
   * @param number of a record that has the term. Consecutive repetitions are ignored
   */
  add(term: string, number: number): void {
    const numbers = this.#terms.get(term);
    if (numbers === undefined) {
      this.#terms.set(term, [number]);
      this.#bytes += HEAD + term.length;
    } else if (numbers.at(-1) === number) return;
    else numbers.push(number);
    this.#bytes += INTEGER;
  }

  /** Adds a term that other records of the batch rarely have. */
  addUnique(term: string, number: number): void {
    const length = this.#length + HEAD + INTEGER + term.length;
    if (length > this.#rows.length) this.#rows = Buffer.concat([this.#rows], 2 * length);
    this.#length = writeRow(this.#rows, this.#length, term, [number]);
  }

  /** All terms since the last call, as rows for `TermTable.add`. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#length + this.#bytes);
    let at = this.#rows.copy(bytes, 0, 0, this.#length);
    for (const [term, numbers] of this.#terms) at = writeRow(bytes, at, term, numbers);
    this.#terms.clear();
    this.#length = 0;
    this.#bytes = 0;
    return bytes;
  }
}

/** Writes a row. @returns the offset after it */
function writeRow(bytes: Buffer, at: number, term: string, numbers: readonly number[]): number {
  let end = bytes.writeUInt32LE(term.length, at);
  end = bytes.writeUInt32LE(numbers.length, end);
  for (const number of numbers) end = bytes.writeUInt32LE(number, end);
  return end + bytes.write(term, end, "latin1");
}

/** A slice of bytes: a term in UTF-8, or a list of numbers. */
export interface BytePlace {
  bytes: Buffer;
  begin: number;
  end: number;
}

/** A term, and the numbers of its records in ascending order. */
export interface Term {
  place: BytePlace;
  numbers: readonly number[];
}

/** Sorts terms by their bytes, in bounded memory. Close it in a `finally`. */
export class TermTable {
  readonly #temporary = new TemporaryDatabase({
    tables: "CREATE TABLE taken (term BLOB, head BLOB)",
    memory: MEMORY,
  });
  readonly #insert: Statement<Buffer[]>;
  readonly #insertMany: Statement<Buffer[]>;
  #isSorted = false;

  constructor() {
    const { db } = this.#temporary;
    this.#insert = db.prepare("INSERT INTO taken VALUES (?, ?)");
    this.#insertMany = db.prepare(`INSERT INTO taken VALUES ${Array(ROWS_TOGETHER).fill("(?, ?)").join(", ")}`);
  }

  /** Adds the terms of a batch. @throws UserError if the temporary folder is full */
  add(bytes: Buffer): void {
    let rows: Buffer[] = [];
    this.#temporary.run(() => {
      for (let at = 0; at < bytes.length; ) {
        const term = at + HEAD + INTEGER * bytes.readUInt32LE(at + INTEGER);
        const end = term + bytes.readUInt32LE(at);
        rows.push(bytes.subarray(term, end), bytes.subarray(at, term));
        at = end;
        if (rows.length < 2 * ROWS_TOGETHER) continue;
        this.#insertMany.run(...rows);
        rows = [];
      }
      for (let at = 0; at < rows.length; at += 2) this.#insert.run(...rows.slice(at, at + 2));
    });
  }

  /** Iterates all terms, sorted, after the last `add`. Can be repeated. @throws as `add` does */
  *[Symbol.iterator](): Generator<Term> {
    this.#sort();
    let place: BytePlace | undefined;
    let lists: BytePlace[] = [];
    for (const [terms, heads] of this.#chunks())
      for (let at = 0, begin = 0; at < heads.length; ) {
        const end = begin + heads.readUInt32LE(at);
        const list = { bytes: heads, begin: at + HEAD, end: at + HEAD + INTEGER * heads.readUInt32LE(at + INTEGER) };
        const term = { bytes: terms, begin, end };
        if (place && !isSame(place, term)) {
          yield { place, numbers: numbersOf(lists) };
          lists = [];
        }
        lists.push(list);
        place = term;
        at = list.end;
        begin = end;
      }
    if (place) yield { place, numbers: numbersOf(lists) };
  }

  close(): void {
    this.#temporary.close();
  }

  #sort(): void {
    if (this.#isSorted) return;
    const sql = "CREATE TABLE sorted AS SELECT term, head FROM taken ORDER BY term; DROP TABLE taken";
    this.#temporary.run(() => this.#temporary.db.exec(sql));
    this.#isSorted = true;
  }

  /** Reads rows in chunks: concatenated terms, and concatenated heads. */
  *#chunks(): Generator<[terms: Buffer, heads: Buffer]> {
    const select = this.#temporary.db
      .prepare<[number, number], [Buffer | null, Buffer]>(
        `SELECT CAST(group_concat(term, '') AS BLOB), CAST(group_concat(head, '') AS BLOB) FROM sorted
          WHERE rowid > ? AND rowid <= ?`,
      )
      .raw();
    for (let row = 0; ; row += ROWS_READ) {
      const [terms, heads] = this.#temporary.run(() => select.get(row, row + ROWS_READ)) ?? [];
      if (!terms || !heads) return;
      yield [terms, heads];
    }
  }
}

/** Compares from the end, since neighbours in order share their beginnings. */
function isSame(one: BytePlace, other: BytePlace): boolean {
  let at = one.end;
  let otherAt = other.end;
  if (at - one.begin !== otherAt - other.begin) return false;
  while (at > one.begin) if (one.bytes[--at] !== other.bytes[--otherAt]) return false;
  return true;
}

function numbersOf(lists: readonly BytePlace[]): number[] {
  const numbers: number[] = [];
  for (const { bytes, begin, end } of lists)
    for (let at = begin; at < end; at += INTEGER) numbers.push(bytes.readUInt32LE(at));
  return lists.length === 1 ? numbers : numbers.sort((one, other) => one - other);
}

const QUOTE = 0x22;
const FIRST_PLAIN = 0x20;

/** Whether a byte continues a character. */
function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Length of the common prefix of two terms in bytes, in whole characters. */
export function sharedBytes(one: BytePlace, other: BytePlace): number {
  const most = Math.min(one.end - one.begin, other.end - other.begin);
  let at = 0;
  while (at < most && one.bytes[one.begin + at] === other.bytes[other.begin + at]) at++;
  const isInside = (term: BytePlace) => term.begin + at < term.end && continues(term.bytes[term.begin + at]);
  while (at > 0 && (isInside(one) || isInside(other))) at--;
  return at;
}

/** Length in bytes of the prefix that is one character longer than `bytes` bytes. */
export function extendByCharacter({ bytes: all, begin, end }: BytePlace, bytes: number): number {
  let at = begin + bytes + 1;
  while (at < end && continues(all[at])) at++;
  return Math.min(at, end) - begin;
}

/** A term as written in a line: as JSON if it begins with a quote or has control characters. */
export function writtenTerm(term: BytePlace): BytePlace {
  const { bytes, begin, end } = term;
  let isPlain = bytes[begin] !== QUOTE || begin === end;
  for (let at = begin; at < end && isPlain; at++) isPlain = (bytes[at] ?? 0) >= FIRST_PLAIN;
  if (isPlain) return term;
  const json = Buffer.from(JSON.stringify(textAt(term)));
  return { bytes: json, begin: 0, end: json.length };
}

/** Decodes the text of a slice. */
export function textAt({ bytes, begin, end }: BytePlace): string {
  return bytes.toString("utf8", begin, end);
}
