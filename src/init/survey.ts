/** Reads every row of a table, view or query once, and says what is in its columns. */
import { setImmediate } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { textCheck } from "../source/candidates.js";
import { connect } from "../source/copy.js";
import { explainSqlite } from "../source/errors.js";
import { findSubject, requireFile, type SurveyOptions, type SurveySubject } from "./subject.js";
import { ColumnTally, type RowName } from "./tally.js";

export interface Survey extends Omit<SurveySubject, "columns"> {
  rows: number;
  columns: ColumnTally[];
  /** The first of some columns that no two rows share. */
  findUnique(columns: readonly string[]): string | undefined;
}

const LOCK_WAIT = 5000;
/** A result of SQLite has at most 2,000 columns, of which one is the rowid. */
const MOST_COLUMNS = 1999;

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

async function survey(db: Database, options: SurveyOptions, signal: AbortSignal | undefined): Promise<Survey> {
  const subject = findSubject(db, options);
  const { relation, kind, name } = subject;
  if (subject.columns.length > MOST_COLUMNS)
    throw new UserError(
      `The ${kind} ${name} has ${subject.columns.length} columns, and at most ${MOST_COLUMNS} can be read. Choose some in a query, and give it with --query FILE.`,
    );
  const columns = subject.columns.map(({ name, type }) => new ColumnTally(name, type));
  const rows = await readRows(db, { relation, columns, rowid: subject.rowid, signal });
  const findUnique = (names: readonly string[]) => names.find((column) => isUnique(db, relation, column, rows));
  return { ...subject, rows, columns, findUnique };
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
  const selected = columns.map(({ column }) => quoteName(column)).join(", ");
  const statement = db
    .prepare<[], unknown[]>(`SELECT ${rowid ?? "0"}, ${selected} FROM ${relation}`)
    .raw()
    .safeIntegers();
  let rows = 0;
  for (const row of statement.iterate()) {
    if (++rows % AT_ONCE === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
    const name = () => nameOf(rowid, row[0], rows);
    for (let at = 0; at < columns.length; at++) columns[at]?.add(row[at + 1], name);
  }
  for (const tally of columns) if (tally.isDoubtful) findUndecodable(db, { relation, rowid }, tally);
  return rows;
}

/** Reads the texts of a column as bytes, since decoding puts U+FFFD in the place of what is not text. */
function findUndecodable(
  db: Database,
  { relation, rowid }: Pick<Reading, "relation" | "rowid">,
  tally: ColumnTally,
): void {
  const column = quoteName(tally.column);
  const isText = textCheck(db);
  const sql = `SELECT ${rowid ?? "0"}, typeof(${column}), CAST(${column} AS BLOB) FROM ${relation}`;
  let rows = 0;
  for (const [id, type, bytes] of db.prepare<[], [number, string, Buffer]>(sql).raw().iterate()) {
    rows++;
    if (type !== "text" || isText(bytes)) continue;
    if (tally.undecodable++ === 0) tally.firstUndecodable = nameOf(rowid, id, rows);
  }
}

function nameOf(rowid: string | undefined, id: unknown, rows: number): RowName {
  return rowid === undefined ? `row ${rows}` : `rowid ${id}`;
}

function isUnique(db: Database, relation: string, column: string, rows: number): boolean {
  return (
    db
      .prepare(`SELECT count(DISTINCT ${quoteName(column)}) FROM ${relation}`)
      .pluck()
      .get() === rows
  );
}
