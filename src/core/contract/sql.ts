/** Writes names and values as SQL, and a contract as a CREATE TABLE statement of SQLite. */
import { type Contract, type Field, fieldsOf } from "./contract.js";
import { type Kind, kindOf } from "./record/kind.js";

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

/**
 * Makes CREATE TABLE with a column for each field, and CREATE INDEX for the published order.
 * @param name of the table; the contract's word for its records by default.
 * @param index the name of the index.
 */
export function toSql(contract: Contract, name = contract.listing.words[1], index = `${name}_in_order`): string {
  const { file } = contract;
  const table = quoteName(name);
  // Columns keep the order of the file.
  const columns = fieldsOf(file.properties, Object.keys).map(
    (field) => `${comment(field.schema.description, "  ")}  ${columnSql(field, contract)}`,
  );
  const body = columns.join(",\n");
  return `${comment(file.description ?? file.title, "")}CREATE TABLE ${table} (\n${body}\n);\n${indexSql(contract, table, index)}`;
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

function columnSql({ path, column, schema, takesNull }: Field, { key }: Contract): string {
  const isKey = path === key.path ? " PRIMARY KEY" : "";
  return `${quoteName(column)}${TYPES[kindOf(schema)]}${takesNull ? "" : " NOT NULL"}${isKey}`;
}

/** Empty if the key alone is the order, since PRIMARY KEY has an index, or if `x-null` changes values that are sorted by. */
function indexSql({ order }: Contract, table: string, index: string): string {
  if (order.length === 1 && !order[0]?.isDescending) return "";
  if (order.some(({ schema }) => schema["x-null"])) return "";
  const columns = order.map(({ column, isDescending }) => `${quoteName(column)}${isDescending ? " DESC" : ""}`);
  return `CREATE INDEX ${quoteName(index)} ON ${table} (${columns.join(", ")});\n`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}-- ${text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()}\n`;
}
