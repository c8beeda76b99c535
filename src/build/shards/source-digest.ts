/** The digest of the bytes that rows are read from: shards of one release are made of the same bytes. */
import { fstatSync, statSync } from "node:fs";
import { codeOf, UserError } from "../../errors.js";
import { digestFile, sha256 } from "../../release/files.js";
import { findDescriptors } from "../../source/descriptors.js";
import type { SourceFile } from "../../source/file.js";
import type { Source } from "../../source/open.js";
import { ThreadPool } from "../../workers/pool.js";

const PIECE = 2 ** 20;
/** A file of fewer bytes is digested before a thread would have started. */
const FEW = 2 ** 25;

/** Digests the source of a shard. To be ended in a `finally`. */
export class SourceDigest {
  #bytes: SourceBytes | undefined;
  #digest: Promise<string | undefined> | undefined;

  constructor(private readonly source: Source) {}

  /** Begins to digest. To be called when the transactions that read the rows have begun. */
  begin(): void {
    this.#bytes ??= SourceBytes.find(this.source.file);
    this.#digest ??= this.#bytes?.digest();
  }

  /** To be called after what was read. @throws UserError when somebody writes to the source. */
  async require(db: string): Promise<string> {
    this.begin();
    const digest = await this.#digest;
    if (digest !== undefined) return digest;
    throw new UserError(
      `${db} cannot be digested, or was written to while it was read: every shard needs the same bytes. Give them a copy that nobody writes to, then run this again.`,
    );
  }

  async end(): Promise<void> {
    await this.#bytes?.end();
  }
}

export class SourceBytes {
  readonly #state: string;
  #thread: ThreadPool<undefined, number, string> | undefined;

  /** @param files descriptors of the file, and of its write-ahead log where that holds anything. */
  private constructor(
    private readonly source: SourceFile,
    private readonly files: readonly [number, ...number[]],
    private readonly seen?: number,
  ) {
    this.#state = files.map(stateOf).join();
  }

  /** @returns undefined where the system lists no descriptors, or the log holds more than the transaction sees. */
  static find(source: SourceFile): SourceBytes | undefined {
    const { descriptor } = source;
    if (descriptor === undefined) return undefined;
    return undefinedIfRefused(() => {
      const stats = statSync(source.log, { bigint: true, throwIfNoEntry: false });
      // A log that is empty now was empty when the transaction began, so no row is read from it.
      if (!stats || stats.size === 0n) return new SourceBytes(source, [descriptor]);
      const [log, seen] = [findDescriptors(stats)?.[0], source.seenOfLog()];
      return log === undefined || seen === undefined ? undefined : new SourceBytes(source, [descriptor, log], seen);
    });
  }

  /** A SHA-256 of all bytes; undefined when they cannot be read, or have changed meanwhile. */
  async digest(): Promise<string | undefined> {
    const digests: string[] = [];
    try {
      for (const file of this.files) {
        const isSmall = fstatSync(file).size <= FEW;
        digests.push(isSmall ? digestFile(file, Buffer.allocUnsafe(PIECE)) : await this.#digestInThread(file));
      }
      if (this.files.map(stateOf).join() !== this.#state) return undefined;
      // SQLite may overwrite a log from its beginning, which keeps its size and, for a moment, its time.
      if (this.seen !== undefined && this.source.seenOfLog() !== this.seen) return undefined;
      return sha256([...digests, this.seen].join());
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  async end(): Promise<void> {
    await this.#thread?.end();
  }

  async #digestInThread(file: number): Promise<string> {
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

/** Identifies a file, and changes whenever its bytes do. */
function stateOf(file: number): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join();
}

function undefinedIfRefused<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
