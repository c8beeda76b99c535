/** Writes page files. Links those that the previous release already has. */
import { closeSync, fstatSync, fsync, openSync, readSync, writeFileSync, writevSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Encoding } from "../core/contract/headers.js";
import type { NumberedPaths, Variant } from "../core/release/layout.js";
import { closing, openPlain, sha256 } from "../core/release/plain-files.js";
import { carryFile } from "../core/release/times.js";
import { writeFlushedSync } from "../core/release/writer.js";

const flush = promisify(fsync);
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
  // Like `gzip -6`, but faster with more memory.
  gzip: (bytes) => zlib.gzipSync(bytes, { level: 6, memLevel: 9, chunkSize: 65_536 }),
};

/** Finds the previous release's digest of a page in a variant. */
export type Known = (variant: Variant) => string | undefined;

/** Bytes of all page files, number of linked files, and number of files that the previous release did not have. */
export interface Totals {
  bytes: number;
  linked: number;
  changed: number;
}

/** The largest of some pages: its number, from 1, and its uncompressed bytes. */
export interface LargestPage {
  page: number;
  bytes: number;
}

/** The bytes of a page in three parts, which saves a copy, and their digest. */
export interface PageBytes {
  parts: readonly [head: Buffer, records: Buffer, tail: Buffer];
  digest: string;
}

/** Maximum characters of a page: half of the longest string, so that readers can hold a page, too. */
export const PAGE_LIMIT = 2 ** 28;

/** Where pages are written. */
interface PageTarget {
  /** The codings in which pages are also written. */
  compress: readonly Encoding[];
  /** The paths of the pages in both releases. */
  paths: Pick<NumberedPaths, "path">;
  folder: string;
  /** The folder of the release to link unchanged pages from. */
  previous: string | undefined;
}

/** Writes pages and their compressed variants. Call `finish` in a `finally`. */
export class PageWriter {
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  largest: LargestPage = { page: 1, bytes: 0 };
  readonly #files = new FlushedFiles();
  #memory = Buffer.alloc(2 ** 17);

  constructor(private readonly target: PageTarget) {}

  /** Writes page `page` (from 1) in all variants. @returns the digest of each. */
  write(page: number, { parts, digest }: PageBytes, known: Known): [Variant, string][] {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (bytes > this.largest.bytes) this.largest = { page, bytes };
    const isUnchanged = known("identity") === digest;
    const path = this.target.paths.path(page);
    if (!isUnchanged || !this.#keep(path, (before) => isJoined(before, parts))) this.#writeNew(path, parts);
    const digests: [Variant, string][] = [["identity", digest]];
    for (const encoding of this.target.compress) {
      const before = isUnchanged ? known(encoding) : undefined;
      digests.push([encoding, this.#writeCompressed(page, encoding, parts, before)]);
    }
    return digests;
  }

  /** Waits until all files are flushed. @throws the system's errors. */
  finish(): Promise<void> {
    return this.#files.finish();
  }

  #writeCompressed(page: number, encoding: Encoding, parts: readonly Buffer[], known: string | undefined): string {
    const path = this.target.paths.path(page, encoding);
    if (known !== undefined && this.#keep(path, (before) => sha256(before) === known)) return known;
    const compressed = COMPRESS[encoding](Buffer.concat(parts));
    this.#writeNew(path, [compressed]);
    return sha256(compressed);
  }

  #writeNew(path: string, parts: readonly Buffer[]): void {
    this.#files.write(join(this.target.folder, path), parts);
    for (const part of parts) this.totals.bytes += part.length;
    this.totals.changed += 1;
  }

  /** Carries a file over from the previous release if its bytes are intact. @returns false if they are not. */
  #keep(path: string, isIntact: (before: Buffer) => boolean): boolean {
    const { previous, folder } = this.target;
    const before = previous === undefined ? undefined : this.#find(join(previous, path));
    if (previous === undefined || !before || !isIntact(before)) return false;
    this.totals.bytes += before.length;
    if (carryFile(join(previous, path), join(folder, path))) this.totals.linked += 1;
    return true;
  }

  /** Reads a file into memory that the next call overwrites; undefined if it is missing, a link, or not a regular file. */
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

/** Maximum number of open files that a thread is flushing. Some systems allow a process few open files. */
const MOST_UNFLUSHED = 16;

/** Flushes new files while the next ones are written. */
class FlushedFiles {
  readonly #waiting = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** Writes a file, and flushes it in the background. @throws also the error of an earlier file. */
  write(path: string, parts: readonly Uint8Array[]): void {
    if (this.#failure) throw this.#failure.error;
    if (this.#waiting.size >= MOST_UNFLUSHED) {
      writeFlushedSync(path, parts);
      return;
    }
    const file = openSync(path, "wx");
    try {
      writeParts(file, parts);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    const flushed = flush(file)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        closeSync(file);
        this.#waiting.delete(flushed);
      });
    this.#waiting.add(flushed);
  }

  /** Waits until all files are flushed. Call it in a `finally`. @throws the system's first error. */
  async finish(): Promise<void> {
    await Promise.all(this.#waiting);
    if (this.#failure) throw this.#failure.error;
  }
}

/** Writes several parts to an open file. */
function writeParts(file: number, parts: readonly Uint8Array[]): void {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const written = writevSync(file, parts);
  // The system may write only a part, for example when the disk is nearly full.
  if (written < bytes) writeFileSync(file, Buffer.concat(parts).subarray(written));
}

/** The binary logarithm of the smallest Brotli window that holds a page. A larger one costs time and saves nothing. */
function windowFor(bytes: number): number {
  return Math.min(22, Math.max(16, Math.ceil(Math.log2(bytes + 1))));
}

/** Whether `whole` equals the parts joined. */
function isJoined(whole: Buffer, parts: readonly Buffer[]): boolean {
  let at = 0;
  for (const part of parts) {
    if (!part.equals(whole.subarray(at, at + part.length))) return false;
    at += part.length;
  }
  return at === whole.length;
}
