/** A temporary file of all records of a listing, of which each can be read by its number. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Collection } from "../../core/contract/page.js";
import { RECORD_SEPARATOR } from "../../core/contract/page.js";
import { PagePaths } from "../../core/release/layout.js";
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
  const file = openSync(path, "wx");
  let record = 0;
  let length = 0;
  try {
    for (let page = 1; page <= pages && count > 0; page++) {
      const bytes = readFileSync(join(folder, paths.path(page)));
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

/** Reads records by their numbers. Close it in a `finally`. */
export class RecordReader {
  readonly #file: number;

  constructor(private readonly places: RecordPlaces) {
    this.#file = openSync(places.path, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Bytes of some records, with the separators between them. */
  bytesOf(numbers: Uint32Array): number {
    const { begins } = this.places;
    let bytes = 0;
    for (const number of numbers) bytes += (begins[number + 1] ?? 0) - (begins[number] ?? 0);
    return Math.max(0, bytes - SEPARATOR);
  }

  /** Reads records with the separators between them. Those that follow each other in the file are read at once. */
  read(numbers: Uint32Array): Buffer {
    const { begins } = this.places;
    const bytes = Buffer.allocUnsafe(this.bytesOf(numbers) + (numbers.length > 0 ? SEPARATOR : 0));
    let length = 0;
    for (let at = 0; at < numbers.length; ) {
      const first = numbers[at] ?? 0;
      let last = first;
      while (numbers[++at] === last + 1) last++;
      const begin = begins[first] ?? 0;
      const end = begins[last + 1] ?? 0;
      for (let from = begin; from < end; ) {
        const read = readSync(this.#file, bytes, length, end - from, from);
        if (read === 0) throw new Error(`${this.places.path} is too short.`);
        from += read;
        length += read;
      }
    }
    return bytes.subarray(0, Math.max(0, length - SEPARATOR));
  }
}
