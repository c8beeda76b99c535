/** Search for the explorer: by facet values, and by a whole key with the record's number. */
import { facetTerm, facetTermsOf } from "../../contract/lookup.js";
import { usage } from "../errors.js";
import type { OpenListing, Walk } from "../options.js";
import { isPlainObject } from "../utf8.js";
import { type InnerSearch, isNames, readIndex, type Sought } from "./find.js";
import type { LookupReader } from "./sorted-files.js";

export interface ChosenSearch extends Pick<InnerSearch, "by" | "isWhole" | "signal"> {
  /**
   * Facet values that a record must have, by field path: `{ country: "DE", "place.open": true }`. A list must contain the
   * value. Only for releases with --explorer.
   */
  where?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Like `listing.find`, limited to records with these facet values. Without a text, it finds all of them. */
export function findChosen<T>(listing: OpenListing<T>, text: string, { where = {}, ...how }: ChosenSearch): Walk<T> {
  const search: InnerSearch = { ...how, also: (reader) => listsOf(reader, where) };
  return listing.find(text, search);
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
