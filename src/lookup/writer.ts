/** Makes the files by which readers find records, of what threads have gathered. */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import { type LookupIndex, nameFields } from "../contract/lookup.js";
import { LOOKUP, sortedPath } from "../release/layout.js";
import { createTurns } from "../workers/turns.js";
import { FamilyApart } from "./apart.js";
import { SortedFamily } from "./family.js";
import type { GatheredTerms } from "./gatherer.js";
import { type FileForm, KEY_FILES, WORD_FILES } from "./sizes.js";
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
  /** Where another thread is to sort words, while this one sorts keys: what ends the wait for it. */
  shared?: { signal: AbortSignal | undefined } | undefined;
}

/** To be closed in a `finally`. */
export class LookupWriter {
  readonly #temporary = new TemporaryBytes();
  /** What is sorted here. */
  readonly families: Readonly<Record<"keys" | "words", SortedFamily>>;
  /** Instead of the words that would be sorted here. */
  readonly #apart: FamilyApart | undefined;

  constructor(private readonly options: WriterOptions) {
    const { count, shared, least } = options;
    const form = (files: FileForm) => {
      return { count, isCut: true, hasAll: true, files: least === undefined ? files : { ...files, least } };
    };
    const [keys, words] = [form(KEY_FILES), form(WORD_FILES)];
    const temporary = this.#temporary;
    this.families = {
      keys: new SortedFamily({ ...keys, temporary }),
      words: new SortedFamily({ ...words, temporary }),
    };
    this.#apart = shared && new FamilyApart(words, shared.signal);
  }

  /** @returns what to wait for before there is room for more. */
  take({ keys, words }: GatheredTerms): Promise<void> | undefined {
    this.families.keys.take(keys);
    if (this.#apart) return this.#apart.take(words);
    this.families.words.take(words);
    return undefined;
  }

  /** Puts every file as soon as it is made, lookup/index.json last. Nothing can be taken any more. */
  async finish(put: PutFile, signal?: AbortSignal): Promise<void> {
    const { contract } = this.options;
    const { keys, words } = this.families;
    const turn = createTurns(TERMS, signal);
    this.#apart?.begin();
    await keys.merge(turn);
    if (!this.#apart) await words.merge(turn);
    const write = async (name: "keys" | "words", family: SortedFamily | FamilyApart) => {
      let number = 0;
      return family.write({ turn, put: (bytes) => put(sortedPath(name, ++number), bytes) });
    };
    const index: LookupIndex = {
      key: contract.key.names,
      fields: nameFields(contract).map(({ names }) => names),
      keys: await write("keys", keys),
      words: await write("words", this.#apart ?? words),
      version: 2,
    };
    await put(LOOKUP, Buffer.from(`${stringify(index)}\n`));
  }

  async close(): Promise<void> {
    this.#temporary.close();
    await this.#apart?.close();
  }
}
