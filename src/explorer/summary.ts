/** explorer/summary.json, from what was counted. */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import type { Beginnings } from "../contract/lookup.js";
import { TimeCounter } from "../markup/plots/times.js";
import type { Facet, Summary, TimesSummary } from "./form.js";
import { type Counted, countedFields } from "./gather.js";
import { IntegerCounter } from "./integers.js";

export function summarize(
  contract: Contract,
  counted: Counted,
  { facets, lists }: { facets: readonly Facet[]; lists: Beginnings },
): Summary {
  const { integers, time } = countedFields(contract);
  const distributions = integers.flatMap(({ path }, at) => {
    const counter = new IntegerCounter();
    const own = counted.integers[at];
    if (own) counter.join(own);
    const distribution = counter.distribution();
    return distribution ? [{ path, ...distribution }] : [];
  });
  const times = time ? timesOf(time.path, counted) : null;
  return { count: counted.count, facets, lists, times, integers: distributions, version: 1 };
}

/** Equal summaries are equal texts. */
export function encodeSummary(summary: Summary): string {
  return `${stringify(summary)}\n`;
}

function timesOf(path: string, { times }: Counted): TimesSummary | null {
  if (!times.ends) return null;
  const counter = new TimeCounter();
  counter.join(times);
  const { unit, bins, before, after } = counter.bins();
  const [first, last] = times.ends.map((end) => (end.includes("T") ? `${end}Z` : end));
  return {
    path,
    first: first ?? "",
    last: last ?? "",
    unit,
    bins: bins.map(({ start, end, counts: [count = 0] }) => ({
      from: start.toISOString(),
      to: end.toISOString(),
      count,
    })),
    before,
    after,
  };
}
