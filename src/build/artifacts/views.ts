/** views.json and views/*: pages of the records of each value of a field, or in another order. */
import type { Contract, Field } from "../../core/contract/contract.js";
import { fromBytes, toBytes } from "../../core/contract/record/key.js";
import { choicesOf } from "../../core/contract/record/kind.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import type { ViewValue } from "../../core/contract/segment.js";
import {
  type GivenViews,
  requireFew,
  VIEW_PARTS,
  type View,
  type ViewPart,
  valueSchemaOf,
  viewsOf,
} from "../../core/contract/views.js";
import { VIEWS, VIEWS_FOLDER, viewIndexPath, viewSumsPath } from "../../core/release/layout.js";
import {
  type CountedValue,
  encodeViewIndex,
  encodeViewSums,
  encodeViews,
  entryOf,
  type ViewEntry,
  viewPathsOf,
} from "../../core/release/views.js";
import { createTurns } from "../../core/workers/turns.js";
import {
  type Artifact,
  type Collector,
  joinPieces,
  type MergeContext,
  type Merger,
  type SortedView,
  splitPieces,
  type ViewPages,
} from "./artifact.js";
import { type ReadValues, valueReader } from "./field-values.js";
import { type Term, TermCollector, TermTable } from "./terms.js";

/** The artifact of some views. @param given views that fit the contract. */
export function viewFiles(given: GivenViews): Artifact {
  return {
    name: VIEWS_FOLDER,
    collector: (contract) => new ViewCollector(contract, compiled(contract, given)),
    merger: (context) => new ViewMerger(context, compiled(context.contract, given)),
  };
}

function compiled(contract: Contract, given: GivenViews): readonly View[] {
  const found = viewsOf(contract, given);
  if ("views" in found) return found.views;
  throw new Error(found.mistakes.join(" "));
}

/** Between the value and the order in a term. No JSON has this byte, so terms are sorted by value first. */
const AFTER_VALUE = "\0";

/** Collects a term for each record and view: its value, what its order is sorted by, or both. */
class ViewCollector implements Collector {
  readonly #terms: readonly TermCollector[];
  readonly #read: ReadValues;
  /** The fields of all views, one after another. */
  readonly #values: string[] = [];

  constructor(
    contract: Contract,
    private readonly views: readonly View[],
  ) {
    this.#terms = views.map(() => new TermCollector());
    this.#read = valueReader(contract, fieldsOf(views));
  }

  collect(page: PageRecords): void {
    for (const [number, begin, end] of recordsOf(page)) {
      this.#read(page.text, begin, end, this.#values);
      let at = 0;
      for (const [index, view] of this.views.entries()) {
        const terms = this.#terms[index] as TermCollector;
        const value = view.by && (this.#values[at++] ?? "");
        let order = "";
        for (const { isDescending } of view.order) order += orderTerm(this.#values[at++] ?? "", isDescending);
        if (value === undefined) terms.addUnique(order, number);
        else for (const one of valuesIn(value, view.part)) addValue(terms, one, order, number);
      }
    }
  }

  take(): Uint8Array<ArrayBuffer> {
    return joinPieces(this.#terms.map((terms) => terms.take()));
  }
}

function addValue(terms: TermCollector, value: string, order: string, number: number): void {
  if (order === "") terms.add(value, number);
  else terms.addUnique(value + AFTER_VALUE + order, number);
}

/** The fields that views read, in the order of the views. Each may occur several times. */
function fieldsOf(views: readonly View[]): Field[] {
  return views.flatMap(({ by, order }) => [...(by ? [by] : []), ...order.map(({ field }) => field)]);
}

/** The values of a record, each once, as JSON with one character a byte: of a list, its items. @param json the same */
function valuesIn(json: string, part: ViewPart | undefined): Iterable<string> {
  if (!json.startsWith("[")) return [partOf(json, part)];
  const items: unknown[] = JSON.parse(fromBytes(json));
  return new Set(items.map((item) => partOf(toBytes(JSON.stringify(item)), part)));
}

/** The beginning of a date or time; any other JSON as it is. */
function partOf(json: string, part: ViewPart | undefined): string {
  return part === undefined || json === "null" ? json : `${json.slice(0, 1 + VIEW_PARTS[part])}"`;
}

const IS_VALUE = "\x01";
/** Sorts after every value in both directions. */
const IS_NULL = "\x02";
const eight = Buffer.alloc(8);

/**
 * A term whose bytes sort as a scalar does: numbers by size, texts by UTF-8 bytes, false before true, null last. No term is the
 * beginning of another one, so terms can be joined. One character a byte.
 * @param json canonical, one character a byte
 */
export function orderTerm(json: string, isDescending: boolean): string {
  if (json === "null") return IS_NULL;
  const ascending = json.startsWith('"') ? textTerm(json) : numberTerm(json);
  return IS_VALUE + (isDescending ? inverted(ascending) : ascending);
}

/** The bytes of a text, of which a byte 0 is marked, and an end that sorts before each other byte. */
function textTerm(json: string): string {
  const text = json.includes("\\") ? toBytes(JSON.parse(fromBytes(json))) : json.slice(1, -1);
  return `${text.includes("\0") ? text.replaceAll("\0", "\0\xff") : text}\0\0`;
}

/** The IEEE bits of a number, of which the sign is inverted, and all others of negative numbers. */
function numberTerm(json: string): string {
  const number = json === "true" ? 1 : json === "false" ? 0 : Number(json);
  // Zero has two signs.
  eight.writeDoubleBE(number === 0 ? 0 : number);
  if (number < 0) for (let at = 0; at < eight.length; at++) eight[at] = ~(eight[at] ?? 0);
  else eight[0] = (eight[0] ?? 0) ^ 0x80;
  return eight.toString("latin1");
}

function inverted(bytes: string): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) text += String.fromCharCode(0xff - bytes.charCodeAt(at));
  return text;
}

/** Terms between two moments at which a signal is looked at. */
const TERMS = 50_000;

class ViewMerger implements Merger {
  readonly #tables: readonly TermTable[];
  readonly #pages: ViewPages;

  constructor(
    private readonly context: MergeContext,
    private readonly views: readonly View[],
  ) {
    if (!context.views) throw new Error("Views need something that makes their pages.");
    this.#pages = context.views;
    this.#tables = views.map(() => new TermTable());
  }

  merge(piece: Uint8Array): void {
    for (const [at, terms] of splitPieces(piece).entries()) this.#tables[at]?.add(terms);
  }

  /** Writes the pages and files of each view, views.json last. @throws UserError if a view has too many values */
  async write(signal: AbortSignal | undefined): Promise<void> {
    try {
      if (await this.#pages.reuse(this.views, signal)) return;
      const entries: ViewEntry[] = [];
      for (const [at, view] of this.views.entries())
        entries.push(await this.#writeView(view, this.#tables[at] as TermTable, signal));
      await this.context.sink.put(VIEWS, Buffer.from(encodeViews(this.#pages.state, entries)));
    } finally {
      await this.#pages.close();
    }
  }

  async #writeView(view: View, table: TermTable, signal: AbortSignal | undefined): Promise<ViewEntry> {
    const { sink, collection } = this.context;
    const { values, numbers } = await sortView(view, table, collection.count, this.#pages.listing, signal);
    const paths = viewPathsOf(view.name, values, collection);
    const pages = await this.#pages.make({ view, values, paths, numbers }, signal);
    if (values) {
      const index = encodeViewIndex(view, values, collection.count, this.#pages.state);
      await sink.put(viewIndexPath(view.name), Buffer.from(index));
    }
    if (pages)
      await sink.put(viewSumsPath(view.name), Buffer.from(encodeViewSums({ paths, pages, others: new Map() })));
    return entryOf(view, paths);
  }

  close(): void {
    for (const table of this.#tables) table.close();
  }
}

/** Lists the records of a view in the order of its pages. @throws UserError if it has too many values */
async function sortView(
  view: View,
  table: TermTable,
  count: number,
  listing: string,
  signal: AbortSignal | undefined,
): Promise<Pick<SortedView, "values" | "numbers">> {
  const turn = createTurns(TERMS, signal);
  const all = new NumberList(count);
  const found: { json: string; records: number }[] = [];
  let values = 0;
  let last: string | undefined;
  for (const term of table) {
    const wait = turn();
    if (wait) await wait;
    if (view.by) {
      const json = valueIn(term);
      if (json !== last) values++;
      last = json;
      // Counted, so that the message says how many there are.
      if (values > view.most) continue;
      const own = found.at(-1);
      if (own?.json === json) own.records += term.numbers.length;
      else found.push({ json, records: term.numbers.length });
    }
    all.add(term.numbers);
  }
  const listed = view.by && withChoices(found, view.by, view.part);
  requireFew(view, Math.max(values, listed?.length ?? 0), listing);
  return { values: listed, numbers: all.numbers };
}

/** The JSON of a term's value, one character a byte. */
function valueIn({ place: { bytes, begin, end } }: Term): string {
  const text = bytes.toString("latin1", begin, end);
  const at = text.indexOf(AFTER_VALUE);
  return at < 0 ? text : text.slice(0, at);
}

/** Adds the values of enums and booleans that no record has, so that their URLs always exist. */
function withChoices(
  found: readonly { json: string; records: number }[],
  by: Field,
  part: ViewPart | undefined,
): CountedValue[] {
  const schema = valueSchemaOf(by);
  const isBoolean = [schema.type].flat().includes("boolean");
  const choices = choicesOf(schema) ?? (isBoolean ? [false, true] : []);
  const counts = new Map(choices.map((choice) => [partOf(toBytes(JSON.stringify(choice)), part), 0]));
  for (const { json, records } of found) counts.set(json, records);
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([json, records]) => ({ value: JSON.parse(fromBytes(json)) as ViewValue, records }));
}

/** A list of numbers, four bytes each. */
class NumberList {
  #all: Uint32Array;
  #length = 0;

  constructor(size: number) {
    this.#all = new Uint32Array(size);
  }

  add(numbers: readonly number[]): void {
    if (this.#length + numbers.length > this.#all.length) {
      const larger = new Uint32Array(2 * (this.#length + numbers.length));
      larger.set(this.#all);
      this.#all = larger;
    }
    this.#all.set(numbers, this.#length);
    this.#length += numbers.length;
  }

  get numbers(): Uint32Array {
    return this.#all.subarray(0, this.#length);
  }
}
