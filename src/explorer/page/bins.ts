/** Counts found records in the bins that the summary has for all records, with sum and mean. */
import type { Field } from "../../core/contract/contract.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";
import { number } from "../../core/print/numbers.js";
import { epochTime } from "../meaning.js";
import type { Distribution, ExplorerSummary } from "../summary.js";
import type { CountedBin, Histogram } from "./charts.js";

/** The records to count: some, or all of the snapshot, of which only the summary was read. */
export type Counted = readonly { record: unknown }[] | "all";

/** The bins of a field, counted; undefined if the summary has none. @param title the heading of the field */
export function histogramOf(
  field: Field,
  { numbers, times }: Pick<ExplorerSummary, "numbers" | "times">,
  counted: Counted,
  title: string,
): Histogram | undefined {
  if (times?.path === field.path && times.bins.length > 1) {
    const bins = times.bins.map(({ from, to, count }) => ({
      name: from.slice(0, "2026-11-21".length),
      from: Date.parse(from),
      to: Date.parse(to),
      count,
    }));
    const momentOf = (value: unknown) => Number(epochTime(field, value) ?? Date.parse(String(value)));
    return { title, bins: counted === "all" ? bins : recounted(bins, field, counted, momentOf, false), note: "" };
  }
  const distribution = numbers.find(({ path }) => path === field.path);
  if (!distribution) return undefined;
  const isWhole = kindOf(field.schema) === "integer";
  const bins = distribution.bins.map((bin) => ({ ...bin, name: rangeName(bin) }));
  if (counted === "all") return { title, bins, note: "" };
  const numberOf = (value: unknown) => (typeof value === "number" ? value : Number.NaN);
  return { title, bins: recounted(bins, field, counted, numberOf, isWhole), note: sumAndMean(field, counted) };
}

interface Bin extends CountedBin {
  from: number;
  to: number;
}

/** Counts values in bins anew. @param isWhole whether the upper bounds belong to the bins */
function recounted(
  bins: readonly Bin[],
  field: Field,
  counted: Exclude<Counted, "all">,
  measure: (value: unknown) => number,
  isWhole: boolean,
): CountedBin[] {
  const counts = bins.map(() => 0);
  for (const { record } of counted) {
    const measured = measure(valueAt(record, field));
    // Bins are made of values with 15 digits.
    const value = isWhole || Number.isNaN(measured) ? measured : Number(measured.toPrecision(15));
    let [low, high] = [0, bins.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((bins[middle]?.from ?? 0) <= value) low = middle;
      else high = middle - 1;
    }
    const { from = 0, to = 0 } = bins[low] ?? {};
    if (value >= from && (value < to || (value === to && (isWhole || from === to))))
      counts[low] = (counts[low] ?? 0) + 1;
  }
  return bins.map(({ name }, at) => ({ name, count: counts[at] ?? 0 }));
}

function rangeName({ from, to }: Distribution["bins"][number]): string {
  return from === to ? shown(from) : `${shown(from)} to ${shown(to)}`;
}

/** Numbers of four digits may be years and get no separator. */
function shown(value: number): string {
  return Math.abs(value) < 10_000 || !Number.isInteger(value) ? String(value) : number(value);
}

/** `Sum 1,234.5, mean 12.3`; empty without numbers. */
function sumAndMean(field: Field, counted: Exclude<Counted, "all">): string {
  const values = counted.map(({ record }) => valueAt(record, field)).filter((value) => typeof value === "number");
  if (values.length === 0) return "";
  const sum = exactSum(values);
  return `Sum ${number(sum)}, mean ${number(sum / values.length)}`;
}

/** Sums without the rounding of each step (Neumaier). */
function exactSum(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}
