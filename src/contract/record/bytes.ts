/** Patterns of the canonical texts of single values, for texts in which each byte is a character. */
import type { ValueSchema } from "../file/form.js";
import { inBytes } from "../file/patterns.js";
import { digitsBetween } from "./digits.js";
import { toBytes } from "./key.js";
import { isNullable, kindOf } from "./kind.js";
import { typeOf } from "./schema.js";

// Every pattern matches a part of what the schema takes, and never more: a property test compares the two.

/** The escapes that JSON.stringify uses. */
const ESCAPE = '\\\\(?:["\\\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))';
const PLAIN = '[^"\\\\\\x00-\\x1f]*';
/** Any text. Whether its bytes are UTF-8 is checked once for a page. */
const TEXT = `${PLAIN}(?:${ESCAPE}${PLAIN})*`;
/** One character: an escape, or a byte that begins one, with those that continue it. */
const CHARACTER = `(?:${ESCAPE}|[^"\\\\\\x00-\\x1f\\x80-\\xbf][\\x80-\\xbf]*)`;

const DATE = [
  "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])",
  "\\d{4}-(?:0[13-9]|1[0-2])-(?:29|30)",
  "\\d{4}-(?:0[13578]|1[02])-31",
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29",
].join("|");
const HEX = (digits: number) => `[0-9a-fA-F]{${digits}}`;

/** URLs whose host has no Punycode, and whose other parts have only common characters. */
const COMMON_URL =
  "https?://(?:(?!xn--)[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.)*[a-z]+(?::[1-9]\\d{0,3})?(?:/[\\w.~!$&'()*+,;=:@/?-]*)?";

/** The inside of the quotes of a text in each format. */
const FORMATS = {
  uuid: [8, 4, 4, 4, 12].map(HEX).join("-"),
  date: `(?:${DATE})`,
  "date-time": `(?:${DATE})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)`,
  uri: COMMON_URL,
} as const;

/** A pattern that matches only this text of bytes. */
export function literalBytes(bytes: string): string {
  return bytes.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The pattern of the texts that a schema takes, or of a part of them; undefined where none is known. */
export function bytesOf(schema: ValueSchema): string | undefined {
  const value = bytesOfValue(schema);
  return value !== undefined && isNullable(schema) ? `(?:null|${value})` : value;
}

function bytesOfValue(schema: ValueSchema): string | undefined {
  const { const: constant, enum: values, anyOf } = schema;
  if (constant !== undefined || values) return literals(schema, constant !== undefined ? [constant] : (values ?? []));
  if (anyOf) {
    const options = anyOf.map(bytesOf);
    return options.includes(undefined) ? undefined : `(?:${options.join("|")})`;
  }
  switch (kindOf(schema)) {
    case "string":
      return text(schema);
    case "integer":
      return integer(schema);
    case "boolean":
      return "(?:true|false)";
    case "array":
      return list(schema);
    case "json":
      return `(?:null|true|false|\\[\\]|\\{\\}|${digitsBetween(0, 1e15 - 1)}|"${TEXT}")`;
    default:
      return undefined;
  }
}

function literals(schema: ValueSchema, values: readonly unknown[]): string {
  const type = typeOf(schema);
  const taken = values.filter((value) => type.safeParse(value).success);
  // A class without characters matches nothing.
  if (taken.length === 0) return "[]";
  const texts = taken.map((value) => literalBytes(toBytes(JSON.stringify(value))));
  const [first = ""] = texts;
  if (texts.length === 1) return first;
  const isText = taken.every((value) => typeof value === "string");
  return isText ? `"(?:${texts.map((text) => text.slice(1, -1)).join("|")})"` : `(?:${texts.join("|")})`;
}

/** Integers with at most 15 digits: far from 2^53. */
const MOST = 1e15 - 1;

function integer({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema): string {
  const least = Math.max(-MOST, Math.ceil(minimum ?? -MOST), Math.floor(exclusiveMinimum ?? -MOST - 1) + 1);
  const most = Math.min(MOST, Math.floor(maximum ?? MOST), Math.ceil(exclusiveMaximum ?? MOST + 1) - 1);
  return digitsBetween(least, most);
}

/** What stands between the quotes must match every part: the last one takes it, the others only look at it. */
function text({ format, pattern, minLength = 0, maxLength }: ValueSchema): string | undefined {
  const parts: string[] = [];
  let [beginning, end] = [minLength === 1 ? '(?!")' : "", ""];
  if (pattern !== undefined) {
    // Of a text with a format, which has no escapes, the end can be looked at, too.
    const [whole, begun, ended] = [pattern, `${pattern}$`, format ? `^${pattern}` : ""].map(inBytes);
    if (whole !== undefined) parts.push(whole);
    else if (begun !== undefined) beginning += `(?=${begun})`;
    else if (ended !== undefined) end = `(?<=${ended})`;
    else return undefined;
  }
  if (format !== undefined) parts.push(FORMATS[format]);
  if (minLength > 1 || maxLength !== undefined) {
    if (Math.max(minLength, maxLength ?? 0) > MOST_COUNTED) return undefined;
    parts.push(`${CHARACTER}{${minLength},${maxLength ?? ""}}`);
  } else if (parts.length === 0) parts.push(TEXT);
  const looks = parts.slice(0, -1).map((part) => `(?=${part}")`);
  return `"${beginning}${looks.join("")}${parts.at(-1)}${end}"`;
}

/** Longer texts are counted by the schema. */
const MOST_COUNTED = 10_000;

function list({ items = { "x-json": true }, minItems = 0, maxItems, uniqueItems }: ValueSchema): string | undefined {
  const item = items["x-json"] || items.properties ? undefined : bytesOf(items);
  const most = Math.min(maxItems ?? Number.POSITIVE_INFINITY, uniqueItems ? 1 : Number.POSITIVE_INFINITY);
  if (minItems > most) return "[]";
  const empty = minItems === 0 ? "\\[\\]" : undefined;
  if (item === undefined || most === 0) return empty;
  const further = `{${Math.max(0, minItems - 1)},${Number.isFinite(most) ? most - 1 : ""}}`;
  const full = `\\[${item}(?:,${item})${further}\\]`;
  return empty === undefined ? full : `(?:${empty}|${full})`;
}

/** Whether every text that a schema's pattern matches is written without escapes, so that it can stand in quotes as it is. */
export function isWithoutEscapes(schema: ValueSchema): boolean {
  const { const: constant, enum: values, anyOf, format, pattern } = schema;
  if (constant !== undefined || values) return (values ?? [constant]).every(isPlainText);
  if (anyOf) return anyOf.every(isWithoutEscapes);
  return format !== undefined || (pattern !== undefined && inBytes(pattern) !== undefined);
}

/** Whether no text that a schema's pattern matches is how SQLite writes a number. */
export function isNeverNumber(schema: ValueSchema): boolean {
  const { const: constant, enum: values, anyOf, format, pattern = "" } = schema;
  if (constant !== undefined || values) return (values ?? [constant]).every((value) => !NUMBER.test(String(value)));
  if (anyOf) return anyOf.every(isNeverNumber);
  if (format !== undefined || kindOf(schema) === "array") return true;
  if (fixedLength(pattern) > LONGEST_NUMBER) return true;
  const [, members = "0"] = FIRST_CLASS.exec(pattern) ?? [];
  return !new RegExp(`[${members}]`, "u").test("-0123456789") && !new RegExp(pattern, "u").test("Inf");
}

const NUMBER = /^-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Inf)$/;
/** Longer than `-1.23456789012345e-308`. */
const LONGEST_NUMBER = 24;
/** A pattern whose first character is one of a simple class. */
const FIRST_CLASS = /^\^\[([A-Za-z0-9 _-]+)\](?![*?]|\{0)/;

/** How many characters every text has that an anchored pattern takes; 0 where they may have different lengths. */
function fixedLength(pattern: string): number {
  const atoms = [...pattern.slice(1, -1).matchAll(/(?:\[[^\]\\]*\]|[A-Za-z0-9 _:,;@-]|(.))(?:\{(\d+)\})?/gsu)];
  if (atoms.some(([, other]) => other !== undefined)) return 0;
  return atoms.reduce((sum, [, , times = "1"]) => sum + Number(times), 0);
}

function isPlainText(value: unknown): boolean {
  return value === null || (typeof value === "string" && JSON.stringify(value) === `"${value}"`);
}
