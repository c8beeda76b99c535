/** Counts what the explorer shows of all records, from their canonical text: a thread's part of making it. */
import type { Contract, Field } from "../contract/contract.js";
import { facetFields } from "../contract/lookup.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { kindOf } from "../contract/record/kind.js";
import { readText } from "../contract/record/locate.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import type { Run } from "../lookup/runs/run.js";
import { TermTable } from "../lookup/runs/table.js";
import { type CountedTimes, TimeCounter } from "../markup/plots/times.js";
import { type CountedIntegers, IntegerCounter } from "./integers.js";

/** What a thread hands over, in whatever order. */
export interface Counted {
  count: number;
  facets: Run;
  times: CountedTimes;
  integers: readonly CountedIntegers[];
}

/** The memory that can be handed over instead of copied. */
export function memoryOfCounted({ facets }: Counted): ArrayBuffer[] {
  return [facets.bytes.buffer];
}

/** The fields whose values are counted. */
export function countedFields(contract: Contract) {
  const { fields, key, order } = contract;
  return {
    facets: facetFields(contract),
    integers: fields.filter((field) => field.path !== key.path && kindOf(field.schema) === "integer"),
    time: order.find(({ schema }) => schema.format === "date-time" || schema.format === "date"),
  };
}

export class ExplorerGatherer {
  readonly #terms = new TermTable();
  /** Of each facet, what its terms begin with, and the terms by their values. */
  readonly #facets: readonly { prefix: string; terms: Map<string, Buffer> }[];
  readonly #integers: readonly Field[];
  readonly #time: Field | undefined;
  readonly #read: ReadValues;
  readonly #values: string[] = [];
  #counters: readonly IntegerCounter[] = [];
  #times = new TimeCounter();
  #count = 0;

  constructor(contract: Contract) {
    const { facets, integers, time } = countedFields(contract);
    this.#facets = facets.map(({ path }) => ({ prefix: toBytes(`${path}=`), terms: new Map() }));
    this.#integers = integers;
    this.#time = time;
    this.#read = valueReader(contract, [...facets, ...integers, ...(time ? [time] : [])]);
    this.#begin();
  }

  /** Whether it is time to call `finish`; to be asked after each page. */
  get isFull(): boolean {
    return this.#terms.isFull;
  }

  /**
   * @param first the number of the page's first record, from 0. No page may come after a later one, unless `finish` was called.
   * @param text of the records, canonical, with their separators: a character for each byte, since only ASCII is searched for.
   */
  add(first: number, text: string): void {
    for (let at = 0, number = first; at < text.length; number++) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline + 1 - RECORD_SEPARATOR.length;
      this.#read(text, at, end, this.#values);
      this.#addValues(number);
      at = end + RECORD_SEPARATOR.length;
    }
  }

  /** All since the last time. */
  finish(): Counted {
    const integers = this.#counters.map((counter) => counter.counted());
    const counted = { count: this.#count, facets: this.#terms.finish(), times: this.#times.counted(), integers };
    this.#begin();
    return counted;
  }

  #begin(): void {
    for (const { terms } of this.#facets) terms.clear();
    this.#counters = this.#integers.map(() => new IntegerCounter());
    this.#times = new TimeCounter();
    this.#count = 0;
  }

  #addValues(number: number): void {
    let at = 0;
    for (const { prefix, terms } of this.#facets) {
      const value = this.#values[at++] ?? "";
      let term = terms.get(value);
      if (!term) {
        term = Buffer.from(prefix + value, "latin1");
        terms.set(value, term);
      }
      this.#terms.add(term, 0, term.length, number);
    }
    for (const counter of this.#counters) {
      const value = this.#values[at++];
      if (value !== "null") counter.add(Number(value));
    }
    if (this.#time) this.#times.add(this.#values[at]?.slice(1, -1) ?? "");
    this.#count++;
  }
}

/** Texts have a character for each byte. Given a place to put them, finds each field's value as its canonical JSON. */
type ReadValues = (text: string, at: number, end: number, values: string[]) => void;

/** Reads by the names in the text: parsing whole records takes far longer. */
function valueReader(contract: Pick<Contract, "file">, fields: readonly Field[]): ReadValues {
  const find = placeFinder(contract, fields);
  const begins: number[] = [];
  return (text, at, end, values) => {
    let isRead = find(text, at, end, begins);
    for (let field = 0; field < fields.length && isRead; field++) {
      const value = scalarAt(text, begins[field] ?? end, end);
      if (value === undefined) isRead = false;
      else values[field] = value;
    }
    if (isRead) return;
    const record: unknown = JSON.parse(fromBytes(text.slice(at, end)));
    for (const [place, field] of fields.entries()) values[place] = toBytes(JSON.stringify(valueAt(record, field)));
  };
}

const BARE = /[^",[\]{}]+/y;

/** Undefined for a list or an object. */
function scalarAt(text: string, begin: number, end: number): string | undefined {
  if (text[begin] === '"') {
    const found = readText(text, begin, end);
    return found && `"${found.written}"`;
  }
  BARE.lastIndex = begin;
  return BARE.exec(text)?.[0];
}
