/**
 * A fast check of canonical records by a regular expression over their bytes. It accepts only records that the schema accepts
 * without a warning, but not all of them.
 */
import type { Contract } from "../contract.js";
import type { FieldSchema, ValueSchema } from "../file/form.js";
import { inBytes } from "../file/patterns.js";
import { RECORD_SEPARATOR } from "../page.js";
import { toBytes } from "./key.js";
import { FORMATS, matches } from "./keywords.js";
import { choicesOf, kindOf, kindsOf } from "./kind.js";
import { typeOf } from "./schema.js";

export type RecordPattern = ReturnType<typeof recordPattern>;

/**
 * Makes the check. A record that does not match may still be valid: check it with the schema.
 * @param defaultAvatar a text, known to be valid, that fields with this setting may hold.
 */
export function recordPattern(contract: Contract, defaultAvatar?: string) {
  const source = objectOf(contract.file.properties, defaultAvatar);
  const pattern = source === undefined ? undefined : new RegExp(source, "y");
  return {
    /**
     * Whether a text, one character a byte, is `count` valid records without warnings about fields. Key order and SQL
     * conditions are not checked.
     */
    takes(text: string, count: number): boolean {
      if (!pattern) return false;
      let at = 0;
      for (let found = 0; found < count; found++) {
        if (found > 0 && !text.startsWith(RECORD_SEPARATOR, at)) return false;
        pattern.lastIndex = found > 0 ? at + RECORD_SEPARATOR.length : 0;
        if (!matches(pattern, text)) return false;
        at = pattern.lastIndex;
      }
      return at === text.length;
    },
  };
}

/** The pattern of an object; undefined if a field has no pattern. */
function objectOf(
  properties: { readonly [name: string]: FieldSchema },
  avatar: string | undefined,
): string | undefined {
  const members: string[] = [];
  for (const name of Object.keys(properties).sort()) {
    const schema = properties[name] ?? {};
    const value = schema.properties ? objectOf(schema.properties, avatar) : bytesOfField(schema, avatar);
    if (value === undefined) return undefined;
    members.push(`${literal(name)}:${value}`);
  }
  return `\\{${members.join(",")}\\}`;
}

function bytesOfField(schema: FieldSchema, avatar: string | undefined): string | undefined {
  const value = bytesOf({ ...schema, ...schema["x-observed"] });
  const isDefault = schema["x-null"] !== undefined && "setting" in schema["x-null"];
  if (!isDefault || avatar === undefined) return value;
  return value === undefined ? literal(avatar) : `(?:${literal(avatar)}|${value})`;
}

/** The escapes that JSON.stringify uses. */
const ESCAPE = '\\\\(?:["\\\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))';
const PLAIN = '[^"\\\\\\x00-\\x1f]*';
/** The inside of any JSON string. UTF-8 is checked once for the page. */
const TEXT = `${PLAIN}(?:${ESCAPE}${PLAIN})*`;
/** One character: an escape, or a leading byte with its continuation bytes. */
const CHARACTER = `(?:${ESCAPE}|[^"\\\\\\x00-\\x1f\\x80-\\xbf][\\x80-\\xbf]*)`;

/** URLs with common characters only, and without Punycode in the host. */
const COMMON_URL =
  "https?://(?:(?!xn--)[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.)*[a-z]+(?::[1-9]\\d{0,3})?(?:/[\\w.~!$&'()*+,;=:@/?-]*)?";

/** The pattern of a format between the quotes. */
function bytesOfFormat(format: NonNullable<ValueSchema["format"]>): string {
  const { is } = FORMATS[format];
  return is instanceof RegExp ? (inBytes(is.source) ?? "[]") : COMMON_URL;
}

/** A pattern that matches only the JSON of this value. */
function literal(value: unknown): string {
  return toBytes(JSON.stringify(value)).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The pattern of a schema's values, or of some of them; undefined if there is none. */
function bytesOf(schema: ValueSchema): string | undefined {
  const value = bytesOfValue(schema);
  return value !== undefined && kindsOf(schema).nullable ? `(?:null|${value})` : value;
}

function bytesOfValue(schema: ValueSchema): string | undefined {
  const choices = choicesOf(schema);
  if (choices) return literals(schema, choices);
  if (schema.anyOf) {
    const options = schema.anyOf.map(bytesOf);
    return options.includes(undefined) ? undefined : `(?:${options.join("|")})`;
  }
  switch (kindOf(schema)) {
    case "string":
      return text(schema);
    case "integer":
      return integer(schema);
    case "number":
      return number(schema);
    case "boolean":
      return "(?:true|false)";
    case "array":
      return list(schema);
    case "json":
      return `(?:true|false|\\[\\]|\\{\\}|${digitsBetween(0, 1e15 - 1)}|"${TEXT}")`;
    default:
      return undefined;
  }
}

/** The pattern of those values that the schema accepts. */
function literals(schema: ValueSchema, values: readonly unknown[]): string {
  const type = typeOf(schema);
  return oneOf(values.filter((value) => type.safeParse(value).success).map(literal));
}

/** A pattern of some patterns. A class without characters matches nothing. */
function oneOf(options: readonly string[]): string {
  return options.length === 0 ? "[]" : `(?:${options.join("|")})`;
}

/** Integers of at most 15 digits, which are below 2^53. */
const MOST = 1e15 - 1;

function integer({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema): string {
  const least = Math.max(-MOST, Math.ceil(minimum ?? -MOST), Math.floor(exclusiveMinimum ?? -MOST - 1) + 1);
  const most = Math.min(MOST, Math.floor(maximum ?? MOST), Math.ceil(exclusiveMaximum ?? MOST + 1) - 1);
  return digitsBetween(least, most);
}

/** A lookahead for decimals of at most 15 digits, which no two doubles share, and as JSON.stringify writes without an exponent. */
const DECIMAL = "(?=-?(?:0\\.(?!0{6})\\d{1,15}|[1-9][\\d.]{2,15})(?![\\d.]))";

/** Integers, and decimals whose whole part alone shows that they are within the limits. */
function number(schema: ValueSchema): string {
  const { minimum = -MOST, maximum = MOST, exclusiveMinimum = -MOST, exclusiveMaximum = MOST } = schema;
  const least = Math.max(minimum, exclusiveMinimum, -MOST);
  const most = Math.min(maximum, exclusiveMaximum, MOST);
  const positive = digitsBetween(Math.max(0, Math.ceil(least)), Math.floor(most) - 1);
  const negative = digitsBetween(Math.max(0, Math.ceil(-most)), Math.floor(-least) - 1);
  return oneOf([integer(schema), `${DECIMAL}(?:${positive}|-${negative})\\.\\d*[1-9]`]);
}

/** Every part must match the text between the quotes: the last one consumes it, the others are lookaheads. */
function text({ format, pattern, minLength = 0, maxLength }: ValueSchema): string | undefined {
  const parts = format === undefined ? [] : [bytesOfFormat(format)];
  let beginning = minLength === 1 ? '(?!")' : "";
  let end = "";
  if (pattern !== undefined) {
    // A text with a format has no escapes, so that a lookbehind can check its end.
    const [whole, begun, ended] = [pattern, `${pattern}$`, format ? `^${pattern}` : ""].map(inBytes);
    if (whole !== undefined) parts.unshift(whole);
    else if (begun !== undefined) beginning += `(?=${begun})`;
    else if (ended !== undefined) end = `(?<=${ended})`;
    else return undefined;
  }
  if (minLength > 1 || maxLength !== undefined) {
    if (Math.max(minLength, maxLength ?? 0) > MOST_COUNTED) return undefined;
    parts.push(`${CHARACTER}{${minLength},${maxLength ?? ""}}`);
  } else if (parts.length === 0) parts.push(TEXT);
  const looks = parts.slice(0, -1).map((part) => `(?=${part}")`);
  return `"${beginning}${looks.join("")}${parts.at(-1)}${end}"`;
}

/** Maximum length that a pattern counts. */
const MOST_COUNTED = 10_000;

function list({ items = { "x-json": true }, minItems = 0, maxItems, uniqueItems }: ValueSchema): string | undefined {
  const any = items["x-json"] || items.properties ? undefined : bytesOf(items);
  // Each level of nested lists has the pattern of its items twice.
  const item = any !== undefined && any.length > LONGEST_ITEM ? undefined : any;
  const most = Math.min(maxItems ?? Number.POSITIVE_INFINITY, uniqueItems ? 1 : Number.POSITIVE_INFINITY);
  if (minItems > most) return "[]";
  const empty = minItems === 0 ? "\\[\\]" : undefined;
  if (item === undefined || most === 0) return empty;
  const further = `{${Math.max(0, minItems - 1)},${Number.isFinite(most) ? most - 1 : ""}}`;
  const full = `\\[${item}(?:,${item})${further}\\]`;
  return empty === undefined ? full : `(?:${empty}|${full})`;
}

/** Maximum length of the pattern of a list's items. */
const LONGEST_ITEM = 100_000;

/** Whether JSON writes every text that a schema's pattern matches without escapes. */
export function isWithoutEscapes(schema: ValueSchema): boolean {
  const { anyOf, format, pattern } = schema;
  const choices = choicesOf(schema);
  if (choices) return choices.every((value) => value === null || JSON.stringify(value) === `"${value}"`);
  if (anyOf) return anyOf.every(isWithoutEscapes);
  return format !== undefined || (pattern !== undefined && inBytes(pattern) !== undefined);
}

/** The pattern of the integers from `least` to `most`, each of at most 15 digits. */
function digitsBetween(least: number, most: number): string {
  const zero = least <= 0 && most >= 0 ? ["0"] : [];
  const negative = positives(-most, -least).map((digits) => `-${digits}`);
  return oneOf([...zero, ...positives(least, most), ...negative]);
}

/** The pattern of the numbers above 0 in a range: a lookahead for those from its least one, and those up to its greatest. */
function positives(least: number, most: number): string[] {
  if (most < Math.max(1, least)) return [];
  const [under, over] = [String(least - 1), String(most + 1)];
  const up = [...steps(under, (digit) => [digit + 1, 9]), `[1-9]\\d{${under.length},}`];
  const down = steps(over, (digit, at) => [at === 0 ? 1 : 0, digit - 1]);
  if (over.length > 1) down.push(`[1-9]\\d{0,${over.length - 2}}`);
  return [`${least > 1 ? `(?=${oneOf(up)}(?!\\d))` : ""}${oneOf(down)}(?!\\d)`];
}

/** For each digit, the numbers of the same length and the same digits before it that have another digit of a range there. */
function steps(number: string, rangeOf: (digit: number, at: number) => readonly [number, number]): string[] {
  return [...number].flatMap((digit, at) => {
    const [from, to] = rangeOf(Number(digit), at);
    return from > to ? [] : [`${number.slice(0, at)}[${from}-${to}]\\d{${number.length - at - 1}}`];
  });
}
