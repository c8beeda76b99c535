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
  #files = 0;
  readonly #even: number;

  /** @param bytes of all lines of terms. */
  constructor(bytes: number, least = LEAST) {
    this.#even = Math.max(least, Math.ceil(bytes / EVEN));
  }

  next(): number {
    const beyond = Math.max(0, ++this.#files - MANY);
    return this.#even * 2 ** Math.ceil(beyond / TOGETHER);
  }
}
