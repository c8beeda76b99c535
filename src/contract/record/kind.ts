/** The kinds of value that a schema accepts, whether by type, enum, const or anyOf. */
import type { FieldSchema, ValueSchema } from "../file/form.js";

/** A type of JSON Schema, or any JSON value. */
type OneKind = Exclude<NonNullable<ValueSchema["type"]>, readonly unknown[]> | "json";
export type ValueKind = OneKind | "null";
/** The kind of a field; mixed if it accepts several types. */
export type Kind = OneKind | "mixed";

/** The kind of the values that a schema accepts, not counting null. */
export function kindOf(schema: ValueSchema): Kind {
  const { type, anyOf } = schema;
  const all = anyOf && type === undefined ? anyOf.map(kindOf) : statedKinds(schema).filter((kind) => kind !== "null");
  const [first = "mixed", ...others] = all;
  return others.every((kind) => kind === first) ? first : "mixed";
}

/** All kinds that a schema accepts; empty if it does not say. With number, integer is not listed. */
export function kindsOf(schema: ValueSchema): readonly ValueKind[] {
  const kinds = new Set(statedKinds(schema));
  if (kinds.has("number")) kinds.delete("integer");
  return [...kinds];
}

/** All kinds but null. */
export function nonNullKindsOf(schema: ValueSchema): readonly ValueKind[] {
  return kindsOf(schema).filter((kind) => kind !== "null");
}

function statedKinds(schema: ValueSchema): readonly ValueKind[] {
  const { type, anyOf } = schema;
  if (schema["x-json"]) return ["json"];
  if (type !== undefined) return [type].flat();
  if (anyOf) return anyOf.flatMap((option) => (option ? statedKinds(option) : []));
  return (choicesOf(schema) ?? []).flatMap((value) => (value === undefined ? [] : [kindOfValue(value)]));
}

function kindOfValue(value: unknown): ValueKind {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "boolean" || typeof value === "string" ? (typeof value as "boolean") : "json";
}

/** The values of `const` or `enum`; undefined for a schema with neither. */
export function choicesOf({ const: constant, enum: values }: ValueSchema): readonly unknown[] | undefined {
  return constant === undefined ? values : [constant];
}

/** Whether a schema accepts null. */
export function isNullable({ type, const: constant, enum: values, anyOf }: ValueSchema): boolean {
  if (constant === null || values?.includes(null)) return true;
  return anyOf ? anyOf.some(isNullable) : Array.isArray(type) && type.includes("null");
}

/** Whether a field's column may hold NULL. What is published for it may be another value. */
export function takesNull(schema: FieldSchema): boolean {
  return isNullable(schema) || schema["x-null"] !== undefined || kindOf(schema) === "json";
}

/** Whether a field may publish null. */
export function mayBeNull(schema: ValueSchema): boolean {
  return kindsOf(schema).some((kind) => kind === "null" || kind === "json");
}

/** Whether values of a kind are strings, numbers, booleans or null. */
export function isScalarKind(kind: ValueKind): boolean {
  return kind !== "array" && kind !== "object" && kind !== "json";
}

/** Whether every kind is allowed. Where number is allowed, integer is too. */
export function isWithin(kinds: readonly ValueKind[], allowed: readonly ValueKind[]): boolean {
  return kinds.every((kind) => allowed.includes(kind) || (kind === "integer" && allowed.includes("number")));
}
