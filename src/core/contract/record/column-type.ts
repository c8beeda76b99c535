/** The type of a column that holds the values of a field, which depends on the contract alone. */
import type { ValueSchema } from "../file/form.js";
import { choicesOf, kindsOf } from "./kind.js";

/** The type of a column, or of the items of a list. */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "date" | "date-time" | "json";

/** The type that holds all values of a schema; json for several kinds of values, and for lists. */
export function columnTypeOf(schema: ValueSchema): ColumnType {
  if (schema.anyOf && schema.type === undefined) {
    const options = schema.anyOf.filter((option) => kindsOf(option).kinds.length > 0);
    return commonType(new Set(options.map(columnTypeOf)));
  }
  const { kinds } = kindsOf(schema);
  const [kind, ...others] = kinds;
  if (kind === undefined || others.length > 0) return "json";
  if (kind === "string") return textTypeOf(schema);
  if (kind === "integer") return areExact(choicesOf(schema) ?? []) ? "integer" : "number";
  return kind === "number" || kind === "boolean" ? kind : "json";
}

function textTypeOf(schema: ValueSchema): ColumnType {
  const { format } = schema;
  return choicesOf(schema) === undefined && (format === "date" || format === "date-time") ? format : "text";
}

/** The type that holds the values of several types. */
function commonType(types: ReadonlySet<ColumnType>): ColumnType {
  const [first = "json", ...others] = types;
  if (others.length === 0) return first;
  if (isWithin(types, ["text", "date", "date-time"])) return "text";
  return isWithin(types, ["integer", "number"]) ? "number" : "json";
}

function isWithin(types: ReadonlySet<ColumnType>, allowed: readonly ColumnType[]): boolean {
  return [...types].every((type) => allowed.includes(type));
}

/** Whether choices are integers that 64 bits hold, unlike 1e300. */
function areExact(choices: readonly unknown[]): boolean {
  return choices.every((value) => value === null || Number.isSafeInteger(value));
}
