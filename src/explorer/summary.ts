/** The types of explorer/summary.json. */
import stringify from "fast-json-stable-stringify";
import type { Beginnings } from "../core/contract/lookup.js";

/** Counts of all records. Nothing in it depends on the clock, the machine or the number of threads. */
export interface ExplorerSummary {
  /** Number of records. */
  count: number;
  /** In the order of the contract's fields. */
  facets: readonly Facet[];
  /** First terms of the files explorer/facets/N.txt. */
  lists: Beginnings;
  /** Records over time, by the first time field of the order; null without one, or without records. */
  times: TimesSummary | null;
  /** Distributions of fields of numbers with several values; of integers, if they are not all unique. */
  numbers: readonly Distribution[];
  /** Version of this format. */
  version: 2;
}

/** A field by whose values records can be filtered. */
export interface Facet {
  path: string;
  /** The parts of the path. */
  names: readonly string[];
  /** Most frequent first. */
  values: readonly FacetValue[];
  /** Number of rarer values that are not listed. */
  more: number;
}

export interface FacetValue {
  value: unknown;
  count: number;
}

export interface TimesSummary {
  path: string;
  /** The earliest and the latest time: `2019-03-04T05:06:07Z`, or only the day for dates. */
  first: string;
  last: string;
  /** The length of a bin in words: `week`, `3 months`. */
  unit: string;
  /** Bins from `from` (inclusive) to `to` (exclusive), oldest first, without gaps. */
  bins: readonly { from: string; to: string; count: number }[];
  /** Number of outliers before the first and after the last bin. */
  before: number;
  after: number;
}

export interface Distribution {
  path: string;
  min: number;
  max: number;
  /**
   * Bins from `from` (inclusive) to `to`, ascending, without gaps unless each bin is one value. `to` is inclusive for integers and
   * for one value, and otherwise exclusive.
   */
  bins: readonly { from: number; to: number; count: number }[];
}

/**
 * Digests of the files that index.html was written from. The script shows the overview of index.html only if the snapshot has
 * the same files.
 */
export interface WrittenFrom {
  contract: string;
  summary: string;
}

/** Writes explorer/summary.json. */
export function encodeSummary(summary: ExplorerSummary): string {
  return `${stringify(summary)}\n`;
}
