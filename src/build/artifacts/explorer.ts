/** index.html, explorer/* and labels.json: the explorer, the counts that it shows, and names for the explorers of other listings. */
import type { Contract, Field } from "../../core/contract/contract.js";
import { facetFields } from "../../core/contract/lookup.js";
import { toBytes } from "../../core/contract/record/key.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import { EXPLORER, EXPLORER_FOLDER, LABELS, SUMMARY } from "../../core/release/layout.js";
import { createTurns } from "../../core/workers/turns.js";
import { type CountedTimes, TimeCounter } from "../../explorer/markup/figures/times.js";
import { epochTime, isTime } from "../../explorer/meaning.js";
import {
  type Distribution,
  type ExplorerSummary,
  encodeSummary,
  type Facet,
  type FacetValue,
  type TimesSummary,
} from "../../explorer/summary.js";
import { type Artifact, type Collector, joinPieces, type MergeContext, type Merger, splitPieces } from "./artifact.js";
import { type ReadValues, valueReader } from "./field-values.js";
import { IntegerCounter } from "./integer-counter.js";
import { LabelCollector, LabelMerger } from "./labels.js";
import { NumberCounter } from "./number-counter.js";
import { type FamilySizes, SortedFamily } from "./sorted-files.js";
import { TermCollector, textAt } from "./terms.js";

export const EXPLORER_FILES: Artifact = {
  name: EXPLORER_FOLDER,
  collector: (contract) => new ExplorerCollector(contract),
  merger: (context) => new ExplorerMerger(context),
};

/** Counts of a batch, without facets. */
interface Counts {
  count: number;
  times: CountedTimes;
  /** For each field of numbers, the number of records with each value. */
  numbers: readonly (readonly [value: number, records: number][])[];
}

/** The fields whose values are counted. */
function countedFields(contract: Contract) {
  const { fields, key, order } = contract;
  return {
    facets: facetFields(contract),
    numbers: fields.filter((field) => field.path !== key.path && ["integer", "number"].includes(kindOf(field.schema))),
    time: order.find((field) => isTime(field)),
  };
}

export class ExplorerCollector implements Collector {
  readonly #terms = new TermCollector();
  /** Prefix of the terms of each facet. */
  readonly #facets: readonly string[];
  readonly #numbers: readonly Map<number, number>[];
  readonly #time: Field | undefined;
  readonly #read: ReadValues;
  readonly #values: string[] = [];
  readonly #labels: LabelCollector;
  #times = new TimeCounter();
  #count = 0;

  constructor(contract: Contract) {
    const { facets, numbers, time } = countedFields(contract);
    this.#facets = facets.map(({ path }) => toBytes(`${path}=`));
    this.#numbers = numbers.map(() => new Map());
    this.#time = time;
    this.#labels = new LabelCollector(contract);
    this.#read = valueReader(contract, [...facets, ...numbers, ...(time ? [time] : [])]);
  }

  collect(page: PageRecords): void {
    this.#labels.collect(page);
    for (const [number, begin, end] of recordsOf(page)) {
      this.#read(page.text, begin, end, this.#values);
      this.#addValues(number);
    }
  }

  /** Facets, counts, labels. */
  take(): Uint8Array<ArrayBuffer> {
    const counts: Counts = {
      count: this.#count,
      times: this.#times.counted(),
      numbers: this.#numbers.map((values) => [...values]),
    };
    const piece = joinPieces([this.#terms.take(), Buffer.from(encodeCounts(counts)), this.#labels.take()]);
    for (const values of this.#numbers) values.clear();
    this.#times = new TimeCounter();
    this.#count = 0;
    return piece;
  }

  #addValues(number: number): void {
    let at = 0;
    for (const prefix of this.#facets) this.#terms.add(prefix + (this.#values[at++] ?? ""), number);
    for (const values of this.#numbers) {
      const text = this.#values[at++];
      if (text !== "null") values.set(Number(text), (values.get(Number(text)) ?? 0) + 1);
    }
    if (this.#time) this.#times.add(timeText(this.#time, this.#values[at] ?? ""));
    this.#count++;
  }
}

/** @param value canonical JSON */
function timeText(field: Field, value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : (epochTime(field, Number(value))?.toISOString() ?? "");
}

function encodeCounts({ times: { moments, ...times }, ...counts }: Counts): string {
  return JSON.stringify({ ...counts, times: { ...times, moments: [...moments] } });
}

/** The reverse of `encodeCounts`. */
function decodeCounts(text: string): Counts {
  const { times, ...counts } = JSON.parse(text);
  return { ...counts, times: { ...times, moments: new Map(times.moments) } };
}

const FACET_FILES: FamilySizes = { minBytes: 2 ** 16, targetFiles: 300, doublingAfter: 500, hasPrefixes: false };

/** Terms between two checks of the signal. */
const TERMS = 50_000;

export class ExplorerMerger implements Merger {
  readonly #facets: SortedFamily;
  readonly #fields: ReturnType<typeof countedFields>;
  readonly #times = new TimeCounter();
  readonly #numbers: readonly (IntegerCounter | NumberCounter)[];
  readonly #labels: LabelMerger;
  #count = 0;

  constructor(private readonly context: MergeContext) {
    const { contract, collection } = context;
    this.#facets = new SortedFamily(collection.count, FACET_FILES);
    this.#fields = countedFields(contract);
    this.#labels = new LabelMerger(contract);
    this.#numbers = this.#fields.numbers.map(({ schema }) =>
      kindOf(schema) === "integer" ? new IntegerCounter() : new NumberCounter(),
    );
  }

  merge(piece: Uint8Array): void {
    const [facets, counted, labels] = splitPieces(piece);
    if (labels) this.#labels.merge(labels);
    if (facets) this.#facets.add(facets);
    const { count, times, numbers } = decodeCounts(String(counted));
    this.#count += count;
    this.#times.join(times);
    for (const [field, values] of numbers.entries())
      for (const [value, records] of values) this.#numbers[field]?.add(value, records);
  }

  async write(signal: AbortSignal | undefined): Promise<void> {
    const { contract, collection, page, isReferredTo, sink } = this.context;
    const labels = isReferredTo ? this.#labels.file(this.#count) : undefined;
    if (labels) await sink.put(LABELS, labels);
    const summary = await this.#writeSummary(signal);
    if (!page) return;
    // Loaded only where a page is written, so that verify starts without it.
    const { explorerAssets, explorerPage } = await import("../../explorer/html.js");
    await sink.put(EXPLORER, Buffer.from(explorerPage(contract, summary, { ...collection, ...page })));
    for (const [path, bytes] of explorerAssets(page)) await sink.put(path, bytes);
  }

  /** Writes the files that depend only on records, explorer/summary.json last. */
  async #writeSummary(signal: AbortSignal | undefined): Promise<ExplorerSummary> {
    const { sink } = this.context;
    const turn = createTurns(TERMS, signal);
    const tally = new FacetTally(this.#fields.facets);
    for (const { place, numbers } of this.#facets.terms) {
      const wait = turn();
      if (wait) await wait;
      tally.add(textAt(place), numbers.length);
    }
    const lists = await this.#facets.write("facets", sink, turn);
    const summary: ExplorerSummary = {
      count: this.#count,
      facets: tally.facets(),
      lists,
      times: this.#timesSummary(),
      numbers: this.#distributions(),
      version: 2,
    };
    await sink.put(SUMMARY, Buffer.from(encodeSummary(summary)));
    return summary;
  }

  close(): void {
    this.#facets.close();
  }

  #timesSummary(): TimesSummary | null {
    const { time } = this.#fields;
    const { ends } = this.#times.counted();
    if (!time || !ends) return null;
    const [first, last] = ends.map((end) => (end.includes("T") ? `${end}Z` : end));
    const { bins, ...rest } = this.#times.bins();
    const written = bins.map(({ start, end, counts: [count = 0] }) => ({
      from: start.toISOString(),
      to: end.toISOString(),
      count,
    }));
    return { path: time.path, first: first ?? "", last: last ?? "", bins: written, ...rest };
  }

  #distributions(): Distribution[] {
    return this.#fields.numbers.flatMap(({ path }, at) => {
      const counter = this.#numbers[at];
      // Unique integers are ids; unique decimals are measured.
      const isId = counter instanceof IntegerCounter && counter.isUnique;
      const distribution = isId ? undefined : counter?.distribution();
      return distribution ? [{ path, ...distribution }] : [];
    });
  }
}

/** Maximum number of values shown. */
const MOST_VALUES = 100;

interface Tally {
  field: Field;
  prefix: string;
  values: FacetValue[];
  distinct: number;
}

/** Counts the most frequent values of facets, in bounded memory. Terms are added once each, in order. */
class FacetTally {
  readonly #tallies: readonly Tally[];

  constructor(fields: readonly Field[]) {
    this.#tallies = fields.map((field) => ({ field, prefix: `${field.path}=`, values: [], distinct: 0 }));
  }

  add(term: string, count: number): void {
    for (const tally of this.#tallies) {
      const read = term.startsWith(tally.prefix) ? readValue(term.slice(tally.prefix.length)) : undefined;
      if (!read) continue;
      tally.distinct++;
      tally.values.push({ value: read.value, count });
      if (tally.values.length >= 2 * MOST_VALUES) tally.values = mostFrequent(tally.values);
      return;
    }
    throw new Error(`${term} is not a value of a facet`);
  }

  facets(): Facet[] {
    return this.#tallies.map(({ field: { path, names }, values, distinct }) => {
      const listed = mostFrequent(values);
      return { path, names, values: listed, more: distinct - listed.length };
    });
  }
}

/** Parses the value of a term; undefined if the term belongs to a field whose path contains `=`. */
function readValue(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Equally frequent values keep the order of their terms. */
function mostFrequent(values: readonly FacetValue[]): FacetValue[] {
  return values.toSorted((one, other) => other.count - one.count).slice(0, MOST_VALUES);
}
