/** records.sha256: a line for each record in published order. With it, releases are compared without reading their pages. */
import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { RecordFinder } from "../contract/record/locate.js";
import { UserError } from "../errors.js";
import { MAX_PAGE } from "./plain-files.js";

// A line is the first digits of the SHA-256 of a record's canonical text, two spaces, the record's key and a newline.
const DIGEST_DIGITS = 32;
/** Where in a line the key begins. */
export const KEY_AT = DIGEST_DIGITS + 2;

const NEWLINE = 10;
/** Length of the shortest line: a key has a character at least. */
const SHORTEST_LINE = KEY_AT + 2;
/** Bytes in memory at once, or more for a longer line. */
const WINDOW = 2 ** 19;

/**
 * The lines for a page's canonical records, which are given with their separators.
 * @param text of the records, with a character for each byte
 * @returns undefined if a record has no key where it should be.
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

export function recordDigest(record: Buffer): string {
  return hash("sha256", record, "hex").slice(0, DIGEST_DIGITS);
}

/** Where in the file a line begins. */
export interface LinePlace {
  line: number;
  offset: number;
}

/** Reads the lines of a records.sha256 by their number, from 0, in bounded memory. Close it in a `finally`. */
export class RecordLines {
  readonly #file: number;
  #memory = Buffer.allocUnsafe(WINDOW);
  /** Where in memory each line begins, then where the last one ends. */
  readonly #starts = [0];
  /** The first line in memory. */
  #first: LinePlace = { line: 0, offset: 0 };
  #isLast = false;

  /** @param places collects where windows begin, so that later lines are found. Readers of one file may share them. */
  constructor(
    private readonly path: string,
    private readonly places: LinePlace[] = [],
  ) {
    this.#file = openSync(path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** `count` lines from line `first` on, or fewer at the end of the file. */
  lines(first: number, count: number): Buffer {
    const parts: Buffer[] = [];
    for (let [at, left] = [first, count]; left > 0; ) {
      const held = Math.min(this.hold(at, left), left);
      if (held === 0) break;
      // A copy: the next window overwrites the memory.
      parts.push(Buffer.from(this.#memory.subarray(this.startOf(at), this.startOf(at + held))));
      [at, left] = [at + held, left - held];
    }
    return Buffer.concat(parts);
  }

  /**
   * Brings lines from `at` on into memory.
   * @returns how many of them are there: as many as wanted if half a window holds them, at least one, and none at the end of the file.
   */
  hold(at: number, wanted: number): number {
    const left = () => Math.max(0, this.#end - at);
    const isEnough = this.#isLast || left() >= wanted || 2 * left() > this.#count;
    if (at < this.#first.line || !isEnough) this.#moveTo(at);
    return left();
  }

  /** The number of lines, and of bytes after the last newline. */
  measure(): { lines: number; rest: number } {
    let lines = 0;
    for (let held = this.hold(0, 1); held > 0; held = this.hold(lines, 1)) lines += held;
    return { lines, rest: fstatSync(this.#file).size - this.#placeOf(lines).offset };
  }

  /** The memory that `startOf` points into, until other lines are held. */
  get memory(): Buffer {
    return this.#memory;
  }

  /** Where in memory a held line begins, or the last one ends. */
  startOf(line: number): number {
    return this.#starts[line - this.#first.line] ?? 0;
  }

  /** The key of a held line as it is written, byte by byte. */
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
          `${this.path} is not a list of records: its line ${place.line + 1} is longer than a page. See what else is wrong with "rollcall verify".`,
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
