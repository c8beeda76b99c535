/** Selects from all records in memory: by search, filters and ranges, counted by facet and sorted. */
import { type Field, fieldAt } from "../../core/contract/contract.js";
import {
  facetTerm,
  facetTermsOf,
  foldedWords,
  matchesAny,
  nameFields,
  wantedWords,
  wordsOfRecord,
} from "../../core/contract/lookup.js";
import { valueAt } from "../../core/contract/record/value.js";
import { textOf } from "../markup/page/text.js";
import type { ListPlace, Range, Sort } from "./address.js";
import { isKey } from "./found.js";
import type { ListedRow, ListingFacts } from "./reader.js";
import { dayOf, measureOf, referredName } from "./values.js";

export interface Selection {
  rows: readonly ListedRow[];
  /** By facet term, the number of records that meet all conditions but those of the term's own facet. */
  counts: ReadonlyMap<string, number>;
}

type Test = (record: unknown) => boolean;

/** Selects the records of a place, in its order; records whose key is the text come first, unless the place has an order. */
export function select(known: ListingFacts, records: readonly ListedRow[], place: ListPlace): Selection {
  const { contract, summary } = known;
  const text = place.text.trim();
  const tests = [
    ...(text === "" ? [] : [place.within === undefined ? textTest(known, text) : wordTest(known, text, place.within)]),
    ...[...place.ranges].map(([path, range]) => rangeTest(fieldAt(contract, path), range)),
  ];
  const isFacet = (path: string) => summary.facets.some((facet) => facet.path === path);
  const references = [...place.where.keys()].filter((path) => !isFacet(path)).map((path) => fieldAt(contract, path));
  const chosen = [...summary.facets, ...references].map((facet) => {
    const values = place.where.get(facet.path);
    const terms = values && new Set(values.map((value) => facetTerm(facet, value)));
    return { facet, fits: (own: readonly string[]) => !terms || own.some((term) => terms.has(term)) };
  });
  const rows: ListedRow[] = [];
  const counts = new Map<string, number>();
  for (const row of records) {
    if (!tests.every((test) => test(row.record))) continue;
    const seen = chosen.map(({ facet, fits }) => {
      const terms = facetTermsOf([facet], row.record);
      return { terms, isFit: fits(terms) };
    });
    const missed = seen.filter(({ isFit }) => !isFit);
    if (missed.length === 0) rows.push(row);
    const counted = missed.length === 0 ? seen : missed.length === 1 ? missed : [];
    for (const { terms } of counted) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  if (place.sort) return { rows: sorted(known, rows, fieldAt(contract, place.sort.path), place.sort), counts };
  const isExact = ({ record }: ListedRow) => text !== "" && String(valueAt(record, contract.key)) === text;
  return { rows: [...rows.filter(isExact), ...rows.filter((row) => !isExact(row))], counts };
}

/** Whether a record has all words in its names, or a key that begins with the text. */
function textTest({ contract }: ListingFacts, text: string): Test {
  const { key } = contract;
  const names = nameFields(contract);
  const wanted = wantedWords(text);
  const mayBeKey = isKey(text, contract);
  return (record) => {
    if (mayBeKey && String(valueAt(record, key)).startsWith(text)) return true;
    if (wanted.length === 0) return false;
    const words = wordsOfRecord(key, names, record);
    return wanted.every((one) => matchesAny(one, words));
  };
}

/** Whether a record has all words in one field. */
function wordTest({ contract }: ListingFacts, text: string, path: string): Test {
  const field = fieldAt(contract, path);
  const wanted = wantedWords(text);
  return (record) => {
    const value = valueAt(record, field);
    if (wanted.length === 0 || typeof value !== "string") return false;
    const words = foldedWords(value);
    return wanted.every((one) => matchesAny(one, words));
  };
}

function rangeTest(field: Field, [from, to]: Range): Test {
  if (measureOf(field) === "number") {
    const least = from === "" ? Number.NEGATIVE_INFINITY : Number(from);
    const most = to === "" ? Number.POSITIVE_INFINITY : Number(to);
    return (record) => {
      const value = valueAt(record, field);
      return typeof value === "number" && value >= least && value <= most;
    };
  }
  return (record) => {
    const day = dayOf(field, valueAt(record, field));
    return day !== undefined && day >= from && (to === "" || day <= to);
  };
}

/** Whether a text is an end of a range: `YYYY-MM-DD`, or a number. */
export function isRangeEnd(kind: "date" | "number", text: string): boolean {
  if (kind === "date") return new Date(text).toJSON()?.slice(0, 10) === text;
  return /^-?(\d*\.)?\d+(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Sorts rows by a field. Records without a value come last, and equal ones stay in published order. */
function sorted(known: ListingFacts, rows: readonly ListedRow[], field: Field, { isDescending }: Sort): ListedRow[] {
  const compare = measureOf(field) === "date" ? compareTimes : compareValues;
  const sign = isDescending ? -1 : 1;
  // References are sorted by the names that are shown.
  const shownValue = (value: unknown) => referredName(known, field, value) ?? value ?? undefined;
  const valued = rows.map((row) => ({ row, value: shownValue(valueAt(row.record, field)) }));
  const present = valued.filter(({ value }) => value !== undefined);
  const absent = valued.filter(({ value }) => value === undefined);
  present.sort((one, other) => sign * compare(one.value, other.value));
  return [...present, ...absent].map(({ row }) => row);
}

function compareTimes(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const first = String(one);
  const second = String(other);
  // Fractions beyond milliseconds count too.
  return Date.parse(first) - Date.parse(second) || Number(first > second) - Number(first < second);
}

/** Numbers come first, then texts by language. */
function compareValues(one: unknown, other: unknown): number {
  const isNumber = typeof one === "number";
  const isOther = typeof other === "number";
  if (isNumber && isOther) return one - other;
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return COLLATOR.compare(textOf(one), textOf(other));
}
