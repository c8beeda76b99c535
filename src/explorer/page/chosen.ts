/** Searches by text and facet values in lookup files. */
import { usage } from "../../client/errors.js";
import { isNames, type Query, readIndex, type Sought, search } from "../../client/lookup/find.js";
import type { LookupReader } from "../../client/lookup/sorted-files.js";
import type { Host, SnapshotView } from "../../client/snapshot.js";
import { isPlainObject } from "../../client/utf8.js";
import { facetTerm, facetTermsOf } from "../../contract/lookup.js";

export interface ChosenSearch extends Omit<Query, "others"> {
  /**
   * Facet values that a record must have, by field path: `{ country: "DE", "place.open": true }`. A list must contain the
   * value. Only for releases with --explorer.
   */
  where?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Yields matches with these facet values, each with the number of records up to it. Without a text, it yields all that have them. */
export async function* findChosen<T>(
  { baseUrl, concurrency }: Host,
  view: SnapshotView,
  { where = {}, ...query }: ChosenSearch,
  signal?: AbortSignal,
): AsyncGenerator<[record: T, records: number]> {
  const reader = { view, baseUrl, signal };
  yield* search<T>(reader, { ...query, others: await listsOf(reader, where) }, concurrency);
}

/** The lists of facet values. @throws ListingError (usage) if the release has no such facet */
async function listsOf(reader: LookupReader, where: NonNullable<ChosenSearch["where"]>): Promise<Sought> {
  const lists: Sought["lists"] = [];
  const demands: Sought["fits"][] = [];
  for (const [path, value] of Object.entries(where)) {
    const [{ facets, lists: begins }, url] = await readIndex(reader, "explorer/summary.json");
    const all = Array.isArray(facets) ? facets.filter(isPlainObject) : [];
    const names = all.find((facet) => facet["path"] === path)?.["names"];
    if (!isNames(names)) {
      const paths = all.map((facet) => facet["path"]).join(", ");
      throw usage(url, "has no such facet", `one of ${paths}`, path);
    }
    const term = facetTerm({ path }, value);
    lists.push({ folder: "explorer/facets", begins, url, term, isPrefix: false });
    demands.push((record) => facetTermsOf([{ path, names }], record).includes(term));
  }
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}
