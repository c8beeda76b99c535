/** Reads lines of a list of records (records.sha256), which may be of any length, from any line on, in bounded memory. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "../../errors.js";
import { MAX_PAGE } from "../files.js";
import { DIGEST_DIGITS, KEY_AT } from "./list.js";

const NEWLINE = 10;
/** A key has a character at least. */
const SHORTEST_LINE = KEY_AT + 2;
/** Bytes in memory at once. It grows for a longer line. */
const WINDOW = 2 ** 19;

/** Where in the file a line begins. */
export interface LinePlace {
  line: number;
  offset: number;
}

/** Lines are numbered from 0. */
export class RecordLines {
  readonly #file: number;
  #memory = Buffer.allocUnsafe(WINDOW);
  /** Where in memory each line begins, and behind them where the last one ends. */
  #starts = startsFor(WINDOW);
  /** The first line in memory. */
  #first: LinePlace = { line: 0, offset: 0 };
  #count = 0;
  #isLast = false;

  /**
   * @param places fills up with a place for each part of the file that was read, so that lines behind it are found
   *   without reading it again. Readers of one list may share them, one after the other.
   */
  constructor(
    private readonly path: string,
    private readonly places: LinePlace[] = [],
  ) {
    this.#file = openSync(path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The lines of `count` records from record `first` on; fewer at the end of the list. */
  lines(first: number, count: number): Buffer {
    const parts: Buffer[] = [];
    for (let [at, left] = [first, count]; left > 0; ) {
      const held = Math.min(this.hold(at, left), left);
      if (held === 0) break;
      // Copied, because what is held next may take its place.
      parts.push(Buffer.from(this.#memory.subarray(this.startOf(at), this.startOf(at + held))));
      [at, left] = [at + held, left - held];
    }
    return Buffer.concat(parts);
  }

  /**
   * Brings lines from `at` on into memory, and more behind them.
   * @returns how many from `at` on are there: as many as wanted if half of the window holds so many, and at least one;
   *   none behind the last line.
   */
  hold(at: number, wanted: number): number {
    const left = () => Math.max(0, this.#first.line + this.#count - at);
    const isEnough = this.#isLast || left() >= wanted || 2 * left() > this.#count;
    if (at < this.#first.line || !isEnough) this.#moveTo(at);
    return left();
  }

  /** How many lines there are, and bytes behind the last newline. */
  measure(): { lines: number; rest: number } {
    let lines = 0;
    for (let held = this.hold(0, 1); held > 0; held = this.hold(lines, 1)) lines += held;
    return { lines, rest: fstatSync(this.#file).size - this.#placeOf(lines).offset };
  }

  /** What `startOf` leads into, until other lines are held. */
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

  #moveTo(at: number): void {
    const end = this.#first.line + this.#count;
    const known = this.#nearest(at);
    if (at >= this.#first.line && at <= end) this.#fill(this.#placeOf(at));
    else this.#fill(end <= at && end > known.line ? this.#placeOf(end) : known);
    while (!this.#isLast && this.#first.line + this.#count <= at) {
      this.#fill(this.#placeOf(this.#first.line + this.#count));
    }
  }

  #placeOf(line: number): LinePlace {
    return { line, offset: this.#first.offset + this.startOf(line) };
  }

  /** The last known place that is not behind a line. */
  #nearest(line: number): LinePlace {
    let [from, to] = [0, this.places.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((this.places[middle]?.line ?? 0) <= line) from = middle;
      else to = middle;
    }
    const found = this.places[from];
    return found && found.line <= line ? found : { line: 0, offset: 0 };
  }

  #fill(place: LinePlace): void {
    if (place.line > (this.places.at(-1)?.line ?? 0)) this.places.push(place);
    this.#first = place;
    for (;;) {
      const bytes = readSync(this.#file, this.#memory, 0, this.#memory.length, place.offset);
      this.#isLast = bytes < this.#memory.length;
      this.#count = findLines(this.#memory, bytes, this.#starts);
      if (this.#count > 0 || this.#isLast) return;
      if (bytes > MAX_PAGE)
        throw new UserError(
          `${this.path} is no list of records: its line ${place.line + 1} is longer than a page; see what else is wrong with "rollcall verify".`,
        );
      this.#memory = Buffer.allocUnsafe(2 * bytes);
      this.#starts = startsFor(2 * bytes);
    }
  }
}

function startsFor(bytes: number): Uint32Array {
  return new Uint32Array(Math.ceil(bytes / SHORTEST_LINE) + 1);
}

/** @returns how many whole lines the first bytes of `memory` hold; `starts` is told where they begin and end. */
function findLines(memory: Buffer, bytes: number, starts: Uint32Array): number {
  let [count, at, length] = [0, 0, 0];
  for (;;) {
    // Most lines are as long as the one before. Where two lines would not fit, no other newline can come earlier.
    const isSame = length < 2 * SHORTEST_LINE && at + length <= bytes && memory[at + length - 1] === NEWLINE;
    const end = isSame ? at + length - 1 : memory.indexOf(NEWLINE, at + SHORTEST_LINE - 1);
    if (end < 0 || end >= bytes) return count;
    length = end + 1 - at;
    at = end + 1;
    starts[++count] = at;
  }
}
