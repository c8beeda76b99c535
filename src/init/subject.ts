/** What a survey finds in a table. It stands alone, so that the library's types need none of SQLite's. */
import type { Decision } from "./decide.js";
import type { ColumnTally } from "./tally.js";

export interface SurveyOptions {
  /** The file of records. */
  from: string;
  table?: string | undefined;
  /** The path of a file with one SELECT. */
  query?: string | undefined;
}

/** What is read: the only table of a database, or the table, view or query that is named. */
export interface Subject {
  /** The table's or view's name as the database writes it, or the beginning of the query's file name. */
  name: string;
  kind: "table" | "view" | "query";
  /** What stands behind FROM. */
  relation: string;
  columns: { name: string; type: string }[];
  /** The name by which row ids can be read, where there are any. */
  rowid: string | undefined;
  /** The columns of the PRIMARY KEY, in its order. */
  primary: string[];
  /** Columns that a UNIQUE index of their own keeps unique. */
  unique: string[];
}

/** A SELECT, and the column that it adds as a key. */
export interface MadeQuery {
  sql: string;
  key?: { column: string; why: string } | undefined;
  /** Columns of the table that were left out. They still are, whatever the query makes of them. */
  left: readonly Decision[];
}

export interface Survey extends Omit<Subject, "columns"> {
  rows: number;
  columns: ColumnTally[];
  /** The first of some columns that no two rows share. */
  findUnique(columns: readonly string[]): string | undefined;
}
