/** Collects the values that the explorer counts, from the canonical text of records. */
import type { Contract, Field } from "../../contract/contract.js";
import { facetFields } from "../../contract/lookup.js";
import { fromBytes, toBytes } from "../../contract/record/key.js";
import { kindOf } from "../../contract/record/kind.js";
import { readText } from "../../contract/record/locate.js";
import { placeFinder } from "../../contract/record/places.js";
import { valueAt } from "../../contract/record/value.js";
import { type CountedTimes, TimeCounter } from "../../markup/plots/times.js";
import { type Collector, joinPieces, type PageRecords, recordsOf } from "../artifact.js";
import { TermCollector } from "../lookup/terms.js";

/** The counts of a batch besides its facets. */
interface Counts {
  count: number;
  times: CountedTimes;
  /** Of each integer field, how many records have each value. */
  integers: readonly (readonly [value: number, records: number][])[];
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

export class ExplorerCollector implements Collector {
  readonly #terms = new TermCollector();
  /** What the terms of each facet begin with. */
  readonly #facets: readonly string[];
  readonly #integers: readonly Map<number, number>[];
  readonly #time: Field | undefined;
  readonly #read: ReadValues;
  readonly #values: string[] = [];
  #times = new TimeCounter();
  #count = 0;

  constructor(contract: Contract) {
    const { facets, integers, time } = countedFields(contract);
    this.#facets = facets.map(({ path }) => toBytes(`${path}=`));
    this.#integers = integers.map(() => new Map());
    this.#time = time;
    this.#read = valueReader(contract, [...facets, ...integers, ...(time ? [time] : [])]);
  }

  collect(page: PageRecords): void {
    for (const [number, begin, end] of recordsOf(page)) {
      this.#read(page.text, begin, end, this.#values);
      this.#addValues(number);
    }
  }

  /** Facets, then counts. */
  take(): Uint8Array<ArrayBuffer> {
    const counts: Counts = {
      count: this.#count,
      times: this.#times.counted(),
      integers: this.#integers.map((values) => [...values]),
    };
    const piece = joinPieces([this.#terms.take(), Buffer.from(encodeCounts(counts))]);
    for (const values of this.#integers) values.clear();
    [this.#times, this.#count] = [new TimeCounter(), 0];
    return piece;
  }

  #addValues(number: number): void {
    let at = 0;
    for (const prefix of this.#facets) this.#terms.add(prefix + (this.#values[at++] ?? ""), number);
    for (const values of this.#integers) {
      const text = this.#values[at++];
      if (text !== "null") values.set(Number(text), (values.get(Number(text)) ?? 0) + 1);
    }
    if (this.#time) this.#times.add(this.#values[at]?.slice(1, -1) ?? "");
    this.#count++;
  }
}

/** Texts have one character for each byte. Puts each field's value, as its canonical JSON, into `values`. */
type ReadValues = (text: string, at: number, end: number, values: string[]) => void;

/** Reads by the names in the text: parsing whole records takes far longer. */
export function valueReader(contract: Pick<Contract, "file">, fields: readonly Field[]): ReadValues {
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

function encodeCounts({ times: { moments, ...times }, ...counts }: Counts): string {
  return JSON.stringify({ ...counts, times: { ...times, moments: [...moments] } });
}

/** The reverse of `encodeCounts`. */
export function decodeCounts(text: string): Counts {
  const { times, ...counts } = JSON.parse(text);
  return { ...counts, times: { ...times, moments: new Map(times.moments) } };
}
