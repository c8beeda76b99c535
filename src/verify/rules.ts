/** What must be true of the records of every release and host, in the words of their contract. */
import type { Contract } from "../contract/contract.js";
import { EXPLORER, LOOKUP_FOLDER, SUMMARY } from "../release/layout.js";

/** What of a contract its rules are worded with. */
export interface Wording {
  one: string;
  many: string;
  key: string;
  /** `-opened, code` */
  order: string;
}

export function wordingOf({ listing }: Contract): Wording {
  const [one, many] = listing.words;
  return { one, many, key: listing.key, order: listing.order.join(", ") };
}

/** Where no contract is known. */
export const NO_WORDING: Wording = { one: "record", many: "records", key: "key", order: "its own" };

export function recordRules({ one, many, key, order }: Wording) {
  return {
    records: `every ${one} is valid by the contract`,
    order: `${many} stand in the order of the contract across all pages: ${order}`,
    uniqueKeys: `no two ${many} have the same ${key}`,
    count: `count is the number of ${many} there are, on every page`,
    pageSize: "every page but the last is full, and the last has the rest",
    links: "next and previous chain every page from the first to the last and back",
  };
}

/** What is made of all records. */
export function lookupRules({ many }: Wording) {
  return {
    lookup: `the files in ${LOOKUP_FOLDER} are what the keys and names of all ${many} make, byte for byte`,
    explorer: `${SUMMARY} and its sorted files are what all ${many} make, and ${EXPLORER} and its script and style are Rollcall's`,
  };
}

/** A number of records that is not the one there should be: `7 stations on all pages`. */
export function foundOnPages(records: number, { one, many }: Wording): string {
  return `${records} ${records === 1 ? one : many} on all pages`;
}
