/** The views of a listing that has too many records to load. Loaded by itself, and only where a release has views. */
import type { ListingView, ViewValue } from "../../client/options.js";
import type { Host, View } from "../../client/view.js";
import { listViews, openView, readValues } from "../../client/views.js";
import type { Chosen, ListPlace, Sort } from "./address.js";
import type { ListingFacts, Source } from "./reader.js";
import { allOf, isSameOrder, mayLoad, type Scope } from "./scope.js";

/**
 * Finds what the records of a place are read from: a chosen value that has few enough records to load all of them; otherwise the
 * view that has the pages of the place, if one value of a field is its only condition; otherwise all records.
 */
export async function viewedScope(
  host: Host,
  known: ListingFacts,
  place: ListPlace,
  signal: AbortSignal,
): Promise<Scope> {
  const { view } = known;
  const views = (await listViews(host, view, signal)).filter(({ part }) => part === undefined);
  const fields = [...new Set(views.flatMap(({ by }) => by ?? []))];
  const valuesOf = async (path: string) => {
    const { name = "" } = viewBy(views, path) ?? {};
    return (await readValues(host, view, name, undefined)).map(([value]) => value);
  };
  const ofViews = { fields, valuesOf };
  const chosen = fields.flatMap((path) => {
    const found = viewBy(views, path);
    const [value, ...others] = place.where.get(path) ?? [];
    return found === undefined || value === undefined || others.length > 0 ? [] : [{ ...found, value }];
  });
  const counted = await Promise.all(
    chosen.map(async (one) => ({ ...one, records: await countOf(host, view, one.name, one.value, signal) })),
  );
  const [fewest] = counted.toSorted((one, other) => one.records - other.records);
  if (fewest && mayLoad({ snapshot: { count: fewest.records } })) {
    const source = await sourceOf(host, known, fewest, signal);
    return { ...source, by: fewest.by, order: orderOf(fewest), orders: [], ...ofViews };
  }

  const all: Scope = { ...allOf(view), loaded: known.loaded, ...ofViews };
  const [[path, values] = [undefined, []], ...others] = conditionsOf(place, known, fields);
  if (place.text.trim() !== "" || values.length > 1 || others.length > 0) return all;
  const own = views.filter(({ by }) => by === path);
  const orders = own.flatMap((one) => orderOf(one) ?? []);
  const sorted = own.find((one) => one.order && isSameOrder(orderOf(one), place.sort));
  const found = sorted ?? (path === undefined ? undefined : viewBy(views, path));
  if (!found) return { ...all, orders };
  const { name } = found;
  const [value] = values;
  const records = value === undefined ? view.snapshot.count : await countOf(host, view, name, value, signal);
  const source = await sourceOf(host, known, { name, value, records }, signal);
  return { ...source, by: path, order: orderOf(found), orders, ...ofViews };
}

/** The view by a field: in published order if there is one. */
function viewBy(views: readonly ListingView[], path: string): ListingView | undefined {
  const own = views.filter(({ by }) => by === path);
  return own.find(({ order }) => !order) ?? own[0];
}

/** The number of records that have a value, by the index of a view. */
export async function countOf(
  host: Host,
  view: View,
  name: string,
  value: ViewValue,
  signal: AbortSignal,
): Promise<number> {
  const values = await readValues(host, view, name, signal);
  return values.find(([one]) => one === value)?.[1] ?? 0;
}

/** Opens a view, unless it is the last that was opened. */
async function sourceOf(
  host: Host,
  known: ListingFacts,
  { name, value, records }: { name: string; value: ViewValue | undefined; records: number },
  signal: AbortSignal,
): Promise<Source> {
  const key = JSON.stringify([name, value]);
  if (known.opened?.key === key) return known.opened.source;
  const { view } = known;
  const source = {
    view:
      records === 0
        ? { ...view, snapshot: { ...view.snapshot, count: 0, pages: 0 } }
        : await openView(host, view, name, value === undefined ? [] : [value], signal),
    loaded: [],
  };
  known.opened = { key, source };
  return source;
}

/** The first field by which a view is ordered; undefined if that is the published order. */
function orderOf({ order }: Pick<ListingView, "order">): Sort | undefined {
  const [first] = order ?? [];
  return first === undefined ? undefined : { path: first.replace(/^-/, ""), isDescending: first.startsWith("-") };
}

/** The chosen values of a place that are found without loading records: of facets; or one of a view, if it is alone. */
function conditionsOf(
  { text, where }: ListPlace,
  { summary }: ListingFacts,
  fields: readonly string[],
): [path: string, values: readonly Chosen[]][] {
  const isFacet = ([path]: [string, unknown]) => summary.facets.some((facet) => facet.path === path);
  const all = [...where].filter((one) => isFacet(one) || (fields.includes(one[0]) && one[1].length === 1));
  return all.length > 1 || text.trim() !== "" ? all.filter(isFacet) : all;
}
