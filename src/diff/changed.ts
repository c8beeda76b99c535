/** Reads users whose records differ between the snapshots, and compares them field by field. */
import stringify from "fast-json-stable-stringify";
import { isObject } from "../contract/json.js";
import { AVATAR_PATH } from "../contract/links.js";
import { type Change, type FieldChange, type FieldFilter, fieldFilter } from "./change.js";
import type { Pair } from "./match.js";
import { RecordReader } from "./records.js";
import type { Side } from "./side.js";

export type Changed = Extract<Change, { kind: "changed" }>;

export interface ChangedUsers {
  old: Side;
  new: Side;
  filter: FieldFilter;
}

/** Pairs without a difference that counts are left out. @throws UserError when a page does not match the index. */
export function changedReader(comparison: ChangedUsers): (pairs: Iterable<Pair>) => Generator<Changed> {
  const { old: oldSide, new: newSide, filter } = comparison;
  const [older, newer] = [new RecordReader(oldSide), new RecordReader(newSide)];
  const isWanted = fieldFilter(filter);
  return function* (pairs) {
    for (const pair of pairs) {
      const [old, now] = [older.read(pair.old), newer.read(pair.new)];
      const fields = compareObjects({ ...old }, { ...now }).filter(
        (field) => isWanted(field.path) && !isOwnAvatar(field, oldSide, newSide),
      );
      if (fields.length > 0) yield { kind: "changed", id: now.id, fields, old, new: now };
    }
  };
}

/** Whether this is only the default avatar, whose URL changes with the base URL, which is reported separately. */
function isOwnAvatar({ path, old, new: now }: FieldChange, oldSide: Side, newSide: Side): boolean {
  const isOwn = (url: unknown, { facts: { baseUrl } }: Side) =>
    baseUrl !== undefined && url === `${baseUrl}/${AVATAR_PATH}`;
  return path === "image_url" && isOwn(old, oldSide) && isOwn(now, newSide);
}

type Fields = Record<string, unknown>;

/** The fields that differ, in published order. A list is one field; an object is compared field by field. */
function compareObjects(old: Fields, now: Fields, prefix = "", changes: FieldChange[] = []): FieldChange[] {
  for (const key of keysOf(old, now)) {
    const [before, after] = [old[key], now[key]];
    if (isObject(before) && isObject(after)) compareObjects(before, after, `${prefix}${key}.`, changes);
    else if (!isSame(before, after)) changes.push({ path: prefix + key, old: before, new: after });
  }
  return changes;
}

/** Usually both have the same keys in published order; otherwise, all keys of both are sorted. */
function keysOf(old: Fields, now: Fields): string[] {
  const [keys, others] = [Object.keys(old), Object.keys(now)];
  const isUsual = keys.length === others.length && keys.every((key, at) => key === others[at]);
  return isUsual ? keys : [...new Set([...keys, ...others])].sort();
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  return stringify(one) === stringify(other);
}
