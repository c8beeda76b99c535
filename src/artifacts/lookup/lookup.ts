/** lookup/*: the files by which readers find a record by its key, or by the words of its names. */
import stringify from "fast-json-stable-stringify";
import { type LookupIndex, nameFields } from "../../contract/lookup.js";
import { LOOKUP, LOOKUP_FOLDER, sortedPath } from "../../release/layout.js";
import { createTurns } from "../../workers/turns.js";
import type { Artifact, MergeContext, Merger } from "../artifact.js";
import { splitPieces } from "../artifact.js";
import { LookupCollector } from "./collector.js";
import { SortedFamily } from "./family.js";
import { type FileForm, KEY_FILES, WORD_FILES } from "./sizes.js";

export const LOOKUP_FILES: Artifact = {
  name: LOOKUP_FOLDER,
  collector: (contract) => new LookupCollector(contract),
  merger: (context) => new LookupMerger(context),
};

/** Terms between two moments at which a signal is looked at. */
const TERMS = 50_000;

export class LookupMerger implements Merger {
  readonly #keys: SortedFamily;
  readonly #words: SortedFamily;

  /** @param least bytes of a file, at least, where they are not to be as large as usual */
  constructor(
    private readonly context: MergeContext,
    least?: number,
  ) {
    const { count } = context.collection;
    const family = (form: FileForm) => {
      const files = least === undefined ? form : { ...form, least };
      return new SortedFamily({ count, isCut: true, hasAll: true, files });
    };
    this.#keys = family(KEY_FILES);
    this.#words = family(WORD_FILES);
  }

  merge(piece: Uint8Array): void {
    const [keys, words] = splitPieces(piece);
    if (keys) this.#keys.take(keys);
    if (words) this.#words.take(words);
  }

  /** Puts every file as soon as it is made, and lookup/index.json last. */
  async write(signal: AbortSignal | undefined): Promise<void> {
    const { contract, sink } = this.context;
    const turn = createTurns(TERMS, signal);
    const write = (family: SortedFamily, name: "keys" | "words") => {
      let number = 0;
      family.sort();
      return family.write({ turn, put: (bytes) => sink.put(sortedPath(name, ++number), bytes) });
    };
    const index: LookupIndex = {
      key: contract.key.names,
      fields: nameFields(contract).map(({ names }) => names),
      keys: await write(this.#keys, "keys"),
      words: await write(this.#words, "words"),
      version: 2,
    };
    await sink.put(LOOKUP, Buffer.from(`${stringify(index)}\n`));
  }

  close(): void {
    this.#keys.close();
    this.#words.close();
  }
}
