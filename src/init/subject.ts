/** Types of a survey. In a file of their own, so that the library's types do not need those of SQLite. */
import type { Decision } from "./decide.js";
import type { ColumnTally } from "./tally.js";

export interface SurveyOptions {
  /** The file of records. */
  from: string;
  table?: string | undefined;
  /** The path of a file with one SELECT. */
  query?: string | undefined;
}

/** What is surveyed: a table, a view or a query. */
export interface Subject {
  /** Name of the table or view in the database's spelling, or of the query's file without its extension. */
  name: string;
  kind: "table" | "view" | "query";
  /** The SQL after FROM. */
  relation: string;
  columns: { name: string; type: string }[];
  /** The name of the rowid column, if there is one. */
  rowid: string | undefined;
  /** Columns of the PRIMARY KEY, in its order. */
  primary: string[];
  /** Columns with a UNIQUE index of their own. */
  unique: string[];
}

/** A SELECT, and the key column that it adds. */
export interface MadeQuery {
  sql: string;
  key?: { column: string; why: string } | undefined;
  /** Columns of the table that stay omitted, even if the query converts them. */
  left: readonly Decision[];
  /** Columns that it converts, as they are in the table. */
  converted: readonly Decision[];
}

export interface Survey extends Omit<Subject, "columns"> {
  rows: number;
  columns: ColumnTally[];
  /** Finds the first of these columns whose values are unique. */
  findUnique(columns: readonly string[]): string | undefined;
}
