/** Makes the files by which readers find records, of what threads have gathered. */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import { type LookupIndex, nameFields } from "../contract/lookup.js";
import { LOOKUP, sortedPath } from "../release/layout.js";
import { createTurns } from "../workers/turns.js";
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
}

/** To be closed in a `finally`. */
export class LookupWriter {
  readonly #temporary = new TemporaryBytes();
  readonly families: Readonly<Record<"keys" | "words", SortedFamily>>;

  constructor(private readonly options: WriterOptions) {
    const { count, least } = options;
    const family = (form: FileForm) => {
      const files = least === undefined ? form : { ...form, least };
      return new SortedFamily({ count, isCut: true, hasAll: true, files, temporary: this.#temporary });
    };
    this.families = { keys: family(KEY_FILES), words: family(WORD_FILES) };
  }

  /** In any order. */
  take({ keys, words }: GatheredTerms): void {
    this.families.keys.take(keys);
    this.families.words.take(words);
  }

  /** Puts every file as soon as it is made, lookup/index.json last. Nothing can be taken any more. */
  async finish(put: PutFile, signal?: AbortSignal): Promise<void> {
    const { contract } = this.options;
    const turn = createTurns(TERMS, signal);
    const write = async (name: "keys" | "words") => {
      const family = this.families[name];
      await family.merge(turn);
      let number = 0;
      return family.write({ turn, put: (bytes) => put(sortedPath(name, ++number), bytes) });
    };
    const index: LookupIndex = {
      key: contract.key.names,
      fields: nameFields(contract).map(({ names }) => names),
      keys: await write("keys"),
      words: await write("words"),
      version: 2,
    };
    await put(LOOKUP, Buffer.from(`${stringify(index)}\n`));
  }

  close(): void {
    for (const family of Object.values(this.families)) family.close();
    this.#temporary.close();
  }
}
