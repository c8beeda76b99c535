/** SQL that makes the text of a page's records, so that rows need not become JavaScript values one by one. */
import type { Contract, Field } from "../contract/contract.js";
import { compileCondition } from "../contract/file/conditions.js";
import type { FieldSchema, ValueSchema } from "../contract/file/form.js";
import { RECORD_SEPARATOR } from "../contract/page.js";
import { isWithoutEscapes } from "../contract/record/byte-pattern.js";
import { type Kind, kindOf, kindsOf } from "../contract/record/kind.js";
import { acceptorOf } from "../contract/record/schema.js";
import { lowerCase, quoteText } from "../contract/sql.js";
import { conditionSql } from "./candidates.js";
import { copyColumn, publishedSql } from "./published.js";

// Values of known forms are quoted without escaping. For any row, this text is the canonical text of its record, or
// `recordPattern` does not match it, or the check below is not 1.

/** A record as alternating literals and SQL, beginning with a literal. */
type Parts = string[];

/** Makes the SQL for the text of a value. */
type Writer = (sql: string, schema: ValueSchema) => Parts;

const orNull = (sql: string, schema: ValueSchema) => (kindsOf(schema).nullable ? `coalesce(${sql}, 'null')` : sql);
const plain: Writer = (sql, schema) => ["", orNull(sql, schema), ""];

const WRITERS: Record<Kind, Writer> = {
  string: (sql, schema) => {
    if (!isWithoutEscapes(schema)) return ["", `json_quote(${sql})`, ""];
    return kindsOf(schema).nullable ? ["", `coalesce('"' || ${sql} || '"', 'null')`, ""] : ['"', sql, '"'];
  },
  integer: plain,
  number: (sql, schema) => plain(numberText(sql), schema),
  boolean: (sql, schema) => {
    const { const: known } = schema;
    if (typeof known === "boolean")
      return ["", `CASE concat(${sql}) WHEN '${known ? 1 : 0}' THEN '${known}' ELSE '' END`, ""];
    const nothing = kindsOf(schema).nullable ? ` WHEN '' THEN 'null'` : "";
    return ["", `CASE concat(${sql}) WHEN '0' THEN 'false' WHEN '1' THEN 'true'${nothing} ELSE '' END`, ""];
  },
  // Removes the spaces that other programs put after commas. Items of these kinds cannot contain this text.
  array: (sql, schema) => {
    const { items = {} } = schema;
    const isText = kindOf(items) === "string";
    if (isText && !isWithoutEscapes(items)) return plain(sql, schema);
    if (isText) return plain(`replace(${sql}, '", "', '","')`, schema);
    const isOfNumbers = ["integer", "number"].includes(kindOf(items));
    return plain(isOfNumbers ? `replace(${sql}, ', ', ',')` : sql, schema);
  },
  object: plain,
  json: (sql) => ["", `coalesce(${sql}, 'null')`, ""],
  mixed: (sql, schema) => {
    const quoted = `json_quote(${sql})`;
    if (!kindsOf(schema).kinds.includes("number")) return ["", quoted, ""];
    return ["", `CASE typeof(${sql}) WHEN 'real' THEN ${numberText(sql)} ELSE ${quoted} END`, ""];
  },
};

/**
 * SQL for the text of a number; an empty text for a REAL that 15 digits do not give back. If they do, no shorter text does, since
 * no two decimals of 15 digits are one REAL. JSON has whole numbers without a point.
 */
function numberText(sql: string): string {
  const text = `format('%!.15g', ${sql})`;
  return `CASE WHEN ${sql} = CAST(${sql} AS INTEGER) THEN CAST(${sql} AS INTEGER) WHEN CAST(${text} AS REAL) = ${sql} THEN ${text} WHEN ${sql} IS NOT NULL THEN '' END`;
}

/** The parts of an object. */
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

/** The schema that most values of a field fit, so that simpler SQL makes their text. Others go to the exact check. */
function observed(schema: FieldSchema): ValueSchema {
  return { ...schema, ...schema["x-observed"] };
}

/** Appends parts, and joins the last literal with the first new one. */
function append(parts: Parts, [first = "", ...others]: Parts): void {
  parts.push((parts.pop() ?? "") + first, ...others);
}

/** Maximum arguments of a function, well below SQLite's limit. */
const MOST_ARGUMENTS = 100;

/** SQL that joins all parts. */
function concatenated(parts: Parts): string {
  const all = parts.flatMap((part, at) => (at % 2 === 0 ? (part === "" ? [] : [quoteText(part)]) : [part]));
  const some: string[] = [];
  for (let at = 0; at < all.length; at += MOST_ARGUMENTS)
    some.push(`concat(${all.slice(at, at + MOST_ARGUMENTS).join(", ")})`);
  return some.length === 1 ? (some[0] ?? "") : `concat(${some.join(", ")})`;
}

/**
 * SQL that is 1 if everything that the text does not show is valid: integers are not text (which SQLite sorts after them), text
 * is neither a number nor a BLOB (sorted before and after it), the key is not an empty text, and every named condition is true.
 */
function checkSql({ fields, conditions, key }: Contract): string {
  const numbers = fields.filter(({ schema }) => ["integer", "number", "boolean"].includes(kindOf(schema)));
  const texts = fields.filter(({ schema }) => ["string", "array", "json", "mixed"].includes(kindOf(schema)));
  const mayBeNumbers = texts.filter(({ schema }) => !isQuoted(schema));
  const checks = [
    ...inGroups(numbers, (columns) => `max(0, ${columns}) < ''`, "0"),
    ...inGroups(texts, (columns) => `max('', ${columns}) < x''`, "''"),
    ...inGroups(mayBeNumbers, (columns) => `min('', ${columns}) = ''`, "''"),
    ...(acceptorOf(key.schema)("") ? [`${copyColumn(key.column)} <> ''`] : []),
    ...conditions.map(({ sql }) => conditionCheck(sql, fields)),
  ];
  return checks.length === 0 ? "1" : checks.join("\n  AND ");
}

/**
 * SQL of a condition. One over integers that are never NULL does not depend on declared types, and is true or false, so it
 * needs no wrapping, which would cost time for every row.
 */
function conditionCheck(sql: string, fields: readonly Field[]): string {
  const named = new Set<string>();
  const bare = compileCondition(sql, (column) => {
    named.add(lowerCase(column));
    return copyColumn(column);
  });
  const isOfNumbers = fields
    .filter(({ column }) => named.has(lowerCase(column)))
    .every(({ schema }) => kindOf(schema) === "integer" && !kindsOf(schema).nullable && !schema["x-null"]);
  return isOfNumbers && !/'|\bcollate\b/i.test(sql) ? bare : `${conditionSql(sql)} IS TRUE`;
}

/** Whether `json_quote` writes a value: it shows numbers as numbers, but reads some BLOBs as JSON. */
function isQuoted(schema: FieldSchema): boolean {
  const kind = kindOf(schema);
  return kind === "mixed" || (kind === "string" && !isWithoutEscapes(observed(schema)));
}

function inGroups(fields: readonly Field[], check: (columns: string) => string, forNull: string): string[] {
  const columns = fields.map(({ column, takesNull }) => {
    return takesNull ? `coalesce(${copyColumn(column)}, ${forNull})` : copyColumn(column);
  });
  const groups: string[] = [];
  for (let at = 0; at < columns.length; at += MOST_ARGUMENTS)
    groups.push(check(columns.slice(at, at + MOST_ARGUMENTS).join(", ")));
  return groups;
}

/** SQL for one row: all records of a page as bytes, whether the check is true for all of them, and their number. */
export function pageTextSql(contract: Contract, rows: string): string {
  const record = concatenated(objectParts(contract, contract.file.properties, ""));
  return `SELECT CAST(group_concat(record, '${RECORD_SEPARATOR}') AS BLOB) AS records, min(checked) AS checked, count(*) AS rows
    FROM (SELECT ${record} AS record, ${checkSql(contract)} AS checked ${rows})`;
}
