/** Counts what the explorer shows of all records: each thread those of its own pages, and one thread what all have counted. */
import type { Contract, Field } from "../contract/contract.js";
import { facetFields } from "../contract/lookup.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { kindOf } from "../contract/record/kind.js";
import { readText } from "../contract/record/locate.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import { type CountedTimes, TimeCounter } from "../markup/plots/times.js";
import { type CountedIntegers, IntegerCounter } from "./integers.js";

/** What is counted besides facets. Can be sent to another thread. */
export interface Counted {
  count: number;
  times: CountedTimes;
  integers: readonly CountedIntegers[];
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

/** Counts records as they stand in pages. */
export class Counter {
  readonly #times = new TimeCounter();
  readonly #integers: readonly IntegerCounter[];
  readonly #prefixes: readonly string[];
  readonly #read: ReturnType<typeof valueReader>;
  readonly #hasTime: boolean;
  #values: string[] = [];
  #terms = new Map<string, number[]>();
  #count = 0;

  constructor(contract: Contract) {
    const { facets, integers, time } = countedFields(contract);
    this.#integers = integers.map(() => new IntegerCounter());
    this.#prefixes = facets.map(({ path }) => toBytes(`${path}=`));
    this.#hasTime = time !== undefined;
    this.#read = valueReader(contract, [...facets, ...integers, ...(time ? [time] : [])]);
  }

  /** @param first the number of the first record, from 0. @param records canonical ones, with their separators. */
  add(first: number, records: Buffer): void {
    // A character for each byte is enough, because only ASCII is searched for.
    const text = records.toString("latin1");
    for (let at = 0, number = first; at < text.length; number++) {
      const next = text.indexOf("\n", at);
      const end = next < 0 ? text.length : next + 1 - RECORD_SEPARATOR.length;
      this.#addRecord(text, at, end, number);
      at = end + RECORD_SEPARATOR.length;
    }
  }

  #addRecord(text: string, at: number, end: number, number: number): void {
    const values = this.#values;
    this.#read(text, at, end, values);
    this.#count++;
    for (let facet = 0; facet < this.#prefixes.length; facet++) {
      const term = `${this.#prefixes[facet]}${values[facet]}`;
      const numbers = this.#terms.get(term);
      if (numbers) numbers.push(number);
      else this.#terms.set(term, [number]);
    }
    for (let field = 0; field < this.#integers.length; field++) {
      const value = values[this.#prefixes.length + field];
      if (value !== "null") this.#integers[field]?.add(Number(value));
    }
    if (this.#hasTime) this.#times.add(values.at(-1)?.slice(1, -1) ?? "");
  }

  /** The terms of facets since the last call, each with its records' numbers, ascending where records were added so. */
  takeTerms(): [term: string, numbers: number[]][] {
    const terms = [...this.#terms].map(([term, numbers]): [string, number[]] => [fromBytes(term), numbers]);
    this.#terms = new Map();
    return terms;
  }

  /** All that was counted so far. */
  counted(): Counted {
    const integers = this.#integers.map((counter) => counter.counted());
    return { count: this.#count, times: this.#times.counted(), integers };
  }

  /** Adds what another counter of the same contract has counted. */
  join({ count, times, integers }: Counted): void {
    this.#count += count;
    this.#times.join(times);
    for (const [field, counted] of integers.entries()) this.#integers[field]?.join(counted);
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
