/** Reads records that differ between the snapshots, and compares them field by field. */
import stringify from "fast-json-stable-stringify";
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import { AVATAR_PATH } from "../contract/links.js";
import { valueAt } from "../contract/record/value.js";
import { type Change, type FieldChange, type FieldFilter, fieldFilter, type RecordId } from "./change.js";
import type { Pair } from "./matches.js";
import { RecordReader } from "./records.js";
import type { Side } from "./side.js";

export type Changed = Extract<Change, { kind: "changed" }>;

export interface Comparing {
  old: Side;
  new: Side;
  filter: FieldFilter;
}

/** Pairs without a difference that counts are left out. @throws UserError when a page does not match the list. */
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

/** Returns what finds the fields that differ, in published order, of those that both contracts have. */
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
      if (!avatars.has(field.path) || !isOwnAvatar(change, oldSide, newSide)) changes.push(change);
    }
    return changes;
  };
}

/** The fields that show the default avatar where the source has none. */
function avatarsOf({ fields }: Contract): ReadonlySet<string> {
  const isAvatar = ({ schema }: Field) => "setting" in (schema["x-null"] ?? {});
  return new Set(fields.filter(isAvatar).map(({ path }) => path));
}

/** Whether this is only the default avatar, whose URL changes with the base URL, which is reported separately. */
function isOwnAvatar({ old, new: now }: FieldChange, oldSide: Side, newSide: Side): boolean {
  const isOwn = (url: unknown, { facts: { baseUrl } }: Side) =>
    baseUrl !== undefined && url === `${baseUrl}/${AVATAR_PATH}`;
  return isOwn(old, oldSide) && isOwn(now, newSide);
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  return stringify(one) === stringify(other);
}
