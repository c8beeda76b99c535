/** What differs between two records of one user, field by field. */
import stringify from "fast-json-stable-stringify";
import type { User } from "../contract/user.js";
import type { FieldChange } from "./change.js";

/** Fields in published order; a list is one field, and an object is its fields. */
export function compareUsers(old: User, now: User): FieldChange[] {
  const changes: FieldChange[] = [];
  compareObjects({ ...old }, { ...now }, "", changes);
  return changes;
}

type Fields = Record<string, unknown>;

function compareObjects(old: Fields, now: Fields, prefix: string, changes: FieldChange[]): void {
  for (const key of keysOf(old, now)) {
    const [before, after] = [old[key], now[key]];
    if (isFields(before) && isFields(after)) compareObjects(before, after, `${prefix}${key}.`, changes);
    else if (!isSame(before, after)) changes.push({ path: prefix + key, old: before, new: after });
  }
}

/** Valid users have the same keys in the same, published order; others are put in order. */
function keysOf(old: Fields, now: Fields): string[] {
  const [keys, others] = [Object.keys(old), Object.keys(now)];
  const isUsual = keys.length === others.length && keys.every((key, at) => key === others[at]);
  return isUsual ? keys : [...new Set([...keys, ...others])].sort();
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  return stringify(one) === stringify(other);
}
