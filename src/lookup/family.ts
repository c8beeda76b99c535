/** One family of sorted files, from runs in any order to files. */
import { MessageChannel } from "node:worker_threads";
import type { Beginnings } from "../contract/lookup.js";
import type { createTurns } from "../workers/turns.js";
import { type FilesOptions, writeFiles } from "./files.js";
import type { Lines } from "./lines.js";
import { countNumbers } from "./numbers.js";
import { mergeRuns, type StoredRun } from "./runs/merge.js";
import type { Run } from "./runs/run.js";
import type { TemporaryBytes } from "./temporary.js";
import { termOfLine, textAt } from "./term.js";

interface FamilyOptions {
  temporary: TemporaryBytes;
  /** Of all records. */
  count: number;
  /** Whether a term that one record has is cut, and whether beginnings of terms have lines of their own. */
  isCut: boolean;
  hasAll: boolean;
}

/** What is sent there is free at once. The garbage collector would leave it for long, since the objects that hold it are few. */
const { port1: NOWHERE } = new MessageChannel();
NOWHERE.close();

export class SortedFamily {
  readonly #runs: StoredRun[] = [];
  #lines: Lines | undefined;

  constructor(private readonly options: FamilyOptions) {}

  /** The run's memory is gone afterwards. */
  take({ bytes, ends }: Run): void {
    let [first, begin] = [0, 0];
    for (const end of ends) {
      const piece = this.options.temporary.put(Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin));
      first ||= piece;
      begin = end;
    }
    if (ends.length > 0) this.#runs.push({ first, pieces: ends.length });
    NOWHERE.postMessage(undefined, [bytes.buffer]);
  }

  /** @returns the bytes of all lines of terms, which say how large files have to be. */
  async merge(turn: ReturnType<typeof createTurns>): Promise<number> {
    this.#lines = await mergeRuns(this.#runs, { ...this.options, turn });
    return this.#lines.bytes;
  }

  /** Each term in order, and how many records have it. After `merge`, where terms are not cut. */
  *counts(): Generator<{ term: string; count: number }> {
    for (const line of this.#lines ?? [])
      yield { term: textAt(termOfLine(line)), count: countNumbers(line.bytes, line.listBegin, line.end) };
  }

  /** After `merge`. */
  async write(options: Pick<FilesOptions, "sizes" | "turn" | "put">): Promise<Beginnings> {
    if (!this.#lines) throw new Error("Lines are written before they are merged");
    return writeFiles(this.#lines, { ...this.options, ...options });
  }
}
