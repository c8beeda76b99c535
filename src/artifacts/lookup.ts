/** lookup/*: the files by which readers find a record by its key, or by the words of its names. */
import stringify from "fast-json-stable-stringify";
import type { Contract, Field } from "../contract/contract.js";
import {
  foldedWords,
  HIGHEST,
  keyTerm,
  type LookupIndex,
  nameFields,
  termOf,
  wordsOfRecord,
} from "../contract/lookup.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { placeFinder, readText } from "../contract/record/locate.js";
import { valueAt } from "../contract/record/value.js";
import { LOOKUP, LOOKUP_FOLDER } from "../release/layout.js";
import { createTurns } from "../workers/turns.js";
import {
  type Artifact,
  type Collector,
  joinPieces,
  type MergeContext,
  type Merger,
  type PageRecords,
  recordsOf,
  splitPieces,
} from "./artifact.js";
import { type FamilyForm, SortedFamily } from "./sorted-files.js";
import { TermCollector } from "./terms.js";

export const LOOKUP_FILES: Artifact = {
  name: LOOKUP_FOLDER,
  collector: (contract) => new LookupCollector(contract),
  merger: (context) => new LookupMerger(context),
};

/** Text in ASCII without escapes, whose bytes are its characters. */
const PLAIN = /^[ -[\]-~]*$/;
/** How many texts are remembered, and characters of each. */
const [MOST_REMEMBERED, LONGEST_REMEMBERED] = [10_000, 64];
const NUMBER = /[^,}]+/y;
const HIGHEST_BYTES = toBytes(HIGHEST);

/** Texts have one character for each byte, since whatever is searched for is ASCII. */
export class LookupCollector implements Collector {
  readonly #keys = new TermCollector();
  readonly #words = new TermCollector();
  readonly #fields: readonly Field[];
  readonly #find: ReturnType<typeof placeFinder>;
  /** Where each value of a record begins, the key's first. */
  readonly #begins: number[] = [];
  /** The terms of what stands between two spaces and is not plain: names are the same again and again. */
  readonly #termsOf = new Map<string, readonly string[]>();

  constructor(private readonly contract: Contract) {
    this.#fields = nameFields(contract);
    this.#find = placeFinder(contract, [contract.key, ...this.#fields]);
  }

  collect(page: PageRecords): void {
    for (const [number, begin, end] of recordsOf(page)) {
      // Terms are slices of a text, and would keep the text of the whole page in memory.
      const record = page.bytes.toString("latin1", begin, end);
      if (this.#find(record, 0, record.length, this.#begins)) this.#addFound(number, record);
      else this.#addParsed(number, JSON.parse(fromBytes(record)));
    }
  }

  /** Keys, then words. */
  take(): Uint8Array<ArrayBuffer> {
    return joinPieces([this.#keys.take(), this.#words.take()]);
  }

  #addParsed(number: number, record: unknown): void {
    this.#keys.addUnique(toBytes(keyTerm(valueAt(record, this.contract.key) as string | number)), number);
    for (const word of wordsOfRecord(this.contract.key, this.#fields, record))
      this.#words.add(toBytes(termOf(word)), number);
  }

  #addFound(number: number, text: string): void {
    const end = text.length;
    const [keyBegin = end] = this.#begins;
    const key = readText(text, keyBegin, end);
    NUMBER.lastIndex = keyBegin;
    const value = String(key?.value ?? NUMBER.exec(text)?.[0]);
    const highest = value.indexOf(HIGHEST_BYTES);
    this.#keys.addUnique(highest < 0 ? value : value.slice(0, highest), number);
    for (let field = 1; field < this.#begins.length; field++) {
      const name = readText(text, this.#begins[field] ?? end, end);
      // Only texts have words, and a name that repeats the key has none.
      if (!name || name.written === key?.written) continue;
      // Every space ends a word. An escape holds none.
      for (const part of name.written.split(" "))
        for (const term of this.#termsOfPart(part)) this.#words.add(term, number);
    }
  }

  #termsOfPart(written: string): readonly string[] {
    if (PLAIN.test(written)) return foldedWords(written).map(termOf);
    const known = this.#termsOf.get(written);
    if (known) return known;
    const terms = foldedWords(JSON.parse(`"${fromBytes(written)}"`)).map((word) => toBytes(termOf(word)));
    if (this.#termsOf.size >= MOST_REMEMBERED) this.#termsOf.clear();
    if (written.length <= LONGEST_REMEMBERED) this.#termsOf.set(written, terms);
    return terms;
  }
}

/** There are never more than 600 files of keys and words. Readers fetch one to find a key, and mostly two to find a name. */
const KEY_FILES: FamilyForm = { least: 140 * 1024, even: 88, many: 104, hasBeginnings: true };
const WORD_FILES: FamilyForm = { least: 72 * 1024, even: 300, many: 464, hasBeginnings: true };

/** Terms between two moments at which a signal is looked at. */
const TERMS = 50_000;

export class LookupMerger implements Merger {
  readonly #keys: SortedFamily;
  readonly #words: SortedFamily;

  /** @param size `least` bytes of a file, where they are not to be as large as usual */
  constructor(
    private readonly context: MergeContext,
    size: Partial<Pick<FamilyForm, "least">> = {},
  ) {
    const { count } = context.collection;
    this.#keys = new SortedFamily(count, { ...KEY_FILES, ...size });
    this.#words = new SortedFamily(count, { ...WORD_FILES, ...size });
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
    const index: LookupIndex = {
      key: contract.key.names,
      fields: nameFields(contract).map(({ names }) => names),
      keys: await this.#keys.write("keys", sink, turn),
      words: await this.#words.write("words", sink, turn),
      version: 2,
    };
    await sink.put(LOOKUP, Buffer.from(`${stringify(index)}\n`));
  }

  close(): void {
    this.#keys.close();
    this.#words.close();
  }
}
