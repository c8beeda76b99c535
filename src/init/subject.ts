/** Types of a survey. In a file of their own, so that the library's types do not need those of SQLite. */
import type { OptionsFor } from "../core/settings/settings.js";
import type { SourcePath } from "../core/source/text-format.js";

/** Where values come from: a SQLite file, cells of CSV or TSV, which have no types, or members of NDJSON. */
export type ValueOrigin = "database" | "cells" | "members";

export interface SubjectColumn {
  name: string;
  /** The declared type; empty in a text file. */
  type: string;
  /** The SQL that yields its values. */
  sql: string;
  /** Whether the file has no name for it. */
  isUnnamed?: boolean | undefined;
}

/** The settings of `init --from`. */
export interface SurveyOptions extends OptionsFor<"init"> {
  /** The file of records, a folder or a list of them, or `-` for standard input. */
  from: SourcePath;
}

/** What is surveyed: a table, a view, a query, or the records of a text file. */
export interface Subject {
  /** Name of the table or view in the database's spelling, or of the file of a query or of records, without its extension. */
  name: string;
  kind: "table" | "view" | "query" | "file";
  origin: ValueOrigin;
  /** The SQL after FROM. */
  relation: string;
  columns: SubjectColumn[];
  /** The name by which SQLite gives the row's number, if there is one. */
  rowid: string | undefined;
  /** SQL for the number of a row in messages, and what it is: `rowid`, `line`. Undefined if only rows can be counted. */
  place: { sql: string; what: string } | undefined;
  /** Columns of the PRIMARY KEY, in its order. */
  primary: string[];
  /** The columns of each UNIQUE index. */
  unique: string[][];
  /** The separator of a text file's cells. */
  separator?: string | undefined;
  /** What a user should know about how a text file was read. */
  note?: string | undefined;
  /** Sentences on which rows of a text file were left out. */
  notes?: readonly string[] | undefined;
}
