/** Reads lines of an index of users (users.sha256), some thousand at a time. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { DIGEST_DIGITS, ID_AT, LINE_BYTES } from "../release/user-index.js";

const WINDOW = 8192;
/** How many lines ahead can be looked at without reading the file again. */
export const LOOK_AHEAD = 48;
const ID_END = LINE_BYTES - 1;

export class IndexLines {
  readonly count: number;
  readonly #file: number;
  readonly #window = Buffer.allocUnsafe(WINDOW * LINE_BYTES);
  #first = 0;
  #end = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.count = Math.floor(fstatSync(this.#file).size / LINE_BYTES);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** How many lines from `at` on equal those of the other file from `otherAt` on, up to `limit`. */
  sameAs(other: IndexLines, at: number, otherAt: number, limit: number): number {
    const most = Math.min(limit, this.count - at, other.count - otherAt);
    if (most <= 0) return 0;
    const [mine, theirs] = [this.#hold(at, most), other.#hold(otherAt, most)];
    const isSame = (from: number, to: number) =>
      this.#window.compare(
        other.#window,
        theirs + from * LINE_BYTES,
        theirs + to * LINE_BYTES,
        mine + from * LINE_BYTES,
        mine + to * LINE_BYTES,
      ) === 0;
    if (isSame(0, most)) return most;
    let [same, different] = [0, most];
    while (different - same > 1) {
      const middle = (same + different) >> 1;
      if (isSame(same, middle)) same = middle;
      else different = middle;
    }
    return same;
  }

  isSameUser(other: IndexLines, at: number, otherAt: number): boolean {
    if (at >= this.count || otherAt >= other.count) return false;
    const [mine, theirs] = [this.#hold(at, 1), other.#hold(otherAt, 1)];
    return this.#window.compare(other.#window, theirs + ID_AT, theirs + ID_END, mine + ID_AT, mine + ID_END) === 0;
  }

  id(at: number): string {
    const line = this.#hold(at, 1);
    return this.#window.toString("latin1", line + ID_AT, line + ID_END);
  }

  digest(at: number): string {
    const line = this.#hold(at, 1);
    return this.#window.toString("latin1", line, line + DIGEST_DIGITS);
  }

  /** Makes `lines` lines from `at` on available; returns where in the window they begin. */
  #hold(at: number, lines: number): number {
    // A look at a line may be followed by looks a little ahead and back.
    const wanted = Math.min(at + lines + LOOK_AHEAD, this.count);
    if (at < this.#first || wanted > this.#end) {
      const bytes = readSync(this.#file, this.#window, 0, this.#window.length, at * LINE_BYTES);
      this.#first = at;
      this.#end = at + Math.floor(bytes / LINE_BYTES);
      if (at + lines > this.#end) throw new Error(`the index of users ends before line ${at + lines}`);
    }
    return (at - this.#first) * LINE_BYTES;
  }
}
