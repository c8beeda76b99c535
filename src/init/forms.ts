/** Forms of texts: some are types of contracts, others can be converted by SQL, and some are private. */
import { isIP } from "node:net";
import type { ValueSchema } from "../contract/file/form.js";
import { isTooDeep, whyNotExactJson } from "../contract/json.js";
import { hasFormat, matches } from "../contract/record/keywords.js";

export interface Form {
  /** Name in messages: `UUIDs`. */
  readonly what: string;
  readonly accepts: (text: string) => boolean;
  /** The field's schema, if contracts have a type for this form. */
  readonly schema?: ValueSchema;
  /** The type after conversion, and its SQL, given the SQL of the text. */
  readonly becomes?: { readonly type: string; readonly sql: (text: string) => string };
  /** Why texts of this form seem to be private: `contact data`. */
  readonly isPrivate?: string;
}

/** In order: the first form that matches every text of a column is used. */
export const FORMS: readonly Form[] = [
  publishable("UUIDs", { type: "string", format: "uuid" }),
  publishable("dates", { type: "string", format: "date" }),
  publishable("times with an offset", { type: "string", format: "date-time" }),
  publishable("URLs", { type: "string", format: "uri" }, isUrl),
  publishable("lists of texts in JSON", { type: "array", items: { type: "string" } }, isListOfTexts),
  publishable("lists and objects in JSON", { "x-json": true }, (text) => parsed(text) !== undefined),
  convertible("UUIDs without dashes", /^[0-9a-f]{32}$/i, "a UUID", dashed),
  convertible(
    "times without an offset",
    (text) => isTime(text) && !OFFSET.test(text),
    "a date-time, if they are UTC",
    (text) => `replace(${text}, ' ', 'T') || 'Z'`,
  ),
  convertible(
    "times with a space",
    (text) => isTime(text) && text[10] === " ",
    "a date-time",
    (text) => `replace(${text}, ' ', 'T')`,
  ),
  convertible(
    "times without seconds",
    (text) => /^[0-9-]{10}[ T][0-9]{2}:[0-9]{2}$/.test(text) && isTime(`${text}:00`),
    "a date-time, if they are UTC",
    (text) => `replace(${text}, ' ', 'T') || ':00Z'`,
  ),
  reordered("YYYY/MM/DD", "a date"),
  reordered("DD.MM.YYYY", "a date"),
  reordered("MM/DD/YYYY", "a date, if the month is first"),
  reordered("DD/MM/YYYY", "a date"),
  convertible(
    "true and false as text",
    /^(true|false)$/i,
    "a boolean",
    (text) => `CAST(lower(${text}) = 'true' AS BOOLEAN)`,
  ),
  convertible("integers as text", isInteger, "an integer", (text) => `CAST(${text} AS INTEGER)`),
  convertible(
    "numbers as text",
    /^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/,
    "a number",
    (text) => `CAST(${text} AS REAL)`,
  ),
  // Bounded repetitions, since unbounded ones would backtrack on texts with many dots.
  sensitive("e-mail addresses", /^[^\s@<>]{1,64}@[^\s@<>]{1,255}\.[^\s@<>]{1,63}$/, "contact data"),
  sensitive("telephone numbers", /^\+[0-9][0-9 ()./-]{6,24}$/, "contact data"),
  sensitive("IP addresses", (text) => isIP(text) !== 0, "personal data"),
  sensitive(
    "tokens and keys",
    /^(?:eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$|-----BEGIN [A-Z ]*PRIVATE KEY|(?:sk|rk)_(?:live|test)_|gh[opsu]_|AKIA[0-9A-Z]{16}$)/,
    "a secret",
  ),
  sensitive(
    "hashes of passwords",
    /^(?:pbkdf2_|bcrypt|scrypt|argon2|\$(?:2[abxy]|argon2(?:id?|d)|[156]|scrypt)\$|md5\$|sha1\$)/,
    "a secret",
  ),
];

type Check = RegExp | ((text: string) => boolean);

function asFunction(check: Check): (text: string) => boolean {
  return check instanceof RegExp ? (text) => matches(check, text) : check;
}

/** A form that is a type of contracts. */
function publishable(what: string, schema: ValueSchema, takes?: (text: string) => boolean): Form {
  const { format } = schema;
  return { what, schema, accepts: takes ?? ((text) => format !== undefined && hasFormat(format, text)) };
}

/** A form that SQL can convert to a type of contracts. */
function convertible(what: string, check: Check, type: string, sql: (text: string) => string): Form {
  return { what, accepts: asFunction(check), becomes: { type, sql } };
}

/** A form whose columns seem to be private. */
function sensitive(what: string, check: Check, isPrivate: string): Form {
  return { what, accepts: asFunction(check), isPrivate };
}

/** A form of dates with parts in another order, such as `DD.MM.YYYY`. */
function reordered(pattern: string, type: string): Form {
  const shape = new RegExp(`^${pattern.replace(/[A-Z]/g, "[0-9]").replaceAll(".", "[.]")}$`);
  const parts = ["YYYY", "MM", "DD"].map((part): Part => [pattern.indexOf(part), part.length]);
  const sorted = (text: string) => parts.map(([at, length]) => text.slice(at, at + length)).join("-");
  const takes = (text: string) => shape.test(text) && hasFormat("date", sorted(text));
  return convertible(`dates as ${pattern}`, takes, type, (text) => partsSql(text, parts));
}

/** Offset and length of a part of a text. */
type Part = readonly [at: number, length: number];

/** SQL that joins parts of a text with dashes. */
function partsSql(text: string, parts: readonly Part[]): string {
  return parts.map(([at, length]) => `substr(${text}, ${at + 1}, ${length})`).join(" || '-' || ");
}

/** SQL that makes a UUID of 32 digits. */
export function dashed(text: string): string {
  return partsSql(text, [
    [0, 8],
    [8, 4],
    [12, 4],
    [16, 4],
    [20, 12],
  ]);
}

const OFFSET = /(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** Whether a text is a date-time, possibly with a space instead of T, or without an offset. */
function isTime(text: string): boolean {
  if (!/^[0-9-]{10}[ T]/.test(text)) return false;
  return hasFormat("date-time", text.replace(" ", "T") + (OFFSET.test(text) ? "" : "Z"));
}

function isInteger(text: string): boolean {
  return /^(0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Whether a text is an ASCII URL with a host. */
function isUrl(text: string): boolean {
  return matches(/^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/i, text) && !/["<>\\^`{|}]/.test(text) && hasFormat("uri", text);
}

function isListOfTexts(text: string): boolean {
  const value = text.startsWith("[") ? parsed(text) : undefined;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether a text begins like a JSON list or object. */
export function beginsAsJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** Parses a JSON list or object that every parser holds exactly; otherwise undefined. */
function parsed(text: string): unknown {
  if (!beginsAsJson(text) || isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return whyNotExactJson(value) === undefined ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
