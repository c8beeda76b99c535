/** What kind of value a schema takes, however it says so. */
import type { FieldSchema, ValueSchema } from "../file/form.js";

/** A type of JSON Schema, any JSON value, or scalars of several types. */
export type Kind = Exclude<NonNullable<ValueSchema["type"]>, readonly unknown[]> | "json" | "mixed";

/** Whether null is among the values that a schema takes. */
export function isNullable({ type, const: constant, enum: values, anyOf }: ValueSchema): boolean {
  if (constant === null || values?.includes(null)) return true;
  return anyOf ? anyOf.some(isNullable) : Array.isArray(type) && type.includes("null");
}

/** Whether a field's column may hold NULL, whatever is published for it. */
export function takesNull(schema: FieldSchema): boolean {
  return isNullable(schema) || schema["x-null"] !== undefined || kindOf(schema) === "json";
}

export function kindOf(schema: ValueSchema): Kind {
  const { type, const: constant, enum: values, anyOf } = schema;
  if (typeof type === "string") return type;
  if (type) return type[0];
  if (schema["x-json"]) return "json";
  if (anyOf) return common(anyOf.map(kindOf));
  return common(
    [constant, ...(values ?? [])].filter((value) => value !== undefined && value !== null).map(kindOfValue),
  );
}

function common(kinds: readonly Kind[]): Kind {
  const [first = "mixed", ...others] = kinds;
  return others.every((kind) => kind === first) ? first : "mixed";
}

function kindOfValue(value: unknown): Kind {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "boolean" : "mixed";
}
