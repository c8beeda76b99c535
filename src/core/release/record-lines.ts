/** records.sha256: one line per record in published order. With it, releases are compared without reading their pages. */
import { hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { RecordFinder } from "../contract/record/locate.js";
import { UserError } from "../errors.js";
import { MAX_PAGE } from "./plain-files.js";

// A line is the first digits of the SHA-256 of a record's canonical text, two spaces, the record's key and a newline.
const DIGEST_DIGITS = 32;
/** Where in a line the key begins. It ends before the newline. */
export const KEY_AT = DIGEST_DIGITS + 2;

const NEWLINE = 10;
/** Bytes of the shortest line: a key has at least one character. */
const SHORTEST_LINE = KEY_AT + 2;
/** Bytes in memory at once, or more for a longer line. */
const WINDOW = 2 ** 19;

/**
 * Makes the lines for a page's canonical records.
 * @param records their text, with separators
 * @param text the same, with one character per byte
 * @returns undefined if a record has no key where the contract puts it.
 */
export function recordLines(
  finder: RecordFinder,
  records: Buffer,
  text = records.toString("latin1"),
): Buffer | undefined {
  let lines = "";
  const isWhole = finder.each(text, ({ at, end, key }) => {
    lines += `${recordDigest(records.subarray(at, end))}  ${key}\n`;
  });
  return isWhole ? Buffer.from(lines, "latin1") : undefined;
}

/** The digest of a record's canonical text as records.sha256 has it: 32 hexadecimal digits of its SHA-256. */
export function recordDigest(record: Buffer): string {
  return hash("sha256", record, "hex").slice(0, DIGEST_DIGITS);
}

/** Reads the lines of records.sha256 in order, in bounded memory. Close it in a `finally`. */
export class RecordLines {
  readonly #file: number;
  #memory = Buffer.allocUnsafe(WINDOW);
  /** Bytes of the file in memory. */
  #held = 0;
  /** Where in memory the current line begins, and where the next one does. */
  #begin = 0;
  #next = 0;
  /** The number of the current line, from 0; -1 before the first one. */
  at = -1;

  constructor(private readonly path: string) {
    this.#file = openSync(path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Moves to the next line. @returns false at the end of the file. Bytes after the last newline are no line. */
  next(): boolean {
    let end = this.#findNewline();
    while (end < 0) {
      if (!this.#readMore()) return false;
      end = this.#findNewline();
    }
    this.#begin = this.#next;
    this.#next = end + 1;
    this.at++;
    return true;
  }

  /** The key of the current line as it is written, one character per byte. */
  get key(): string {
    return this.#memory.toString("latin1", this.#begin + KEY_AT, this.#next - 1);
  }

  /** The digest of the current line. */
  get digest(): string {
    return this.#memory.toString("latin1", this.#begin, this.#begin + DIGEST_DIGITS);
  }

  /** Whether the current line of another list has the same bytes. */
  isSame(other: RecordLines): boolean {
    return this.#memory.compare(other.#memory, other.#begin, other.#next, this.#begin, this.#next) === 0;
  }

  /** Where the line after the current one ends; -1 if it does not end in memory. */
  #findNewline(): number {
    const end = this.#memory.indexOf(NEWLINE, this.#next + SHORTEST_LINE - 1);
    return end < this.#held ? end : -1;
  }

  /** Moves the unfinished line to the beginning of memory, and reads on. @returns false at the end of the file */
  #readMore(): boolean {
    const unfinished = this.#held - this.#next;
    if (unfinished > MAX_PAGE)
      throw new UserError(
        `${this.path} is not a list of records: line ${this.at + 2} is longer than a page. Run "rollcall verify" to see what else is wrong.`,
      );
    const before = this.#memory;
    if (2 * unfinished > before.length) this.#memory = Buffer.allocUnsafe(2 * before.length);
    before.copy(this.#memory, 0, this.#next, this.#held);
    this.#next = 0;
    const bytes = readSync(this.#file, this.#memory, unfinished, this.#memory.length - unfinished, null);
    this.#held = unfinished + bytes;
    return bytes > 0;
  }
}
