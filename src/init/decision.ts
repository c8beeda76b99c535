/** What is said of a column, what is done with it, and what they all make. */
import type { ContractFile, FieldSchema } from "../contract/file/form.js";

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

/** It stands here since the library's types must not lead to better-sqlite3's, which its users do not install. */
export interface Proposal {
  contract: ContractFile;
  columns: Proposed[];
  /** The field that names a record, and why. */
  key: { field: string; why: string };
}
