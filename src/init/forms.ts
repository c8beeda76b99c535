/** The forms that all texts of a column may have. Ours become a type; for others there is SQL that would make them ours. */
import { isIP } from "node:net";
import type { ValueSchema } from "../contract/file/form.js";
import { isTooDeep, whyNotExactJson } from "../contract/json.js";
import { hasFormat, matches } from "../contract/record/keywords.js";

export interface Form {
  /** As a line says it: `UUIDs`. */
  readonly what: string;
  readonly takes: (text: string) => boolean;
  /** What a column of this form is, where the form is ours. */
  readonly schema?: ValueSchema;
  /** The type that the SQL makes, and the SQL, given that of the text. */
  readonly becomes?: { readonly type: string; readonly sql: (text: string) => string };
  /** Why texts of this form should not be public: `contact data`. */
  readonly isPrivate?: string;
}

/** The first that takes every text of a column is the column's. */
export const FORMS: readonly Form[] = [
  ours("UUIDs", { type: "string", format: "uuid" }),
  ours("dates", { type: "string", format: "date" }),
  ours("times with an offset", { type: "string", format: "date-time" }),
  ours("URLs", { type: "string", format: "uri" }, isUrl),
  ours("lists of texts in JSON", { type: "array", items: { type: "string" } }, isListOfTexts),
  ours("lists and objects in JSON", { "x-json": true }, (text) => parsed(text) !== undefined),
  made("UUIDs without dashes", /^[0-9a-f]{32}$/i, "a UUID", dashed),
  made(
    "times without an offset",
    (text) => isTime(text) && !OFFSET.test(text),
    "a date-time, if they are UTC",
    (text) => `replace(${text}, ' ', 'T') || 'Z'`,
  ),
  made(
    "times with a space",
    (text) => isTime(text) && text[10] === " ",
    "a date-time",
    (text) => `replace(${text}, ' ', 'T')`,
  ),
  made(
    "times without seconds",
    (text) => /^[0-9-]{10}[ T][0-9]{2}:[0-9]{2}$/.test(text) && isTime(`${text}:00`),
    "a date-time, if they are UTC",
    (text) => `replace(${text}, ' ', 'T') || ':00Z'`,
  ),
  reordered("YYYY/MM/DD", "a date"),
  reordered("DD.MM.YYYY", "a date"),
  reordered("MM/DD/YYYY", "a date, if the month is first"),
  reordered("DD/MM/YYYY", "a date"),
  made("true and false as text", /^(true|false)$/i, "a boolean", (text) => `CAST(lower(${text}) = 'true' AS BOOLEAN)`),
  made("integers as text", isInteger, "an integer", (text) => `CAST(${text} AS INTEGER)`),
  made("numbers as text", /^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/, "a number", (text) => `CAST(${text} AS REAL)`),
  // As long as each part can be: without an end, many dots would be tried in many ways.
  hidden("e-mail addresses", /^[^\s@<>]{1,64}@[^\s@<>]{1,255}\.[^\s@<>]{1,63}$/, "contact data"),
  hidden("telephone numbers", /^\+[0-9][0-9 ()./-]{6,24}$/, "contact data"),
  hidden("IP addresses", (text) => isIP(text) !== 0, "personal data"),
  hidden(
    "tokens and keys",
    /^(?:eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$|-----BEGIN [A-Z ]*PRIVATE KEY|(?:sk|rk)_(?:live|test)_|gh[opsu]_|AKIA[0-9A-Z]{16}$)/,
    "a secret",
  ),
  hidden(
    "hashes of passwords",
    /^(?:pbkdf2_|bcrypt|scrypt|argon2|\$(?:2[abxy]|argon2(?:id?|d)|[156]|scrypt)\$|md5\$|sha1\$)/,
    "a secret",
  ),
];

type Check = RegExp | ((text: string) => boolean);

function asFunction(check: Check): (text: string) => boolean {
  return check instanceof RegExp ? (text) => matches(check, text) : check;
}

/** A form that a record's check takes. */
function ours(what: string, schema: ValueSchema, takes?: (text: string) => boolean): Form {
  const { format } = schema;
  return { what, schema, takes: takes ?? ((text) => format !== undefined && hasFormat(format, text)) };
}

/** A form that SQL makes ours. */
function made(what: string, check: Check, type: string, sql: (text: string) => string): Form {
  return { what, takes: asFunction(check), becomes: { type, sql } };
}

/** A form that tells that a column is better not published. */
function hidden(what: string, check: Check, isPrivate: string): Form {
  return { what, takes: asFunction(check), isPrivate };
}

/** Dates whose parts stand elsewhere, as a pattern like `DD.MM.YYYY` says. */
function reordered(pattern: string, type: string): Form {
  const shape = new RegExp(`^${pattern.replace(/[A-Z]/g, "[0-9]").replaceAll(".", "[.]")}$`);
  const parts = ["YYYY", "MM", "DD"].map((part): Part => [pattern.indexOf(part), part.length]);
  const sorted = (text: string) => parts.map(([at, length]) => text.slice(at, at + length)).join("-");
  const takes = (text: string) => shape.test(text) && hasFormat("date", sorted(text));
  return made(`dates as ${pattern}`, takes, type, (text) => partsSql(text, parts));
}

/** Where a part of a text begins, from 0, and its length. */
type Part = readonly [at: number, length: number];

/** SQL for parts of a text, with dashes between them. */
function partsSql(text: string, parts: readonly Part[]): string {
  return parts.map(([at, length]) => `substr(${text}, ${at + 1}, ${length})`).join(" || '-' || ");
}

/** SQL for a UUID from that of its 32 digits. */
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

/** Whether a text is a time of ours but for the T or the offset. */
function isTime(text: string): boolean {
  if (!/^[0-9-]{10}[ T]/.test(text)) return false;
  return hasFormat("date-time", text.replace(" ", "T") + (OFFSET.test(text) ? "" : "Z"));
}

function isInteger(text: string): boolean {
  return /^(0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
}

/** With a host: a text with a colon may be anything. In ASCII, as every reader wants a URL. */
function isUrl(text: string): boolean {
  return matches(/^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/i, text) && !/["<>\\^`{|}]/.test(text) && hasFormat("uri", text);
}

function isListOfTexts(text: string): boolean {
  const value = text.startsWith("[") ? parsed(text) : undefined;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether a text may be a list or an object in JSON. */
export function beginsAsJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** The value of a text that is a list or an object in JSON, which every reader can hold. */
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
