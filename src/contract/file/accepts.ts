/** Whether a value that stands in a contract fits a schema that stands there, too. */
import { z } from "zod";
import { patternOf } from "./backtracking.js";
import type { FieldSchema, ValueSchema } from "./form.js";

const FORMATS: Readonly<Record<NonNullable<ValueSchema["format"]>, z.ZodType>> = {
  uuid: z.guid(),
  date: z.iso.date(),
  "date-time": z.iso.datetime({ offset: true }),
  uri: z.string().refine((text) => URL.canParse(text)),
};

/** Keywords that are wrong themselves refuse nothing. */
export function accepts(schema: ValueSchema, value: unknown): boolean {
  if (schema["x-json"]) return true;
  return (
    (schema.type === undefined || [schema.type].flat().some((type) => isOfType(value, type))) &&
    (schema.enum === undefined || schema.enum.includes(value)) &&
    (schema.const === undefined || schema.const === value) &&
    (schema.anyOf === undefined || schema.anyOf.some((option) => option === undefined || accepts(option, value))) &&
    (typeof value !== "string" || acceptsText(schema, value)) &&
    (typeof value !== "number" || acceptsNumber(schema, value)) &&
    (!Array.isArray(value) || acceptsList(schema, value)) &&
    acceptsObject(schema, value)
  );
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function acceptsText({ minLength = 0, maxLength, pattern, format }: ValueSchema, text: string): boolean {
  const length = [...text].length;
  const isLong = length >= minLength && length <= (maxLength ?? Number.POSITIVE_INFINITY);
  const matches = pattern === undefined || patternOf(pattern)?.test(text) !== false;
  return isLong && matches && (format === undefined || FORMATS[format].safeParse(text).success);
}

function acceptsNumber(schema: ValueSchema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema;
  const isInside = value >= minimum && value <= maximum;
  return (
    isInside &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}

function acceptsList({ items, minItems = 0, maxItems = Infinity, uniqueItems }: ValueSchema, list: unknown[]): boolean {
  if (list.length < minItems || list.length > maxItems) return false;
  if (uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length) return false;
  return items === undefined || list.every((item) => accepts(items, item));
}

function acceptsObject({ properties }: ValueSchema, value: unknown): boolean {
  if (!properties || typeof value !== "object" || value === null) return true;
  const inside = new Map(Object.entries(value));
  const fields = Object.entries(properties) as [string, FieldSchema | undefined][];
  return inside.size === fields.length && fields.every(([name, field]) => !field || accepts(field, inside.get(name)));
}
