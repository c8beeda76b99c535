/** The kinds of change, in the order in which a diff gives them. */
import type { Change, Diff } from "../diff/change.js";

export const KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type Kind = (typeof KINDS)[number];

/** At most `limit` changes of each kind; reads no further than the last of them. */
export async function* firstOfEachKind(diff: Diff, limit: number): AsyncGenerator<Change> {
  const left = { added: 0, removed: 0, changed: 0 };
  for (const kind of KINDS) left[kind] = Math.min(limit, diff[kind]);
  if (KINDS.every((kind) => left[kind] === 0)) return;
  for await (const change of diff.changes()) {
    if (left[change.kind] === 0) continue;
    yield change;
    left[change.kind]--;
    if (KINDS.every((kind) => left[kind] === 0)) return;
  }
}
