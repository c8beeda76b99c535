/** What look-ups and the page for people work by, made again from pages: gathered in any thread, and put together in one. */
import { contractOf } from "../../contract/contract.js";
import type { ContractFile } from "../../contract/file/form.js";
import type { ExplorerSummary } from "../../explorer/form.js";
import { type Counted, ExplorerGatherer, memoryOfCounted } from "../../explorer/gather.js";
import { ExplorerWriter } from "../../explorer/writer.js";
import { type GatheredTerms, Gatherer, memoryOfGathered } from "../../lookup/gatherer.js";
import { LookupWriter, type PutFile } from "../../lookup/writer.js";
import type { LookupCheck } from "./needs.js";

/** What there is to make again. */
export interface WantedFiles {
  checks: readonly LookupCheck[];
  contract: ContractFile;
  count: number;
  pageSize: number;
}

/** Can be sent to another thread. */
export interface GatheredPages {
  lookup: GatheredTerms | undefined;
  explorer: Counted | undefined;
}

/** A thread's side. */
export class RecordGatherer {
  readonly #pageSize: number;
  readonly #lookup: Gatherer | undefined;
  readonly #explorer: ExplorerGatherer | undefined;

  constructor({ checks, contract: file, pageSize }: WantedFiles) {
    const contract = contractOf(file);
    this.#pageSize = pageSize;
    this.#lookup = checks.includes("lookup") ? new Gatherer(contract) : undefined;
    this.#explorer = checks.includes("explorer") ? new ExplorerGatherer(contract) : undefined;
  }

  /**
   * @param records the text of all records of a page, each of them valid and canonical.
   */
  add(page: number, records: Buffer): void {
    const first = (page - 1) * this.#pageSize;
    const text = records.toString("latin1");
    this.#lookup?.add(first, records, text);
    this.#explorer?.add(first, text);
  }

  /** Whether it is time to hand over what was gathered, so that memory has a bound. */
  get isFull(): boolean {
    return this.#lookup?.isFull === true || this.#explorer?.isFull === true;
  }

  finish(): GatheredPages {
    return { lookup: this.#lookup?.finish(), explorer: this.#explorer?.finish() };
  }
}

/** The memory that can be handed over instead of copied. */
export function memoryOfPages({ lookup, explorer }: GatheredPages): ArrayBuffer[] {
  return [...(lookup ? memoryOfGathered(lookup) : []), ...(explorer ? memoryOfCounted(explorer) : [])];
}

/** Puts together what was gathered. Call `close` in the end. */
export class Remaker {
  readonly #lookup: LookupWriter | undefined;
  readonly #explorer: ExplorerWriter | undefined;
  /** Pages whose records were all usable. */
  #pages = 0;

  constructor(readonly wanted: WantedFiles) {
    const { checks, count } = wanted;
    const contract = contractOf(wanted.contract);
    this.#lookup = checks.includes("lookup") ? new LookupWriter({ contract, count }) : undefined;
    this.#explorer = checks.includes("explorer") ? new ExplorerWriter({ contract, count }) : undefined;
  }

  get pages(): number {
    return this.#pages;
  }

  /** In any order. @param pages how many more have been gathered. @throws UserError when the folder for temporary files is full. */
  take(pages: number, gathered: GatheredPages | undefined): void {
    this.#pages += pages;
    if (gathered?.lookup) this.#lookup?.take(gathered.lookup);
    if (gathered?.explorer) this.#explorer?.take(gathered.explorer);
  }

  /** Calls `put` for each file, once all pages have been gathered. @returns what the page for people shows. */
  async finish(put: PutFile, signal: AbortSignal | undefined): Promise<ExplorerSummary | undefined> {
    await this.#lookup?.finish(put, signal);
    return this.#explorer?.finish(put, signal);
  }

  close(): void {
    this.#lookup?.close();
    this.#explorer?.close();
  }
}
