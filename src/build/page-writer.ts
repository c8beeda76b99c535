/** Writes pages to files: what is new is written, what the last release has already is linked from it. */
import { fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import type { WrittenBulk } from "../bulk/turn.js";
import { contractOf } from "../contract/contract.js";
import type { ContractFile } from "../contract/file/form.js";
import type { Encoding } from "../contract/headers.js";
import type { encodePage, PagePosition } from "../contract/page.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import type { PageSums } from "../release/digests.js";
import { closing, openPlain, sha256 } from "../release/files.js";
import { PagePaths, type Variant } from "../release/layout.js";
import { FlushedFiles, linkFile } from "../release/write.js";
import type { PageRange } from "../shards/cut.js";

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

const COMPRESS: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) =>
    zlib.brotliCompressSync(bytes, {
      params: {
        [BROTLI_PARAM_QUALITY]: 5,
        [BROTLI_PARAM_SIZE_HINT]: bytes.length,
        [BROTLI_PARAM_LGWIN]: windowFor(bytes.length),
      },
      chunkSize: 65_536,
    }),
  // As gzip -6, but with more memory: the same compression in less time.
  gzip: (bytes) => zlib.gzipSync(bytes, { level: 6, memLevel: 9, chunkSize: 65_536 }),
};

/** Where pages go. Can be sent to another thread. */
export interface Destination {
  folder: string;
  contract: ContractFile;
  /** The folder of the release to link unchanged files from. */
  previous: string | undefined;
  encodings: readonly Encoding[];
  /** Whether all records are written into a few files as well. */
  bulk: boolean;
  /** Whether files say where each record is. */
  lookup: boolean;
  /** Whether it is a part of a release: what is made of all records is handed to what joins the parts. */
  isPart: boolean;
  /** Where there is a page for people: the files that it leads to besides those of every release. */
  explorer: readonly string[] | undefined;
}

/** The last release's digest of a page in a variant, if it has the page. */
export type Known = (variant: Variant) => string | undefined;

/** The bytes of all page files, how many were linked, and how many the last release did not have. */
export interface Totals {
  bytes: number;
  linked: number;
  changed: number;
}

export type Collection = Omit<PagePosition, "page"> & { pageSize: number };

/** What all pages have in common, and which of them are written here. */
export interface Task {
  collection: Collection;
  range: PageRange;
}

/** Milliseconds that all threads together have spent on each part of writing pages. */
export interface Spent {
  /** SQLite: finding rows and writing their text. */
  read: number;
  /** Checking the text, or the records, against the contract. */
  check: number;
  digest: number;
  write: number;
  /** What records are found by; absent where nothing is. */
  gather?: number;
}

/** What was made of all records besides their pages. */
export interface WrittenFiles {
  /** The digest of each. */
  files: readonly (readonly [path: string, digest: string])[];
  milliseconds: number;
}

export interface WrittenPages extends Task {
  /** Of the pages that were written, from 1 on. */
  digests: PageSums;
  /** The digest of the list of records. */
  records: string;
  /** Undefined where it was not asked for. */
  bulk: WrittenBulk | undefined;
  /** Undefined where nothing else is made of all records. */
  gathered: WrittenFiles | undefined;
  totals: Totals;
  warnings: WarningCounts;
  workers: number;
  spent: Spent | undefined;
}

/** A page's bytes, in parts that need not be copied together, and their digest. */
export interface PageBytes {
  parts: readonly [head: Buffer, records: Buffer, tail: Buffer];
  digest: string;
}

export function toPageBytes([head, records, tail]: ReturnType<typeof encodePage>): PageBytes {
  const parts = [Buffer.from(head), Buffer.from(records), Buffer.from(tail)] as const;
  return { parts, digest: sha256(...parts) };
}

/** To be finished in a `finally`. */
export class PageWriter {
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly paths: PagePaths;
  readonly #files = new FlushedFiles();
  #memory = Buffer.alloc(2 ** 17);

  constructor(private readonly destination: Destination) {
    this.paths = new PagePaths(contractOf(destination.contract).listing.path);
  }

  /** Writes the file of page `page` (from 1), and its compressed ones. @returns the digests of all of them. */
  write(page: number, { parts, digest }: PageBytes, known: Known): [Variant, string][] {
    const isUnchanged = known("identity") === digest;
    const path = this.paths.path(page);
    if (!isUnchanged || !this.#keep(path, (before) => isJoined(before, parts))) this.#writeNew(path, parts);
    const digests: [Variant, string][] = [["identity", digest]];
    for (const encoding of this.destination.encodings) {
      const before = isUnchanged ? known(encoding) : undefined;
      digests.push([encoding, this.#writeCompressed(page, encoding, parts, before)]);
    }
    return digests;
  }

  /** Waits until all files are on the disk. @throws the system's errors. */
  finish(): Promise<void> {
    return this.#files.finish();
  }

  #writeCompressed(page: number, encoding: Encoding, parts: readonly Buffer[], known: string | undefined): string {
    const path = this.paths.path(page, encoding);
    if (known !== undefined && this.#keep(path, (before) => sha256(before) === known)) return known;
    const compressed = COMPRESS[encoding](Buffer.concat(parts));
    this.#writeNew(path, [compressed]);
    return sha256(compressed);
  }

  #writeNew(path: string, parts: readonly Buffer[]): void {
    this.#files.write(join(this.destination.folder, path), parts);
    for (const part of parts) this.totals.bytes += part.length;
    this.totals.changed += 1;
  }

  /** Links a file from the last release, after looking at its bytes: one damaged since must not be carried on. */
  #keep(path: string, isIntact: (before: Buffer) => boolean): boolean {
    const { previous, folder } = this.destination;
    const before = previous === undefined ? undefined : this.#find(join(previous, path));
    if (previous === undefined || !before || !isIntact(before)) return false;
    this.totals.bytes += before.length;
    if (linkFile(join(previous, path), join(folder, path))) this.totals.linked += 1;
    else this.#files.write(join(folder, path), [before]);
    return true;
  }

  /** A file's bytes, valid until the next call; undefined when it is missing, a link, or not a plain file. */
  #find(path: string): Buffer | undefined {
    const file = openPlain(path);
    if (file === undefined) return undefined;
    return closing(file, () => {
      const { size } = fstatSync(file);
      if (size > this.#memory.length) this.#memory = Buffer.alloc(2 * size);
      return this.#memory.subarray(0, readSync(file, this.#memory, 0, size, 0));
    });
  }
}

/** The binary logarithm of a window that holds a whole page. A larger one would cost time and gain nothing. */
function windowFor(bytes: number): number {
  return Math.min(22, Math.max(16, Math.ceil(Math.log2(bytes + 1))));
}

function isJoined(whole: Buffer, parts: readonly Buffer[]): boolean {
  let at = 0;
  for (const part of parts) {
    if (!part.equals(whole.subarray(at, at + part.length))) return false;
    at += part.length;
  }
  return at === whole.length;
}
