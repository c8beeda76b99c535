/** What the counters of integers and of numbers with decimals share: how many bins there are, and which kind. */
import type { Distribution } from "../../explorer/summary.js";

export type Bin = Distribution["bins"][number];

/** Maximum number of bins. */
export const MOST_BINS = 24;
/** Maximum number of values, or of ranges of them, that are counted apart. */
export const MOST_CELLS = 5000;
/** Widths of bins are these times a power of ten. */
export const STEPS: readonly number[] = [1, 2, 5];
/** Maximum share of all values in one bin. */
const MOST_IN_ONE = 0.5;
/** Minimum share of bins that hold any. */
const LEAST_FILLED = 0.4;

/** Whether values are spread over bins of equal width. If not, bins of growing width show more. */
export function isSpread(bins: readonly Bin[]): boolean {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const filled = bins.filter(({ count }) => count > 0);
  const isEven = filled.every(({ count }) => count <= total * MOST_IN_ONE);
  return isEven && filled.length >= bins.length * LEAST_FILLED;
}

export function addTo(counts: Map<number, number>, key: number, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
