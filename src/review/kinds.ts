/** The kinds of change, in the order in which a diff gives them. */
import type { Change, Diff } from "../diff/change.js";

export const KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type Kind = (typeof KINDS)[number];

/** At most `limit` changes of each kind; reads no further than those. */
export async function* firstOfEachKind(diff: Diff, limit: number): AsyncGenerator<Change> {
  for (const kind of KINDS) {
    let left = Math.min(limit, diff[kind]);
    if (left === 0) continue;
    for await (const change of diff.changes(kind)) {
      yield change;
      if (--left === 0) break;
    }
  }
}
