/** Looks for records as the page for people does: also by values that are chosen, and by a whole key with its place. */
import { facetTerm, facetTermsOf } from "../../contract/lookup.js";
import { isPlainObject } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import type { OpenListing, Walk } from "../options.js";
import { type InnerSearch, isNames, readIndex, type Sought } from "./search.js";
import type { SortedSource } from "./sorted.js";

/** How records are looked for. */
export interface ChosenSearch extends Pick<InnerSearch, "by" | "isWhole" | "signal"> {
  /**
   * Values that a record has, too, by the paths of their fields: `{ country: "DE", "place.open": true }`. Of a list,
   * it has the value as an item. For releases that were built with --explorer, by the fields that it counts values of.
   */
  where?: Readonly<Record<string, string | number | boolean | null>>;
}

/** What `find` of a listing gives, of records that have these values, too; without a text, all of those. */
export function findChosen<T>(listing: OpenListing<T>, text: string, { where = {}, ...how }: ChosenSearch): Walk<T> {
  const search: InnerSearch = { ...how, also: (source) => listsOf(source, where) };
  return listing.find(text, search);
}

/** @throws ListingError (usage) where the release has no such field to choose by */
async function listsOf(source: SortedSource, where: NonNullable<ChosenSearch["where"]>): Promise<Sought> {
  const lists: Sought["lists"] = [];
  const demands: Sought["fits"][] = [];
  for (const [path, value] of Object.entries(where)) {
    const [{ facets, lists: said }, url] = await readIndex(source, "explorer/summary.json");
    const all = Array.isArray(facets) ? facets.filter(isPlainObject) : [];
    const names = all.find((facet) => facet["path"] === path)?.["names"];
    if (!isNames(names)) {
      const paths = all.map((facet) => facet["path"]).join(", ");
      throw new ListingError("usage", url, "has no such field to choose by", `one of ${paths}`, quoted(path));
    }
    const term = facetTerm({ path }, value);
    lists.push({ folder: "explorer/facets", said, url, term, isBeginning: false });
    demands.push((record) => facetTermsOf([{ path, names }], record).includes(term));
  }
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}
