/** Copies the rows of a source, as they are stored and in published order, into a file that nobody else writes to. */
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

/** Rows that follow each other in published order, behind so many others. */
export interface RowRange {
  before: number;
  rows: number;
}

export interface CopyOptions extends RelationOptions {
  db: string;
  /** How messages call the file, where `db` is made from another one. */
  named?: string | undefined;
  contract: Contract;
  defaultAvatar?: string | undefined;
  /** Which rows are copied, of so many; all unless given. */
  rowsOf?: ((count: number) => RowRange) | undefined;
}

export interface Copied {
  /** Rows of the source. */
  count: number;
  /** How many of them come before those that are copied. */
  before: number;
  /** What rows depend on besides bytes; undefined for a view or a query, which may read the clock or other files. */
  version: string | undefined;
  /** What the source's file was when it was read. */
  stats: BigIntStats;
}

/** The table of the copy. */
export const COPY = "records";
/** The table of the numbers of rows whose key another row has. */
export const REPEATED = "repeated";

/** The column of the copy with the number of each row, from 1: a name that no other column has. */
export function numberColumn({ fields }: Contract): string {
  const taken = new Set(fields.map(({ column }) => column.toLowerCase()));
  let name = "rollcall_number";
  while (taken.has(name)) name += "_";
  return name;
}

/** Milliseconds to wait for another process's lock. */
const LOCK_WAIT = 5000;
/** How often a file that is replaced meanwhile is opened again, and one that is written over is copied again. */
const [MOST_OPENINGS, MOST_COPIES] = [50, 3];
/** Milliseconds between two copies of a file that looks damaged, and since it was written to for the last time. */
const [PAUSE, JUST_NOW] = [300, 2000];
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** Opens a connection that never writes. @param wait milliseconds to wait for another process's lock. */
export function connect(path: string, wait: number): Database.Database {
  return new Database(resolve(path), { readonly: true, fileMustExist: true, timeout: wait });
}

/** The columns of the copy: a column may be that of several fields. */
export function copiedColumns({ fields }: Contract): string[] {
  const byName = new Map(fields.map(({ column }) => [column.toLowerCase(), quoteName(column)]));
  return [...byName.values()];
}

/**
 * Copies the source as it is at one point in time: it is open only meanwhile, and never written to.
 * @param to a file that nobody else opens.
 * @throws UserError when the file, the table or a column cannot be read, and when it is replaced or written over all the time
 */
export function copySource(options: CopyOptions, to: string): Copied {
  let copies = 0;
  for (let openings = 1; openings <= MOST_OPENINGS; openings++) {
    try {
      const copied = tryCopy(options, to);
      if (typeof copied === "object") return copied;
      if (copied === "written over" && ++copies === MOST_COPIES) throw overwritten(options.db);
    } catch (error) {
      // A file that another program is just writing may look damaged, or empty.
      if (!isUnfinished(options.db, error) || ++copies >= MOST_COPIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
  throw new UserError(
    `${options.db} is replaced faster than it can be opened, ${MOST_OPENINGS} times in a row; deliver it less often, then run this again.`,
  );
}

function isUnfinished(path: string, error: unknown): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!(error instanceof UserError) || !found?.isFile() || Date.now() - found.mtimeMs > JUST_NOW) return false;
  return found.size === 0 || DAMAGED.test(codeOf(error.cause) ?? "");
}

function tryCopy(options: CopyOptions, to: string): Copied | "replaced" | "written over" {
  const { db: path } = options;
  const stats = requireFile(path);
  const look = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const connections: Database.Database[] = [];
  // What a try before has left there.
  writeFileSync(to, "");
  try {
    requireOwnLog(path);
    // As long as a connection that may only read has its lock, no other one recovers the file or moves its log into it.
    const holder = connect(path, LOCK_WAIT);
    connections.unshift(holder);
    holder.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    const isUtf8 = holder.pragma("encoding", { simple: true }) === "UTF-8";
    const copier = isUtf8 ? attach(path, to) : new Database(to);
    connections.unshift(copier);
    const from = isUtf8 ? copier : holder;
    if (isUtf8) from.exec("BEGIN; SELECT 1 FROM main.sqlite_schema");
    const noted = look();
    if (!noted || !isSameFile(noted, stats) || !isUnwritten(noted, stats)) return "replaced";
    const watcher = connect(path, LOCK_WAIT);
    connections.unshift(watcher);
    const movedBefore = framesMoved(watcher);
    const found = rowsFrom(from, options);
    const copied = isUtf8 ? copyBySql(copier, found.rows, options) : copyByRow(holder, copier, found.rows, options);
    const now = look();
    const isMoved = now === undefined || !isSameFile(now, stats);
    const made = { ...copied, version: found.version, stats: noted };
    // Whoever moves the log into the file changes no row of this moment, and says so.
    const isWhole = isMoved || isUnwritten(now, noted) || framesMoved(watcher) > movedBefore;
    if (!isWhole) return "written over";
    copier.exec("COMMIT");
    return made;
  } catch (error) {
    if (codeOf(error)?.startsWith("SQLITE_FULL")) throw noRoom(path, stats, error);
    const now = error instanceof UserError ? stats : look();
    // While a file is being replaced or written over, an error may go away in a moment.
    if (!now || !isSameFile(now, stats)) return "replaced";
    if (DAMAGED.test(codeOf(error) ?? "") && !isUnwritten(now, stats)) return "written over";
    throw explainReading(path, error);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** How much of a write-ahead log is in the file by now; -1 without one. @param db without a transaction. */
function framesMoved(db: Database.Database): number {
  const [found] = db.pragma("wal_checkpoint(NOOP)") as { checkpointed: number }[];
  return found?.checkpointed ?? -1;
}

/** The source as `main`, as queries may call it, and the copy beside it. */
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

/** Nothing has to survive this process. */
const pragmas = (of: string) =>
  `PRAGMA ${of}page_size = 16384; PRAGMA ${of}journal_mode = OFF; PRAGMA ${of}synchronous = OFF;`;

export function createTable(name: string, contract: Contract): string {
  // Without types, SQLite stores each value as it comes.
  return `CREATE TABLE ${name} (${numberColumn(contract)} INTEGER PRIMARY KEY, ${copiedColumns(contract).join(", ")})`;
}

/** Lists the rows of the copy whose key is in several of some rows. @param of `copy.` where the copy is attached */
export function repeatedSql(contract: Contract, of: string, rows: string): { isRepeated: string; insert: string } {
  const column = `${quoteName(contract.key.column)} COLLATE BINARY`;
  const keys = `SELECT ${column} FROM ${rows} GROUP BY ${column} HAVING count(*) > 1`;
  const insert = `INSERT INTO ${of}${REPEATED} SELECT ${numberColumn(contract)} FROM ${of}${COPY} WHERE ${column} IN (${keys})`;
  return { isRepeated: `${keys} LIMIT 1`, insert };
}

/** A shard copies only some rows, and has to know the keys of all. */
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

/** The order of UTF-16 is not that of UTF-8, so the rows are put in order where they are in UTF-8. */
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
      // SQLite decodes invalid UTF-16, too, to other text.
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

/** Text that is not valid UTF-16 becomes text that is not valid UTF-8, and looks the same when it is decoded. */
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

/** What stands behind FROM: a table without its indexes, whose values may be damaged, or a view or query. */
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
 * ORDER BY in byte order, whatever collation the columns declare (contract part 2). With a plus, SQLite sorts instead of
 * following an index of the table behind a view: that finds row by row, and may be damaged.
 */
function orderSql(contract: Contract): string {
  const terms = contract.order.map((field) => {
    const collation = field.kind === "text" ? " COLLATE BINARY" : "";
    return `+${publishedSql(contract, field)}${collation}${field.isDescending ? " DESC" : ""}`;
  });
  return `ORDER BY ${terms.join(", ")}`;
}

/** Where a SQLite file says whether it has a write-ahead log: two bytes, each 1 for no or 2 for yes. */
const VERSIONS_AT = 18;

/**
 * Refuses a log beside a file that has none: SQLite would mix the two. Only then is the file opened besides SQLite, which
 * gives up all locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
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
    `${log} is no log of ${path}, but of another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${log} and its -shm, then run this again.`,
  );
}

function noRoom(path: string, stats: BigIntStats, cause: unknown): UserError {
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has no room for a copy of ${path}, which takes up to ${size(3 * Number(stats.size))}; point TMPDIR at one with room.`,
    { cause },
  );
}
