/** lookup/*: files that find records by key, or by words of their names. */
import stringify from "fast-json-stable-stringify";
import type { Contract, Field } from "../../core/contract/contract.js";
import {
  foldedWords,
  HIGHEST,
  keyTerm,
  type LookupIndex,
  nameFields,
  termOf,
  wordsOfRecord,
} from "../../core/contract/lookup.js";
import { fromBytes, toBytes } from "../../core/contract/record/key.js";
import { placeFinder, readString } from "../../core/contract/record/locate.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import { valueAt } from "../../core/contract/record/value.js";
import { LOOKUP, LOOKUP_FOLDER } from "../../core/release/layout.js";
import { createTurns } from "../../core/workers/turns.js";
import { type Artifact, type Collector, joinPieces, type MergeContext, type Merger, splitPieces } from "./artifact.js";
import { type FamilySizes, SortedFamily } from "./sorted-files.js";
import { TermCollector } from "./terms.js";

export const LOOKUP_FILES: Artifact = {
  name: LOOKUP_FOLDER,
  collector: (contract) => new LookupCollector(contract),
  merger: (context) => new LookupMerger(context),
};

/** ASCII without escapes. */
const PLAIN = /^[ -[\]-~]*$/;
/** Maximum size of the cache of terms. */
const MOST_REMEMBERED = 10_000;
/** Maximum characters of a cached text. */
const LONGEST_REMEMBERED = 64;
const NUMBER = /[^,}]+/y;
const HIGHEST_BYTES = toBytes(HIGHEST);

/** Collects terms of keys and names. Texts have one character a byte, since only ASCII is searched for. */
export class LookupCollector implements Collector {
  readonly #keys = new TermCollector();
  readonly #words = new TermCollector();
  readonly #fields: readonly Field[];
  readonly #find: ReturnType<typeof placeFinder>;
  /** Offsets of the values of the current record, the key's first. */
  readonly #begins: number[] = [];
  /** Cache: terms of text between spaces that is not plain, since names repeat. */
  readonly #termsOf = new Map<string, readonly string[]>();

  constructor(private readonly contract: Contract) {
    this.#fields = nameFields(contract);
    this.#find = placeFinder(contract, [contract.key, ...this.#fields]);
  }

  collect(page: PageRecords): void {
    for (const [number, begin, end] of recordsOf(page)) {
      // A copy: slices of the page's text as terms would keep the whole text in memory.
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
    const key = readString(text, keyBegin, end);
    NUMBER.lastIndex = keyBegin;
    const value = String(key?.value ?? NUMBER.exec(text)?.[0]);
    const highest = value.indexOf(HIGHEST_BYTES);
    this.#keys.addUnique(highest < 0 ? value : value.slice(0, highest), number);
    for (let field = 1; field < this.#begins.length; field++) {
      const name = readString(text, this.#begins[field] ?? end, end);
      // Only strings have words, and a name equal to the key has none.
      if (!name || name.written === key?.written) continue;
      // A space ends a word, and escapes contain no space.
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

/** At most 600 files of keys and words. Readers fetch one to find a key, and usually two to find a name. */
const KEY_FILES: FamilySizes = { minBytes: 140 * 1024, targetFiles: 88, doublingAfter: 104, hasPrefixes: true };
const WORD_FILES: FamilySizes = { minBytes: 72 * 1024, targetFiles: 300, doublingAfter: 464, hasPrefixes: true };

/** Terms between two moments at which a signal is looked at. */
const TERMS = 50_000;

export class LookupMerger implements Merger {
  readonly #keys: SortedFamily;
  readonly #words: SortedFamily;

  /** @param size overrides the minimum file size, for tests */
  constructor(
    private readonly context: MergeContext,
    size: Partial<Pick<FamilySizes, "minBytes">> = {},
  ) {
    const { count } = context.collection;
    this.#keys = new SortedFamily(count, { ...KEY_FILES, ...size });
    this.#words = new SortedFamily(count, { ...WORD_FILES, ...size });
  }

  merge(piece: Uint8Array): void {
    const [keys, words] = splitPieces(piece);
    if (keys) this.#keys.add(keys);
    if (words) this.#words.add(words);
  }

  /** Writes each file as soon as it is complete, lookup/index.json last. */
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
