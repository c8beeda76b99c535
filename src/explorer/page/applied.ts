/** Which parts of a place in the list apply to a snapshot, and why the others do not. */
import { count, number } from "../../core/print/numbers.js";
import { shownKey } from "../markup/page/text.js";
import { nameInText, referenceOf } from "../meaning.js";
import type { Chosen, ListPlace, Range, Sort } from "./address.js";
import { chosenColumns } from "./columns.js";
import { MOST_COMBINED, searchable } from "./found.js";
import { type ListingFacts, MOST_LOADED } from "./reader.js";
import { allOf, canSort, mayLoad, type Reach } from "./scope.js";
import { isRangeEnd } from "./select.js";
import { choiceText, isSearchable, rangeKind } from "./values.js";

export interface AppliedPlace {
  /** The place without what does not apply. */
  place: ListPlace;
  /** What does not apply, and why: `date joined from 2021-02-01, since ranges need at most 20,000 records`. */
  refused: readonly string[];
}

/** What the parts of a place are compared with. */
export type KnownFields = Pick<ListingFacts, "contract"> & {
  summary: Pick<ListingFacts["summary"], "facets">;
  snapshot: Pick<ListingFacts["snapshot"], "count">;
};

/** Finds what of a place applies. @param reach what it is read from: without views, all records */
export function appliedPlace(asked: ListPlace, known: KnownFields, reach: Reach = allOf(known)): AppliedPlace {
  const refused: string[] = [];
  const where = new Map<string, readonly Chosen[]>();
  for (const [path, values] of asked.where) {
    const why = whyNotChoice(path, known, reach);
    if (why === undefined) where.set(path, values);
    else refused.push(`${nameOf(path, known)} ${values.map(choiceText).join(" or ")}, since ${why}`);
  }
  const searched = mayLoad(reach.view) ? where : searchable(where);
  for (const [path, values] of where) {
    const left = values.length - (searched.get(path)?.length ?? 0);
    if (left > 0) refused.push(`${count(left, "value")} of ${nameOf(path, known)}, since ${COMBINED}`);
  }
  const ranges = new Map<string, Range>();
  for (const [path, range] of asked.ranges) {
    const why = whyNotRange(path, range, known, reach);
    if (why === undefined) ranges.set(path, range);
    else refused.push(`${nameOf(path, known)} ${rangeText(range)}, since ${why}`);
  }
  const whyNotWithin = asked.within === undefined ? undefined : whyNotSearched(asked.within, known, reach);
  if (asked.within !== undefined && whyNotWithin !== undefined)
    refused.push(`search in ${nameOf(asked.within, known)}, since ${whyNotWithin}`);
  const within = whyNotWithin === undefined ? asked.within : undefined;
  const whyNotSort = asked.sort && whyNotOrder(asked.sort, known, reach);
  if (asked.sort && whyNotSort) refused.push(`order by ${nameOf(asked.sort.path, known)}, since ${whyNotSort}`);
  const sort = whyNotSort ? undefined : asked.sort;
  const columns = chosenColumns(known, asked.columns);
  return { place: { ...asked, within, where: searched, ranges, sort, columns }, refused };
}

/** A range in words: `from 1`, `to 2`, `1 to 2`. */
export function rangeText([from, to]: Range): string {
  if (from === "") return `to ${to}`;
  return to === "" ? `from ${from}` : `${from} to ${to}`;
}

const COMBINED = `at most ${MOST_COMBINED} combinations of values are searched`;
const TOO_MANY = `at most ${number(MOST_LOADED)} records`;

/** Whose records views have apart, so that they may be few enough; empty without views. */
export function suchRecords({ fields }: Pick<Reach, "fields">, known: Pick<KnownFields, "contract">): string {
  const names = fields.map((path) => nameOf(path, known));
  return names.length === 0 ? "" : `, such as those of one value of ${anyOf(names)}`;
}

/** What needs all records: `sorting`, or `sorting other than by height descending`. */
export function otherSorting({ orders }: Pick<Reach, "orders">, known: Pick<KnownFields, "contract">): string {
  const paths = [...new Set(orders.map(({ path }) => path))];
  const named = paths.map((path) => {
    const own = new Set(orders.filter((order) => order.path === path).map(({ isDescending }) => isDescending));
    const direction = own.has(true) ? " descending" : " ascending";
    return `${nameOf(path, known)}${own.size > 1 ? "" : direction}`;
  });
  return named.length === 0 ? "sorting" : `sorting other than by ${anyOf(named)}`;
}

/** Names in words: `a, b or c`. */
function anyOf(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${last}` : last;
}

function whyNotChoice(path: string, known: KnownFields, { view, by, fields }: Reach): string | undefined {
  if (path === by || known.summary.facets.some((facet) => facet.path === path)) return undefined;
  const field = fieldIn(known, path);
  const isOfViews = fields.includes(path);
  // A reference, or a field of a view, is chosen among loaded records.
  if (field && mayLoad(view) && (isOfViews || referenceOf(field) !== undefined)) return undefined;
  if (isOfViews)
    return `one value of ${nameOf(path, known)} can be chosen, and with other conditions only if it has ${TOO_MANY}`;
  return whyNoField(path, known) ?? `${nameOf(path, known)} is not a facet`;
}

function whyNotRange(path: string, range: Range, known: KnownFields, reach: Reach): string | undefined {
  const missing = whyNoField(path, known);
  if (missing !== undefined) return missing;
  const kind = rangeKind(fieldIn(known, path), known.contract);
  if (kind === undefined) return `${nameOf(path, known)} has no ranges`;
  const wrong = range.find((end) => end !== "" && !isRangeEnd(kind, end));
  if (wrong !== undefined) return `${wrong} is not a ${kind === "date" ? "day such as 2021-02-01" : "number"}`;
  return mayLoad(reach.view) ? undefined : `ranges need ${TOO_MANY}${suchRecords(reach, known)}`;
}

function whyNotSearched(path: string, known: KnownFields, reach: Reach): string | undefined {
  const field = fieldIn(known, path);
  if (field && !isSearchable(field)) return `${nameOf(path, known)} is not a text`;
  const missing = whyNoField(path, known);
  if (missing !== undefined || mayLoad(reach.view)) return missing;
  return `a search in one field needs ${TOO_MANY}${suchRecords(reach, known)}`;
}

function whyNotOrder(sort: Sort, known: KnownFields, reach: Reach): string | undefined {
  const missing = whyNoField(sort.path, known);
  if (missing !== undefined || canSort(reach, sort)) return missing;
  return `${otherSorting(reach, known)} needs ${TOO_MANY}${suchRecords(reach, known)}`;
}

function whyNoField(path: string, known: KnownFields): string | undefined {
  return fieldIn(known, path) ? undefined : `there is no field ${shownKey(path)}`;
}

function fieldIn({ contract }: Pick<KnownFields, "contract">, path: string) {
  return contract.fields.find((field) => field.path === path);
}

function nameOf(path: string, known: Pick<KnownFields, "contract">): string {
  const field = fieldIn(known, path);
  return field ? nameInText(field) : shownKey(path);
}
