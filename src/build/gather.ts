/** What a release holds of all records besides their pages: gathered page by page, and written when all are there. */
import { dirname, join } from "node:path";
import { contractOf } from "../contract/contract.js";
import { type GatheredTerms, Gatherer, memoryOfGathered } from "../lookup/gatherer.js";
import { LookupWriter } from "../lookup/writer.js";
import { readReleaseFileSync, sha256 } from "../release/files.js";
import type { Release } from "../release/open.js";
import { makeFolder } from "../release/sharing.js";
import { linkFile, writeFlushedSync } from "../release/write.js";
import type { Destination, WrittenFiles } from "./page-writer.js";

/** What a thread has gathered, as it is handed over. */
export interface Gathered {
  lookup: GatheredTerms | undefined;
}

/** The memory that can be handed over instead of copied. */
export function gatheredMemory({ lookup }: Gathered): ArrayBuffer[] {
  return lookup ? memoryOfGathered(lookup) : [];
}

/** Gathers in a thread, or in the only one. */
export class PageGatherer {
  readonly #lookup: Gatherer | undefined;

  constructor({ contract, lookup }: Destination) {
    this.#lookup = lookup ? new Gatherer(contractOf(contract)) : undefined;
  }

  /**
   * To be called with one page after another, in order; other threads may have those between.
   * @param first the number of the page's first record, from 0.
   * @param records canonical, with their separators.
   */
  add(first: number, records: Buffer): void {
    this.#lookup?.add(first, records);
  }

  /** What was gathered since the last time, where it is so much that it is to be handed over. */
  takeMuch(): Gathered | undefined {
    return this.#lookup?.isFull ? this.finish() : undefined;
  }

  finish(): Gathered {
    return { lookup: this.#lookup?.finish() };
  }
}

/** Writes files of what all threads have gathered. To be closed in a `finally`. */
export class GatheredFiles {
  readonly #lookup: LookupWriter;
  readonly #files: [path: string, digest: string][] = [];

  /** @param count of all records. */
  constructor(
    private readonly destination: Destination,
    count: number,
    private readonly previous: Release | undefined,
  ) {
    this.#lookup = new LookupWriter({ contract: contractOf(destination.contract), count });
  }

  /** In any order. */
  take(gathered: Gathered | undefined): void {
    if (gathered?.lookup) this.#lookup.take(gathered.lookup);
  }

  async finish(signal: AbortSignal | undefined): Promise<WrittenFiles> {
    const began = performance.now();
    await this.#lookup.finish((path, bytes) => this.#put(path, bytes), signal);
    return { files: this.#files, milliseconds: performance.now() - began };
  }

  close(): void {
    this.#lookup.close();
  }

  /** Links a file from the last release, where it has the same bytes by its list and on the disk. */
  #put(path: string, bytes: Buffer): void {
    const { folder } = this.destination;
    const digest = sha256(bytes);
    const before = this.previous?.sums.others.get(path) === digest ? join(this.previous.folder, path) : undefined;
    dirname(path).split("/").reduce(makeFolder, folder);
    const isKept =
      before !== undefined && readReleaseFileSync(before)?.equals(bytes) && linkFile(before, join(folder, path));
    if (!isKept) writeFlushedSync(join(folder, path), [bytes]);
    this.#files.push([path, digest]);
  }
}
