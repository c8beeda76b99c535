/** One family of sorted files, from runs in any order to files. */
import { MessageChannel } from "node:worker_threads";
import type { Beginnings } from "../contract/lookup.js";
import type { createTurns } from "../workers/turns.js";
import { type FilesOptions, writeFiles } from "./files.js";
import type { Lines, SortedLine } from "./lines.js";
import { countNumbers } from "./numbers.js";
import { mergeRuns, type StoredRun } from "./runs/merge.js";
import { piecesOf, type Run, RunWriter } from "./runs/run.js";
import { type FileForm, FileSizes } from "./sizes.js";
import type { TemporaryBytes } from "./temporary.js";
import { termOfLine, textAt } from "./term.js";

/** What a family is like. Can be sent to another thread. */
export interface FamilyForm {
  /** Of all records. */
  count: number;
  /** Whether a term that one record has is cut, and whether beginnings of terms have lines of their own. */
  isCut: boolean;
  hasAll: boolean;
  files: FileForm;
}

interface FamilyOptions extends FamilyForm {
  temporary: TemporaryBytes;
}

/** Bytes of terms and lists that are put into pieces together. */
const TOGETHER = 2 ** 18;

/** What is sent there is free at once. The garbage collector would leave it for long, since the objects that hold it are few. */
const { port1: NOWHERE } = new MessageChannel();
NOWHERE.close();

export class SortedFamily {
  readonly #runs: StoredRun[] = [];
  #lines: Lines | undefined;

  constructor(private readonly options: FamilyOptions) {}

  /** The run's memory is gone afterwards. */
  take(run: Run): void {
    this.takePieces(piecesOf(run));
    NOWHERE.postMessage(undefined, [run.bytes.buffer]);
  }

  /** Takes a run piece by piece. */
  takePieces(run: Iterable<Uint8Array>): void {
    let [first, pieces] = [0, 0];
    for (const bytes of run) {
      const piece = this.options.temporary.put(bytes);
      first ||= piece;
      pieces++;
    }
    if (pieces > 0) this.#runs.push({ first, pieces });
  }

  /** All that was taken as one run, for another family to take. Whoever gathered what of it: it is the same run. */
  async mergedRun(turn: ReturnType<typeof createTurns>): Promise<Iterable<Uint8Array>> {
    return runOfLines(await mergeRuns(this.#runs, { ...this.options, isCut: false, turn }));
  }

  async merge(turn: ReturnType<typeof createTurns>): Promise<void> {
    this.#lines = await mergeRuns(this.#runs, { ...this.options, turn });
  }

  /** Each term in order, and how many records have it. After `merge`, where terms are not cut. */
  *counts(): Generator<{ term: string; count: number }> {
    for (const line of this.#lines ?? [])
      yield { term: textAt(termOfLine(line)), count: countNumbers(line.bytes, line.listBegin, line.end) };
  }

  /** After `merge`. */
  async write(options: Pick<FilesOptions, "turn" | "put">): Promise<Beginnings> {
    if (!this.#lines) throw new Error("Lines are written before they are merged");
    const sizes = new FileSizes(this.#lines.bytes, this.options.files);
    return writeFiles(this.#lines, { ...this.options, sizes, ...options });
  }
}

/** The terms of merged lines as one run, piece by piece. */
function* runOfLines(lines: Lines): Generator<Uint8Array> {
  let some: { term: Uint8Array; list: Uint8Array }[] = [];
  let bytes = 0;
  const cut = () => {
    const writer = new RunWriter(some.length, bytes);
    for (const { term, list } of some) writer.add(term, 0, term.length, list, list.length);
    [some, bytes] = [[], 0];
    return piecesOf(writer.finish());
  };
  for (const line of lines) {
    const entry = { term: termIn(line), list: line.bytes.slice(line.listBegin, line.end - 1) };
    some.push(entry);
    bytes += entry.term.length + entry.list.length;
    if (bytes >= TOGETHER) yield* cut();
  }
  yield* cut();
}

function termIn(line: SortedLine): Uint8Array {
  const { bytes, begin, end } = termOfLine(line);
  return bytes.slice(begin, end);
}
