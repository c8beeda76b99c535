/** Examples: what a contract's author gives, or else values that are made of its schemas. Each is one that its schema takes. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { neighbours } from "../../contract/links.js";
import { isNullable, kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import type { Described } from "./parts.js";
import { sampleOf } from "./sample.js";

/** Undefined where none is found: a pattern may be too hard to read. */
export function exampleOf(schema: ValueSchema): unknown {
  const type = typeOf(schema);
  return candidates(schema).find((value) => value !== undefined && type.safeParse(value).success);
}

/** The second page of three, with this record. */
export function examplePage({ listing }: Contract, { baseUrl, links }: Described, record: unknown) {
  const place = { baseUrl, path: listing.path, links };
  return { count: 3, ...neighbours({ ...place, page: 2, pages: 3 }), results: [record] };
}

/** Best first. */
function candidates(schema: ValueSchema): unknown[] {
  const { examples = [], const: constant, enum: values = [], anyOf = [] } = schema;
  const said = [...examples, constant, ...values, ...anyOf.map(exampleOf)];
  return [...said, ...made(schema), ...(isNullable(schema) ? [null] : [])];
}

const TEXTS = {
  uuid: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53",
  date: "2026-01-31",
  "date-time": "2026-01-31T23:59:59Z",
  uri: "https://example.com/",
} as const;

function made(schema: ValueSchema): unknown[] {
  switch (kindOf(schema)) {
    case "string":
      return texts(schema);
    case "integer":
      return numbers(schema, 1);
    case "number":
      return [1.5, ...numbers(schema, 0.5)];
    case "boolean":
      return [true];
    case "array":
      return lists(schema);
    case "object":
      return [members(schema)];
    case "json":
      return [{}];
    default:
      return [];
  }
}

function texts({ format, pattern, minLength = 0, maxLength }: ValueSchema): (string | undefined)[] {
  const plain = "text".padEnd(Math.min(minLength, LONGEST), "t").slice(0, maxLength);
  return [format && TEXTS[format], pattern === undefined ? plain : sampleOf(pattern), ""];
}

/** Longer texts, and lists whose texts are longer, are no examples. */
const LONGEST = 1000;

function numbers(schema: ValueSchema, step: number): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  const ends = [least, most].filter((end) => end !== undefined);
  return [1, ...ends, ...ends.flatMap((end) => [Math.ceil(end), Math.floor(end)])];
}

function lists({ items, minItems = 0 }: ValueSchema): unknown[] {
  const item = items ? exampleOf(items) : {};
  const isLong = JSON.stringify(item ?? null).length * minItems > LONGEST;
  return item === undefined || isLong ? [[]] : [Array(Math.max(1, minItems)).fill(item), []];
}

function members({ properties = {} }: ValueSchema): Record<string, unknown> {
  const names = Object.keys(properties).sort();
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {})]));
}
