/** How large sorted files are: large enough that they are few, and small enough that some are quickly fetched. */

/** What the files of a family are like. */
export interface FileForm {
  /** Bytes of a file, unless there are so many lines that they would be too many files. */
  least: number;
  /** Files that all lines of terms would fill. What stands for beginnings comes on top: half as much, of a million users. */
  even: number;
  /** From so many files on, their size doubles with every few. */
  many: number;
}

/** Of keys and words there are never more than 600 files. Who looks for a key reads one, and who looks for a name mostly two. */
export const KEY_FILES: FileForm = { least: 140 * 1024, even: 88, many: 104 };
export const WORD_FILES: FileForm = { least: 72 * 1024, even: 300, many: 464 };
export const FACET_FILES: FileForm = { least: 2 ** 16, even: 300, many: 500 };

const TOGETHER = 4;

/** The sizes of a family's files, one after the other. */
export class FileSizes {
  readonly #even: number;
  #files = 0;

  /** @param bytes of all lines of terms. */
  constructor(
    bytes: number,
    private readonly form: FileForm,
  ) {
    this.#even = Math.max(form.least, Math.ceil(bytes / form.even));
  }

  next(): number {
    const beyond = Math.max(0, ++this.#files - this.form.many);
    return this.#even * 2 ** Math.ceil(beyond / TOGETHER);
  }
}
