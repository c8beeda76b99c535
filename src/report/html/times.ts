/** Counts added and removed records by their time, in bounded memory. */
import type { Field } from "../../contract/contract.js";
import { valueAt } from "../../contract/record/value.js";
import type { Diff } from "../../diff/change.js";
import { TimeCounter, type Times } from "../../markup/plots/times.js";

const KINDS = ["added", "removed"] as const;

/** How many records came and went that have a time from one moment to before another. */
export type Bin = Record<(typeof KINDS)[number], number> & { start: Date; end: Date };

/** Counts added and removed records by the time in this field, in at most sixty bins. */
export async function countTimes(diff: Diff, field: Field): Promise<Times<Bin>> {
  const counter = new TimeCounter(KINDS.length);
  for await (const change of diff.changes()) {
    if (change.kind === "changed") break;
    const value = valueAt(change.record, field);
    if (typeof value === "string") counter.add(value, KINDS.indexOf(change.kind));
  }
  const { bins, ...times } = counter.bins();
  return {
    ...times,
    bins: bins.map(({ start, end, counts: [added = 0, removed = 0] }) => ({ start, end, added, removed })),
  };
}
