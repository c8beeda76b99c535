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
  /** Why texts of this form are nobody else's business. */
  readonly isPrivate?: string;
}

/** As a record's check will take it. */
const formatted = (format: NonNullable<ValueSchema["format"]>) => (text: string) => hasFormat(format, text);
const form = (pattern: RegExp) => (text: string) => matches(pattern, text);

/** The first that takes every text of a column is the column's. */
export const FORMS: readonly Form[] = [
  {
    what: "UUIDs",
    takes: formatted("uuid"),
    schema: { type: "string", format: "uuid" },
  },
  { what: "dates", takes: formatted("date"), schema: { type: "string", format: "date" } },
  {
    what: "times with an offset",
    takes: formatted("date-time"),
    schema: { type: "string", format: "date-time" },
  },
  { what: "URLs", takes: isUrl, schema: { type: "string", format: "uri" } },
  {
    what: "lists of texts in JSON",
    takes: (text) => listOfTexts(text),
    schema: { type: "array", items: { type: "string" } },
  },
  { what: "lists and objects in JSON", takes: (text) => parsed(text) !== undefined, schema: { "x-json": true } },
  {
    what: "UUIDs without dashes",
    takes: form(/^[0-9a-f]{32}$/i),
    becomes: { type: "a UUID", sql: (text) => dashed(text) },
  },
  {
    what: "times without an offset",
    takes: (text) => isTime(text) && !OFFSET.test(text),
    becomes: { type: "a date-time, if they are UTC", sql: (text) => `replace(${text}, ' ', 'T') || 'Z'` },
  },
  {
    what: "times with a space",
    takes: (text) => isTime(text) && text[10] === " ",
    becomes: { type: "a date-time", sql: (text) => `replace(${text}, ' ', 'T')` },
  },
  {
    what: "times without seconds",
    takes: (text) => /^[0-9-]{10}[ T][0-9]{2}:[0-9]{2}$/.test(text) && isTime(`${text}:00`),
    becomes: { type: "a date-time, if they are UTC", sql: (text) => `replace(${text}, ' ', 'T') || ':00Z'` },
  },
  reordered("YYYY/MM/DD", "a date"),
  reordered("DD.MM.YYYY", "a date"),
  reordered("MM/DD/YYYY", "a date, if the month is first"),
  reordered("DD/MM/YYYY", "a date"),
  {
    what: "true and false as text",
    takes: form(/^(true|false)$/i),
    becomes: { type: "a boolean", sql: (text) => `CAST(lower(${text}) = 'true' AS BOOLEAN)` },
  },
  {
    what: "integers as text",
    takes: (text) => /^(0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(Number(text)),
    becomes: { type: "an integer", sql: (text) => `CAST(${text} AS INTEGER)` },
  },
  {
    what: "numbers as text",
    takes: form(/^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/),
    becomes: { type: "a number", sql: (text) => `CAST(${text} AS REAL)` },
  },
  // As long as each part can be: without an end, many dots would be tried in many ways.
  {
    what: "e-mail addresses",
    takes: form(/^[^\s@<>]{1,64}@[^\s@<>]{1,255}\.[^\s@<>]{1,63}$/),
    isPrivate: "contact data",
  },
  { what: "telephone numbers", takes: form(/^\+[0-9][0-9 ()./-]{6,24}$/), isPrivate: "contact data" },
  {
    what: "IP addresses",
    takes: (text) => isIP(text) !== 0,
    isPrivate: "personal data",
  },
  {
    what: "tokens and keys",
    takes: form(
      /^(?:eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$|-----BEGIN [A-Z ]*PRIVATE KEY|(?:sk|rk)_(?:live|test)_|gh[opsu]_|AKIA[0-9A-Z]{16}$)/,
    ),
    isPrivate: "a secret",
  },
  {
    what: "hashes of passwords",
    takes: form(/^(?:pbkdf2_|bcrypt|scrypt|argon2|\$(?:2[abxy]|argon2(?:id?|d)|[156]|scrypt)\$|md5\$|sha1\$)/),
    isPrivate: "a secret",
  },
];

/** Dates whose parts stand elsewhere, as a pattern like `DD.MM.YYYY` says. */
function reordered(pattern: string, type: string): Form {
  const shape = new RegExp(`^${pattern.replace(/[A-Z]/g, "[0-9]").replaceAll(".", "[.]")}$`);
  const parts = ["YYYY", "MM", "DD"].map((part) => ({ at: pattern.indexOf(part), length: part.length }));
  const sorted = (text: string) => parts.map(({ at, length }) => text.slice(at, at + length)).join("-");
  const sql = (text: string) =>
    parts.map(({ at, length }) => `substr(${text}, ${at + 1}, ${length})`).join(" || '-' || ");
  return {
    what: `dates as ${pattern}`,
    takes: (text) => shape.test(text) && isOurDate(sorted(text)),
    becomes: { type, sql },
  };
}

const isOurDate = formatted("date");
const isOurTime = formatted("date-time");
const OFFSET = /(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** Whether a text is a time of ours but for the T or the offset. */
function isTime(text: string): boolean {
  return /^[0-9-]{10}[ T]/.test(text) && isOurTime(text.replace(" ", "T") + (OFFSET.test(text) ? "" : "Z"));
}

const isUri = formatted("uri");

/** With a host: a text with a colon may be anything. In ASCII, as every reader wants a URL. */
function isUrl(text: string): boolean {
  return matches(/^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/i, text) && !/["<>\\^`{|}]/.test(text) && isUri(text);
}

function listOfTexts(text: string): boolean {
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

/** SQL for a UUID from that of its 32 digits. */
export function dashed(text: string): string {
  const parts = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ];
  return parts.map(([at, length]) => `substr(${text}, ${at}, ${length})`).join(" || '-' || ");
}
