/** Merges sorted runs into the lines of a family, holding a piece of each run. */
import { MARKS } from "../../contract/lookup.js";
import type { createTurns } from "../../workers/turns.js";
import { type BytePlace, Lines } from "../lines.js";
import { isOneNumber } from "../numbers.js";
import type { TemporaryBytes } from "../temporary.js";
import { oneMore, sharedBytes, writtenTerm } from "../term.js";
import { ListSum } from "./list.js";
import { compareTerms, RunReader } from "./run.js";

/** A run's pieces, which were put one after the other. */
export interface StoredRun {
  first: number;
  pieces: number;
}

/** A term with its whole list, which waits for the next term: that says where it may be cut. */
interface Waiting extends BytePlace {
  list: BytePlace;
  /** Bytes that it shares with the term before. */
  shared: number;
}

export interface MergeOptions {
  temporary: TemporaryBytes;
  /** Of all records. */
  count: number;
  /** Whether a term that one record has is cut to the beginning that no other term has. */
  isCut: boolean;
  turn: ReturnType<typeof createTurns>;
}

const ONLY = MARKS.only.charCodeAt(0);

export async function mergeRuns(
  runs: readonly StoredRun[],
  { temporary, count, isCut, turn }: MergeOptions,
): Promise<Lines> {
  const lines = new Lines(temporary);
  const heap = new Heap(runs.map((run) => readerOf(run, temporary)).filter((reader) => reader.read()));
  const sum = new ListSum(count);
  // Both are used again and again: there are millions of terms.
  let [waiting, next] = [emptyTerm(), emptyTerm()];
  let isWaiting = false;
  for (let top = heap.top; top; top = heap.top) {
    const wait = turn();
    if (wait) await wait;
    takeTerm(heap, top, sum, next);
    next.shared = isWaiting ? sharedBytes(waiting, next) : 0;
    if (isWaiting) addLine(lines, waiting, next.shared, isCut);
    isWaiting = true;
    [waiting, next] = [next, waiting];
  }
  if (isWaiting) addLine(lines, waiting, 0, isCut);
  lines.finish();
  return lines;
}

function emptyTerm(): Waiting {
  const nothing = { bytes: new Uint8Array(), begin: 0, end: 0 };
  return { ...nothing, list: nothing, shared: 0 };
}

function readerOf({ first, pieces }: StoredRun, temporary: TemporaryBytes): RunReader {
  let piece = 0;
  return new RunReader(() => (piece < pieces ? temporary.get(first + piece++) : undefined));
}

/** Takes the first term off the heap, with its numbers in all runs. */
function takeTerm(heap: Heap, top: RunReader, sum: ListSum, taken: Waiting): void {
  const { bytes, end, listEnd } = top;
  taken.bytes = bytes;
  taken.begin = top.begin;
  taken.end = end;
  heap.next();
  let isMore = false;
  for (let other = heap.top; other && isAt(other, taken); other = heap.top) {
    if (!isMore) sum.add(bytes, end, listEnd);
    isMore = true;
    sum.add(other.bytes, other.end, other.listEnd);
    heap.next();
  }
  if (isMore) taken.list = sum.finish();
  else taken.list = { bytes, begin: end, end: listEnd };
}

/** Whether a run has come to a term that was taken. */
function isAt(reader: RunReader, { bytes, begin, end }: BytePlace): boolean {
  if (reader.end - reader.begin !== end - begin) return false;
  for (let at = 0; at < end - begin; at++) if (reader.bytes[reader.begin + at] !== bytes[begin + at]) return false;
  return true;
}

function addLine(lines: Lines, term: Waiting, sharedWithNext: number, isCut: boolean): void {
  const { bytes, begin, end, list, shared } = term;
  const isOnly = isCut && isOneNumber(list.bytes, list.begin, list.end);
  const cutEnd = isOnly ? begin + oneMore(term, Math.max(shared, sharedWithNext)) : end;
  lines.add(writtenTerm({ bytes, begin, end: cutEnd }), cutEnd < end ? ONLY : 0, list, shared);
}

/** The readers of all runs, the one with the first term on top. */
class Heap {
  /** The beginning of the term of each: most are told apart by it, without a look at the readers. */
  readonly #beginnings: Float64Array;

  constructor(private readonly readers: RunReader[]) {
    this.#beginnings = Float64Array.from(readers, ({ beginning }) => beginning);
    for (let at = readers.length >> 1; at >= 0; at--) this.#sink(at);
  }

  get top(): RunReader | undefined {
    return this.readers[0];
  }

  /** Lets the top one go on to its next term. */
  next(): void {
    if (this.readers[0]?.read() === false) {
      const last = this.readers.pop();
      if (last && this.readers.length > 0) this.readers[0] = last;
    }
    this.#beginnings[0] = this.readers[0]?.beginning ?? 0;
    this.#sink(0);
  }

  #sink(from: number): void {
    const { readers } = this;
    const beginnings = this.#beginnings;
    const moved = readers[from];
    if (!moved) return;
    let at = from;
    for (let below = 2 * at + 1; below < readers.length; below = 2 * at + 1) {
      let least = readers[below] as RunReader;
      const other = readers[below + 1];
      let first = beginnings[below] ?? 0;
      const second = beginnings[below + 1] ?? 0;
      if (other && (second < first || (second === first && compareTerms(other, least) < 0))) {
        [least, first] = [other, second];
        below++;
      }
      if (first > moved.beginning || (first === moved.beginning && compareTerms(moved, least) <= 0)) break;
      readers[at] = least;
      beginnings[at] = first;
      at = below;
    }
    readers[at] = moved;
    beginnings[at] = moved.beginning;
  }
}
