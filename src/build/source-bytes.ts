/** Digests the bytes of a source's file while a read transaction keeps writers from changing them. */
import { createHash } from "node:crypto";
import { fstatSync, readSync, statSync } from "node:fs";
import { codeOf } from "../errors.js";
import { sha256 } from "../release/files.js";
import type { SourceFile } from "../source/file.js";
import { Thread } from "../threads/thread.js";

/** SQLite changes these at nearly every commit: most files that are not the same are told apart by them. */
const BEGINNING = 4096;
const PIECE = 2 ** 20;
/** Bytes that are digested sooner than a thread has started. */
const FEW = 2 ** 25;

export class SourceBytes {
  readonly #file: number;
  readonly #state: string;
  readonly #size: bigint;
  #thread: Thread<number, string> | undefined;

  private constructor(file: number) {
    this.#file = file;
    this.#state = stateOf(file);
    this.#size = fstatSync(file, { bigint: true }).size;
  }

  /**
   * @param file that is read in a transaction.
   * @returns undefined while its write-ahead log holds anything, or where the system does not list descriptors.
   */
  static find({ log, descriptor }: SourceFile): SourceBytes | undefined {
    return unlessGone(() => {
      // A log that is empty at any moment of the transaction was so when it began: no row is read from it.
      if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
      return descriptor === undefined ? undefined : new SourceBytes(descriptor);
    });
  }

  /** A digest of the file's first page. */
  beginning(): string | undefined {
    return unlessGone(() => {
      const memory = Buffer.alloc(BEGINNING);
      return sha256(memory.subarray(0, readSync(this.#file, memory, 0, BEGINNING, 0)));
    });
  }

  /** The SHA-256 of the whole file; undefined when it cannot be read, or has changed meanwhile all the same. */
  async digest(): Promise<string | undefined> {
    try {
      const digest = this.#size <= FEW ? digestFile(this.#file) : await this.#digestAside();
      return stateOf(this.#file) === this.#state ? digest : undefined;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Ends the reading, if it is still at work. */
  async end(): Promise<void> {
    await this.#thread?.end();
  }

  async #digestAside(): Promise<string> {
    this.#thread = new Thread<number, string>(
      new URL("./source-bytes-worker.js", import.meta.url),
      undefined,
    );
    try {
      return await this.#thread.ask(this.#file);
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
