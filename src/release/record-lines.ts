/** records.sha256: one line per record in published order. With it, releases are compared without reading their pages. */
import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { RecordFinder } from "../contract/record/locate.js";
import { UserError } from "../errors.js";
import { MAX_PAGE } from "./plain-files.js";

// A line is the first digits of the SHA-256 of a record's canonical text, two spaces, the record's key and a newline.
const DIGEST_DIGITS = 32;
/** Where in a line the key begins. */
const KEY_AT = DIGEST_DIGITS + 2;

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

/** The number of a line, from 0, and the offset in the file where it begins. */
export interface LinePlace {
  line: number;
  offset: number;
}

/** Reads lines of records.sha256 by number, from 0, in bounded memory. Close it in a `finally`. */
export class RecordLines {
  readonly #file: number;
  #memory = Buffer.allocUnsafe(WINDOW);
  /** Where in memory each line begins, then where the last one ends. */
  readonly #starts = [0];
  /** The first line in memory. */
  #first: LinePlace = { line: 0, offset: 0 };
  #isLast = false;

  /** @param places collects the places where windows begin, to find lines faster later. Readers of one file may share it. */
  constructor(
    private readonly path: string,
    private readonly places: LinePlace[] = [],
  ) {
    this.#file = openSync(path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Reads `count` lines from line `first` on, or fewer at the end of the file. */
  lines(first: number, count: number): Buffer {
    const parts: Buffer[] = [];
    for (let [at, left] = [first, count]; left > 0; ) {
      const held = Math.min(this.load(at, left), left);
      if (held === 0) break;
      // A copy: the next window overwrites the memory.
      parts.push(Buffer.from(this.#memory.subarray(this.startOf(at), this.startOf(at + held))));
      [at, left] = [at + held, left - held];
    }
    return Buffer.concat(parts);
  }

  /**
   * Loads lines from `at` on into memory.
   * @returns the number of loaded lines: at least `wanted` if half a window has room for them, else at least 1; 0 at the end of the file.
   */
  load(at: number, wanted: number): number {
    const left = () => Math.max(0, this.#end - at);
    const isEnough = this.#isLast || left() >= wanted || 2 * left() > this.#count;
    if (at < this.#first.line || !isEnough) this.#moveTo(at);
    return left();
  }

  /** Counts the lines, and the bytes after the last newline. */
  measure(): { lines: number; trailing: number } {
    let lines = 0;
    for (let held = this.load(0, 1); held > 0; held = this.load(lines, 1)) lines += held;
    return { lines, trailing: fstatSync(this.#file).size - this.#placeOf(lines).offset };
  }

  /** The memory that `startOf` points into, until the next `load` or `lines`. */
  get memory(): Buffer {
    return this.#memory;
  }

  /** The offset in memory of a held line, or of the end of the last one. */
  startOf(line: number): number {
    return this.#starts[line - this.#first.line] ?? 0;
  }

  /** The key of a held line as it is written, one character per byte. */
  key(line: number): string {
    return this.#memory.toString("latin1", this.startOf(line) + KEY_AT, this.startOf(line + 1) - 1);
  }

  /** The digest of a held line. */
  digest(line: number): string {
    return this.#memory.toString("latin1", this.startOf(line), this.startOf(line) + DIGEST_DIGITS);
  }

  get #count(): number {
    return this.#starts.length - 1;
  }

  /** The line after the last one in memory. */
  get #end(): number {
    return this.#first.line + this.#count;
  }

  #placeOf(line: number): LinePlace {
    return { line, offset: this.#first.offset + this.startOf(line) };
  }

  #moveTo(at: number): void {
    const isNear = at >= this.#first.line && at <= this.#end;
    const known = this.places.findLast(({ line }) => line <= at) ?? { line: 0, offset: 0 };
    this.#fill(isNear ? this.#placeOf(at) : known);
    while (!this.#isLast && this.#end <= at) this.#fill(this.#placeOf(this.#end));
  }

  #fill(place: LinePlace): void {
    if (place.line > (this.places.at(-1)?.line ?? 0)) this.places.push(place);
    this.#first = place;
    for (;;) {
      const bytes = readSync(this.#file, this.#memory, 0, this.#memory.length, place.offset);
      this.#isLast = bytes < this.#memory.length;
      this.#findStarts(bytes);
      if (this.#count > 0 || this.#isLast) return;
      if (bytes > MAX_PAGE)
        throw new UserError(
          `${this.path} is not a list of records: line ${place.line + 1} is longer than a page. Run "rollcall verify" to see what else is wrong.`,
        );
      this.#memory = Buffer.allocUnsafe(2 * bytes);
    }
  }

  #findStarts(bytes: number): void {
    this.#starts.length = 1;
    for (let at = 0; ; ) {
      const end = this.#memory.indexOf(NEWLINE, at + SHORTEST_LINE - 1);
      if (end < 0 || end >= bytes) return;
      at = end + 1;
      this.#starts.push(at);
    }
  }
}
