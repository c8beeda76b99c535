/** The kinds of value that a schema accepts, whether by type, enum, const or anyOf. */
import type { ValueSchema } from "../file/form.js";

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

/** The kinds of the values that a schema accepts. */
export interface Kinds {
  /** All but null; empty if the schema does not say. With number, integer is not listed. */
  kinds: readonly Exclude<ValueKind, "null">[];
  /** Whether null is accepted, as it is among any JSON values. */
  nullable: boolean;
}

export function kindsOf(schema: ValueSchema): Kinds {
  const stated = new Set(statedKinds(schema));
  if (stated.has("number")) stated.delete("integer");
  const kinds = [...stated].filter((kind) => kind !== "null");
  return { kinds, nullable: acceptsNull(schema) };
}

function acceptsNull({ type, const: constant, enum: values, anyOf, "x-json": isJson }: ValueSchema): boolean {
  if (isJson || constant === null || values?.includes(null)) return true;
  return anyOf ? anyOf.some(acceptsNull) : Array.isArray(type) && type.includes("null");
}

function statedKinds(schema: ValueSchema): readonly ValueKind[] {
  const { type, anyOf } = schema;
  if (schema["x-json"]) return ["json"];
  if (type !== undefined) return [type].flat();
  if (anyOf) return anyOf.flatMap(statedKinds);
  return (choicesOf(schema) ?? []).map(kindOfValue);
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

/** Whether values of a kind are strings, numbers, booleans or null. */
export function isScalarKind(kind: ValueKind): boolean {
  return kind !== "array" && kind !== "object" && kind !== "json";
}

/** Whether every kind is allowed. Where number is allowed, integer is too. */
export function isWithin(kinds: readonly ValueKind[], allowed: readonly ValueKind[]): boolean {
  return kinds.every((kind) => allowed.includes(kind) || (kind === "integer" && allowed.includes("number")));
}
