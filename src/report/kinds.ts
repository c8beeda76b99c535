/** The kinds of change, in the order in which a diff gives them. */
import type { Change, Diff } from "../diff/change.js";

export const CHANGE_KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The first `limit` changes of a kind; reads no further. */
export async function* firstChanges(diff: Diff, kind: ChangeKind, limit: number): AsyncGenerator<Change> {
  let left = Math.min(limit, diff[kind]);
  if (left === 0) return;
  for await (const change of diff.changes(kind)) {
    yield change;
    if (--left === 0) return;
  }
}
