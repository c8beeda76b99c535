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
  let waiting: Waiting | undefined;
  for (let top = heap.top; top; top = heap.top) {
    const wait = turn();
    if (wait) await wait;
    const next = takeTerm(heap, top, sum);
    if (waiting) {
      next.shared = sharedBytes(waiting, next);
      addLine(lines, waiting, next.shared, isCut);
    }
    waiting = next;
  }
  if (waiting) addLine(lines, waiting, 0, isCut);
  lines.finish();
  return lines;
}

function readerOf({ first, pieces }: StoredRun, temporary: TemporaryBytes): RunReader {
  let piece = 0;
  return new RunReader(() => (piece < pieces ? temporary.get(first + piece++) : undefined));
}

/** Takes the first term off the heap, with its numbers in all runs. */
function takeTerm(heap: Heap, top: RunReader, sum: ListSum): Waiting {
  const { bytes, begin, end, listEnd } = top;
  const taken = { bytes, begin, end, list: { bytes, begin: end, end: listEnd }, shared: 0 };
  heap.next();
  let isMore = false;
  for (let other = heap.top; other && isAt(other, taken); other = heap.top) {
    if (!isMore) sum.add(bytes, end, listEnd);
    isMore = true;
    sum.add(other.bytes, other.end, other.listEnd);
    heap.next();
  }
  if (isMore) taken.list = sum.finish();
  return taken;
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
  constructor(private readonly readers: RunReader[]) {
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
    this.#sink(0);
  }

  #sink(from: number): void {
    const { readers } = this;
    const moved = readers[from];
    if (!moved) return;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      let least = readers[below];
      const other = readers[below + 1];
      if (!least) break;
      if (other && compareTerms(other, least) < 0) [below, least] = [below + 1, other];
      if (compareTerms(moved, least) <= 0) break;
      readers[at] = least;
      at = below;
    }
    readers[at] = moved;
  }
}
