/** Reads every row of a table, view, query or text file once, and tallies its columns. */
import { basename, extname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { quoteName } from "../core/contract/sql.js";
import { UserError, usageError } from "../core/errors.js";
import { makeScratch, removeScratch } from "../core/scratch/folder.js";
import { STDIN } from "../core/settings/kinds.js";
import { findInvalidText } from "../core/source/candidates.js";
import { connect } from "../core/source/copy.js";
import { explainReading } from "../core/source/errors.js";
import { chooseTable, freeRowid, openRelation, requireOnce } from "../core/source/relation.js";
import { requireFile } from "../core/source/stats.js";
import { type ImportAs, type Imported, importTexts, LINE } from "../core/source/text-file.js";
import { findTextFiles, type TextFiles } from "../core/source/text-files.js";
import { nameOfSource } from "../core/source/text-format.js";
import type { SqlValue } from "../core/source/values.js";
import { createTurns } from "../core/workers/turns.js";
import type { Conversion } from "./forms.js";
import type { Subject, SurveyOptions } from "./subject.js";
import { ColumnTally, type RowName, type Survey } from "./tally.js";

const LOCK_WAIT = 5000;
/** SQLite's limit of 2,000 columns, minus the rowid. */
const MOST_COLUMNS = 1999;

/** A source that is open in one read transaction. */
export interface OpenSource {
  db: Database;
  /** The text files that were imported; undefined for a SQLite file. */
  texts?: ImportedTexts | undefined;
}

interface ImportedTexts extends Pick<TextFiles, "left" | "isSeveral"> {
  /** The tables of values as they are written. */
  tables: readonly Imported[];
}

/** Runs a step with an open source. @throws UserError if the source cannot be read */
export async function withSource<T>(
  options: SurveyOptions,
  signal: AbortSignal | undefined,
  step: (source: OpenSource) => Promise<T>,
): Promise<T> {
  const { from, query } = options;
  const found = findTextFiles(from, options);
  if (found?.isSeveral !== true && from !== STDIN) requireFile(String(from));
  const scratch = found && (await makeScratch("init"));
  let db: Database | undefined;
  try {
    let texts: ImportedTexts | undefined;
    let path = String(from);
    if (found !== undefined && scratch !== undefined) {
      path = join(scratch, "imported.sqlite");
      const as: ImportAs = query === undefined ? "written" : { queriedFor: undefined };
      const find = () => planFor(findTextFiles(from, options) ?? found, as);
      const { plan, tables } = await importTexts(nameOfSource(from), find, path, { signal });
      texts = { ...plan.found, tables };
    }
    db = connect(path, LOCK_WAIT);
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    return await step({ db, texts });
  } catch (error) {
    throw explainReading(nameOfSource(from), error);
  } finally {
    db?.close();
    if (scratch !== undefined) removeScratch(scratch);
  }
}

function planFor(found: TextFiles, as: ImportAs) {
  return { found, imports: found.files.map((file) => ({ file, table: file.table, as })) };
}

/** Surveys the text file, or the named table, view or query, or the only table. @throws UserError if there is none */
export async function survey(
  source: OpenSource,
  options: SurveyOptions,
  signal: AbortSignal | undefined,
): Promise<Survey> {
  const { db, texts } = source;
  const subject = texts && options.query === undefined ? fileSubject(texts, options) : findSubject(db, options);
  const { kind, name, relation, origin } = subject;
  if (subject.columns.length > MOST_COLUMNS)
    throw new UserError(
      `The ${kind} ${name} has ${subject.columns.length} columns, and at most ${MOST_COLUMNS} can be read. Select some in a query, and pass it with --query FILE.`,
    );
  if (options.null !== undefined && origin !== "cells")
    throw usageError(
      "--null is for the cells of CSV and TSV; SQLite and NDJSON have null of their own, so leave it out.",
    );
  const marks = new Set(options.null);
  const columns = subject.columns.map((column) => new ColumnTally(column, origin, marks));
  const rows = await readRows(db, subject, columns, signal);
  const columnSql = new Map(subject.columns.map((column) => [column.name, column.sql]));
  // By bytes, as a build compares: a program may have a collation that SQLite does not know here.
  const sqlOf = (column: string) => `${columnSql.get(column) ?? quoteName(column)} COLLATE BINARY`;
  const converting = (column: string, { sql }: Conversion) => {
    // Members are JSON here, but a build's query reads their values.
    const value = origin === "members" ? `(${sqlOf(column)} ->> '$')` : sqlOf(column);
    return [value, sql(value)];
  };
  // JSON may write a text in several ways. Numbers stay as they are written: SQLite would round long ones.
  const givenSql = (column: string) => {
    const sql = sqlOf(column);
    return origin === "members" ? `CASE WHEN ${sql} GLOB '"*' THEN ${sql} ->> '$' ELSE ${sql} END` : sql;
  };
  return {
    ...subject,
    rows,
    columns,
    sqlOf: givenSql,
    countDifferent(names) {
      const values = names.map(givenSql);
      const present = values.map((sql) => `${sql} IS NOT NULL`).join(" AND ");
      const sql = `SELECT count(*) FROM (SELECT DISTINCT ${values.join(", ")} FROM ${relation} WHERE ${present})`;
      return db.prepare<[], number>(sql).pluck().get() ?? 0;
    },
    sample(names, most) {
      if (names.length === 0) return [];
      const sql = `SELECT ${names.map(givenSql).join(", ")} FROM ${relation} LIMIT ${most}`;
      return db.prepare<[], unknown[]>(sql).raw().safeIntegers().all();
    },
    findChanged(column, conversion) {
      const [value, converted] = converting(column, conversion);
      const sql = `SELECT ${value}, ${converted} FROM ${relation} WHERE +${value} IS NOT +(${converted})
        ORDER BY CAST(${converted} AS TEXT) IS +${value} LIMIT 1`;
      return db.prepare<[], [unknown, unknown]>(sql).raw().get();
    },
    findMerged(column, conversion) {
      const [value, converted] = converting(column, conversion);
      const sql = `SELECT min(${value}), max(${value}) FROM ${relation} GROUP BY ${converted} HAVING min(${value}) <> max(${value})`;
      return db.prepare<[], [string, string]>(`${sql} LIMIT 1`).raw().get();
    },
  };
}

/** Rows between two checks of the signal. */
const ROWS_BETWEEN_TURNS = 10_000;

async function readRows(
  db: Database,
  { relation, place, columns: selected }: Subject,
  columns: readonly ColumnTally[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const names = [place?.sql ?? "0", ...selected.map(({ sql }) => sql)];
  const invalidText = findInvalidText(db, names, `FROM ${relation}`);
  const statement = db
    .prepare<[], SqlValue[]>(`SELECT ${names.join(", ")} FROM ${relation}`)
    .raw()
    .safeIntegers();
  const turn = createTurns(ROWS_BETWEEN_TURNS, signal);
  let rows = 0;
  try {
    for (const row of statement.iterate()) {
      rows++;
      const wait = turn();
      if (wait) await wait;
      invalidText.mark(row);
      const name = () => nameOf(place, row[0], rows);
      for (let at = 0; at < columns.length; at++) columns[at]?.add(row[at + 1], name);
    }
  } finally {
    invalidText.close();
  }
  return rows;
}

function nameOf(place: Subject["place"], number: unknown, rows: number): RowName {
  return place === undefined ? `row ${rows}` : `${place.what} ${number}`;
}

/** The subject of a text file that was imported as it is written: the only one, or that of the named table. */
function fileSubject({ tables, isSeveral }: ImportedTexts, { from, table: named }: SurveyOptions): Subject {
  if (named !== undefined && !isSeveral)
    throw usageError("--table is for several tables; a text file alone is one table.");
  const names = tables.map(({ table }) => table);
  const table = chooseTable(names, nameOfSource(from), { table: named });
  const { columns, format, separator, note, notes } = tables.find((one) => one.table === table) as Imported;
  return {
    name: table,
    kind: "file",
    origin: format === "ndjson" ? "members" : "cells",
    relation: `main.${quoteName(table)}`,
    columns: columns.map(({ name, column, isUnnamed }) => ({ name, type: "", sql: quoteName(column), isUnnamed })),
    rowid: freeRowid(columns.map(({ name }) => name)),
    place: { sql: LINE, what: "line" },
    primary: [],
    unique: [],
    separator,
    note,
    notes,
  };
}

/** Finds what to survey. @throws UserError if the table does not exist */
function findSubject(db: Database, { from, table, query }: SurveyOptions): Subject {
  const { name, kind, sql, columns: all, isStored, hasRowid } = openRelation(db, nameOfSource(from), { table, query });
  const columns = all.filter(({ hidden }) => hidden !== 1);
  const shownName = query === undefined ? name : basename(query, extname(query));
  const names = columns.map((column) => column.name);
  if (!isStored) requireOnce(`The ${kind} ${shownName}`, names);
  const rowid = hasRowid ? freeRowid(names) : undefined;
  const primary = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  return {
    name: shownName,
    kind,
    origin: "database",
    relation: sql,
    columns: columns.map(({ name, type, sql }) => ({ name, type, sql })),
    rowid,
    place: rowid === undefined ? undefined : { sql: rowid, what: "rowid" },
    primary: primary.map((column) => column.name),
    unique: isStored ? uniqueColumns(db, name) : [],
  };
}

function uniqueColumns(db: Database, table: string): string[][] {
  const sql = `SELECT list.seq, info.name FROM pragma_index_list(?, 'main') AS list, pragma_index_info(list.name, 'main') AS info
    WHERE list."unique" AND NOT list.partial ORDER BY list.seq DESC, info.seqno`;
  const indexes = new Map<number, (string | null)[]>();
  for (const { seq, name } of db.prepare<[string], { seq: number; name: string | null }>(sql).all(table))
    indexes.set(seq, [...(indexes.get(seq) ?? []), name]);
  // An expression in an index has no name.
  return [...indexes.values()].filter((names): names is string[] => names.every((name) => name !== null));
}
