/** Forms of texts: some are types of contracts, others can be converted by SQL, and some are private. */
import { isIP } from "node:net";
import type { ValueSchema } from "../core/contract/file/form.js";
import { whyNotExactJson } from "../core/contract/json.js";
import { hasFormat, matches } from "../core/contract/record/keywords.js";
import { quoteText } from "../core/contract/sql.js";
import { isExactInteger, MOST_DIGITS, placesOf } from "../core/source/cells.js";
import { APOSTROPHES, type Mark, SPACES } from "../core/source/decimals.js";
import { readJson } from "../core/source/json-text.js";

/** How `init --convert` converts texts of a form to a type of contracts. */
export interface Conversion {
  /** The result, in messages: `a date`. */
  readonly what: string;
  readonly schema: ValueSchema;
  /** SQL that converts an SQL expression. A text of another form stays, or becomes one that the contract refuses. */
  readonly sql: (text: string) => string;
}

export interface Form {
  /** Name in messages: `UUIDs`. */
  readonly what: string;
  readonly accepts: (text: string) => boolean;
  /** The field's schema, if contracts have a type for this form. */
  readonly schema?: ValueSchema;
  readonly becomes?: Conversion;
  /** The decimal mark of numbers; undefined for any other form, and for whole numbers that show none. */
  readonly decimal?: Mark;
  /** Why texts of this form seem to be private: `contact data`. */
  readonly isPrivate?: string;
}

const DATE: ValueSchema = { type: "string", format: "date" };
const DATE_TIME: ValueSchema = { type: "string", format: "date-time" };

/** A mark between groups of three digits. A space and an apostrophe stand for all of their kind. */
type Group = Mark | " " | "'";

const GROUPS: Readonly<Record<Group, string>> = { ",": ",", ".": ".", " ": SPACES, "'": APOSTROPHES };

/** In order: the first form that matches every text of a column is used. */
export const FORMS: readonly Form[] = [
  publishable("UUIDs", { type: "string", format: "uuid" }),
  publishable("dates", DATE),
  publishable("times with an offset", DATE_TIME),
  publishable("URLs", { type: "string", format: "uri" }, isUrl),
  publishable("lists of texts in JSON", { type: "array", items: { type: "string" } }, isListOfTexts),
  publishable("lists and objects in JSON", { "x-json": true }, isExactJson),
  convertible("UUIDs without dashes", /^[0-9a-f]{32}$/i, {
    what: "a UUID",
    schema: { type: "string", format: "uuid" },
    sql: (text) =>
      `CASE WHEN length(${text}) = 32 AND ${text} NOT GLOB '*[^0-9A-Fa-f]*' THEN ${dashed(text)} ELSE ${text} END`,
  }),
  convertible("times without an offset", (text) => isTime(text) && !OFFSET.test(text), {
    what: "a date-time, if they are UTC",
    schema: DATE_TIME,
    sql: (text) =>
      `CASE WHEN ${text} GLOB '${globOf("YYYY-MM-DD[ T]HH:MM:SS")}*' AND substr(${text}, 20) NOT GLOB '*[^.0-9]*' THEN ${withT(text)} || 'Z' ELSE ${text} END`,
  }),
  convertible(
    "times with a space, or an offset without a colon",
    (text) => isTime(completed(text)) && OFFSET.test(completed(text)),
    {
      what: "a date-time",
      schema: DATE_TIME,
      sql: (text) =>
        `CASE WHEN ${text} GLOB '${globOf("YYYY-MM-DD[ T]HH:MM:SS")}*' THEN ${completedSql(text)} ELSE ${text} END`,
    },
  ),
  convertible(
    "times without seconds",
    (text) => /^[0-9-]{10}[ T][0-9]{2}:[0-9]{2}$/.test(text) && isTime(`${text}:00`),
    {
      what: "a date-time, if they are UTC",
      schema: DATE_TIME,
      sql: (text) =>
        `CASE WHEN ${text} GLOB '${globOf("YYYY-MM-DD[ T]HH:MM")}' THEN ${withT(text)} || ':00Z' ELSE ${text} END`,
    },
  ),
  reordered("YYYY/MM/DD", "a date"),
  reordered("DD.MM.YYYY", "a date"),
  reordered("DD/MM/YYYY", "a date, if the day is first"),
  reordered("MM/DD/YYYY", "a date, if the month is first"),
  convertible("true and false as text", /^(true|false)$/i, {
    what: "a boolean",
    schema: { type: "boolean" },
    sql: (text) => `CASE lower(${text}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE ${text} END`,
  }),
  convertible("integers as text", isExactInteger, {
    what: "an integer",
    schema: { type: "integer" },
    sql: (text) => whereNumber(text, text, "INTEGER"),
  }),
  {
    ...convertible("numbers as text", isNumber, {
      what: "a number",
      schema: { type: "number" },
      sql: (text) => whereNumber(text, text, "REAL"),
    }),
    decimal: ".",
  },
  groupedIntegers("integers with commas", ",", "."),
  groupedIntegers("integers with points", ".", ","),
  groupedIntegers("integers with spaces", " ", undefined),
  groupedIntegers("integers with apostrophes", "'", undefined),
  groupedNumbers("numbers with commas", ",", "."),
  groupedNumbers("numbers with a decimal comma", ".", ","),
  groupedNumbers("numbers with spaces", " ", "."),
  groupedNumbers("numbers with spaces and a decimal comma", " ", ","),
  groupedNumbers("numbers with apostrophes", "'", "."),
  groupedNumbers("numbers with apostrophes and a decimal comma", "'", ","),
  sensitive("telephone numbers", /^\+[0-9][0-9 ()./-]{6,24}$/, "contact data"),
  sensitive("IBANs of bank accounts", isIban, "personal data"),
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
function convertible(what: string, check: Check, becomes: Conversion): Form {
  return { what, accepts: asFunction(check), becomes };
}

/** A form whose columns seem to be private. */
function sensitive(what: string, check: Check, isPrivate: string): Form {
  return { what, accepts: asFunction(check), isPrivate };
}

/** A form of dates with parts in another order, such as `DD.MM.YYYY`. */
function reordered(pattern: string, what: string): Form {
  const glob = globOf(pattern);
  const shape = new RegExp(`^${glob.replaceAll(".", "[.]")}$`);
  const parts = ["YYYY", "MM", "DD"].map((part): Part => [pattern.indexOf(part), part.length]);
  const reorder = (text: string) => parts.map(([at, length]) => text.slice(at, at + length)).join("-");
  const accepts = (text: string) => shape.test(text) && hasFormat("date", reorder(text));
  const sql = (text: string) => `CASE WHEN ${text} GLOB '${glob}' THEN ${partsSql(text, parts)} ELSE ${text} END`;
  return convertible(`dates as ${pattern}`, accepts, { what, schema: DATE, sql });
}

/** The pattern of GLOB for digits at the letters of a time: `[0-9][0-9]:[0-9][0-9]` for `HH:MM`. */
function globOf(pattern: string): string {
  return pattern.replace(/[DHMSY]/g, "[0-9]");
}

/** SQL that puts T between date and time. */
function withT(text: string): string {
  return `substr(${text}, 1, 10) || 'T' || substr(${text}, 12)`;
}

/** A form of whole numbers in groups. @param decimal the decimal mark that goes with such groups */
function groupedIntegers(what: string, group: Group, decimal: Mark | undefined): Form {
  const becomes = { what: "an integer", schema: { type: "integer" } } as const;
  const sql = (text: string) => groupedSql(text, group, decimal ?? ".", "INTEGER");
  const accepts = groupedCheck(group, "", isExactInteger);
  return { ...convertible(what, accepts, { ...becomes, sql }), ...(decimal && { decimal }) };
}

/** A form of numbers with a decimal mark, perhaps in groups. */
function groupedNumbers(what: string, group: Group, decimal: Mark): Form {
  const becomes = { what: "a number", schema: { type: "number" } } as const;
  const sql = (text: string) => groupedSql(text, group, decimal, "REAL");
  const accepts = groupedCheck(group, `(?:[${decimal}][0-9]{1,15})?`, isNumber);
  return { ...convertible(what, accepts, { ...becomes, sql }), decimal };
}

/** Makes the check of a form. @param isExact whether a number without groups, with a decimal point, is exact */
function groupedCheck(group: Group, decimals: string, isExact: (plain: string) => boolean): (text: string) => boolean {
  const groups = new RegExp(`[${GROUPS[group]}]`, "g");
  const shape = new RegExp(`^-?(?:[0-9]{1,3}(?:[${GROUPS[group]}][0-9]{3}){1,5}|[0-9]{1,16})${decimals}$`);
  return (text) => shape.test(text) && isExact(text.replace(groups, "").replace(",", "."));
}

/** SQL that converts a number in groups. With a decimal comma, a REAL was read with a decimal point, and becomes a text. */
function groupedSql(given: string, group: Group, point: Mark, type: "INTEGER" | "REAL"): string {
  const others = [...GROUPS[group]].filter((other) => other !== group);
  const text = others.reduce(
    (sql, other) => `replace(${sql}, char(${other.codePointAt(0)}), ${quoteText(group)})`,
    given,
  );
  const mark = quoteText(group);
  const number = `replace(replace(${text}, ${mark}, ''), '${point}', '.')`;
  const whole = `replace(printf('%,d', CAST(${number} AS INTEGER)), ',', ${mark})`;
  const fraction = `replace(substr(${number}, instr(${number} || '.', '.')), '.', '${point}')`;
  const isGrouped = `(instr(${text}, ${mark}) = 0 OR ${text} = ${whole} || ${fraction})`;
  if (point === ".") return whereNumber(given, number, type, isGrouped);
  const hasNoPoint = group === "." ? [] : [`instr(${text}, '.') = 0`];
  return whereNumber(given, number, type, [`typeof(${given}) <> 'real'`, ...hasNoPoint, isGrouped].join(" AND "));
}

/** SQL that casts a number that is written back as the same text; any other text stays. @param also another condition */
function whereNumber(text: string, number: string, type: "INTEGER" | "REAL", also?: string): string {
  const value = `CAST(${number} AS ${type})`;
  const places = `max(0, length(${number}) - instr(${number} || '.', '.'))`;
  const digits = `length(ltrim(replace(ltrim(${number}, '-'), '.', ''), '0'))`;
  const isSame =
    type === "INTEGER"
      ? `CAST(${value} AS TEXT) = ${number}`
      : `${digits} <= ${MOST_DIGITS} AND printf('%.*f', ${places}, ${value}) = ${number}`;
  if (also === undefined) return `CASE WHEN ${isSame} THEN ${value} ELSE ${text} END`;
  return `CASE WHEN ${also} AND ${isSame} THEN ${value} ELSE CAST(${text} AS TEXT) END`;
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

/** Completes an offset of hours, as PostgreSQL writes it, or one without a colon: `+02`, `+0200`. */
function completed(time: string): string {
  return time.replace(/([+-][0-9]{2})([0-9]{2})?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
}

/** SQL that completes the offset of a time, and puts T before it. */
function completedSql(text: string): string {
  const ends = (pattern: string, length: number) => `substr(${text}, -${length}) GLOB '[-+]${globOf(pattern)}'`;
  return `CASE
    WHEN ${ends("HH", 3)} THEN ${withT(text)} || ':00'
    WHEN ${ends("HHMM", 5)} THEN substr(${withT(text)}, 1, length(${text}) - 2) || ':' || substr(${text}, -2)
    ELSE ${withT(text)} END`;
}

/** Whether a text is a date-time, possibly with a space instead of T, or without an offset. */
function isTime(text: string): boolean {
  if (!/^[0-9-]{10}[ T]/.test(text)) return false;
  return hasFormat("date-time", text.replace(" ", "T") + (OFFSET.test(text) ? "" : "Z"));
}

/** Whether a decimal is written back as the same text. */
function isNumber(text: string): boolean {
  return placesOf(text) !== -1;
}

/** Whether a text is an IBAN with its check digits (ISO 13616), perhaps with spaces. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(" ", "");
  if (!/^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$/.test(plain)) return false;
  const digits = [...plain.slice(4), ...plain.slice(0, 4)].map((one) => Number.parseInt(one, 36)).join("");
  return BigInt(digits) % 97n === 1n;
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

/** Whether a text is a JSON list or object that every parser holds exactly. */
export function isExactJson(text: string): boolean {
  return parsed(text) !== undefined;
}

/** Whether there is an e-mail address anywhere in a text, as in `Ada <ada@example.com>` or a list in JSON. */
export function hasEmailAddress(text: string): boolean {
  return text.includes("@") && EMAIL_ADDRESS.test(text);
}

// Bounded repetitions, since unbounded ones would backtrack on texts with many dots.
const EMAIL_ADDRESS = /[\p{L}\p{N}_.+%-]@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/u;

/** Parses a JSON list or object that every parser holds exactly; otherwise undefined. */
function parsed(text: string): unknown {
  if (!beginsAsJson(text)) return undefined;
  const read = readJson(text);
  return "value" in read && whyNotExactJson(read.value) === undefined ? read.value : undefined;
}
