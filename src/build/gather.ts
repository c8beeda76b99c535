/**
 * What a release holds of all records besides their pages: gathered page by page, and written when all are there. Only
 * builds with a lookup load it.
 */
import { dirname, join } from "node:path";
import { contractOf } from "../contract/contract.js";
import { explorerAssets } from "../explorer/assets.js";
import { type Counted, decodeCounts, ExplorerGatherer, encodeCounts, memoryOfCounted } from "../explorer/gather.js";
import { ExplorerWriter } from "../explorer/writer.js";
import { type GatheredTerms, Gatherer, memoryOfGathered } from "../lookup/gatherer.js";
import { LookupWriter } from "../lookup/writer.js";
import { readReleaseFileSync, sha256 } from "../release/files.js";
import { EXPLORER } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { PiecesFile, readPieces } from "../release/pieces.js";
import { makeFolder } from "../release/sharing.js";
import { linkFile, writeFlushedSync } from "../release/write.js";
import { createTurns } from "../workers/turns.js";
import type { Collection, Destination, WrittenFiles } from "./page-writer.js";

/** In a part: what was counted, and each family's terms. */
const COUNTS = "counts";
const termsName = (family: string) => `${family}.terms`;
/** Terms that are merged at once. */
const TERMS = 50_000;

/** What a thread has gathered, as it is handed over. */
export interface Gathered {
  lookup: GatheredTerms;
  explorer: Counted | undefined;
  /** Theirs, which can be handed over instead of copied. */
  memory: ArrayBuffer[];
}

/** Gathers in a thread, or in the only one. */
export class PageGatherer {
  readonly #lookup: Gatherer;
  readonly #explorer: ExplorerGatherer | undefined;

  constructor({ contract, explorer }: Destination) {
    this.#lookup = new Gatherer(contractOf(contract));
    this.#explorer = explorer ? new ExplorerGatherer(contractOf(contract)) : undefined;
  }

  /**
   * To be called with one page after another, in order; other threads may have those between.
   * @param first the number of the page's first record, from 0.
   * @param records canonical, with their separators. @param text of them, with a character for each byte.
   */
  add(first: number, records: Buffer, text = records.toString("latin1")): void {
    this.#lookup.add(first, records, text);
    this.#explorer?.add(first, text);
  }

  /** What was gathered since the last time, where it is so much that it is to be handed over. */
  takeMuch(): Gathered | undefined {
    return this.#lookup.isFull || this.#explorer?.isFull ? this.finish() : undefined;
  }

  finish(): Gathered {
    const [lookup, explorer] = [this.#lookup.finish(), this.#explorer?.finish()];
    return { lookup, explorer, memory: [...memoryOfGathered(lookup), ...(explorer ? memoryOfCounted(explorer) : [])] };
  }
}

/** Writes files of what all threads have gathered. To be closed in a `finally`. */
export class GatheredFiles {
  readonly #lookup: LookupWriter;
  readonly #explorer: ExplorerWriter | undefined;
  readonly #files: [path: string, digest: string][] = [];

  constructor(
    private readonly destination: Destination,
    private readonly collection: Collection,
    private readonly previous: Release | undefined,
  ) {
    const whole = { contract: contractOf(destination.contract), count: collection.count };
    this.#lookup = new LookupWriter(whole);
    this.#explorer = destination.explorer && new ExplorerWriter(whole);
  }

  /** In any order. */
  take({ lookup, explorer }: Gathered): void {
    if (explorer) this.#explorer?.take(explorer);
    this.#lookup.take(lookup);
  }

  /** Takes what the build of a part has handed over. @param digests of its files, which are in this folder. */
  takePart({ folder, digests }: { folder: string; digests: ReadonlyMap<string, string> }): void {
    for (const [name, family] of this.#families())
      for (const terms of readPieces(join(folder, termsName(name)), digests.get(termsName(name)) ?? ""))
        family.take(new Uint8Array(terms));
    if (this.#explorer)
      for (const counts of readPieces(join(folder, COUNTS), digests.get(COUNTS) ?? ""))
        this.#explorer.takeCounts(decodeCounts(String(counts)));
  }

  async finish(signal: AbortSignal | undefined): Promise<WrittenFiles> {
    const began = performance.now();
    if (this.destination.isPart) {
      await this.#handOver(signal);
      return { files: this.#files, milliseconds: performance.now() - began };
    }
    await this.#lookup.finish((path, bytes) => this.#put(path, bytes), signal);
    await this.#finishExplorer(signal);
    return { files: this.#files, milliseconds: performance.now() - began };
  }

  close(): void {
    this.#explorer?.close();
    this.#lookup.close();
  }

  #families() {
    return Object.entries({ ...this.#lookup.families, ...this.#explorer?.families });
  }

  async #handOver(signal: AbortSignal | undefined): Promise<void> {
    const turn = createTurns(TERMS, signal);
    for (const [name, family] of this.#families()) await this.#putPieces(termsName(name), family.sortedTerms(turn));
    if (this.#explorer) await this.#putPieces(COUNTS, [Buffer.from(encodeCounts(this.#explorer.counts()))]);
  }

  async #putPieces(name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const file = new PiecesFile(join(this.destination.folder, name));
    try {
      for await (const piece of pieces) file.add(piece);
      this.#files.push([name, file.finish()]);
    } finally {
      file.close();
    }
  }

  async #finishExplorer(signal: AbortSignal | undefined): Promise<void> {
    const { contract, explorer: files } = this.destination;
    const summary = await this.#explorer?.finish((path, bytes) => this.#put(path, bytes), signal);
    if (!summary || !files) return;
    // The libraries for charts take long to load.
    const { explorerPage } = await import("../explorer/html.js");
    const page = explorerPage(contractOf(contract), summary, { ...this.collection, files });
    this.#put(EXPLORER, Buffer.from(page));
    for (const [path, bytes] of explorerAssets()) this.#put(path, bytes);
  }

  /** Links a file from the last release, where it has the same bytes by its list and on the disk. */
  #put(path: string, bytes: Buffer): void {
    const { folder } = this.destination;
    const digest = sha256(bytes);
    const before = this.previous?.sums.others.get(path) === digest ? join(this.previous.folder, path) : undefined;
    if (dirname(path) !== ".") dirname(path).split("/").reduce(makeFolder, folder);
    const isKept =
      before !== undefined && readReleaseFileSync(before)?.equals(bytes) && linkFile(before, join(folder, path));
    if (!isKept) writeFlushedSync(join(folder, path), [bytes]);
    this.#files.push([path, digest]);
  }
}
