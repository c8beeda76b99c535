/** Columns of records.parquet: the type of each field, which depends on the contract alone, and the values that are stored. */
import stringify from "fast-json-stable-stringify";
import type { SchemaElement } from "hyparquet";
import type { Contract, Field } from "../../core/contract/contract.js";
import type { ValueSchema } from "../../core/contract/file/form.js";
import { type ColumnType, columnTypeOf } from "../../core/contract/record/column-type.js";
import { choicesOf, kindsOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";

export interface ParquetColumn {
  field: Field;
  /** One element, or three for a list. */
  schema: readonly SchemaElement[];
  /** Converts a value of the record to the value that is stored: integers and times to bigint, dates to days since 1970. */
  store(value: unknown): unknown;
  /** The text of a stored value, as it was written or read back. Different values have different texts. */
  textOf(stored: unknown): string;
}

/** Makes the columns of a contract, in published order. */
export function parquetColumns({ fields }: Pick<Contract, "fields">): readonly ParquetColumn[] {
  return fields.map((field) => {
    const { path, schema } = field;
    const item = itemTypeOf(schema);
    if (item !== undefined) return listColumn(field, item);
    const type = columnTypeOf(schema);
    const store = STORES[type];
    return {
      field,
      schema: [{ name: path, repetition_type: repetitionOf(schema), ...PHYSICAL[type] }],
      store: (value) => (isNull(value) ? null : store(value)),
      textOf: type === "json" ? jsonText : scalarText,
    };
  });
}

/** The elements of a file's schema: the root, then those of all columns. */
export function parquetSchema(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [{ name: "record", num_children: columns.length }, ...columns.flatMap(({ schema }) => schema)];
}

/** Makes the line of a record: the texts of its stored values. `verify` compares it with the line of a row that was read. */
export function storedLineOf(columns: readonly ParquetColumn[]): (record: unknown) => string {
  return (record) =>
    rowLine(
      columns,
      columns.map(({ field, store }) => store(valueAt(record, field))),
    );
}

/** The line of a row. @param row the stored value of each column */
export function rowLine(columns: readonly ParquetColumn[], row: readonly unknown[]): string {
  return columns.map(({ textOf }, at) => textOf(row[at])).join(",");
}

function listColumn(field: Field, item: ColumnType): ParquetColumn {
  const { path, schema } = field;
  const { items = {} } = schema;
  const store = STORES[item];
  const storeItem = (value: unknown) => (value === null ? null : store(value));
  return {
    field,
    schema: [
      { name: path, repetition_type: repetitionOf(schema), converted_type: "LIST", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: repetitionOf(items), ...PHYSICAL[item] },
    ],
    store: (value) => (isNull(value) ? null : (value as unknown[]).map(storeItem)),
    textOf: (stored) => (isNull(stored) ? "null" : `[${(stored as unknown[]).map(scalarText).join(",")}]`),
  };
}

const PHYSICAL: Record<ColumnType, Pick<SchemaElement, "type" | "converted_type" | "logical_type">> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  // Always 64 bits: the type does not depend on the data.
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE" },
  "date-time": {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    // Without it, DuckDB reads a local time.
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  json: { type: "BYTE_ARRAY", converted_type: "JSON" },
};

const asIs = (value: unknown) => value;

const STORES: Record<ColumnType, (value: unknown) => unknown> = {
  text: asIs,
  integer: (value) => BigInt(value as number),
  number: asIs,
  boolean: asIs,
  date: (value) => Date.parse(value as string) / MILLISECONDS_A_DAY,
  "date-time": (value) => microsecondsOf(value as string),
  json: asIs,
};

const MILLISECONDS_A_DAY = 86_400_000;
const MILLISECONDS_A_MINUTE = 60_000;
/** `2026-01-31T23:59:59`, then a fraction and an offset. */
const DATE_TIME = /^(.{19})(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const WHOLE_SECONDS = "2026-01-31T23:59:59Z".length;

/** The microseconds since 1970 of a `date-time`. Further digits are cut off. */
function microsecondsOf(text: string): bigint {
  if (text.length === WHOLE_SECONDS) return BigInt(Date.parse(text)) * 1000n;
  const [, local = "", fraction = "", sign = "+", hours = "0", minutes = "0"] = DATE_TIME.exec(text) ?? [];
  const offset = (60 * Number(hours) + Number(minutes)) * MILLISECONDS_A_MINUTE;
  const seconds = Date.parse(`${local}Z`) + (sign === "+" ? -offset : offset);
  return BigInt(seconds) * 1000n + BigInt(Number(fraction.slice(0, 6).padEnd(6, "0")));
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function scalarText(stored: unknown): string {
  if (isNull(stored)) return "null";
  return typeof stored === "string" ? JSON.stringify(stored) : String(stored);
}

function jsonText(stored: unknown): string {
  return isNull(stored) ? "null" : stringify(stored);
}

function repetitionOf(schema: ValueSchema): "OPTIONAL" | "REQUIRED" {
  return kindsOf(schema).nullable ? "OPTIONAL" : "REQUIRED";
}

/** The type of the items of a list of scalars; undefined for any other field, also for a list that is stored as JSON. */
function itemTypeOf(schema: ValueSchema): ColumnType | undefined {
  const { kinds } = kindsOf(schema);
  if (kinds.length !== 1 || kinds[0] !== "array" || schema.anyOf || choicesOf(schema) || !schema.items)
    return undefined;
  const type = columnTypeOf(schema.items);
  if (type === "json") return undefined;
  return type === "date" || type === "date-time" ? "text" : type;
}
