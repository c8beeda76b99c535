/** Counts what the explorer shows of all records, from their canonical text: a thread's part of making it. */
import type { Contract, Field } from "../contract/contract.js";
import { facetFields } from "../contract/lookup.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { kindOf } from "../contract/record/kind.js";
import { readText } from "../contract/record/locate.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import { type TermBytes, TermCollector } from "../lookup/terms.js";
import { type CountedTimes, TimeCounter } from "../markup/plots/times.js";
import { type CountedIntegers, IntegerCounter } from "./integers.js";

/** What a thread hands over, in whatever order. */
export interface Counted extends Counts {
  facets: TermBytes;
}

export interface Counts {
  count: number;
  times: CountedTimes;
  integers: readonly CountedIntegers[];
}

/** The memory that can be handed over instead of copied. */
export function memoryOfCounted({ facets }: Counted): ArrayBuffer[] {
  return [facets.buffer];
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
  readonly #terms = new TermCollector();
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
   * @param first the number of the page's first record, from 0.
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

/** Counts as a text: one for the same records, however many threads have counted. */
export function encodeCounts({ count, times: { moments, ...times }, integers }: Counts): string {
  const numbers = integers.map(({ cells, growing, min, max, width }) => {
    const counted = { width, cells: sortedEntries(cells), growing: growing && sortedEntries(growing) };
    // Where nothing was counted, both are infinite, which JSON cannot say.
    return cells.size > 0 ? { ...counted, min, max } : counted;
  });
  return `${JSON.stringify({ count, times: { ...times, moments: sortedEntries(moments) }, integers: numbers })}\n`;
}

/** The reverse of `encodeCounts`. */
export function decodeCounts(text: string): Counts {
  const { count, times, integers }: Encoded = JSON.parse(text);
  return {
    count,
    times: { length: times.length, moments: new Map(times.moments), ends: times.ends },
    integers: integers.map(({ width, cells, growing, min, max }) => ({
      ...{ width, cells: new Map(cells), growing: growing && new Map(growing) },
      ...{ min: min ?? Number.POSITIVE_INFINITY, max: max ?? Number.NEGATIVE_INFINITY },
    })),
  };
}

type Cells = [number, number][];

interface Encoded {
  count: number;
  times: { length: number; moments: [string, number[]][]; ends?: [string, string] };
  integers: { width: number; cells: Cells; growing?: Cells; min?: number; max?: number }[];
}

function sortedEntries<K extends string | number, V>(map: ReadonlyMap<K, V>): [K, V][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}
