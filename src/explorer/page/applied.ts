/** Which parts of a place in the list apply to a snapshot, and why the others do not. */
import { count, number } from "../../core/print/numbers.js";
import { shownKey } from "../markup/page/text.js";
import { nameInText, referenceOf } from "../meaning.js";
import type { Chosen, ListPlace, Range } from "./address.js";
import { chosenColumns } from "./columns.js";
import { MOST_COMBINED, searchable } from "./found.js";
import { type ListingFacts, MOST_LOADED } from "./reader.js";
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

/** Whether all records may be loaded. */
export function mayLoad({ snapshot }: Pick<KnownFields, "snapshot">): boolean {
  return snapshot.count <= MOST_LOADED;
}

/** Finds what of a place applies. */
export function appliedPlace(asked: ListPlace, known: KnownFields): AppliedPlace {
  const refused: string[] = [];
  const where = new Map<string, readonly Chosen[]>();
  for (const [path, values] of asked.where) {
    const why = whyNotChoice(path, known);
    if (why === undefined) where.set(path, values);
    else refused.push(`${nameOf(path, known)} ${values.map(choiceText).join(" or ")}, since ${why}`);
  }
  const searched = mayLoad(known) ? where : searchable(where);
  for (const [path, values] of where) {
    const left = values.length - (searched.get(path)?.length ?? 0);
    if (left > 0) refused.push(`${count(left, "value")} of ${nameOf(path, known)}, since ${COMBINED}`);
  }
  const ranges = new Map<string, Range>();
  for (const [path, range] of asked.ranges) {
    const why = whyNotRange(path, range, known);
    if (why === undefined) ranges.set(path, range);
    else refused.push(`${nameOf(path, known)} ${rangeText(range)}, since ${why}`);
  }
  const whyNotWithin = asked.within === undefined ? undefined : whyNotSearched(asked.within, known);
  if (asked.within !== undefined && whyNotWithin !== undefined)
    refused.push(`search in ${nameOf(asked.within, known)}, since ${whyNotWithin}`);
  const within = whyNotWithin === undefined ? asked.within : undefined;
  const whyNotSort = asked.sort && whyNotOrder(asked.sort.path, known);
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

function whyNotChoice(path: string, known: KnownFields): string | undefined {
  if (known.summary.facets.some((facet) => facet.path === path)) return undefined;
  const field = fieldIn(known, path);
  // A reference is chosen among loaded records.
  if (field && referenceOf(field) !== undefined)
    return mayLoad(known) ? undefined : `${nameOf(path, known)} is not a facet`;
  return whyNoField(path, known) ?? `${nameOf(path, known)} is not a facet`;
}

function whyNotRange(path: string, range: Range, known: KnownFields): string | undefined {
  const missing = whyNoField(path, known);
  if (missing !== undefined) return missing;
  const kind = rangeKind(fieldIn(known, path), known.contract);
  if (kind === undefined) return `${nameOf(path, known)} has no ranges`;
  const wrong = range.find((end) => end !== "" && !isRangeEnd(kind, end));
  if (wrong !== undefined) return `${wrong} is not a ${kind === "date" ? "day such as 2021-02-01" : "number"}`;
  return mayLoad(known) ? undefined : `ranges need ${TOO_MANY}`;
}

function whyNotSearched(path: string, known: KnownFields): string | undefined {
  const field = fieldIn(known, path);
  if (field && !isSearchable(field)) return `${nameOf(path, known)} is not a text`;
  return whyNoField(path, known) ?? (mayLoad(known) ? undefined : `a search in one field needs ${TOO_MANY}`);
}

function whyNotOrder(path: string, known: KnownFields): string | undefined {
  return whyNoField(path, known) ?? (mayLoad(known) ? undefined : `sorting needs ${TOO_MANY}`);
}

function whyNoField(path: string, known: KnownFields): string | undefined {
  return fieldIn(known, path) ? undefined : `there is no field ${shownKey(path)}`;
}

function fieldIn({ contract }: KnownFields, path: string) {
  return contract.fields.find((field) => field.path === path);
}

function nameOf(path: string, known: KnownFields): string {
  const field = fieldIn(known, path);
  return field ? nameInText(field) : shownKey(path);
}
