/** What is said of a column, and what is done with it. */
import type { FieldSchema } from "../contract/file/form.js";

export interface Decision {
  column: string;
  /** Undefined for a column that is left out. */
  schema?: FieldSchema;
  /** In a word: `uuid`, `text`, `a secret`. */
  what: string;
  /** The reason, as a part of a sentence. */
  why: string;
  /** What a column would be if it were meant to be public. */
  instead?: FieldSchema;
  /** What a query can make of the column: `a date-time`, and the SQL. */
  better?: { what: string; sql: string };
}

/** A column, with the name that its field has, or would have if it were published. */
export interface Proposed extends Decision {
  field: string;
}
