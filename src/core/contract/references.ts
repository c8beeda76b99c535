/** References: fields whose values are keys of records of another listing of the same site, or of their own listing. */
import type { Contract, Field } from "./contract.js";
import { facetFields } from "./lookup.js";

export interface Reference {
  field: Field;
  /** The name of the listing that it leads to. */
  to: string;
  /** Whether a value that is not a key there is a warning instead of a problem. */
  isObserved: boolean;
}

/** The references of a contract, in published order. A plain release ignores them. */
export function referencesOf({ fields }: Pick<Contract, "fields">): Reference[] {
  return fields.flatMap((field) => {
    const { "x-references": to, "x-observed": observed } = field.schema;
    const seen = observed?.["x-references"];
    return [
      ...(to === undefined ? [] : [{ field, to, isObserved: false }]),
      ...(seen === undefined ? [] : [{ field, to: seen, isObserved: true }]),
    ];
  });
}

/** A field of another listing whose values are keys of this one, and by which an explorer can filter. */
export interface Referrer {
  /** The name of the other listing. */
  from: string;
  /** The path of the field. */
  path: string;
  /** The words for one record there and for many. */
  words: Contract["listing"]["words"];
  /** The name of a view by this field, if there is one. */
  view?: string;
}

/** A listing with what decides about a view: not its type, since browsers load this file. */
interface ReferringListing {
  name: string;
  contract: Contract;
  views: readonly { name: string; by: Field | undefined; part: string | undefined }[];
}

/** Finds the fields that refer to a listing, and that are facets or have a view by their values. */
export function referrersOf(name: string, listings: readonly ReferringListing[]): Referrer[] {
  return listings.flatMap(({ name: from, contract, views }) => {
    const facets = new Set(facetFields(contract).map(({ path }) => path));
    return referencesOf(contract).flatMap(({ field: { path }, to }) => {
      const view = views.find(({ by, part }) => by?.path === path && part === undefined);
      if (to !== name || !(view || facets.has(path))) return [];
      return [{ from, path, words: contract.listing.words, ...(view && { view: view.name }) }];
    });
  });
}
