/** A temporary file of all records of a listing, of which each can be read by its number. */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Collection } from "../../core/contract/page.js";
import { RECORD_SEPARATOR } from "../../core/contract/page.js";
import { PagePaths } from "../../core/release/layout.js";
import { readPlainSync } from "../../core/release/plain-files.js";
import { explainTemporary, makeScratch, removeScratch } from "../../core/scratch/folder.js";
import { createTurns } from "../../core/workers/turns.js";

/** Where records are. It can be sent to other threads, which share the memory. */
export interface RecordPlaces {
  path: string;
  /** Where each record begins, and where the last one ends: 8 bytes each. A separator follows each record. */
  begins: Float64Array<SharedArrayBuffer>;
}

/** The file, in a temporary directory of its own. */
export interface RecordsFile extends RecordPlaces {
  folder: string;
}

const NEWLINE = 0x0a;
const SEPARATOR = RECORD_SEPARATOR.length;
/** Bytes after the last record of a page: `\n]}\n`. */
const TAIL = 4;
/** Pages between two moments at which a signal is looked at. */
const PAGES = 50;

/**
 * Copies the records of all pages into one file.
 * @param folder of the pages, which are valid. @param verb names the temporary directory.
 * @throws UserError if the folder for temporary files has too little room; the signal's reason.
 */
export async function copyRecords(
  folder: string,
  { count, pages, path: listing }: Pick<Collection, "count" | "pages" | "path">,
  verb: "build" | "verify",
  signal: AbortSignal | undefined,
): Promise<RecordsFile> {
  const scratch = await makeScratch(verb);
  const path = join(scratch, "records");
  const begins = new Float64Array(new SharedArrayBuffer((count + 1) * Float64Array.BYTES_PER_ELEMENT));
  const paths = new PagePaths(listing);
  const turn = createTurns(PAGES, signal);
  const memory = new ReusedMemory();
  const file = openSync(path, "wx");
  let record = 0;
  let length = 0;
  try {
    for (let page = 1; page <= pages && count > 0; page++) {
      const { bytes } = readPlainSync(join(folder, paths.path(page)), (size) => memory.take(size));
      const first = bytes.indexOf(NEWLINE) + 1;
      // With one separator after the last record, in the place of the tail.
      const end = bytes.length - TAIL + SEPARATOR;
      bytes.write(RECORD_SEPARATOR, end - SEPARATOR, "latin1");
      for (let at = first; at < end; at = bytes.indexOf(NEWLINE, at) + 1) begins[record++] = length + at - first;
      writeAll(file, bytes.subarray(first, end));
      length += end - first;
      const wait = turn();
      if (wait) await wait;
    }
    if (record !== count) throw new Error(`The pages have ${record} records instead of ${count}.`);
    begins[count] = length;
    return { folder: scratch, path, begins };
  } catch (error) {
    removeScratch(scratch);
    throw explainTemporary(error);
  } finally {
    closeSync(file);
  }
}

export function removeRecords({ folder }: RecordsFile): void {
  removeScratch(folder);
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Memory that is used again, so that the garbage collector need not free it. */
class ReusedMemory {
  #memory = Buffer.alloc(0);

  /** Memory of a size. The next call may return the same. */
  take(size: number): Buffer {
    if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(size);
    return this.#memory.subarray(0, size);
  }
}

/** Bytes that are read at once. A larger record is read alone. */
const BLOCK = 2 ** 18;
/** Maximum bytes to skip within a block. Copying them takes less time than another read. */
const GAP = 2 ** 13;

/** Reads records by their numbers. Close it in a `finally`. */
export class RecordReader {
  readonly #file: number;
  readonly #memory = new ReusedMemory();
  readonly #block = Buffer.allocUnsafeSlow(BLOCK);

  constructor(private readonly places: RecordPlaces) {
    this.#file = openSync(places.path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Bytes of some records, with the separators between them. */
  bytesOf(numbers: Uint32Array): number {
    let bytes = 0;
    for (const number of numbers) bytes += this.#sizeOf(number);
    return Math.max(0, bytes - SEPARATOR);
  }

  /** Counts the first records that have at most `most` bytes together. */
  fitting(numbers: Uint32Array, most: number): number {
    let bytes = 0;
    let count = 0;
    for (const number of numbers) {
      bytes += this.#sizeOf(number);
      if (bytes > most) break;
      count++;
    }
    return count;
  }

  /**
   * Reads records, each with the separator after it. Reads them in the order of the file, several at once.
   * @returns memory that the next call overwrites
   */
  read(numbers: Uint32Array): Buffer {
    const { begins } = this.places;
    const targets = this.#targetsOf(numbers);
    const records = this.#memory.take(targets[numbers.length] ?? 0);
    const order = sortedPlaces(numbers);
    const sorted = new Uint32Array(order.length);
    for (const [at, place] of order.entries()) sorted[at] = numbers[place] ?? 0;
    for (let first = 0; first < sorted.length; ) {
      const next = this.#endOfBlock(sorted, first);
      const begin = begins[sorted[first] ?? 0] ?? 0;
      const length = this.#endOf(sorted[next - 1] ?? 0) - begin;
      const isLarge = length > BLOCK;
      if (isLarge) this.#readInto(records, targets[order[first] ?? 0] ?? 0, begin, length);
      else this.#readInto(this.#block, 0, begin, length);
      for (let at = first; at < next && !isLarge; at++) {
        const number = sorted[at] ?? 0;
        const from = (begins[number] ?? 0) - begin;
        this.#block.copy(records, targets[order[at] ?? 0], from, this.#endOf(number) - begin);
      }
      first = next;
    }
    return records;
  }

  /** Where each record goes, and the end of the last one. */
  #targetsOf(numbers: Uint32Array): Float64Array {
    const targets = new Float64Array(numbers.length + 1);
    let bytes = 0;
    for (let at = 0; at < numbers.length; at++) {
      bytes += this.#sizeOf(numbers[at] ?? 0);
      targets[at + 1] = bytes;
    }
    return targets;
  }

  /** The place after the records that are read at once with the one at `first`. A larger one than a block is read alone. */
  #endOfBlock(sorted: Uint32Array, first: number): number {
    const { begins } = this.places;
    const most = (begins[sorted[first] ?? 0] ?? 0) + BLOCK;
    let end = this.#endOf(sorted[first] ?? 0);
    let next = first + 1;
    while (next < sorted.length) {
      const number = sorted[next] ?? 0;
      if ((begins[number] ?? 0) > end + GAP || this.#endOf(number) > most) break;
      end = this.#endOf(number);
      next++;
    }
    return next;
  }

  #endOf(number: number): number {
    return this.places.begins[number + 1] ?? 0;
  }

  #sizeOf(number: number): number {
    return this.#endOf(number) - (this.places.begins[number] ?? 0);
  }

  #readInto(target: Buffer, at: number, begin: number, length: number): void {
    for (let read = 0; read < length; ) {
      const bytes = readSync(this.#file, target, at + read, length - read, begin + read);
      if (bytes === 0) throw new Error(`${this.places.path} is too short.`);
      read += bytes;
    }
  }
}

/** The places of numbers in ascending order. */
function sortedPlaces(numbers: Uint32Array): Uint32Array {
  const { length } = numbers;
  // Sorting plain numbers is much faster than sorting by a function.
  const keys = new Float64Array(length);
  for (let place = 0; place < length; place++) keys[place] = (numbers[place] ?? 0) * length + place;
  keys.sort();
  const places = new Uint32Array(length);
  for (let at = 0; at < length; at++) places[at] = (keys[at] ?? 0) % length;
  return places;
}
