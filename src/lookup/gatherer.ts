/** Gathers what records are looked up by, from their canonical text: a thread's part of making a lookup. */
import type { Contract, Field } from "../contract/contract.js";
import { keyTerm, nameFields, termOf, wordsOfRecord } from "../contract/lookup.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import { type TermBytes, TermCollector } from "./terms.js";
import { WordCutter } from "./words.js";

/** What a thread hands over, in whatever order. */
export interface GatheredTerms {
  keys: TermBytes;
  words: TermBytes;
}

/** The memory that can be handed over instead of copied. */
export function memoryOfGathered({ keys, words }: GatheredTerms): ArrayBuffer[] {
  return [keys.buffer, words.buffer];
}

const [SPACE, QUOTE, BACKSLASH, COMMA, CLOSE] = [0x20, 0x22, 0x5c, 0x2c, 0x7d];
/** Instead of where a text ends. */
const NO_WORDS = 0;
/** The first byte of the character that ends a key's term. */
const HIGHEST_LEAD = 0xf4;

/** Text as most have it is read byte by byte; everything else by the same functions that readers use. */
export class Gatherer {
  readonly #keys = new TermCollector();
  readonly #words = new TermCollector();
  readonly #fields: readonly Field[];
  readonly #find: ReturnType<typeof placeFinder>;
  /** Which of the fields is the label, from 1; 0 where it is the key. */
  readonly #label: number;
  /** Where each value of a record begins, the key's first, and where the texts with words end. */
  readonly #begins: number[] = [];
  readonly #ends: number[] = [];
  readonly #cutter = new WordCutter((bytes, length, number) => this.#words.add(bytes, 0, length, number));

  constructor(private readonly contract: Contract) {
    this.#fields = nameFields(contract);
    this.#label = 1 + this.#fields.findIndex(({ path }) => path === contract.label.path);
    this.#find = placeFinder(contract, [contract.key, ...this.#fields]);
  }

  /** Whether it is time to call `finish`; to be asked after each page. */
  get isFull(): boolean {
    return this.#keys.isFull || this.#words.isFull;
  }

  /**
   * @param first the number of the page's first record, from 0.
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
    const key = this.#begins[0] ?? 0;
    const keyEnd = this.#addKey(number, records, key);
    for (let field = 1; field < this.#begins.length; field++) {
      const begin = this.#begins[field] ?? 0;
      // Only texts have words.
      const hasWords = records[begin] === QUOTE && !isSameText(records, begin, key, keyEnd);
      this.#ends[field] = hasWords ? scan(records, begin).end : NO_WORDS;
    }
    for (let field = 1; field < this.#begins.length; field++) {
      const end = this.#ends[field] ?? NO_WORDS;
      if (end !== NO_WORDS && !(field === this.#label && this.#isOfOthers(records, field)))
        this.#addWords(number, records, this.#begins[field] ?? 0, end);
    }
  }

  /** Whether a text is those of two fields with a space between, as a person's name mostly is: then its words are theirs. */
  #isOfOthers(records: Buffer, field: number): boolean {
    const begin = this.#begins[field] ?? 0;
    const length = (this.#ends[field] ?? 0) - begin;
    for (let one = 1; one + 1 < this.#begins.length; one++) {
      const [end, otherEnd] = [this.#ends[one] ?? 0, this.#ends[one + 1] ?? 0];
      if (one === field || one + 1 === field || end === NO_WORDS || otherEnd === NO_WORDS) continue;
      const [from, otherFrom] = [this.#begins[one] ?? 0, this.#begins[one + 1] ?? 0];
      // Both have quotes, of which the text has one pair; and a space.
      if (end - from + otherEnd - otherFrom - 1 !== length) continue;
      // Without the quote at the end of the first, and the one at the beginning of the second.
      const space = begin + end - 1 - from;
      if (records[space] !== SPACE || !isSameText(records, begin, from, end - 1)) continue;
      if (isSameText(records, space + 1, otherFrom + 1, otherEnd)) return true;
    }
    return false;
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

  #addWords(number: number, records: Buffer, begin: number, end: number): void {
    if (hasEscape(records, begin, end)) {
      const text = Buffer.from(parsed(records, begin, end));
      this.#cutter.cut(text, 0, text.length, number);
    } else this.#cutter.cut(records, begin + 1, end - 1, number);
  }

  #addTerm(terms: TermCollector, term: string, number: number): void {
    const bytes = Buffer.from(term);
    terms.add(bytes, 0, bytes.length, number);
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

function hasEscape(records: Buffer, begin: number, end: number): boolean {
  for (let at = begin; at < end; at++) if (records[at] === BACKSLASH) return true;
  return false;
}

function parsed(records: Buffer, begin: number, end: number): string {
  return JSON.parse(records.toString("utf8", begin, end));
}

function isSameText(records: Buffer, begin: number, other: number, otherEnd: number): boolean {
  for (let at = other; at < otherEnd; at++) if (records[begin + at - other] !== records[at]) return false;
  return true;
}
