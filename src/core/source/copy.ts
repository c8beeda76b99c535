/** Copies the rows of a source, unchanged, and their published order into a private SQLite file. */
import { type BigIntStats, closeSync, openSync, readSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { kindOf } from "../contract/record/kind.js";
import { acceptorOf } from "../contract/record/schema.js";
import { referencesOf } from "../contract/references.js";
import { lowerCase, quoteName } from "../contract/sql.js";
import { codeOf, UserError } from "../errors.js";
import { shellWord } from "../print/text.js";
import { memoryLimit } from "../settings/memory.js";
import { changedWhileRead, explainReading, type ReadContext } from "./errors.js";
import { type Offered, offeredBy } from "./offered.js";
import { type ColumnSql, copyColumn, publishedParameters, publishedSql } from "./published.js";
import { contextOf, findRelation, freeRowid, type Relation, type RelationOptions } from "./relation.js";
import { isNearlyInOrder } from "./sampled.js";
import { isSameFile, isUnwritten, requireFile } from "./stats.js";
import { nameOfSource } from "./text-format.js";

/** Consecutive rows in published order: how many come before them, and how many they are. */
export interface RowRange {
  before: number;
  rows: number;
}

export interface CopyOptions extends RelationOptions {
  defaultAvatar?: string | undefined;
  /** Which rows to copy, given the number of all; all by default. */
  rowsOf?: ((count: number) => RowRange) | undefined;
  /** The column with the line on which a row ends in the text file that it was made from. */
  lineColumn?: string | undefined;
  /** Called while a text file is read, with the bytes so far and all its bytes. */
  onRead?: ((bytes: number, total: number) => void) | undefined;
}

export interface Copied {
  /** Rows of the source. */
  count: number;
  /** Rows before those that were copied. */
  before: number;
  /** What rows depend on in addition to the file's bytes; undefined for a view or a query, which may read the clock or other files. */
  version: string | undefined;
  /** The `stat` of the source's file when it was read. */
  stats: BigIntStats;
  /** What the copy's place column holds; undefined if it is NULL. */
  place: Place | undefined;
  offered: Offered;
}

/** How messages name a row: by its line in a text file, or by its rowid in a SQLite table. */
export type Place = "line" | "row";

/** The tables of one listing in the copy's file, which several listings may share. */
export interface CopyTables {
  /** The rows as the source has them. */
  records: string;
  /** A view of the rows: in columns of strings, an INTEGER that readers of JSON would round is its digits. */
  exact: string;
  /** The published order: the number of the row at each position, from 1. */
  order: string;
  /** The numbers of rows whose key another row has, too. */
  repeated: string;
  /** The numbers of rows with a reference to no row, each with the number of its field among the contract's references. */
  lost: string;
}

/** @param listing its number, from 0. */
export function copyTables(listing: number): CopyTables {
  return {
    records: `records_${listing}`,
    exact: `exact_${listing}`,
    order: `order_${listing}`,
    repeated: `repeated_${listing}`,
    lost: `lost_${listing}`,
  };
}

/** The copy's column with the row number, from 1. */
export const NUMBER = "number";
/** The copy's column with the place of a row in the source. */
export const PLACE = "place";
/** The column of the order with a position in published order, from 1. */
export const POSITION = "position";
/** The column of the order with the number of the row at a position. */
export const ROW = "row";

/** Milliseconds to wait for another process's lock. */
const LOCK_WAIT = 5000;
/** Maximum attempts to copy a file that changes meanwhile, or looks damaged. */
const MOST_ATTEMPTS = 3;
/** Milliseconds between two attempts. */
const PAUSE = 300;
/** Milliseconds since the last write to a file that may be unfinished. */
const JUST_NOW = 2000;
/** Share of the memory that the source's file may have, if pages are to read rows out of order. */
const MEMORY_SHARE = 0.25;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/**
 * Opens a read-only connection.
 * @param wait milliseconds to wait for another process's lock
 * @throws UserError if the file stores text in UTF-16; SqliteError if its last page is cut, and SQLite's own errors
 */
export function connect(path: string, wait: number): Database.Database {
  const db = new Database(resolve(path), { readonly: true, fileMustExist: true, timeout: wait });
  try {
    const isUtf8 = db.pragma("encoding", { simple: true }) === "UTF-8";
    // SQLite reads zeros, which may be valid records, where the last page is cut.
    if (statSync(path).size % Number(db.pragma("page_size", { simple: true })) !== 0)
      throw new Database.SqliteError("its last page is cut", "SQLITE_CORRUPT");
    if (isUtf8) return db;
    throw new UserError(
      `${path} stores text in UTF-16; convert it with "sqlite3 ${shellWord(path)} .dump | sqlite3 new.db", then use new.db.`,
    );
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The columns of the source that a contract names, each once: several fields may have the same column. */
function namedColumns({ fields }: Contract): string[] {
  const byName = new Map(fields.map(({ column }) => [lowerCase(column), column]));
  return [...byName.values()];
}

/** The columns of the copy, quoted. The first is the place of the row. */
function copiedColumns(contract: Contract): string[] {
  return [PLACE, ...namedColumns(contract).map(copyColumn)];
}

/**
 * Copies the rows of some listings from one file, as of one point in time. The source is never written to, and closed
 * afterwards.
 * @param listings by name. @param to the path of the private copy. Each listing has its `copyTables` there.
 * @returns one result for each listing.
 * @throws UserError if the file, a table or a column cannot be read, or the file changes during each attempt
 */
export function copySource(path: string, listings: ReadonlyMap<string, CopyOptions>, to: string): Copied[] {
  const file = fileOf(path, listings);
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MOST_ATTEMPTS;
    try {
      const copied = tryCopy(path, listings, to);
      if (copied) return copied;
      if (isLast) throw changedWhileRead(file, attempt);
    } catch (error) {
      if (isLast || !isUnfinished(path, error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
}

/** The name of the source's file in messages. */
function fileOf(path: string, listings: ReadonlyMap<string, CopyOptions>): string {
  const [first] = listings.values();
  return first ? nameOfSource(first.db) : path;
}

/** Whether an error may come from a file that another program is still writing, which may look damaged or empty. */
function isUnfinished(path: string, error: unknown): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!(error instanceof UserError) || !found?.isFile() || Date.now() - found.mtimeMs > JUST_NOW) return false;
  return found.size === 0 || DAMAGED.test(codeOf(error.cause) ?? "");
}

/** Makes one attempt. @returns undefined if the file was replaced or overwritten meanwhile. */
function tryCopy(path: string, listings: ReadonlyMap<string, CopyOptions>, to: string): Copied[] | undefined {
  const stats = requireFile(path);
  const statNow = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  let holder: Database.Database | undefined;
  let copier: Database.Database | undefined;
  /** What is being read. */
  let context: ReadContext | undefined;
  const reading = (name: string, options: CopyOptions) => {
    context = contextOf(name, options);
  };
  // Empties the file of an earlier attempt.
  writeFileSync(to, "");
  try {
    requireOwnLog(path);
    // While a read-only connection holds its lock, no other one recovers the file or moves its log.
    holder = connect(path, LOCK_WAIT);
    holder.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    const held = statNow();
    copier = attach(path, to);
    copier.exec("BEGIN; SELECT 1 FROM main.sqlite_schema");
    const begun = statNow();
    // SQLite does not say which file it has opened.
    if (!held || !begun || !isSameFile(held, stats) || !isSameFile(begun, stats)) return undefined;
    const mayMoveLog = logSize(path) > 0;
    const db = copier;
    const isSmall = Number(held.size) < MEMORY_SHARE * memoryLimit();
    const found = new Map<string, Found>();
    for (const [name, options] of listings) {
      reading(name, options);
      found.set(name, rowsFrom(db, options, name, isSmall));
    }
    const copied = [...listings].map(([name, options], at) => {
      reading(name, options);
      const source = found.get(name) as Found;
      const { version, place, offered } = source;
      return { ...copyRows(db, source, options, copyTables(at)), version, place, offered, stats: held };
    });
    for (const [at, [name, options]] of [...listings].entries()) {
      reading(name, options);
      markLost(db, options, copyTables(at), (to) => {
        const target = listings.get(to);
        const from = found.get(to);
        return target && from && keysSql(target.contract, from.exact);
      });
    }
    context = undefined;
    const now = statNow();
    // SQLite's writers wait for this transaction, or move the frames that it sees from the log to the file.
    const isReplaced = now === undefined || !isSameFile(now, held);
    if (!isReplaced && !mayMoveLog && !isUnwritten(now, held)) return undefined;
    copier.exec("COMMIT");
    return copied;
  } catch (error) {
    const file = fileOf(path, listings);
    if (codeOf(error)?.startsWith("SQLITE_FULL")) throw explainReading(file, error);
    const now = error instanceof UserError ? stats : statNow();
    // Another attempt may succeed if the file was replaced or overwritten.
    if (!now || !isSameFile(now, stats)) return undefined;
    if (DAMAGED.test(codeOf(error) ?? "") && !isUnwritten(now, stats)) return undefined;
    throw explainReading(file, error, context);
  } finally {
    copier?.close();
    holder?.close();
  }
}

/** Opens the source as `main`, which queries may name, and attaches the copy. */
function attach(path: string, to: string): Database.Database {
  const db = new Database(resolve(path), { fileMustExist: true, timeout: LOCK_WAIT });
  try {
    db.prepare("ATTACH ? AS copy").run(to);
    // The copy need not survive the process.
    db.exec(`PRAGMA copy.page_size = 16384; PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF;
      PRAGMA cache_size = -8000`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQL that makes the tables of a listing. @param tables of the copy, with its schema if it is attached; `named` without */
function createTables(contract: Contract, tables: CopyTables, named: CopyTables): string {
  const { records, exact, order, repeated, lost } = tables;
  // Without declared types, SQLite stores each value unchanged.
  return `CREATE TABLE ${records} (${NUMBER} INTEGER PRIMARY KEY, ${copiedColumns(contract).join(", ")});
    CREATE VIEW ${exact} AS SELECT ${NUMBER}, ${exactColumns(contract)} FROM ${named.records};
    ${createOrder(order)};
    CREATE TABLE ${repeated} (number INTEGER PRIMARY KEY);
    CREATE TABLE ${lost} (number INTEGER, reference INTEGER, PRIMARY KEY (number, reference)) WITHOUT ROWID`;
}

/** SQL that makes a table of an order. */
export function createOrder(name: string): string {
  return `CREATE TABLE ${name} (${POSITION} INTEGER PRIMARY KEY, ${ROW} INTEGER)`;
}

/**
 * SQL that finds repeated keys in some rows, and lists the copy's rows that have them.
 * @param tables of the copy, with its schema if it is attached.
 */
export function repeatedSql(
  contract: Contract,
  tables: CopyTables,
  rows = tables.exact,
): { isRepeated: string; insert: string } {
  const column = copyColumn(contract.key.column);
  const keys = `SELECT ${column} FROM ${rows} GROUP BY ${column} HAVING count(*) > 1`;
  const insert = `INSERT INTO ${tables.repeated} SELECT ${NUMBER} FROM ${tables.exact} WHERE ${column} IN (${keys})`;
  return { isRepeated: `${keys} LIMIT 1`, insert };
}

/** SQL for all keys among some rows. The plus removes the column's type, by which SQLite would convert what it compares. */
export function keysSql({ key }: Contract, rows: string): string {
  const column = copyColumn(key.column);
  return `SELECT +${column} FROM ${rows} WHERE ${column} IS NOT NULL`;
}

/**
 * SQL that lists the copy's rows with a reference to no row, once for each reference of a contract.
 * @param tables of the copy, with its schema if it is attached. @param keysOf SQL for the keys of a listing, if there is one
 */
export function lostSql(contract: Contract, tables: CopyTables, keysOf: (to: string) => string | undefined): string[] {
  return referencesOf(contract).flatMap(({ field, to }, at) => {
    const keys = keysOf(to);
    if (keys === undefined) return [];
    const value = publishedSql(contract, field);
    // A list of all keys, once: no index is needed.
    const sql = `INSERT OR IGNORE INTO ${tables.lost} SELECT ${NUMBER}, ${at} FROM ${tables.exact}
      WHERE ${value} IS NOT NULL AND ${value} NOT IN (${keys})`;
    return [sql];
  });
}

/** Lists the copied rows of a shard with a reference to no row of the source, of which it copies only some. */
function markLost(
  db: Database.Database,
  { contract, defaultAvatar, rowsOf }: CopyOptions,
  names: CopyTables,
  keysOf: (to: string) => string | undefined,
): void {
  if (!rowsOf) return;
  for (const sql of lostSql(contract, inCopy(names), keysOf)) db.prepare(sql).run(publishedParameters(defaultAvatar));
}

/** The tables of a copy that is attached. */
function inCopy({ records, exact, order, repeated, lost }: CopyTables): CopyTables {
  return {
    records: `copy.${records}`,
    exact: `copy.${exact}`,
    order: `copy.${order}`,
    repeated: `copy.${repeated}`,
    lost: `copy.${lost}`,
  };
}

type Rows = Pick<Copied, "count" | "before">;

/**
 * Copies rows, and makes the other tables of a listing. Rows that lie nearly in published order are copied as they lie, and only
 * their keys are sorted. Others are sorted whole, since reading them one by one from all over the copy would take longer.
 */
function copyRows(db: Database.Database, found: Found, options: CopyOptions, names: CopyTables): Rows {
  const { rows, exact } = found;
  const { contract, defaultAvatar, rowsOf } = options;
  const count = rowsOf && countRows(db, rows);
  const range = count === undefined ? undefined : rowsOf?.(count);
  const columns = copiedColumns(contract).join(", ");
  const limit = range ? ` LIMIT ${range.rows} OFFSET ${range.before}` : "";
  const tables = inCopy(names);
  const { records, order } = tables;
  const inOrder = orderSql(contract);
  const parameters = publishedParameters(defaultAvatar);
  const isInOrder =
    !range && found.mayStayInPlace && isNearlyInOrder(db, { rows, number: NUMBER, order: inOrder, parameters });
  db.exec(createTables(contract, tables, names));
  const { changes } = db
    .prepare(`INSERT INTO ${records} (${columns}) SELECT ${columns} FROM ${rows} ${isInOrder ? "" : inOrder}${limit}`)
    .run(parameters);
  db.prepare(
    `INSERT INTO ${order} (${ROW}) SELECT ${NUMBER} FROM ${records} ${isInOrder ? inOrder : `ORDER BY ${NUMBER}`}`,
  ).run(parameters);
  // A shard copies only some rows, but must compare their keys with all.
  if (range && range.rows > 0) db.exec(repeatedSql(contract, tables, exact).insert);
  return { count: count ?? changes, before: range?.before ?? 0 };
}

/** What a listing is read from. */
interface Found extends Pick<Copied, "version" | "place" | "offered"> {
  /** The rows for FROM, with the columns of the copy. */
  rows: string;
  /** The same, as the copy's view `exact` has them. */
  exact: string;
  /** Whether its rows may be copied as they lie: they have numbers, and their file fits in memory. */
  mayStayInPlace: boolean;
}

function rowsFrom(db: Database.Database, options: CopyOptions, listing: string, isSmall: boolean): Found {
  const { contract, lineColumn } = options;
  const relation = findRelation(db, options, listing);
  const { sql, isStored, hasRowid, columns } = relation;
  const rowid = hasRowid ? freeRowid(columns.map(({ name }) => name)) : undefined;
  // Only a record whose key is an empty text is named by its row.
  const rowPlace = acceptorOf(contract.key.schema)("") ? rowid : undefined;
  const place = lineColumn === undefined ? rowPlace : quoteName(lineColumn);
  // The indexes of a table may be damaged.
  const rows = selectCopied(contract, isStored ? `${sql} NOT INDEXED` : sql, columns, { number: rowid, place });
  return {
    rows,
    exact: `(SELECT ${exactColumns(contract)} FROM ${rows})`,
    mayStayInPlace: rowid !== undefined && isSmall,
    version: isStored ? `${db.prepare("SELECT sqlite_version()").pluck().get()} ${sql}` : undefined,
    place: lineColumn !== undefined ? "line" : rowPlace === undefined ? undefined : "row",
    offered: offeredBy(db, relation),
  };
}

/**
 * Selects the columns of the copy. They have no collation of their own: SQLite would ask for it, and a program may have one that
 * SQLite does not know here.
 * @param sql for the number and for the place of a row; NULL without
 */
function selectCopied(
  contract: Contract,
  from: string,
  found: Relation["columns"],
  { number = "NULL", place = "NULL" }: { number: string | undefined; place: string | undefined },
): string {
  const sqlOf = new Map(found.map(({ name, sql }) => [lowerCase(name), sql]));
  const columns = namedColumns(contract).map((name) => {
    // The names of row numbers are not in the list.
    const column = sqlOf.get(lowerCase(name)) ?? quoteName(name);
    return `${column} COLLATE BINARY AS ${copyColumn(name)}`;
  });
  return `(SELECT ${number} AS ${NUMBER}, ${place} AS ${PLACE}, ${columns.join(", ")} FROM ${from})`;
}

/** The columns of the copy as `exactSql` has them. This takes time for each value, so the text of pages is made without it. */
function exactColumns(contract: Contract): string {
  const exact = exactSql(contract);
  const columns = namedColumns(contract).map((name) => `${exact(name)} AS ${copyColumn(name)}`);
  return [PLACE, ...columns].join(", ");
}

/**
 * Makes SQL for the value of a column. In columns of strings, an INTEGER that readers of JSON would round becomes its digits, as
 * text.
 */
function exactSql(contract: Contract): ColumnSql {
  const fields = contract.fields.filter(({ schema }) => kindOf(schema) === "string");
  const strings = new Set(fields.map(({ column }) => lowerCase(column)));
  return (column) => {
    const value = copyColumn(column);
    if (!strings.has(lowerCase(column))) return value;
    // Numbers come before any text, so one comparison is enough for most values.
    return `CASE WHEN ${value} < '' AND typeof(${value}) = 'integer'
      AND ${value} NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}
      THEN CAST(${value} AS TEXT) ELSE ${value} END`;
  };
}

function countRows(db: Database.Database, rows: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get() ?? 0;
}

/**
 * ORDER BY of rows by the values of `exactSql`. They have no collation, so the order of texts is by bytes. The plus makes SQLite
 * sort instead of using an index of the table behind a view, which is slower and may be damaged.
 */
function orderSql(contract: Contract): string {
  const exact = exactSql(contract);
  const terms = contract.order.map((field) => {
    return `+${publishedSql(contract, field, exact)}${field.isDescending ? " DESC" : ""}`;
  });
  return `ORDER BY ${terms.join(", ")}`;
}

/** The offset of the two bytes that say whether a SQLite file uses a write-ahead log: each 1 for no or 2 for yes. */
const VERSIONS_AT = 18;

/**
 * @throws UserError for a log beside a file that does not use one: SQLite would mix the two. Opens the file only if there is a
 * log, since closing it releases all locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
 */
function requireOwnLog(path: string): void {
  if (logSize(path) === 0) return;
  const file = openSync(path, "r");
  const versions = Buffer.alloc(2);
  readSync(file, versions, 0, versions.length, VERSIONS_AT);
  closeSync(file);
  if (!versions.every((version) => version === 1)) return;
  const log = logOf(path);
  throw new UserError(
    `${log} does not belong to ${path}, but to another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${log} and its -shm, then run this again.`,
  );
}

/** The path of the write-ahead log of a file. */
function logOf(path: string): string {
  return `${realpathSync(path)}-wal`;
}

/** Bytes of the write-ahead log of a file; 0 without one. */
function logSize(path: string): number {
  return statSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0;
}
