/** Terms and the numbers of the records that have them: collected where pages are read, and sorted by SQLite. */
import type { Statement } from "better-sqlite3";
import { TemporaryDatabase } from "../scratch/database.js";

/** Numbers, and bytes of terms, from which on a thread hands over what it has collected. */
const FULL_NUMBERS = 2 ** 16;
const FULL_BYTES = 2 ** 21;
/** Bytes before a term: its length, and how many numbers follow it. Each number has four bytes, too. */
const HEAD = 8;
/** Rows of one INSERT: a call takes longer than a row. */
const TOGETHER = 50;
/** KiB that SQLite sorts in memory. */
const MEMORY = 4096;

/** Terms with their numbers, in any order, as bytes that can be sent to another thread or kept in a file. */
export type TermBytes = Uint8Array<ArrayBuffer>;

/** Collects terms in a thread. */
export class TermCollector {
  /** By the bytes of the term, a character for each. */
  readonly #terms = new Map<string, number[]>();
  #numbers = 0;
  #bytes = 0;

  /** Whether it is time to call `finish`. */
  get isFull(): boolean {
    return this.#numbers >= FULL_NUMBERS || this.#bytes >= FULL_BYTES;
  }

  /**
   * @param bytes the term's UTF-8 stands there, from `begin` to `end`.
   * @param number of a record that has the term. It may be given several times in a row.
   */
  add(bytes: Buffer, begin: number, end: number, number: number): void {
    const term = bytes.toString("latin1", begin, end);
    const numbers = this.#terms.get(term);
    if (numbers === undefined) {
      this.#terms.set(term, [number]);
      this.#bytes += end - begin;
    } else if (numbers.at(-1) === number) return;
    else numbers.push(number);
    this.#numbers++;
  }

  /** All since the last call, in memory of its own. */
  finish(): TermBytes {
    const bytes = Buffer.from(new ArrayBuffer(this.#bytes + HEAD * this.#terms.size + 4 * this.#numbers));
    let at = 0;
    for (const [term, numbers] of this.#terms) {
      at = bytes.writeUInt32LE(term.length, at);
      at = bytes.writeUInt32LE(numbers.length, at);
      at += bytes.write(term, at, "latin1");
      for (const number of numbers) at = bytes.writeUInt32LE(number, at);
    }
    this.#terms.clear();
    [this.#numbers, this.#bytes] = [0, 0];
    return bytes;
  }
}

/** Sorts terms by their bytes, in bounded memory. To be closed in a `finally`. */
export class SortedTerms {
  readonly #temporary = new TemporaryDatabase({
    tables: "CREATE TABLE terms (term BLOB, numbers BLOB)",
    memory: MEMORY,
    purpose: "sort what records are looked up by in",
  });
  readonly #insert: Statement<Buffer[]>;
  readonly #insertMany: Statement<Buffer[]>;

  constructor() {
    const { db } = this.#temporary;
    this.#insert = db.prepare("INSERT INTO terms VALUES (?, ?)");
    this.#insertMany = db.prepare(`INSERT INTO terms VALUES ${Array(TOGETHER).fill("(?, ?)").join(", ")}`);
  }

  /** @throws UserError when the folder for temporary files is full. */
  take({ buffer, byteOffset, length }: TermBytes): void {
    const bytes = Buffer.from(buffer, byteOffset, length);
    let rows: Buffer[] = [];
    this.#temporary.run(() => {
      for (let at = 0; at < length; ) {
        const numbers = at + HEAD + bytes.readUInt32LE(at);
        const end = numbers + 4 * bytes.readUInt32LE(at + 4);
        rows.push(bytes.subarray(at + HEAD, numbers), bytes.subarray(numbers, end));
        at = end;
        if (rows.length < 2 * TOGETHER) continue;
        this.#insertMany.run(...rows);
        rows = [];
      }
      for (let at = 0; at < rows.length; at += 2) this.#insert.run(...rows.slice(at, at + 2));
    });
  }

  /** Each term once, with its numbers in order. */
  *[Symbol.iterator](): Generator<{ term: Buffer; numbers: Uint32Array }> {
    let [term, lists]: [Buffer, Buffer[]] = [Buffer.alloc(0), []];
    for (const row of this.#temporary.rows<{ term: Buffer; numbers: Buffer }>("SELECT * FROM terms ORDER BY term")) {
      if (lists.length > 0 && !row.term.equals(term)) {
        yield { term, numbers: sortedNumbers(lists) };
        lists = [];
      }
      term = row.term;
      lists.push(row.numbers);
    }
    if (lists.length > 0) yield { term, numbers: sortedNumbers(lists) };
  }

  close(): void {
    this.#temporary.close();
  }
}

function sortedNumbers(lists: readonly Buffer[]): Uint32Array {
  const bytes = lists.length === 1 ? (lists[0] as Buffer) : Buffer.concat(lists);
  const numbers = new Uint32Array(bytes.length / 4);
  for (let at = 0; at < numbers.length; at++) numbers[at] = bytes.readUInt32LE(4 * at);
  return lists.length === 1 ? numbers : numbers.sort();
}
