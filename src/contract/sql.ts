/** Writes names and values as SQL, and a contract as a CREATE TABLE statement of SQLite. */
import { type Contract, type Field, membersOf } from "./contract.js";
import type { ValueSchema } from "./file/form.js";
import { choicesOf, type Kind, kindOf, takesNull } from "./record/kind.js";

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL. */
export function quoteText(text: string): string {
  // SQLite ends a string literal at a NUL.
  if (text.includes("\0")) return `CAST(x'${Buffer.from(text).toString("hex")}' AS TEXT)`;
  return `'${text.replaceAll("'", "''")}'`;
}

/** Writes a constant of a contract as an SQL literal: booleans as 0 or 1, lists and objects as JSON. */
export function quoteValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  return quoteText(typeof value === "string" ? value : JSON.stringify(value));
}

/** Lower-cases a column name as SQLite compares names: ASCII letters only. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Makes CREATE TABLE with a column for each field, and CREATE INDEX for the published order. */
export function toSql(contract: Contract): string {
  return tableSql(contract, true);
}

/** Like `toSql`, without CHECK constraints: for records that are known to be valid. */
export function toUncheckedSql(contract: Contract): string {
  return tableSql(contract, false);
}

function tableSql(contract: Contract, isChecked: boolean): string {
  const { file, fields, listing } = contract;
  const table = quoteName(listing.words[1]);
  // Columns keep the order of the file.
  const members = [...membersOf(file.properties, Object.keys)];
  const inFileOrder = members.flatMap(({ path }) => fields.filter((field) => field.path === path));
  const columns = inFileOrder.map((field, at) => {
    const comma = at < fields.length - 1 ? "," : "";
    return `${comment(field.schema.description, "  ")}  ${columnSql(field, contract, isChecked)}${comma}\n`;
  });
  return `${comment(file.description ?? file.title, "")}CREATE TABLE ${table} (\n${columns.join("")});\n${indexSql(contract, table)}`;
}

/** Columns of mixed values have no type, so that SQLite does not convert them. */
const TYPES: Readonly<Record<Kind, string>> = {
  string: " TEXT",
  integer: " INTEGER",
  number: " REAL",
  boolean: " INTEGER",
  array: " TEXT",
  object: " TEXT",
  json: " TEXT",
  mixed: "",
};

function columnSql({ path, column, schema }: Field, { key }: Contract, isChecked: boolean): string {
  const name = quoteName(column);
  const mayBeNull = takesNull(schema);
  const isKey = path === key.path ? " PRIMARY KEY" : "";
  const checks = isChecked ? checksOf(schema, name, mayBeNull) : [];
  const check = checks.length > 0 ? ` CHECK (${checks.join(" AND ")})` : "";
  return `${name}${TYPES[kindOf(schema)]}${mayBeNull ? "" : " NOT NULL"}${isKey}${check}`;
}

/** CHECK conditions of a value. Patterns and most formats have none. A condition on NULL is NULL, so NULL passes. */
function checksOf(schema: ValueSchema, name: string, mayBeNull: boolean): string[] {
  const kind = kindOf(schema);
  if (kind === "json") return [`json_valid(${name})`];
  if (kind === "array")
    return [
      `json_valid(${name})`,
      `json_type(${name}) = 'array'`,
      ...rangeOf(`json_array_length(${name})`, schema.minItems, schema.maxItems),
    ];
  const choices = (choicesOf(schema) ?? []).filter((value) => value !== null);
  if (choices.length > 0) return [`${name} IN (${choices.map(quoteValue).join(", ")})`];
  if (kind === "boolean") return [`${name} IN (0, 1)`];
  if (kind === "integer" || kind === "number") {
    const stored = kind === "integer" ? "integer" : "real";
    const isStored = mayBeNull ? `IN ('null', '${stored}')` : `= '${stored}'`;
    return [`typeof(${name}) ${isStored}`, ...boundsOf(schema, name)];
  }
  if (kind !== "string") return [];
  const date = schema.format === "date" ? [`${name} = date(${name})`] : [];
  return [...date, ...rangeOf(`length(${name})`, schema.minLength, schema.maxLength)];
}

function rangeOf(what: string, least?: number, most?: number): string[] {
  if (least !== undefined && most !== undefined) return [`${what} BETWEEN ${least} AND ${most}`];
  if (most !== undefined) return [`${what} <= ${most}`];
  return least === undefined || least === 0 ? [] : [`${what} >= ${least}`];
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema, name: string): string[] {
  const above = exclusiveMinimum === undefined ? [] : [`${name} > ${exclusiveMinimum}`];
  const below = exclusiveMaximum === undefined ? [] : [`${name} < ${exclusiveMaximum}`];
  const range = minimum === 0 && maximum === undefined ? [`${name} >= 0`] : rangeOf(name, minimum, maximum);
  return [...range, ...above, ...below];
}

/** Empty if the key alone is the order, since PRIMARY KEY has an index, or if `x-null` changes values that are sorted by. */
function indexSql({ order, listing }: Contract, table: string): string {
  if (order.length === 1 && !order[0]?.isDescending) return "";
  if (order.some(({ schema }) => schema["x-null"])) return "";
  const columns = order.map(({ column, isDescending }) => `${quoteName(column)}${isDescending ? " DESC" : ""}`);
  return `CREATE INDEX ${quoteName(`${listing.words[1]}_in_order`)} ON ${table} (${columns.join(", ")});\n`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}-- ${text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()}\n`;
}
