/** What differs between two records of one user, field by field. */
import stringify from "fast-json-stable-stringify";
import type { User } from "../contract/user.js";
import type { FieldChange } from "./change.js";

/** Fields in published order; a list is one field, and an object is its fields. */
export function compareUsers(old: User, now: User): FieldChange[] {
  return [...compareObjects({ ...old }, { ...now }, "")];
}

type Fields = Record<string, unknown>;

function* compareObjects(old: Fields, now: Fields, prefix: string): Generator<FieldChange, void> {
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  for (const key of [...keys].sort()) {
    const path = prefix + key;
    const [before, after] = [old[key], now[key]];
    if (isFields(before) && isFields(after)) yield* compareObjects(before, after, `${path}.`);
    else if (!isSame(before, after)) yield { path, old: before, new: after };
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  return stringify(one) === stringify(other);
}
