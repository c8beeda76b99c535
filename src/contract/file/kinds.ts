/** Which kinds of value a schema takes. */
import type { ValueSchema } from "./form.js";

export type ValueKind = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null" | "json";

/** What messages call each. */
export const KIND_NAMES: Readonly<Record<ValueKind, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
  json: "any JSON value",
};

/** Empty where a schema does not say. An integer is a number where others are. */
export function kindsOf(schema: ValueSchema): readonly ValueKind[] {
  const { type, enum: values, const: constant, anyOf } = schema;
  const kinds = new Set(kindsSaid());
  if (kinds.has("number")) kinds.delete("integer");
  return [...kinds];

  function kindsSaid(): readonly ValueKind[] {
    if (schema["x-json"]) return ["json"];
    if (type !== undefined) return typeof type === "string" ? [type] : type;
    if (anyOf) return anyOf.flatMap((option) => (option ? kindsOf(option) : []));
    if (values) return values.flatMap((value) => (value === undefined ? [] : [kindOfValue(value)]));
    return constant === undefined ? [] : [kindOfValue(constant)];
  }
}

/** What is published of it, null aside. */
export function solidKindsOf(schema: ValueSchema): readonly ValueKind[] {
  return kindsOf(schema).filter((kind) => kind !== "null");
}

export function mayBeNull(schema: ValueSchema): boolean {
  return kindsOf(schema).some((kind) => kind === "null" || kind === "json");
}

export function isScalarKind(kind: ValueKind): boolean {
  return kind !== "array" && kind !== "object" && kind !== "json";
}

/** Whether every kind is among those that are allowed, where a number may also be an integer. */
export function isWithin(kinds: readonly ValueKind[], allowed: readonly ValueKind[]): boolean {
  return kinds.every((kind) => allowed.includes(kind) || (kind === "integer" && allowed.includes("number")));
}

function kindOfValue(value: unknown): ValueKind {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value === "boolean" || typeof value === "string" ? (typeof value as "boolean") : "json";
}
