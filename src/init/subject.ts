/** What is read of a database: its only table, or the table, view or query that is named. */
import { accessSync, constants, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { quoteName } from "../contract/sql.js";
import { UserError, unreadable, usageError } from "../errors.js";
import { createQueryView, findTable, listTables } from "../source/relation.js";

export interface SurveyOptions {
  /** The SQLite file. */
  from: string;
  table?: string | undefined;
  /** The path of a file with one SELECT. */
  query?: string | undefined;
}

export interface SurveySubject {
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

const PURPOSE = "--from names a SQLite file";

/** @throws UserError for what SQLite would only call "unable to open database file". */
export function requireFile(path: string): void {
  try {
    const stats = statSync(path);
    accessSync(path, constants.R_OK);
    if (stats.isFile() && stats.size > 0) return;
    const what = stats.isDirectory() ? "a folder" : stats.isFile() ? "empty (0 bytes)" : "a device or pipe";
    throw new UserError(`${path} is ${what}; ${PURPOSE}.`);
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(path, PURPOSE, error);
  }
}

/** @throws UserError when there is no such table, or there are several and none is named. */
export function findSubject(db: Database, options: SurveyOptions): SurveySubject {
  const { name, kind, schema, inner } = chooseRelation(db, options);
  const sql = "SELECT name, type, pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1 ORDER BY cid";
  const columns = db.prepare<[string, string], ColumnInfo>(sql).all(inner, schema);
  requireOnce(kind, name, columns);
  const primary = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  return {
    ...{ name, kind, columns, relation: `${schema}.${quoteName(inner)}` },
    primary: primary.map((column) => column.name),
    rowid: kind === "table" ? findRowid(db, name, columns) : undefined,
    unique: kind === "table" ? uniqueColumns(db, name) : [],
  };
}

interface ColumnInfo {
  name: string;
  type: string;
  pk: number;
}

/** SQLite numbers further columns of one name: `id`, `id:1`. */
function requireOnce(kind: string, name: string, columns: readonly ColumnInfo[]): void {
  const names = columns.map((column) => column.name);
  const repeated = names.filter((one) => names.some((other) => other.startsWith(`${one}:`)));
  if (repeated.length === 0) return;
  throw new UserError(
    `The ${kind} ${name} yields ${repeated.join(", ")} more than once; name each column differently, with AS.`,
  );
}

function chooseRelation(db: Database, { from, table, query }: SurveyOptions) {
  if (query !== undefined) {
    if (table !== undefined) throw usageError("A table and a query exclude each other; give one of them.");
    const name = (query.split(/[\\/]/).at(-1) ?? "").replace(/\.[^.]*$/, "");
    return { name, kind: "query", schema: "temp", inner: createQueryView(db, query) } as const;
  }
  const tables = listTables(db);
  if (table === undefined && tables.length > 1)
    throw usageError(`${from} has ${tables.length} tables and views; name one with --table: ${tables.join(", ")}.`);
  const name = findTable(db, from, table ?? tables[0] ?? "");
  const isView = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?").get(name) !== undefined;
  return { name, kind: isView ? "view" : "table", schema: "main", inner: name } as const;
}

/** The name by which a table's row ids can be read, where it has them. */
function findRowid(db: Database, table: string, columns: readonly ColumnInfo[]): string | undefined {
  const sql = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ? AND type = 'table'";
  if (db.prepare(sql).pluck().get(table) !== 0) return undefined;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return ["rowid", "_rowid_", "oid"].find((name) => !names.has(name));
}

function uniqueColumns(db: Database, table: string): string[] {
  const sql = `SELECT min(info.name) FROM pragma_index_list(?, 'main') AS list, pragma_index_info(list.name, 'main') AS info
    WHERE list."unique" AND NOT list.partial GROUP BY list.seq HAVING count(*) = 1 ORDER BY list.seq DESC`;
  return db
    .prepare<[string], string | null>(sql)
    .pluck()
    .all(table)
    .filter((name) => name !== null);
}
