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
import { PageRecordReader } from "./records.js";
import type { Side } from "./side.js";

export type Changed = Extract<Change, { kind: "changed" }>;

/** The inputs of a comparison. */
export interface Comparing {
  old: Side;
  new: Side;
  filter: FieldFilter;
}

/** Makes a function that reads a pair of records: a change, if compared fields differ. @throws UserError if a page does not match the list. */
export function changedReader(comparing: Comparing): (pair: Pair) => Changed | undefined {
  const { old: oldSide, new: newSide } = comparing;
  const older = new PageRecordReader(oldSide);
  const newer = new PageRecordReader(newSide);
  const compare = comparer(comparing);
  return ({ key, old: oldPlace, new: newPlace }) => {
    const old = older.read({ key, ...oldPlace });
    const now = newer.read({ key, ...newPlace });
    const fields = compare(old, now);
    return fields.length > 0 ? { kind: "changed", id: keyValue(now, newSide), fields, old, new: now } : undefined;
  };
}

/** The value of a record's key. */
export function keyValue(record: AnyRecord, { facts }: Side): RecordId {
  return valueAt(record, facts.contract.key) as RecordId;
}

/** Makes a function that finds the compared fields that differ, in published order. */
function comparer({ old: oldSide, new: newSide, filter }: Comparing) {
  const older = oldSide.facts.contract;
  const newer = newSide.facts.contract;
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

/** Maximum pairs of values of a facet. A facet with more is not counted. */
const MOST_MOVES = 10_000;

/** Counts changed records, by field and by values of facets. */
export class Summary {
  #changed = 0;
  readonly #fields = new Map<string, number>();
  /** Path of a facet -> JSON of old and new value -> number of records; undefined for too many values. */
  readonly #flow = new Map<string, Map<string, number> | undefined>();
  readonly #facets: ReadonlyMap<string, Field>;

  constructor({ facts }: Side) {
    const facets = facts.contract.fields.filter(({ schema }) => schema["x-facet"]);
    this.#facets = new Map(facets.map((field) => [field.path, field]));
  }

  add({ fields, old, new: now }: Changed): void {
    this.#changed++;
    for (const { path } of fields) {
      count(this.#fields, path);
      const facet = this.#facets.get(path);
      if (facet) this.#move(path, JSON.stringify([valueAt(old, facet), valueAt(now, facet)]));
    }
  }

  /** The counts: most records first, then by name. */
  inOrder(): Pick<Diff, "changed" | "fields" | "flow"> {
    const facets = [...this.#flow].sort(([one], [other]) => (one < other ? -1 : 1));
    const flow = facets.flatMap(([field, moves]) =>
      byCount(moves ?? new Map()).map(([values, count]): Flow => {
        const [from, to] = JSON.parse(values);
        return { field, from, to, count };
      }),
    );
    return { changed: this.#changed, fields: new Map(byCount(this.#fields)), flow };
  }

  #move(path: string, values: string): void {
    const moves = this.#flow.has(path) ? this.#flow.get(path) : new Map<string, number>();
    if (moves) count(moves, values);
    this.#flow.set(path, moves && moves.size <= MOST_MOVES ? moves : undefined);
  }
}

function byCount(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
