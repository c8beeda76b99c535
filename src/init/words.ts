/** Pieces of the lines that say what was found, and of the SQL that they show. */

import { quoteName, quoteText } from "../contract/sql.js";
import { number } from "../print/numbers.js";
import type { Example } from "./tally.js";

const SHOWN = 40;

/** `3 of 1,204` */
export function of(count: number, rows: number): string {
  return count === rows ? `all ${number(rows)}` : `${number(count)} of ${number(rows)}`;
}

/** `"n/a" in rowid 17` */
export function example(found: Example | undefined): string {
  if (!found) return "none";
  const { value, row } = found;
  if (Buffer.isBuffer(value)) return `x'${value.toString("hex", 0, 8)}' in ${row}`;
  if (typeof value !== "string") return `${value} in ${row}`;
  return `${JSON.stringify(value.length > SHOWN ? `${value.slice(0, SHOWN - 1)}…` : value)} in ${row}`;
}

/** `nullif("born", '')` */
export function nullif(column: string, values: readonly string[]): string {
  return values.reduce((inner, value) => `nullif(${inner}, ${quoteText(value)})`, quoteName(column));
}

/** An expression as a query's column. */
export function sqlFor(expression: string, column: string): string {
  return expression === quoteName(column) ? expression : `${expression} AS ${quoteName(column)}`;
}
