/** SQL that writes the text of a page's records, so that rows need not become JavaScript values one by one. */
import type { Contract, Field } from "../contract/contract.js";
import { compileCondition } from "../contract/file/conditions.js";
import type { FieldSchema, ValueSchema } from "../contract/file/form.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { isNeverNumber, isWithoutEscapes } from "../contract/record/byte-pattern.js";
import { isNullable, type Kind, kindOf, takesNull } from "../contract/record/kind.js";
import { quoteName, quoteText } from "../contract/sql.js";
import { conditionSql } from "./candidates.js";
import { publishedSql } from "./published.js";

// Values of known forms stand in quotes without any escaping. Whatever a row holds, this text is the canonical text of its
// record, or `recordPattern` does not match it, or the check below is not 1.

/** A record as literals and SQL in turn: all literals are the same in every record. */
type Parts = string[];

/** How a value becomes text. */
type Writer = (sql: string, schema: ValueSchema) => Parts;

const orNull = (sql: string, schema: ValueSchema) => (isNullable(schema) ? `coalesce(${sql}, 'null')` : sql);
const plain: Writer = (sql, schema) => ["", orNull(sql, schema), ""];

const WRITERS: Record<Kind, Writer> = {
  string: (sql, schema) => {
    if (!isWithoutEscapes(schema)) return ["", `json_quote(${sql})`, ""];
    return isNullable(schema) ? ["", `coalesce('"' || ${sql} || '"', 'null')`, ""] : ['"', sql, '"'];
  },
  integer: plain,
  // SQLite writes a REAL with 15 digits, which may read back as another number: the schema's own check takes those.
  number: (sql, schema) => plain(`CASE typeof(${sql}) WHEN 'real' THEN '' ELSE ${sql} END`, schema),
  boolean: (sql, schema) => {
    const { const: known } = schema;
    if (typeof known === "boolean")
      return ["", `CASE concat(${sql}) WHEN '${known ? 1 : 0}' THEN '${known}' ELSE '' END`, ""];
    const nothing = isNullable(schema) ? ` WHEN '' THEN 'null'` : "";
    return ["", `CASE concat(${sql}) WHEN '0' THEN 'false' WHEN '1' THEN 'true'${nothing} ELSE '' END`, ""];
  },
  // Other programs put a space behind commas. Where items are known, this text stands only between two of them.
  array: (sql, schema) => {
    const { items = {} } = schema;
    const isText = kindOf(items) === "string";
    if (isText && !isWithoutEscapes(items)) return plain(sql, schema);
    const [from, to] = isText ? [`", "`, `","`] : [", ", ","];
    return plain(isText || kindOf(items) === "integer" ? `replace(${sql}, '${from}', '${to}')` : sql, schema);
  },
  object: plain,
  json: (sql) => ["", `coalesce(${sql}, 'null')`, ""],
  mixed: (sql) => ["", `json_quote(${sql})`, ""],
};

/** The members of an object, whose fields are found by their paths. */
function objectParts(contract: Contract, properties: { readonly [name: string]: FieldSchema }, above: string): Parts {
  const parts: Parts = ["{"];
  const names = Object.keys(properties).sort();
  for (const [at, name] of names.entries()) {
    const schema = properties[name] ?? {};
    const path = above === "" ? name : `${above}.${name}`;
    const field = contract.fields.find((other) => other.path === path);
    append(parts, [`${at === 0 ? "" : ","}${JSON.stringify(name)}:`]);
    if (schema.properties) append(parts, objectParts(contract, schema.properties, path));
    else if (field) append(parts, WRITERS[kindOf(schema)](publishedSql(contract, field), observed(schema)));
  }
  append(parts, ["}"]);
  return parts;
}

/** What most values of a field are, so that their text can be written more simply. All others are left to the schema. */
function observed(schema: FieldSchema): ValueSchema {
  return { ...schema, ...schema["x-observed"] };
}

/** Joins the last literal of one list and the first of the other. */
function append(parts: Parts, [first = "", ...others]: Parts): void {
  parts.push((parts.pop() ?? "") + first, ...others);
}

/** Far fewer arguments than SQLite allows for a function. */
const MOST_ARGUMENTS = 100;

/** SQL of all parts as one text. Each argument costs time for every row, so literals are joined before. */
function concatenated(parts: Parts): string {
  const all = parts.flatMap((part, at) => (at % 2 === 0 ? (part === "" ? [] : [quoteText(part)]) : [part]));
  const some: string[] = [];
  for (let at = 0; at < all.length; at += MOST_ARGUMENTS)
    some.push(`concat(${all.slice(at, at + MOST_ARGUMENTS).join(", ")})`);
  return some.length === 1 ? (some[0] ?? "") : `concat(${some.join(", ")})`;
}

/**
 * 1 when what the text does not show is right: integers are no text (which SQLite sorts behind), text is neither a number
 * nor a BLOB (which it sorts before and behind), and every named condition is true.
 */
function checkSql({ fields, conditions }: Contract): string {
  const numbers = fields.filter(({ schema }) => ["integer", "number", "boolean"].includes(kindOf(schema)));
  const texts = fields.filter(({ schema }) => ["string", "array", "json", "mixed"].includes(kindOf(schema)));
  const mayBeNumbers = texts.filter(({ schema }) => !isQuoted(schema) && !isNeverNumber(observed(schema)));
  const checks = [
    ...inGroups(numbers, (columns) => `max(0, ${columns}) < ''`, "0"),
    ...inGroups(texts, (columns) => `max('', ${columns}) < x''`, "''"),
    ...inGroups(mayBeNumbers, (columns) => `min('', ${columns}) = ''`, "''"),
    ...conditions.map(({ sql }) => conditionCheck(sql, fields)),
  ];
  return checks.length === 0 ? "1" : checks.join("\n  AND ");
}

/**
 * A condition over numbers that are always there means the same with the types that the source declares, and is true or
 * false. Leaving out what other conditions need saves time for every row.
 */
function conditionCheck(sql: string, fields: readonly Field[]): string {
  const named = new Set<string>();
  const bare = compileCondition(sql, (column) => {
    named.add(column.toLowerCase());
    return quoteName(column);
  });
  const isOfNumbers = fields
    .filter(({ column }) => named.has(column.toLowerCase()))
    .every(({ schema }) => kindOf(schema) === "integer" && !isNullable(schema) && !schema["x-null"]);
  return isOfNumbers && !/'|\bcollate\b/i.test(sql) ? bare : `${conditionSql(sql)} IS TRUE`;
}

/** Whether a value is written by `json_quote`, which shows numbers as such, but reads some BLOBs as JSON. */
function isQuoted(schema: FieldSchema): boolean {
  const kind = kindOf(schema);
  return kind === "mixed" || (kind === "string" && !isWithoutEscapes(observed(schema)));
}

function inGroups(fields: readonly Field[], check: (columns: string) => string, forNull: string): string[] {
  const columns = fields.map(({ column, schema }) => {
    return takesNull(schema) ? `coalesce(${quoteName(column)}, ${forNull})` : quoteName(column);
  });
  const groups: string[] = [];
  for (let at = 0; at < columns.length; at += MOST_ARGUMENTS)
    groups.push(check(columns.slice(at, at + MOST_ARGUMENTS).join(", ")));
  return groups;
}

/** SQL for one row: all records of a page as bytes, whether the check holds for all of them, and how many there are. */
export function pageTextSql(contract: Contract, rows: string): string {
  const record = concatenated(objectParts(contract, contract.file.properties, ""));
  return `SELECT CAST(group_concat(record, '${RECORD_SEPARATOR}') AS BLOB) AS records, min(checked) AS checked, count(*) AS rows
    FROM (SELECT ${record} AS record, ${checkSql(contract)} AS checked ${rows})`;
}
