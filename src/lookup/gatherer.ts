/** Gathers what records are looked up by, from their canonical text: a thread's part of making a lookup. */
import type { Contract, Field } from "../contract/contract.js";
import { keyTerm, nameFields, termOf, wordsOfRecord } from "../contract/lookup.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import type { Run } from "./runs/run.js";
import { TermTable } from "./runs/table.js";
import { WordCutter } from "./words.js";

/** What a thread hands over, in whatever order. */
export interface GatheredTerms {
  keys: Run;
  words: Run;
}

/** The memory that can be handed over instead of copied. */
export function memoryOfGathered({ keys, words }: GatheredTerms): ArrayBuffer[] {
  return [keys.bytes.buffer, words.bytes.buffer];
}

const [QUOTE, BACKSLASH, COMMA, CLOSE] = [0x22, 0x5c, 0x2c, 0x7d];
/** The first byte of the character that ends a key's term. */
const HIGHEST_LEAD = 0xf4;

/** Text as most have it is read byte by byte; everything else by the same functions that readers use. */
export class Gatherer {
  readonly #keys = new TermTable(true);
  readonly #words = new TermTable();
  readonly #fields: readonly Field[];
  readonly #find: ReturnType<typeof placeFinder>;
  readonly #begins: number[] = [];
  readonly #cutter = new WordCutter((bytes, length, number) => this.#words.add(bytes, 0, length, number));

  constructor(private readonly contract: Contract) {
    this.#fields = nameFields(contract);
    this.#find = placeFinder(contract, [contract.key, ...this.#fields]);
  }

  /** Whether it is time to call `finish`; to be asked after each page. */
  get isFull(): boolean {
    return this.#keys.isFull || this.#words.isFull;
  }

  /**
   * @param first the number of the page's first record, from 0. No page may come after a later one, unless `finish` was called.
   * @param records canonical, with their separators. @param text of them, with a character for each byte.
   */
  add(first: number, records: Buffer, text: string): void {
    let number = first;
    for (let at = 0; at < text.length; number++) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline + 1 - RECORD_SEPARATOR.length;
      if (this.#find(text, at, end, this.#begins)) this.#addByPlaces(number, records);
      else this.#addParsed(number, JSON.parse(records.toString("utf8", at, end)));
      at = end + RECORD_SEPARATOR.length;
    }
  }

  /** All since the last time. */
  finish(): GatheredTerms {
    return { keys: this.#keys.finish(), words: this.#words.finish() };
  }

  #addParsed(number: number, record: unknown): void {
    this.#addTerm(this.#keys, keyTerm(valueAt(record, this.contract.key) as string | number), number);
    for (const word of wordsOfRecord(this.contract.key, this.#fields, record))
      this.#addTerm(this.#words, termOf(word), number);
  }

  #addByPlaces(number: number, records: Buffer): void {
    const [key = 0] = this.#begins;
    const keyEnd = this.#addKey(number, records, key);
    for (let field = 1; field <= this.#fields.length; field++) {
      const begin = this.#begins[field] ?? 0;
      // Only texts have words.
      if (records[begin] === QUOTE && !isSameText(records, begin, key, keyEnd)) this.#addWords(number, records, begin);
    }
  }

  /** @returns where the key ends as it is written. */
  #addKey(number: number, records: Buffer, begin: number): number {
    if (records[begin] !== QUOTE) {
      let end = begin;
      while (records[end] !== COMMA && records[end] !== CLOSE) end++;
      this.#keys.add(records, begin, end, number);
      return end;
    }
    const { end, highest, isEscaped } = scan(records, begin);
    if (isEscaped || highest >= HIGHEST_LEAD) this.#addTerm(this.#keys, keyTerm(parsed(records, begin, end)), number);
    else this.#keys.add(records, begin + 1, end - 1, number);
    return end;
  }

  #addWords(number: number, records: Buffer, begin: number): void {
    const { end, isEscaped } = scan(records, begin);
    if (isEscaped) {
      const text = Buffer.from(parsed(records, begin, end));
      this.#cutter.cut(text, 0, text.length, number);
    } else this.#cutter.cut(records, begin + 1, end - 1, number);
  }

  #addTerm(table: TermTable, term: string, number: number): void {
    const bytes = Buffer.from(term);
    table.add(bytes, 0, bytes.length, number);
  }
}

/** Looks along a text. @returns where it ends, behind its quote; its highest byte; whether it has an escape. */
function scan(records: Buffer, begin: number): { end: number; highest: number; isEscaped: boolean } {
  let [highest, isEscaped] = [0, false];
  for (let at = begin + 1; ; at++) {
    const byte = records[at] ?? QUOTE;
    if (byte === QUOTE) return { end: at + 1, highest, isEscaped };
    if (byte === BACKSLASH) {
      isEscaped = true;
      at++;
    } else if (byte > highest) highest = byte;
  }
}

function parsed(records: Buffer, begin: number, end: number): string {
  return JSON.parse(records.toString("utf8", begin, end));
}

function isSameText(records: Buffer, begin: number, other: number, otherEnd: number): boolean {
  for (let at = other; at < otherEnd; at++) if (records[begin + at - other] !== records[at]) return false;
  return true;
}
