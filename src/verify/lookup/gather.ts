/** Makes the files of look-ups and of the explorer again from pages: collected in any thread, and merged in one. */
import type { Collector, MergeContext } from "../../artifacts/artifact.js";
import { EXPLORER_FILES, ExplorerMerger } from "../../artifacts/explorer/explorer.js";
import { LOOKUP_FILES, LookupMerger } from "../../artifacts/lookup/lookup.js";
import { contractOf } from "../../contract/contract.js";
import type { ContractFile } from "../../contract/file/form.js";
import type { Collection } from "../../contract/page.js";
import type { ExplorerSummary } from "../../explorer/form.js";
import type { LookupCheck } from "./needs.js";

/** What there is to make again. */
export interface WantedFiles {
  checks: readonly LookupCheck[];
  contract: ContractFile;
  collection: Collection;
}

/** What was collected from some pages, for each check. */
export type Collected = readonly Uint8Array<ArrayBuffer>[];

const ARTIFACTS = { lookup: LOOKUP_FILES, explorer: EXPLORER_FILES };

/** The side of a thread. */
export class RecordCollector {
  readonly #pageSize: number;
  readonly #collectors: readonly Collector[];

  constructor({ checks, contract, collection: { pageSize } }: WantedFiles) {
    this.#pageSize = pageSize;
    this.#collectors = checks.map((check) => ARTIFACTS[check].collector(contractOf(contract), pageSize));
  }

  /** @param bytes all records of a page, each of them valid and canonical. Until `take`, pages come in ascending order. */
  add(page: number, bytes: Buffer): void {
    const [first, text] = [(page - 1) * this.#pageSize, bytes.toString("latin1")];
    for (const collector of this.#collectors) collector.collect({ first, bytes, text });
  }

  take(): Collected {
    return this.#collectors.map((collector) => collector.take());
  }
}

type Put = MergeContext["sink"]["put"];

/** Merges what was collected. Close it in a `finally`. */
export class Remaker {
  readonly #lookup: LookupMerger | undefined;
  readonly #explorer: ExplorerMerger | undefined;
  #put: Put = () => {};
  /** Pages whose records were all usable. */
  #pages = 0;

  constructor(readonly wanted: WantedFiles) {
    const { checks, contract, collection } = wanted;
    const sink: MergeContext["sink"] = {
      put: (path, bytes) => this.#put(path, bytes),
      create: (path) => {
        throw new Error(`${path} is not a file of look-ups.`);
      },
    };
    const context = { contract: contractOf(contract), collection, sink, files: [] };
    this.#lookup = checks.includes("lookup") ? new LookupMerger(context) : undefined;
    this.#explorer = checks.includes("explorer") ? new ExplorerMerger(context) : undefined;
  }

  get pages(): number {
    return this.#pages;
  }

  /** In any order. @param pages from which it was collected. @throws UserError when the temporary folder is full */
  take(pages: number, collected: Collected): void {
    this.#pages += pages;
    for (const [at, check] of this.wanted.checks.entries())
      (check === "lookup" ? this.#lookup : this.#explorer)?.merge(collected[at] ?? new Uint8Array());
  }

  /** Calls `put` for each file, once all pages have been collected. @returns what the explorer shows */
  async finish(put: Put, signal: AbortSignal | undefined): Promise<ExplorerSummary | undefined> {
    this.#put = put;
    await this.#lookup?.write(signal);
    return this.#explorer?.writeSummary(signal);
  }

  close(): void {
    this.#lookup?.close();
    this.#explorer?.close();
  }
}
