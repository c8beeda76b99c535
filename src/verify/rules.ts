/** The rules for records of releases and hosts, in the words of their contract. */
import type { Contract } from "../contract/contract.js";
import { LOOKUP_FOLDER, SUMMARY } from "../release/layout.js";

/** Names that rule texts take from the contract. */
export interface Wording {
  one: string;
  many: string;
  key: string;
  /** `-opened, code` */
  order: string;
}

/** The names of a contract. */
export function wordingOf({ listing }: Contract): Wording {
  const [one, many] = listing.words;
  return { one, many, key: listing.key, order: listing.order.join(", ") };
}

/** The names without a known contract. */
export const NO_WORDING: Wording = { one: "record", many: "records", key: "key", order: "its own" };

/** The rules for records and pages. */
export function recordRules({ one, many, key, order }: Wording) {
  return {
    records: `every ${one} is valid by the contract`,
    order: `${many} are in the contract's order across all pages: ${order}`,
    uniqueKeys: `no two ${many} have the same ${key}`,
    count: `count is the number of ${many}, on every page`,
    pageSize: "every page but the last is full, and the last has the rest",
    links: "next and previous chain every page from the first to the last and back",
  };
}

/** The rules for files that are made from all records. */
export function lookupRules({ many }: Wording) {
  return {
    lookup: `the files in ${LOOKUP_FOLDER} match the keys and names of all ${many}`,
    explorer: `${SUMMARY} and its sorted files match all ${many}`,
  };
}

/** The finding for a wrong number of records: `7 stations on all pages`. */
export function foundOnPages(records: number, { one, many }: Wording): string {
  return `${records} ${records === 1 ? one : many} on all pages`;
}
