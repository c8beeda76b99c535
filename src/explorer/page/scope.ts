/** What the records of a place in the list are read from, and what can be done with them there. */
import type { Snapshot } from "../../core/contract/snapshot.js";
import type { Chosen, ListPlace, Sort } from "./address.js";
import { MOST_LOADED, type Source } from "./reader.js";

/** What decides which parts of a place apply. */
export interface Reach {
  view: { snapshot: Pick<Snapshot, "count"> };
  /** Path of the field by whose chosen value the records are a view's; undefined if they are all records. */
  by?: string | undefined;
  /** Orders in which views have the records. */
  orders: readonly Sort[];
  /** Paths of the fields by whose values there are views. */
  fields: readonly string[];
  /** Reads the values that a view by a field has. */
  valuesOf?(path: string): Promise<readonly Chosen[]>;
}

export interface Scope extends Reach, Source {
  view: Source["view"];
  /** The order of the pages; undefined for the published one. */
  order?: Sort | undefined;
}

/** All records, without views. */
export function allOf<Kind extends Reach["view"]>(view: Kind): Reach & { view: Kind } {
  return { view, orders: [], fields: [] };
}

/** Whether so few records are meant that all of them may be loaded. */
export function mayLoad({ snapshot }: Reach["view"]): boolean {
  return snapshot.count <= MOST_LOADED;
}

/** Whether all records are loaded. */
export function isLoaded({ view, loaded }: Source): boolean {
  return loaded.filter(Boolean).length === view.snapshot.pages;
}

/** Whether the list can be sorted so. */
export function canSort({ view, orders }: Reach, sort: Sort): boolean {
  return mayLoad(view) || orders.some((order) => isSameOrder(order, sort));
}

/** Whether the pages of a scope are those of a place: nothing is left to search for, to filter or to sort. */
export function hasPagesOf({ by, order }: Pick<Scope, "by" | "order">, place: ListPlace): boolean {
  const { text, where, ranges, sort } = place;
  const conditions = where.size + ranges.size + (text.trim() === "" ? 0 : 1);
  return conditions === (by === undefined ? 0 : 1) && (sort === undefined || isSameOrder(order, sort));
}

export function isSameOrder(one: Sort | undefined, other: Sort | undefined): boolean {
  return one?.path === other?.path && one?.isDescending === other?.isDescending;
}
