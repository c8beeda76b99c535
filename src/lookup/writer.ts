/** Makes the files by which readers find records, of what threads have gathered. */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import { type LookupIndex, nameFields } from "../contract/lookup.js";
import { LOOKUP, sortedPath } from "../release/layout.js";
import { createTurns } from "../workers/turns.js";
import { SortedFamily } from "./family.js";
import type { GatheredTerms } from "./gatherer.js";
import { FileSizes } from "./sizes.js";
import { TemporaryBytes } from "./temporary.js";

/** Takes a file of a release. */
export type PutFile = (path: string, bytes: Buffer) => Promise<void> | void;

/** Terms that are merged or written at once. */
const TERMS = 50_000;

interface WriterOptions {
  contract: Contract;
  /** Of all records. */
  count: number;
  /** Bytes of a file, at least, where they are not to be as large as usual. */
  least?: number;
}

/** To be closed in a `finally`. */
export class LookupWriter {
  readonly #temporary = new TemporaryBytes();
  readonly #keys: SortedFamily;
  readonly #words: SortedFamily;

  constructor(private readonly options: WriterOptions) {
    const family = { temporary: this.#temporary, count: options.count, isCut: true, hasAll: true };
    this.#keys = new SortedFamily(family);
    this.#words = new SortedFamily(family);
  }

  take({ keys, words }: GatheredTerms): void {
    this.#keys.take(keys);
    this.#words.take(words);
  }

  /** Puts every file as soon as it is made, lookup/index.json last. Nothing can be taken any more. */
  async finish(put: PutFile, signal?: AbortSignal): Promise<void> {
    const { contract, least } = this.options;
    const turn = createTurns(TERMS, signal);
    const sizes = new FileSizes((await this.#keys.merge(turn)) + (await this.#words.merge(turn)), least);
    const write = async (name: "keys" | "words", family: SortedFamily) => {
      let number = 0;
      return family.write({ sizes, turn, put: (bytes) => put(sortedPath(name, ++number), bytes) });
    };
    const index: LookupIndex = {
      key: contract.key.names,
      fields: nameFields(contract).map(({ names }) => names),
      keys: await write("keys", this.#keys),
      words: await write("words", this.#words),
      version: 1,
    };
    await put(LOOKUP, Buffer.from(`${stringify(index)}\n`));
  }

  close(): void {
    this.#temporary.close();
  }
}
