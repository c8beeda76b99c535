/** Copies the rows of a source, unchanged and in published order, into a private SQLite file. */
import { type BigIntStats, closeSync, openSync, readSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { quoteName } from "../contract/sql.js";
import { codeOf, UserError } from "../errors.js";
import { size } from "../print/numbers.js";
import { REPLACEMENT } from "./candidates.js";
import { explainReading, overwritten } from "./errors.js";
import { publishedParameters, publishedSql } from "./published.js";
import { findRelation, isTable, type RelationOptions, tableOf } from "./relation.js";
import { isSameFile, isUnwritten, requireFile } from "./stats.js";
import { InvalidText, type SqlValue } from "./values.js";

/** Consecutive rows in published order: how many come before them, and how many they are. */
export interface RowRange {
  before: number;
  rows: number;
}

export interface CopyOptions extends RelationOptions {
  db: string;
  /** The name of the file in messages, if `db` was made from another file. */
  named?: string | undefined;
  contract: Contract;
  defaultAvatar?: string | undefined;
  /** Which rows to copy, given the number of all; all by default. */
  rowsOf?: ((count: number) => RowRange) | undefined;
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
}

/** The name of the copy's table. */
export const COPY = "records";
/** The table with the numbers of rows whose key another row has, too. */
export const REPEATED = "repeated";

/** The name of the copy's column with the row number, from 1. No other column has it. */
export function numberColumn({ fields }: Contract): string {
  const taken = new Set(fields.map(({ column }) => column.toLowerCase()));
  let name = "rollcall_number";
  while (taken.has(name)) name += "_";
  return name;
}

/** Milliseconds to wait for another process's lock. */
const LOCK_WAIT = 5000;
/** Maximum attempts to open a file that is being replaced, and to copy one that is being overwritten. */
const [MOST_OPENINGS, MOST_COPIES] = [50, 3];
/** Milliseconds between two attempts with a file that looks damaged, and since its last write for that. */
const [PAUSE, JUST_NOW] = [300, 2000];
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** Opens a read-only connection. @param wait milliseconds to wait for another process's lock. */
export function connect(path: string, wait: number): Database.Database {
  return new Database(resolve(path), { readonly: true, fileMustExist: true, timeout: wait });
}

/** The columns of the copy, quoted, each once: several fields may have the same column. */
export function copiedColumns({ fields }: Contract): string[] {
  const byName = new Map(fields.map(({ column }) => [column.toLowerCase(), quoteName(column)]));
  return [...byName.values()];
}

/**
 * Copies the source as of one point in time. The source is never written to, and closed afterwards.
 * @param to the path of the private copy.
 * @throws UserError if the file, the table or a column cannot be read, or the file changes during each attempt
 */
export function copySource(options: CopyOptions, to: string): Copied {
  let copies = 0;
  for (let openings = 1; openings <= MOST_OPENINGS; openings++) {
    try {
      const copied = tryCopy(options, to);
      if (typeof copied === "object") return copied;
      if (copied === "written over" && ++copies === MOST_COPIES) throw overwritten(options.db);
    } catch (error) {
      // A file that another program is writing may look damaged or empty.
      if (!isUnfinished(options.db, error) || ++copies >= MOST_COPIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
  throw new UserError(
    `${options.db} changed ${MOST_OPENINGS} times while it was being opened; run this again when nothing is replacing it.`,
  );
}

/** Whether an error may come from a file that another program is still writing. */
function isUnfinished(path: string, error: unknown): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!(error instanceof UserError) || !found?.isFile() || Date.now() - found.mtimeMs > JUST_NOW) return false;
  return found.size === 0 || DAMAGED.test(codeOf(error.cause) ?? "");
}

function tryCopy(options: CopyOptions, to: string): Copied | "replaced" | "written over" {
  const { db: path } = options;
  const stats = requireFile(path);
  const statNow = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const connections: Database.Database[] = [];
  // Empties the file of an earlier attempt.
  writeFileSync(to, "");
  try {
    requireOwnLog(path);
    // While a read-only connection holds its lock, no other one recovers the file or checkpoints its log.
    const holder = connect(path, LOCK_WAIT);
    connections.unshift(holder);
    holder.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    const isUtf8 = holder.pragma("encoding", { simple: true }) === "UTF-8";
    const copier = isUtf8 ? attach(path, to) : new Database(to);
    connections.unshift(copier);
    const from = isUtf8 ? copier : holder;
    if (isUtf8) from.exec("BEGIN; SELECT 1 FROM main.sqlite_schema");
    const initial = statNow();
    if (!initial || !isSameFile(initial, stats) || !isUnwritten(initial, stats)) return "replaced";
    const watcher = connect(path, LOCK_WAIT);
    connections.unshift(watcher);
    const movedBefore = framesMoved(watcher);
    const found = rowsFrom(from, options);
    const copied = isUtf8 ? copyBySql(copier, found.rows, options) : copyByRow(holder, copier, found.rows, options);
    const now = statNow();
    const isMoved = now === undefined || !isSameFile(now, stats);
    const made = { ...copied, version: found.version, stats: initial };
    // A checkpoint of the log writes to the file without changing any row of this transaction, and moves frames.
    const isConsistent = isMoved || isUnwritten(now, initial) || framesMoved(watcher) > movedBefore;
    if (!isConsistent) return "written over";
    copier.exec("COMMIT");
    return made;
  } catch (error) {
    if (codeOf(error)?.startsWith("SQLITE_FULL")) throw noRoom(path, stats, error);
    const now = error instanceof UserError ? stats : statNow();
    // An error may go away if the file is being replaced or overwritten.
    if (!now || !isSameFile(now, stats)) return "replaced";
    if (DAMAGED.test(codeOf(error) ?? "") && !isUnwritten(now, stats)) return "written over";
    throw explainReading(path, error);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Number of frames of the write-ahead log that were checkpointed; -1 without a log. @param db without a transaction. */
function framesMoved(db: Database.Database): number {
  const [found] = db.pragma("wal_checkpoint(NOOP)") as { checkpointed: number }[];
  return found?.checkpointed ?? -1;
}

/** Opens the source as `main`, which queries may name, and attaches the copy. */
function attach(path: string, to: string): Database.Database {
  const db = new Database(resolve(path), { fileMustExist: true, timeout: LOCK_WAIT });
  try {
    db.prepare("ATTACH ? AS copy").run(to);
    db.exec(`${pragmas("copy.")} PRAGMA cache_size = -8000; PRAGMA threads = 4;`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Settings for a file that need not survive the process. */
const pragmas = (of: string) =>
  `PRAGMA ${of}page_size = 16384; PRAGMA ${of}journal_mode = OFF; PRAGMA ${of}synchronous = OFF;`;

/** SQL that makes a table with the columns of the copy. */
export function createTable(name: string, contract: Contract): string {
  // Without declared types, SQLite stores each value unchanged.
  return `CREATE TABLE ${name} (${numberColumn(contract)} INTEGER PRIMARY KEY, ${copiedColumns(contract).join(", ")})`;
}

/** SQL that finds repeated keys in some rows, and lists the copy's rows that have them. @param of `copy.` if the copy is attached */
export function repeatedSql(contract: Contract, of: string, rows: string): { isRepeated: string; insert: string } {
  const column = `${quoteName(contract.key.column)} COLLATE BINARY`;
  const keys = `SELECT ${column} FROM ${rows} GROUP BY ${column} HAVING count(*) > 1`;
  const insert = `INSERT INTO ${of}${REPEATED} SELECT ${numberColumn(contract)} FROM ${of}${COPY} WHERE ${column} IN (${keys})`;
  return { isRepeated: `${keys} LIMIT 1`, insert };
}

/** Makes the table of repeated keys. Fills it for a shard, which copies only some rows, but must compare keys with all. */
function insertRepeated(db: Database.Database, contract: Contract, of: string, rows: string): void {
  db.exec(`CREATE TABLE ${of}${REPEATED} (number INTEGER PRIMARY KEY)`);
  if (rows !== "") db.exec(repeatedSql(contract, of, rows).insert);
}

type Rows = Pick<Copied, "count" | "before">;

function copyBySql(db: Database.Database, rows: string, options: CopyOptions): Rows {
  const { contract, rowsOf } = options;
  const count = rowsOf && countRows(db, rows);
  const range = count === undefined ? undefined : rowsOf?.(count);
  db.exec(createTable(`copy.${COPY}`, contract));
  const { changes } = insertInOrder(db, `copy.${COPY}`, rows, options, range);
  insertRepeated(db, contract, "copy.", range && range.rows > 0 ? rows : "");
  return { count: count ?? changes, before: range?.before ?? 0 };
}

function insertInOrder(
  db: Database.Database,
  into: string,
  rows: string,
  { contract, defaultAvatar }: CopyOptions,
  range: RowRange | undefined,
) {
  const columns = copiedColumns(contract).join(", ");
  const limit = range ? ` LIMIT ${range.rows} OFFSET ${range.before}` : "";
  const sql = `INSERT INTO ${into} (${columns}) SELECT ${columns} FROM ${rows} ${orderSql(contract)}${limit}`;
  return db.prepare(sql).run(publishedParameters(defaultAvatar));
}

/** Copies a UTF-16 source row by row, then sorts it as UTF-8, whose byte order differs. */
function copyByRow(from: Database.Database, to: Database.Database, rows: string, options: CopyOptions): Rows {
  const { contract, rowsOf } = options;
  const columns = copiedColumns(contract);
  to.exec(`${pragmas("")} BEGIN; CREATE TABLE stored (${columns.join(", ")}); ${createTable(COPY, contract)}`);
  const stored = columns.map((column) => `CAST(${column} AS BLOB)`);
  const read = from
    .prepare<[], SqlValue[]>(`SELECT ${[...columns, ...stored].join(", ")} FROM ${rows}`)
    .raw()
    .safeIntegers();
  const isBigEndian = from.pragma("encoding", { simple: true }) === "UTF-16be";
  const insert = to.prepare(`INSERT INTO stored VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of read.iterate()) {
    const values = row.slice(0, columns.length).map((value, at) => {
      if (typeof value !== "string") return value;
      // SQLite decodes invalid UTF-16 to other text without an error.
      const bytes = Buffer.from(value, "utf16le");
      const isSame = (isBigEndian ? bytes.swap16() : bytes).equals(row[columns.length + at] as Buffer);
      return isSame ? value : new InvalidText(value);
    });
    if (values.some((value) => value instanceof InvalidText)) insertInvalid(to, values);
    else insert.run(values);
  }
  const count = countRows(to, "stored");
  const range = rowsOf?.(count);
  insertInOrder(to, COPY, "stored", options, range);
  insertRepeated(to, options.contract, "", range && range.rows > 0 ? "stored" : "");
  to.exec("DROP TABLE stored");
  return { count, before: range?.before ?? 0 };
}

/** Inserts a row with invalid UTF-16 as invalid UTF-8 that decodes to the same text. */
function insertInvalid(to: Database.Database, row: readonly SqlValue[]): void {
  const places = row.map((value) => (value instanceof InvalidText ? "CAST(? AS TEXT)" : "?"));
  const values = row.map((value) => (value instanceof InvalidText ? invalidUtf8(value.decoded) : value));
  to.prepare(`INSERT INTO stored VALUES (${places.join(", ")})`).run(values);
}

function invalidUtf8(decoded: string): Buffer {
  const parts = decoded.split(REPLACEMENT).map((part) => Buffer.from(part));
  const invalid = Buffer.of(0xff);
  if (parts.length === 1) parts.push(Buffer.alloc(0));
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [invalid, part])));
}

/** The rows for FROM: a table without its indexes, which may be damaged, or a view or query. */
function rowsFrom(db: Database.Database, options: CopyOptions): { rows: string; version: string | undefined } {
  const relation = findRelation(db, options.named ?? options.db, options);
  const isInFile = options.query === undefined && isTable(db, tableOf(options));
  if (!isInFile) return { rows: relation, version: undefined };
  return {
    rows: `${relation} NOT INDEXED`,
    version: `${db.prepare("SELECT sqlite_version()").pluck().get()} ${relation}`,
  };
}

function countRows(db: Database.Database, rows: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get() ?? 0;
}

/**
 * ORDER BY in byte order, whatever collation the columns declare. The plus makes SQLite sort instead of using an index of the
 * table behind a view, which is slower and may be damaged.
 */
function orderSql(contract: Contract): string {
  const terms = contract.order.map((field) => {
    const collation = field.kind === "text" ? " COLLATE BINARY" : "";
    return `+${publishedSql(contract, field)}${collation}${field.isDescending ? " DESC" : ""}`;
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
  const log = `${realpathSync(path)}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const file = openSync(path, "r");
  const versions = Buffer.alloc(2);
  readSync(file, versions, 0, versions.length, VERSIONS_AT);
  closeSync(file);
  if (!versions.every((version) => version === 1)) return;
  throw new UserError(
    `${log} does not belong to ${path}, but to another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${log} and its -shm, then run this again.`,
  );
}

function noRoom(path: string, stats: BigIntStats, cause: unknown): UserError {
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has no room for a copy of ${path}, which takes up to ${size(3 * Number(stats.size))}; point TMPDIR at one with room.`,
    { cause },
  );
}
