/** Reads every row of a table, view or query once, and tallies its columns. */
import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { quoteName } from "../contract/sql.js";
import { UserError, usageError } from "../errors.js";
import { makeScratch, removeScratch } from "../scratch/folder.js";
import { connect } from "../source/copy.js";
import { explainSqlite } from "../source/errors.js";
import { createQueryView, createView, findTable, listTables } from "../source/relation.js";
import { requireFile } from "../source/stats.js";
import { importText, isTextFile } from "../source/text-file.js";
import type { MadeQuery, Subject, Survey, SurveyOptions } from "./subject.js";
import { ColumnTally, type RowName } from "./tally.js";

const LOCK_WAIT = 5000;
/** SQLite's limit of 2,000 columns, minus the rowid. */
const MOST_COLUMNS = 1999;

/** Runs a step in one read transaction of a source. @throws UserError if the source cannot be read */
export async function withSource<T>(
  from: string,
  signal: AbortSignal | undefined,
  step: (db: Database) => Promise<T>,
): Promise<T> {
  requireFile(from, "--from names a file of records");
  const scratch = isTextFile(from) ? await makeScratch("init") : undefined;
  let db: Database | undefined;
  try {
    const path = scratch === undefined ? from : join(scratch, "imported.sqlite");
    if (scratch !== undefined) await importText(from, path, undefined, { signal });
    db = connect(path, LOCK_WAIT);
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    return await step(db);
  } catch (error) {
    throw explainSqlite(from, error);
  } finally {
    db?.close();
    if (scratch !== undefined) removeScratch(scratch);
  }
}

/** Finds the table or view with the most rows, and the names of the others. */
export function largestTable(db: Database): { table: string | undefined; others: string[] } {
  const rows = (name: string) =>
    Number(
      db
        .prepare(`SELECT count(*) FROM main.${quoteName(name)}`)
        .pluck()
        .get(),
    );
  const [table, ...others] = listTables(db)
    .map((name) => ({ name, rows: rows(name) }))
    .sort((one, other) => other.rows - one.rows)
    .map(({ name }) => name);
  return { table, others };
}

/** Surveys the named table, view or query, or the only table. @throws UserError if there is none */
export function survey(db: Database, options: SurveyOptions, signal: AbortSignal | undefined): Promise<Survey> {
  return surveyOf(db, findSubject(db, options), signal);
}

/** Surveys the result of a SELECT. */
export function surveyQuery(
  db: Database,
  { name, kind, primary, unique }: Survey,
  { sql }: MadeQuery,
  signal: AbortSignal | undefined,
): Promise<Survey> {
  const relation = `temp.${quoteName(createView(db, sql, name))}`;
  const columns = db
    .prepare<[], ColumnInfo>("SELECT name, type, 0 AS pk FROM pragma_table_xinfo('rollcall_query', 'temp')")
    .all();
  return surveyOf(db, { name, kind, columns, relation, rowid: undefined, primary, unique }, signal);
}

async function surveyOf(db: Database, subject: Subject, signal: AbortSignal | undefined): Promise<Survey> {
  const { relation, kind, name } = subject;
  if (subject.columns.length > MOST_COLUMNS)
    throw new UserError(
      `The ${kind} ${name} has ${subject.columns.length} columns, and at most ${MOST_COLUMNS} can be read. Select some in a query, and pass it with --query FILE.`,
    );
  const columns = subject.columns.map(({ name, type }) => new ColumnTally(name, type));
  const rows = await readRows(db, subject, columns, signal);
  for (const tally of columns) if (tally.needsExactCheck) findUndecodable(db, subject, tally);
  const findUnique = (names: readonly string[]) => names.find((column) => isUnique(db, relation, column, rows));
  return { ...subject, rows, columns, findUnique };
}

/** Rows between two checks of the signal. */
const ROWS_BETWEEN_CHECKS = 10_000;

async function readRows(
  db: Database,
  { relation, rowid }: Subject,
  columns: readonly ColumnTally[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const selected = columns.map(({ column }) => quoteName(column)).join(", ");
  const statement = db
    .prepare<[], unknown[]>(`SELECT ${rowid ?? "0"}, ${selected} FROM ${relation}`)
    .raw()
    .safeIntegers();
  let rows = 0;
  for (const row of statement.iterate()) {
    if (++rows % ROWS_BETWEEN_CHECKS === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
    const name = () => nameOf(rowid, row[0], rows);
    for (let at = 0; at < columns.length; at++) columns[at]?.add(row[at + 1], name);
  }
  return rows;
}

/** Counts texts that are not UTF-8 by their bytes, since decoding replaces them by U+FFFD. */
function findUndecodable(db: Database, { relation, rowid }: Subject, tally: ColumnTally): void {
  const column = quoteName(tally.column);
  const sql = `SELECT ${rowid ?? "0"}, typeof(${column}), CAST(${column} AS BLOB) FROM ${relation}`;
  let rows = 0;
  for (const [id, type, bytes] of db.prepare<[], [number, string, Buffer]>(sql).raw().iterate()) {
    rows++;
    if (type !== "text" || isUtf8(bytes)) continue;
    if (tally.undecodable++ === 0) tally.firstUndecodable = nameOf(rowid, id, rows);
  }
}

function nameOf(rowid: string | undefined, id: unknown, rows: number): RowName {
  return rowid === undefined ? `row ${rows}` : `rowid ${id}`;
}

function isUnique(db: Database, relation: string, column: string, rows: number): boolean {
  const distinct = db.prepare(`SELECT count(DISTINCT ${quoteName(column)}) FROM ${relation}`);
  return distinct.pluck().get() === rows;
}

/** Finds what to survey. @throws UserError if the table does not exist, or several exist and none is named */
function findSubject(db: Database, options: SurveyOptions): Subject {
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

/** Refuses repeated column names, which SQLite numbers: `id`, `id:1`. */
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
    if (table !== undefined) throw usageError("A table and a query exclude each other; remove one.");
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

/** A name that reads the table's rowid, if it has one. */
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
