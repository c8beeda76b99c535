/** A reader of tables that are described by a Data Package. It throws for each cell that does not fit its Table Schema. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";

export interface Package {
  name?: string;
  title?: string;
  description?: string;
  licenses?: unknown;
  resources: Resource[];
}

interface Resource {
  name: string;
  path: string;
  format: string;
  bytes: number;
  hash: string;
  dialect?: { lineTerminator?: string };
  schema: TableSchema;
}

interface TableSchema {
  fields: TableField[];
  missingValues?: readonly string[];
  primaryKey?: readonly string[];
  foreignKeys?: readonly { fields: readonly string[]; reference: { resource?: string; fields: readonly string[] } }[];
}

export interface TableField {
  name: string;
  type: string;
  format?: string;
  missingValues?: readonly string[];
  trueValues?: readonly string[];
  falseValues?: readonly string[];
  constraints?: Readonly<Record<string, unknown>>;
}

/** A row, by the names of the fields. */
export type TableRow = Map<string, unknown>;

/** Reads datapackage.json of a folder, and each row of its tables. @returns the rows of each table, by the name of the resource */
export function readPackage(folder: string): { described: Package; tables: Map<string, TableRow[]> } {
  const described: Package = JSON.parse(readFileSync(join(folder, "datapackage.json"), "utf8"));
  const tables = new Map<string, TableRow[]>();
  for (const resource of described.resources) {
    const bytes = readFileSync(join(folder, resource.path));
    if (bytes.length !== resource.bytes) throw new Error(`${resource.path} has ${bytes.length} bytes`);
    const hash = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    if (hash !== resource.hash) throw new Error(`${resource.path} has the hash ${hash}`);
    if (resource.format === "csv") tables.set(resource.name, readTable(resource, String(gunzipSync(bytes))));
  }
  for (const { name, schema } of described.resources) if (schema) checkKeys(name, schema, tables);
  return { described, tables };
}

/** Reads the rows of a table. */
function readTable({ dialect = {}, schema }: Pick<Resource, "dialect" | "schema">, text: string): TableRow[] {
  const { lineTerminator = "\r\n" } = dialect;
  if (!text.endsWith(lineTerminator)) throw new Error("The last line does not end");
  const [heading = [], ...lines]: string[][] = parse(text, { record_delimiter: lineTerminator });
  const { fields } = schema;
  // Fields are matched by their order, and have the names of the columns.
  if (JSON.stringify(heading) !== JSON.stringify(fields.map(({ name }) => name)))
    throw new Error(`The heading is ${JSON.stringify(heading)}`);
  return lines.map((cells) => new Map(fields.map((field, at) => [field.name, read(field, schema, cells[at] ?? "")])));
}

function read(field: TableField, { missingValues: ofSchema = [""] }: TableSchema, cell: string): unknown {
  const { name, missingValues = ofSchema, constraints = {} } = field;
  const value = missingValues.includes(cell) ? null : TYPES[field.type]?.(cell, field);
  const where = `${name} ${JSON.stringify(cell)}`;
  if (value === undefined) throw new Error(`${where} is not of the type ${field.type} ${field.format ?? ""}`);
  for (const [constraint, wanted] of Object.entries(constraints)) {
    const isMet = CONSTRAINTS[constraint];
    if (!isMet) throw new Error(`${constraint} of ${name} is not a constraint`);
    if (!isMet(value, wanted as never))
      throw new Error(`${where} does not meet ${constraint} ${JSON.stringify(wanted)}`);
  }
  return value;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  default: /^/,
  uuid: /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/,
};

/** The logical value of a cell by type; undefined for a cell that has none. */
const TYPES: Readonly<Record<string, (cell: string, field: TableField) => unknown>> = {
  string: (cell, { format = "default" }) => (FORMATS[format]?.test(cell) ? cell : undefined),
  // Decimals of XML Schema with an exponent. The text writes E for it; all programs take e, too.
  number: (cell) => (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : undefined),
  integer: (cell) => (/^[+-]?\d+$/.test(cell) ? Number(cell) : undefined),
  boolean(cell, { trueValues = ["true", "True", "TRUE", "1"], falseValues = ["false", "False", "FALSE", "0"] }) {
    if (trueValues.includes(cell)) return true;
    return falseValues.includes(cell) ? false : undefined;
  },
  array(cell) {
    const list: unknown = JSON.parse(cell);
    return Array.isArray(list) ? list : undefined;
  },
  date: (cell) => (isDate(cell) ? cell : undefined),
  // That of XML Schema.
  datetime(cell) {
    const [, date = ""] =
      /^(.{10})T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:Z|[+-]\d\d:[0-5]\d)?$/.exec(cell) ?? [];
    return isDate(date) ? cell : undefined;
  },
  any: (cell) => cell,
};

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

type Sized = string | readonly unknown[];
const sizeOf = (value: unknown) => [...(value as Sized)].length;

/** Whether a value meets a constraint. Only `required` is about null. */
const CONSTRAINTS: Readonly<Record<string, (value: unknown, wanted: never) => boolean>> = {
  required: (value, wanted: boolean) => !wanted || value !== null,
  minLength: (value, wanted: number) => value === null || sizeOf(value) >= wanted,
  maxLength: (value, wanted: number) => value === null || sizeOf(value) <= wanted,
  minimum: (value, wanted: number) => value === null || (value as number) >= wanted,
  maximum: (value, wanted: number) => value === null || (value as number) <= wanted,
  exclusiveMinimum: (value, wanted: number) => value === null || (value as number) > wanted,
  exclusiveMaximum: (value, wanted: number) => value === null || (value as number) < wanted,
  // Patterns of XML Schema match whole texts.
  pattern: (value, wanted: string) => value === null || new RegExp(`^(?:${wanted})$`).test(value as string),
  enum: (value, wanted: readonly unknown[]) => value === null || wanted.includes(value),
};

function checkKeys(name: string, { primaryKey, foreignKeys = [] }: TableSchema, tables: Map<string, TableRow[]>): void {
  const rowsOf = (resource: string) => {
    const rows = tables.get(resource);
    if (!rows) throw new Error(`There is no table ${resource}`);
    return rows;
  };
  const keyOf = (row: TableRow, fields: readonly string[]) => JSON.stringify(fields.map((field) => row.get(field)));
  if (primaryKey && new Set(rowsOf(name).map((row) => keyOf(row, primaryKey))).size !== rowsOf(name).length)
    throw new Error(`${name} has two rows of one key`);
  for (const { fields, reference } of foreignKeys) {
    const known = new Set(rowsOf(reference.resource ?? name).map((row) => keyOf(row, reference.fields)));
    const lost = rowsOf(name).find(
      (row) => fields.every((field) => row.get(field) !== null) && !known.has(keyOf(row, fields)),
    );
    if (lost) throw new Error(`${keyOf(lost, fields)} of ${name} leads nowhere`);
  }
}
