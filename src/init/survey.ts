/** Reads every row of a table, view or query once, and says what is in its columns. */
import { isUtf8 } from "node:buffer";
import { accessSync, constants, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { UserError, unreadable, usageError } from "../errors.js";
import { quoteName } from "../source/columns.js";
import { explainSqlite } from "../source/errors.js";
import { connect } from "../source/file.js";
import { createQueryView, findTable, listTables } from "../source/relation.js";
import { ColumnTally, type RowName } from "./tally.js";

export interface SurveyOptions {
  /** The SQLite file. */
  from: string;
  table?: string | undefined;
  /** The path of a file with one SELECT. */
  query?: string | undefined;
}

export interface Survey {
  /** The table's or view's name as the database writes it, or the beginning of the query's file name. */
  name: string;
  kind: "table" | "view" | "query";
  rows: number;
  columns: ColumnTally[];
  /** The name by which row ids can be read, where there are any. */
  rowid: string | undefined;
  /** The columns of the PRIMARY KEY, in its order. */
  primary: string[];
  /** Columns that a UNIQUE index of their own keeps unique. */
  unique: string[];
  /** The first of some columns that no two rows share. */
  findUnique(columns: readonly string[]): string | undefined;
}

const LOCK_WAIT = 5000;
const PURPOSE = "--from names a SQLite file";

/** Surveys a database, hands it to a step, and closes it. @throws UserError when it cannot be read, or is not one table. */
export async function surveyed<T>(
  options: SurveyOptions,
  signal: AbortSignal | undefined,
  step: (survey: Survey) => T,
): Promise<T> {
  requireFile(options.from);
  let db: Database | undefined;
  try {
    db = connect(options.from, LOCK_WAIT);
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    return step(await survey(db, options, signal));
  } catch (error) {
    throw explainSqlite(options.from, error);
  } finally {
    db?.close();
  }
}

function requireFile(path: string): void {
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

async function survey(db: Database, options: SurveyOptions, signal: AbortSignal | undefined): Promise<Survey> {
  const { name, kind, relation } = chooseRelation(db, options);
  const schema = kind === "query" ? "temp" : "main";
  const inner = kind === "query" ? QUERY_VIEW : name;
  const found = db
    .prepare<[string, string], ColumnInfo>(
      "SELECT name, type, pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1 ORDER BY cid",
    )
    .all(inner, schema);
  const columns = found.map((column) => new ColumnTally(column.name, column.type));
  const rowid = kind === "table" ? findRowid(db, name, found) : undefined;
  const rows = await readRows(db, { relation, columns, rowid, signal });
  const primary = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  return {
    ...{ name, kind, rows, columns, rowid },
    primary: primary.map((column) => column.name),
    unique: kind === "table" ? uniqueColumns(db, name) : [],
    findUnique: (names) => names.find((column) => isUnique(db, relation, column, rows)),
  };
}

interface ColumnInfo {
  name: string;
  type: string;
  pk: number;
}

const QUERY_VIEW = "rollcall_query";

function chooseRelation(db: Database, { from, table, query }: SurveyOptions) {
  if (query !== undefined) {
    const name = (query.split(/[\\/]/).at(-1) ?? "").replace(/\.[^.]*$/, "");
    return { name, kind: "query", relation: `temp.${quoteName(createQueryView(db, query))}` } as const;
  }
  const tables = listTables(db);
  if (table === undefined && tables.length > 1)
    throw usageError(`${from} has ${tables.length} tables and views; name one with --table: ${tables.join(", ")}.`);
  const name = findTable(db, from, table ?? tables[0] ?? "");
  const isView = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?").get(name) !== undefined;
  return { name, kind: isView ? "view" : "table", relation: `main.${quoteName(name)}` } as const;
}

/** The name by which a table's row ids can be read, where it has them. */
function findRowid(db: Database, table: string, columns: readonly ColumnInfo[]): string | undefined {
  const sql = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ? AND type = 'table'";
  if (db.prepare(sql).pluck().get(table) !== 0) return undefined;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return ["rowid", "_rowid_", "oid"].find((name) => !names.has(name));
}

interface Reading {
  relation: string;
  columns: readonly ColumnTally[];
  rowid: string | undefined;
  signal: AbortSignal | undefined;
}

/** Rows between two looks at whether the user wants to stop. */
const AT_ONCE = 10_000;

async function readRows(db: Database, { relation, columns, rowid, signal }: Reading): Promise<number> {
  const id = rowid ?? "0";
  const selected = columns.map(({ column }) => quoteName(column)).join(", ");
  const statement = db.prepare<[], unknown[]>(`SELECT ${id}, ${selected} FROM ${relation}`).raw().safeIntegers();
  let rows = 0;
  for (const row of statement.iterate()) {
    if (++rows % AT_ONCE === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
    const name = () => (rowid === undefined ? `row ${rows}` : `rowid ${row[0]}`);
    for (let at = 0; at < columns.length; at++) columns[at]?.add(row[at + 1], name);
  }
  for (const tally of columns) if (tally.isDoubtful) findUndecodable(db, relation, id, tally);
  return rows;
}

/** Reads the texts of a column as bytes, since decoding puts U+FFFD in the place of what is not text. */
function findUndecodable(db: Database, relation: string, id: string, tally: ColumnTally): void {
  const column = quoteName(tally.column);
  const encoding = String(db.pragma("encoding", { simple: true }));
  const sql = `SELECT ${id}, typeof(${column}), CAST(${column} AS BLOB) FROM ${relation}`;
  let rows = 0;
  for (const [rowid, type, bytes] of db.prepare<[], [number, string, Buffer]>(sql).raw().iterate()) {
    rows++;
    if (type !== "text" || isText(bytes, encoding)) continue;
    if (tally.undecodable++ === 0) tally.firstUndecodable = nameOf(id, rowid, rows);
  }
}

function nameOf(id: string, rowid: number, rows: number): RowName {
  return id === "0" ? `row ${rows}` : `rowid ${rowid}`;
}

function isText(bytes: Buffer, encoding: string): boolean {
  if (encoding === "UTF-8") return isUtf8(bytes);
  try {
    new TextDecoder(encoding.toLowerCase(), { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
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

function isUnique(db: Database, relation: string, column: string, rows: number): boolean {
  return (
    db
      .prepare(`SELECT count(DISTINCT ${quoteName(column)}) FROM ${relation}`)
      .pluck()
      .get() === rows
  );
}
