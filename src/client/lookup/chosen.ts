/** Finds records as the explorer does: also by chosen values, and by a whole key with its place. */
import { facetTerm, facetTermsOf } from "../../contract/lookup.js";
import { usage } from "../errors.js";
import type { OpenListing, Walk } from "../options.js";
import { isPlainObject } from "../utf8.js";
import { type InnerSearch, isNames, readIndex, type Sought } from "./find.js";
import type { LookupReader } from "./sorted-files.js";

export interface ChosenSearch extends Pick<InnerSearch, "by" | "isWhole" | "signal"> {
  /**
   * Values that a record must have, by the paths of their fields: `{ country: "DE", "place.open": true }`. A list has the
   * value as an item. For releases that were built with --explorer, by the fields whose values it counts.
   */
  where?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Like `find` of a listing, of records that also have these values; without a text, all of those. */
export function findChosen<T>(listing: OpenListing<T>, text: string, { where = {}, ...how }: ChosenSearch): Walk<T> {
  const search: InnerSearch = { ...how, also: (reader) => listsOf(reader, where) };
  return listing.find(text, search);
}

/** @throws ListingError (usage) where the release has no such field to choose by */
async function listsOf(reader: LookupReader, where: NonNullable<ChosenSearch["where"]>): Promise<Sought> {
  const lists: Sought["lists"] = [];
  const demands: Sought["fits"][] = [];
  for (const [path, value] of Object.entries(where)) {
    const [{ facets, lists: begins }, url] = await readIndex(reader, "explorer/summary.json");
    const all = Array.isArray(facets) ? facets.filter(isPlainObject) : [];
    const names = all.find((facet) => facet["path"] === path)?.["names"];
    if (!isNames(names)) {
      const paths = all.map((facet) => facet["path"]).join(", ");
      throw usage(url, "has no such field to choose by", `one of ${paths}`, path);
    }
    const term = facetTerm({ path }, value);
    lists.push({ folder: "explorer/facets", begins, url, term, isBeginning: false });
    demands.push((record) => facetTermsOf([{ path, names }], record).includes(term));
  }
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}
