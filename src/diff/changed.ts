/** Compares records field by field, and counts changes by field and by values of facets. */
import stringify from "fast-json-stable-stringify";
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import { AVATAR_PATH } from "../contract/links.js";
import { valueAt } from "../contract/record/value.js";
import {
  type Change,
  type Diff,
  type FieldChange,
  type FieldFilter,
  type Flow,
  fieldFilter,
  type RecordId,
} from "./change.js";
import type { Pair } from "./match.js";
import { RecordReader } from "./records.js";
import type { Side } from "./side.js";

export type Changed = Extract<Change, { kind: "changed" }>;

/** The inputs of a comparison. */
export interface Comparing {
  old: Side;
  new: Side;
  filter: FieldFilter;
}

/** Makes a function that reads pairs of records, and yields those with differences in compared fields. @throws UserError if a page does not match the list. */
export function changedReader(comparing: Comparing): (pairs: Iterable<Pair>) => Generator<Changed> {
  const { old: oldSide, new: newSide } = comparing;
  const [older, newer] = [new RecordReader(oldSide), new RecordReader(newSide)];
  const compare = comparer(comparing);
  return function* (pairs) {
    for (const { key, ...pair } of pairs) {
      const [old, now] = [older.read({ key, ...pair.old }), newer.read({ key, ...pair.new })];
      const fields = compare(old, now);
      if (fields.length > 0) yield { kind: "changed", id: keyValue(now, newSide), fields, old, new: now };
    }
  };
}

/** The value of a record's key. */
export function keyValue(record: AnyRecord, { facts }: Side): RecordId {
  return valueAt(record, facts.contract.key) as RecordId;
}

/** Makes a function that finds the compared fields that differ, in published order. */
function comparer({ old: oldSide, new: newSide, filter }: Comparing) {
  const [older, newer] = [oldSide.facts.contract, newSide.facts.contract];
  const isWanted = fieldFilter(filter, [older, newer]);
  const paths = new Set(older.fields.map(({ path }) => path));
  const fields = newer.fields.filter(({ path }) => paths.has(path) && isWanted(path));
  const avatars = avatarsOf(newer);
  return (old: AnyRecord, now: AnyRecord): FieldChange[] => {
    const changes: FieldChange[] = [];
    for (const field of fields) {
      const change = { path: field.path, old: valueAt(old, field), new: valueAt(now, field) };
      if (isSame(change.old, change.new)) continue;
      if (!avatars.has(field.path) || !isDefaultAvatar(change, oldSide, newSide)) changes.push(change);
    }
    return changes;
  };
}

/** The paths of fields that have the default avatar for NULL. */
function avatarsOf({ fields }: Contract): ReadonlySet<string> {
  const isAvatar = ({ schema }: Field) => "setting" in (schema["x-null"] ?? {});
  return new Set(fields.filter(isAvatar).map(({ path }) => path));
}

/** Whether both values are the default avatar, whose URL contains the base URL. That difference is reported separately. */
function isDefaultAvatar({ old, new: now }: FieldChange, oldSide: Side, newSide: Side): boolean {
  const isDefault = (url: unknown, { facts: { baseUrl } }: Side) =>
    baseUrl !== undefined && url === `${baseUrl}/${AVATAR_PATH}`;
  return isDefault(old, oldSide) && isDefault(now, newSide);
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  return stringify(one) === stringify(other);
}

/** Counts of changed records. */
export interface Summary {
  changed: number;
  fields: Map<string, number>;
  /** Path of a facet -> JSON of old and new value -> number of records; undefined for too many values. */
  flow: Map<string, Map<string, number> | undefined>;
}

/** Maximum pairs of values of a facet. A facet with more is not counted. */
const MOST_MOVES = 10_000;

/** A summary without changes. */
export function nothing(): Summary {
  return { changed: 0, fields: new Map(), flow: new Map() };
}

/**
 * Makes a function that reads pairs of records and counts their changes, in a worker thread or on the calling one.
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

/** Adds a summary to another. */
export function add(summary: Summary, other: Summary): void {
  summary.changed += other.changed;
  for (const [path, records] of other.fields) count(summary.fields, path, records);
  for (const [path, moves] of other.flow) {
    if (!moves) summary.flow.set(path, undefined);
    for (const [values, records] of moves ?? []) move(summary, path, values, records);
  }
}

/** Sorts the counts for a report: most records first, then by name. */
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
