/** How large sorted files are: large enough that they are few, and small enough that one is quickly fetched. */

/** Bytes of a file, unless there are so many lines that they would be too many files. */
const LEAST = 2 ** 16;
/** Files that all lines of terms would fill. What stands for beginnings comes on top: a third as much, of a million users. */
const EVEN = 300;
/** From so many files on, their size doubles with every few, so that there are never more than 600. */
const MANY = 500;
const TOGETHER = 8;

/** The sizes of all files of a lookup, one after the other. */
export class FileSizes {
  readonly #even: number;
  #files: number;

  /** @param bytes of all lines of terms. @param files that there are before. */
  constructor(
    readonly bytes: number,
    readonly least = LEAST,
    files = 0,
  ) {
    this.#even = Math.max(least, Math.ceil(bytes / EVEN));
    this.#files = files;
  }

  /** Files so far. */
  get files(): number {
    return this.#files;
  }

  /** Whether so many more files are as large as the first. */
  areEven(more: number): boolean {
    return this.#files + more <= MANY;
  }

  next(): number {
    const beyond = Math.max(0, ++this.#files - MANY);
    return this.#even * 2 ** Math.ceil(beyond / TOGETHER);
  }
}
