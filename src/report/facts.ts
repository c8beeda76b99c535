/** What all forms of a report say besides single changes. */
import { isPublishableUrl } from "../contract/links.js";
import type { Change, Diff, FieldFilter, Flow, SideFacts } from "../diff/change.js";
import { number } from "../print/numbers.js";
import { listed } from "../print/text.js";

/** In the order of a diff. */
export const CHANGE_KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ReportOptions {
  /** A sentence for each gate that was exceeded. */
  exceeded?: readonly string[];
  filter?: FieldFilter;
}

/** The moves of each facet that has any, in the order of the diff. */
export function movesByFacet({ flow }: Diff): ReadonlyMap<string, readonly Flow[]> {
  const moves = new Map<string, Flow[]>();
  for (const move of flow) {
    const others = moves.get(move.field);
    if (others) others.push(move);
    else moves.set(move.field, [move]);
  }
  return moves;
}

/** The first `limit` changes of a kind; no more are read. */
export async function* firstChanges(diff: Diff, kind: ChangeKind, limit: number): AsyncGenerator<Change> {
  let left = Math.min(limit, diff[kind]);
  if (left === 0) return;
  for await (const change of diff.changes(kind)) {
    yield change;
    if (--left === 0) return;
  }
}

/** The name of a snapshot, with its id if the name does not contain it: `before/current (ac5e31b908dc)`. Not escaped. */
export function sideName({ name, id }: SideFacts): string {
  return id === undefined || name.endsWith(id) ? name : `${name} (${id})`;
}

/** The page for people that has the record of a change, if any: a record that was removed is on none. Fit for a link. */
export function explorerOf({ new: { explorer } }: Diff): string | undefined {
  return explorer !== undefined && isPublishableUrl(explorer) ? new URL(explorer).href : undefined;
}

/** Differences in what changes every page but no record. Unknown values are left out. */
export function settingChanges({ old, new: now }: Diff) {
  const settings = [
    { name: "base URL", old: old.baseUrl, new: now.baseUrl },
    { name: "page size", old: number(old.pageSize), new: number(now.pageSize) },
    { name: "links", old: old.links, new: now.links },
  ];
  return settings.flatMap(({ name, old = "", new: now = "" }) =>
    old !== "" && now !== "" && old !== now ? [{ name, old, new: now }] : [],
  );
}

/**
 * Which fields were compared: `only country, position.*`, `all fields but nickname`; undefined when all were.
 * @param show escapes a pattern for the report.
 */
export function comparedFields({ only, ignore = [] }: FieldFilter, show: (pattern: string) => string) {
  const list = (patterns: readonly string[]) => {
    return listed([...new Set(patterns)].map(show));
  };
  if (only === undefined) return ignore.length === 0 ? undefined : `all fields but ${list(ignore)}`;
  return `only ${list(only)}${ignore.length === 0 ? "" : `, without ${list(ignore)}`}`;
}
