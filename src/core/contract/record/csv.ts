/** Records as lines of CSV: a row for each record, with a column for each field. */
import stringify from "fast-json-stable-stringify";
import { type Contract, type Field, fieldsOf } from "../contract.js";
import { kindOf } from "./kind.js";
import { valueAt } from "./value.js";

/** The fields of the columns. */
interface Columns {
  fields: readonly Field[];
}

/** A column for each field, in the order of the contract file. */
export function csvColumns({ file }: Pick<Contract, "file">): Columns {
  return { fields: fieldsOf(file.properties, Object.keys) };
}

/** The name of a field's column: its path, such as `position.latitude`. */
export function csvName({ path }: Pick<Field, "path">): string {
  return defused(path);
}

/** The names of all columns. */
export function csvHeading({ fields }: Columns): string {
  return fields.map((field) => quoted(csvName(field))).join(",");
}

/** Makes the line of a record, without its newline. Lines end in LF, which every reader of CSV takes, and awk and MySQL only that. */
export function csvLineOf({ fields }: Columns): (record: unknown) => string {
  const cells = fields.map((field) => ({ field, isJson: kindOf(field.schema) === "json" }));
  return (record) => cells.map(({ field, isJson }) => cellOf(valueAt(record, field), isJson)).join(",");
}

/** Null is an empty cell, and an empty text is `""`, which some readers can tell apart. */
function cellOf(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string" || isJson) return quoted(stringify(value));
  return value === "" ? '""' : quoted(defused(value));
}

/** Spreadsheets run a text that begins with one of these, unless an apostrophe comes first. */
export const FORMULA_MARKS = "-=+@\t\r＝＋－＠";
const FORMULA = new RegExp(`^[${FORMULA_MARKS}]`);

/** Whether a text gets an apostrophe in CSV. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

function defused(text: string): string {
  return isFormula(text) ? `'${text}` : text;
}

/** Some spreadsheets split lines at semicolons or tabs. */
function quoted(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
