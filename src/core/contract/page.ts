/** The canonical text of pages: keys sorted, one record a line, one final newline. */
import { type ListingPlace, neighbours } from "./links.js";
import type { User } from "./user.js";

/** Between two records of a page. */
export const RECORD_SEPARATOR = ",\n";

/** Bytes of a page that readers take by default. `build` warns of larger pages. */
export const PAGE_BYTES = 2 ** 23;

/** One page as published. */
export interface Page<Item = User> {
  /** Records in the whole collection, the same on every page. */
  count: number;
  next: string | null;
  previous: string | null;
  results: Item[];
}

export interface PagePosition extends ListingPlace {
  page: number;
  pages: number;
  count: number;
}

/** What all pages of a listing have in common. */
export type Collection = Omit<PagePosition, "page"> & { pageSize: number };

/** Encodes a page in three parts, so that records can be hashed and written without a copy. */
export function encodePage(
  position: PagePosition,
  records: readonly string[],
): [head: string, records: string, tail: string] {
  const { head, tail } = pageFrame(position, records.length === 0);
  return [head, records.join(RECORD_SEPARATOR), tail];
}

/** The text of a page before and after its records. */
export function pageFrame(position: PagePosition, isEmpty = false): { head: string; tail: string } {
  const { next, previous } = neighbours(position);
  const links = `"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)}`;
  const head = `{"count":${position.count},${links},"results":[`;
  return isEmpty ? { head, tail: "]}\n" } : { head: `${head}\n`, tail: "\n]}\n" };
}
