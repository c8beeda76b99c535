/** Counts changed users: how many, in which fields, and between which statuses. */
import type { Diff, Flow } from "./change.js";
import { type ChangedUsers, changedReader } from "./changed.js";
import type { Pair } from "./match.js";

export interface Summary {
  changed: number;
  fields: Map<string, number>;
  /** Numbers of users by `FROM TO`. */
  flow: Map<string, number>;
}

export function nothing(): Summary {
  return { changed: 0, fields: new Map(), flow: new Map() };
}

/**
 * Returns a function that reads pairs of users and counts what changed in them; in a thread, or on the calling one.
 * @throws UserError, in a job, as `changedReader` does.
 */
export function startSummaries(comparison: ChangedUsers): (pairs: Pair[]) => Summary {
  const read = changedReader(comparison);
  return (pairs) => {
    const summary = nothing();
    for (const { fields, old, new: now } of read(pairs)) {
      summary.changed++;
      for (const { path } of fields) {
        count(summary.fields, path, 1);
        if (path === "kyc_status") count(summary.flow, `${old.kyc_status} ${now.kyc_status}`, 1);
      }
    }
    return summary;
  };
}

export function add(summary: Summary, other: Summary): void {
  summary.changed += other.changed;
  for (const [path, users] of other.fields) count(summary.fields, path, users);
  for (const [statuses, users] of other.flow) count(summary.flow, statuses, users);
}

/** The counts in the order of a report: most users first, then by name. */
export function inOrder({ changed, fields, flow }: Summary): Pick<Diff, "changed" | "fields" | "flow"> {
  const flows = byCount(flow).map(([statuses, count]) => {
    const [from, to] = statuses.split(" ") as [Flow["from"], Flow["to"]];
    return { from, to, count };
  });
  return { changed, fields: new Map(byCount(fields)), flow: flows };
}

function byCount(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
}

function count(counts: Map<string, number>, name: string, users: number): void {
  counts.set(name, (counts.get(name) ?? 0) + users);
}
