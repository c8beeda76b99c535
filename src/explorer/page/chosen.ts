/** Lists of records by facet value. */
import type { Sought } from "../../client/lookup/find.js";
import type { Field } from "../../core/contract/contract.js";
import { facetTerm, facetTermsOf } from "../../core/contract/lookup.js";
import type { ExplorerSummary } from "../summary.js";
import type { Chosen } from "./address.js";

/** Facet values that a record must have, by field path: `{ country: "DE", "place.open": true }`. A list must contain the value. */
export type Where = Readonly<Record<string, Chosen>>;

/** The lists of records with these values. @param fields those of the contract. @param url that of the summary */
export function chosenLists(
  { lists }: Pick<ExplorerSummary, "lists">,
  fields: readonly Pick<Field, "path" | "names">[],
  where: Where,
  url: string,
): Sought {
  const terms = Object.entries(where).map(([path, value]) => facetTerm({ path }, value));
  const chosen = fields.filter(({ path }) => Object.hasOwn(where, path));
  return {
    lists: terms.map((term) => ({ folder: "explorer/facets", begins: lists, url, term, isPrefix: false })),
    fits(record) {
      const own = facetTermsOf(chosen, record);
      return terms.every((term) => own.includes(term));
    },
  };
}
