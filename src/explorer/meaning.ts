/** Describes a field's schema in plain words. It runs in browsers, too. */
import type { FieldSchema, ValueSchema } from "../contract/file/form.js";
import { isNullable, kindOf } from "../contract/record/kind.js";
import { capital } from "../print/text.js";

export interface Meaning {
  /** `Whole number from 0`. Not escaped. */
  kind: string;
  /** The values that there are, where the contract lists them. */
  values: readonly unknown[];
  /** One value as it may be, where the contract gives any and does not list all. */
  example: unknown;
}

export function meaningOf(schema: FieldSchema): Meaning {
  const words = wordsOf(schema);
  const isOrNull = isNullable(schema) && kindOf(schema) !== "json";
  const values = (schema.enum ?? []).filter((value) => value !== null);
  const [example] = values.length > 0 ? [] : (schema.examples ?? schema.items?.examples ?? []);
  return { kind: capital(isOrNull ? `${words}, or nothing (null)` : words), values, example };
}

const FORMATS = { uuid: "UUID", date: "day", "date-time": "time", uri: "web address" } as const;

function wordsOf(schema: ValueSchema): string {
  const { const: constant, enum: values, anyOf, format, items } = schema;
  if (constant !== undefined) return `always ${JSON.stringify(constant)}`;
  if (values) return values.length === 1 ? "always the same" : "one of a list of values";
  if (anyOf)
    return anyOf.map((option) => ("const" in option ? JSON.stringify(option.const) : wordsOf(option))).join(", or ");
  switch (kindOf(schema)) {
    case "string":
      return format ? FORMATS[format] : `text${lengthOf(schema)}`;
    case "integer":
      return `whole number${rangeOf(schema)}`;
    case "number":
      return `number${rangeOf(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `list${itemsOf(items)}`;
    default:
      return "any JSON value";
  }
}

function itemsOf(items: ValueSchema | undefined): string {
  if (!items || items["x-json"]) return "";
  const { properties } = items;
  if (properties) return `, each item with ${Object.keys(properties).join(", ")}`;
  return items.enum
    ? ` of ${items.enum.map((value) => JSON.stringify(value)).join(", ")}`
    : `, each item: ${wordsOf(items)}`;
}

function lengthOf({ minLength = 0, maxLength }: ValueSchema): string {
  if (maxLength === undefined) return minLength > 1 ? ` of at least ${minLength} characters` : "";
  if (minLength === maxLength) return ` of ${maxLength} characters`;
  return minLength > 1 ? ` of ${minLength} to ${maxLength} characters` : ` of at most ${maxLength} characters`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema): string {
  const least =
    minimum !== undefined ? ` from ${minimum}` : exclusiveMinimum !== undefined ? ` above ${exclusiveMinimum}` : "";
  const most = maximum !== undefined ? (least ? ` to ${maximum}` : ` up to ${maximum}`) : "";
  return `${least}${most || (exclusiveMaximum !== undefined ? ` below ${exclusiveMaximum}` : "")}`;
}
