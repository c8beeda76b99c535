/** The Table Schema of records.csv.gz: the type of each column, and what its cells keep to. It depends on contracts alone. */
import type { Contract, Field } from "../../core/contract/contract.js";
import type { ValueSchema } from "../../core/contract/file/form.js";
import { canBeginWith, portablePattern } from "../../core/contract/file/portable-pattern.js";
import { type ColumnType, columnTypeOf } from "../../core/contract/record/column-type.js";
import { csvColumns, csvName, FORMULA_MARKS, isFormula } from "../../core/contract/record/csv.js";
import { choicesOf, kindOf, kindsOf } from "../../core/contract/record/kind.js";

/** A JSON object, as it is written. Members that are undefined are left out. */
export interface Described {
  readonly [name: string]: unknown;
}

/** A column whose values are keys of a resource. */
export interface ForeignKey {
  field: Field;
  /** The key that it refers to. */
  key: Field;
  /** The name of the resource; undefined for a column of its own resource. */
  resource: string | undefined;
}

/** A type of Table Schema. Lists are arrays, whatever the type of their items. */
type TableType = Exclude<ColumnType, "text" | "date-time" | "json"> | "string" | "datetime" | "array" | "any";

export function tableSchema(contract: Contract, foreignKeys: readonly ForeignKey[]): Described {
  const { key } = contract;
  return {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    fields: csvColumns(contract).fields.map(described),
    missingValues: [""],
    // With an apostrophe, two keys can become one.
    primaryKey: isKept(key.schema) ? [csvName(key)] : undefined,
    foreignKeys: foreignKeys.length === 0 ? undefined : foreignKeys.map(reference),
  };
}

function reference({ field, key, resource }: ForeignKey): Described {
  return { fields: [csvName(field)], reference: { resource, fields: [csvName(key)] } };
}

function described(field: Field): Described {
  const { schema } = field;
  const type = tableTypeOf(schema);
  const { nullable } = kindsOf(schema);
  const constraints = { required: nullable ? undefined : true, ...constraintsOf(schema, type) };
  return {
    name: csvName(field),
    type,
    format: type === "string" ? formatOf(schema) : undefined,
    title: schema.title,
    description: schema.description,
    // An empty cell of a column without nulls is an empty text.
    missingValues: !nullable && (type === "string" || type === "any") ? [] : undefined,
    ...(type === "boolean" && { trueValues: ["true"], falseValues: ["false"] }),
    constraints: Object.values(constraints).every((value) => value === undefined) ? undefined : constraints,
  };
}

function tableTypeOf(schema: ValueSchema): TableType {
  if (kindOf(schema) === "array") return "array";
  const type = columnTypeOf(schema);
  switch (type) {
    case "text":
      return "string";
    case "date-time":
      return "datetime";
    case "json":
      return "any";
    default:
      return type;
  }
}

function formatOf({ format, anyOf }: ValueSchema): "uri" | "uuid" | undefined {
  return anyOf === undefined && (format === "uri" || format === "uuid") ? format : undefined;
}

function constraintsOf(schema: ValueSchema, type: TableType): Described {
  const { minItems, maxItems } = schema;
  switch (type) {
    case "string":
      return isKept(schema) ? textConstraints(schema) : {};
    case "integer":
    case "number":
      return numberConstraints(schema, type);
    case "boolean":
      return { enum: choices(schema) };
    case "array":
      return { minLength: minItems, maxLength: maxItems };
    default:
      return {};
  }
}

function textConstraints(schema: ValueSchema): Described {
  const { minLength, maxLength, pattern } = schema;
  return {
    minLength,
    maxLength,
    pattern: pattern === undefined ? undefined : portablePattern(pattern),
    enum: choices(schema),
  };
}

function numberConstraints(schema: ValueSchema, type: "integer" | "number"): Described {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  // The bound of an integer must be one.
  const bound = (value: number | undefined) => (type === "number" || Number.isInteger(value) ? value : undefined);
  return {
    minimum: bound(minimum),
    maximum: bound(maximum),
    exclusiveMinimum: bound(exclusiveMinimum),
    exclusiveMaximum: bound(exclusiveMaximum),
    enum: choices(schema),
  };
}

/** The values of `const` or `enum` without null; undefined for a schema with neither, or with null alone. */
function choices(schema: ValueSchema): readonly unknown[] | undefined {
  const values = choicesOf(schema)?.filter((value) => value !== null) ?? [];
  return values.length > 0 ? values : undefined;
}

/** Whether no text of a schema gets an apostrophe in CSV. No format has such texts. */
function isKept(schema: ValueSchema): boolean {
  const { format, pattern, anyOf } = schema;
  if (kindsOf(schema).kinds.every((kind) => kind !== "string")) return true;
  const values = choicesOf(schema);
  if (values) return values.every((value) => typeof value !== "string" || !isFormula(value));
  if (format !== undefined || (pattern !== undefined && !canBeginWith(pattern, FORMULA_MARKS))) return true;
  return anyOf?.every(isKept) ?? false;
}
