/** Digests the bytes that rows are read from, while a read transaction keeps writers from changing what it sees. */
import { createHash } from "node:crypto";
import { fstatSync, readSync, statSync } from "node:fs";
import { codeOf } from "../errors.js";
import { sha256 } from "../release/files.js";
import { findDescriptors } from "../source/descriptors.js";
import type { SourceFile } from "../source/file.js";
import { ThreadPool } from "../workers/pool.js";

/** SQLite changes these at nearly every commit: most files that are not the same are told apart by them. */
const BEGINNING = 4096;
const PIECE = 2 ** 20;
/** Bytes that are digested sooner than a thread has started. */
const FEW = 2 ** 25;

export class SourceBytes {
  readonly #source: SourceFile;
  /** Descriptors of the file, and of its write-ahead log where that holds anything. */
  readonly #files: readonly [number, ...number[]];
  readonly #state: string;
  readonly #seen: number | undefined;
  #thread: ThreadPool<undefined, number, string> | undefined;

  private constructor(source: SourceFile, files: readonly [number, ...number[]], seen?: number) {
    this.#source = source;
    this.#files = files;
    this.#seen = seen;
    this.#state = files.map(stateOf).join();
  }

  /**
   * @param source that is read in a transaction.
   * @returns undefined where the system does not list descriptors, or the log holds what the transaction does not see.
   */
  static find(source: SourceFile): SourceBytes | undefined {
    const { descriptor } = source;
    if (descriptor === undefined) return undefined;
    return unlessGone(() => {
      const stats = statSync(source.log, { bigint: true, throwIfNoEntry: false });
      // A log that is empty at any moment of the transaction was so when it began: no row is read from it.
      if (!stats || stats.size === 0n) return new SourceBytes(source, [descriptor]);
      const [log, seen] = [findDescriptors(stats)?.[0], source.seenOfLog()];
      return log === undefined || seen === undefined ? undefined : new SourceBytes(source, [descriptor, log], seen);
    });
  }

  /** A digest of the file's first page. */
  beginning(): string | undefined {
    return unlessGone(() => {
      const memory = Buffer.alloc(BEGINNING);
      return sha256(memory.subarray(0, readSync(this.#files[0], memory, 0, BEGINNING, 0)));
    });
  }

  /** A SHA-256 of all the bytes; undefined when they cannot be read, or have changed meanwhile all the same. */
  async digest(): Promise<string | undefined> {
    try {
      const digests: string[] = [];
      for (const file of this.#files) {
        const isSmall = fstatSync(file).size <= FEW;
        digests.push(isSmall ? digestFile(file) : await this.#digestAside(file));
      }
      if (this.#files.map(stateOf).join() !== this.#state) return undefined;
      // A log can be written again from its beginning, where its size and, for a moment, its time stay the same.
      if (this.#seen !== undefined && this.#source.seenOfLog() !== this.#seen) return undefined;
      return sha256([...digests, this.#seen].join());
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Ends the reading, if it is still at work. */
  async end(): Promise<void> {
    await this.#thread?.end();
  }

  async #digestAside(file: number): Promise<string> {
    const worker = new URL("./source-digest-worker.js", import.meta.url);
    this.#thread = new ThreadPool({ size: 1, file: worker, data: undefined });
    try {
      const [digest = ""] = await this.#thread.askAll(file);
      return digest;
    } finally {
      await this.end();
    }
  }
}

/** The SHA-256 of an open file from its first byte on, a piece at a time. */
export function digestFile(file: number): string {
  const memory = Buffer.allocUnsafeSlow(PIECE);
  const sum = createHash("sha256");
  for (let at = 0; ; ) {
    const bytes = readSync(file, memory, 0, PIECE, at);
    if (bytes === 0) return sum.digest("hex");
    sum.update(memory.subarray(0, bytes));
    at += bytes;
  }
}

/** Which file it is, and what changes with each change of its bytes. */
function stateOf(file: number): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join();
}

function unlessGone<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
