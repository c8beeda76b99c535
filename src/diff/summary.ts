/** Counts changed records: how many, in which fields, and between which values of the contract's facets. */
import { valueAt } from "../contract/record/value.js";
import type { Diff, Flow } from "./change.js";
import { type Comparing, changedReader } from "./changed.js";
import type { Pair } from "./matches.js";

export interface Summary {
  changed: number;
  fields: Map<string, number>;
  /** By the path of a facet: numbers of records by the JSON of old and new value. Undefined for too many values. */
  flow: Map<string, Map<string, number> | undefined>;
}

/** A facet that moves between more pairs of values than this is no facet, and would only fill the memory. */
const MOST_MOVES = 10_000;

export function nothing(): Summary {
  return { changed: 0, fields: new Map(), flow: new Map() };
}

/**
 * Returns a function that reads pairs of records and counts what changed in them; in a thread, or on the calling one.
 * @throws UserError, in a job, as `changedReader` does.
 */
export function startSummaries(comparing: Comparing): (pairs: Pair[]) => Summary {
  const read = changedReader(comparing);
  const { fields: all } = comparing.new.facts.contract;
  const facets = new Map(all.filter(({ schema }) => schema["x-facet"]).map((field) => [field.path, field]));
  return (pairs) => {
    const summary = nothing();
    for (const { fields, old, new: now } of read(pairs)) {
      summary.changed++;
      for (const { path } of fields) {
        count(summary.fields, path, 1);
        const facet = facets.get(path);
        if (facet) move(summary, path, JSON.stringify([valueAt(old, facet), valueAt(now, facet)]), 1);
      }
    }
    return summary;
  };
}

export function add(summary: Summary, other: Summary): void {
  summary.changed += other.changed;
  for (const [path, records] of other.fields) count(summary.fields, path, records);
  for (const [path, moves] of other.flow) {
    if (!moves) summary.flow.set(path, undefined);
    for (const [values, records] of moves ?? []) move(summary, path, values, records);
  }
}

/** The counts in the order of a report: most records first, then by name; moves facet by facet. */
export function inOrder({ changed, fields, flow }: Summary): Pick<Diff, "changed" | "fields" | "flow"> {
  const facets = [...flow].sort(([one], [other]) => (one < other ? -1 : 1));
  const flows = facets.flatMap(([field, moves]) =>
    byCount(moves ?? new Map()).map(([values, count]): Flow => {
      const [from, to] = JSON.parse(values);
      return { field, from, to, count };
    }),
  );
  return { changed, fields: new Map(byCount(fields)), flow: flows };
}

function move({ flow }: Summary, path: string, values: string, records: number): void {
  const moves = flow.has(path) ? flow.get(path) : new Map<string, number>();
  if (moves) count(moves, values, records);
  flow.set(path, moves && moves.size <= MOST_MOVES ? moves : undefined);
}

function byCount(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
}

function count(counts: Map<string, number>, name: string, records: number): void {
  counts.set(name, (counts.get(name) ?? 0) + records);
}
