/** What explorer/summary.json holds, for the build that writes it and the page that reads it. */
import stringify from "fast-json-stable-stringify";
import type { Beginnings } from "../contract/lookup.js";

/** Rows of a page of the table, and how many results of a search come at once. */
export const ROWS = 15;

/** Counts of all records. Nothing in it depends on the clock, the machine or the number of threads. */
export interface ExplorerSummary {
  /** Records. */
  count: number;
  /** In the order of the contract's fields. */
  facets: readonly Facet[];
  /** What each of explorer/facets/N.txt begins with. */
  lists: Beginnings;
  /** By the first field of the order that is a time; null where there is none, or no record. */
  times: TimesSummary | null;
  /** Of each integer field with more than one value, of which any occurs twice. */
  integers: readonly Distribution[];
  /** Of this form. */
  version: 1;
}

/** A field by whose values records are chosen. */
export interface Facet {
  path: string;
  /** The parts of the path. */
  names: readonly string[];
  /** Most frequent first. */
  values: readonly FacetValue[];
  /** How many rarer values are not listed. */
  more: number;
}

export interface FacetValue {
  value: unknown;
  count: number;
}

export interface TimesSummary {
  path: string;
  /** The earliest and the latest: `2019-03-04T05:06:07Z`, or the day alone where the field is one. */
  first: string;
  last: string;
  /** The length of a bin in words: `week`, `3 months`. */
  unit: string;
  /** From a moment to before another, oldest first, without gaps. */
  bins: readonly { from: string; to: string; count: number }[];
  /** Records so long before or after all others that they are in no bin. */
  before: number;
  after: number;
}

export interface Distribution {
  path: string;
  min: number;
  max: number;
  /** Both ends are in the bin. Least first; without gaps, unless each bin is one value. */
  bins: readonly { from: number; to: number; count: number }[];
}

/**
 * The SHA-256 of the files that index.html was written from, as SHA256SUMS lists them. The script shows figures and
 * descriptions of index.html only where the snapshot that it reads has the same files.
 */
export interface WrittenFrom {
  contract: string;
  summary: string;
}

export function encodeSummary(summary: ExplorerSummary): string {
  return `${stringify(summary)}\n`;
}
