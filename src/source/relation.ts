import type { Database } from "better-sqlite3";
import { type Contract, USERS_CONTRACT } from "../contract/contract.js";
import { lowerCase, quoteName } from "../contract/sql.js";
import { readText, UserError, usageError } from "../errors.js";
import { findNear } from "../print/near.js";
import { listed, shellWord } from "../print/text.js";

export interface RelationOptions {
  contract: Contract;
  table?: string | undefined;
  /** The path of a file with one SELECT that yields the columns. */
  query?: string | undefined;
}

/** The maximum number of columns that a message lists. */
const MOST_LISTED = 12;

/** The name of a query's view, with an underscore for each table that has it. */
const QUERY_VIEW = "rollcall_query";

/** The name of a setting in messages: a flag, or for one of several listings a key of the config. */
function settingOf(key: "table" | "query", listing: string): string {
  return listing === "" ? `--${key}` : `listings.${listing}.${key}`;
}

/**
 * Finds the table or view, or makes a temporary view of the query, so that SQLite refuses a second statement and anything but
 * a SELECT.
 * @param listing the name of the listing in a site; empty without one.
 * @returns its quoted name. @throws UserError if it does not exist, or lacks a column.
 */
export function findRelation(db: Database, file: string, options: RelationOptions, listing: string): string {
  const { contract, table, query } = options;
  const [, many] = contract.listing.words;
  if (table !== undefined && query !== undefined)
    throw usageError(`The ${many} come from a table or from a query, not both; leave --table or --query out.`);
  // Without a contract, a file is read as a directory of users, so it may need a contract.
  const isBuiltIn = contract === USERS_CONTRACT;
  const otherwise = isBuiltIn ? makeContract(file) : undefined;
  const querySetting = settingOf("query", listing);
  const name =
    query === undefined
      ? findTable(db, file, tableOf(options), { many, otherwise, setting: settingOf("table", listing) })
      : createQueryView(db, query, querySetting);
  const [schema, where, rename] =
    query === undefined
      ? ["main", `Table ${name} in ${file}`, `Name them so in a view, or with ${querySetting}`]
      : ["temp", `Query ${query}`, "Name them so in it, with AS"];
  const found = db
    .prepare<[string, string], string>("SELECT name FROM pragma_table_xinfo(?, ?)")
    .pluck()
    .all(name, schema);
  if (query !== undefined || !isTable(db, name)) requireOnce(contract, where, found);
  const hasRowid = query === undefined && isRowidTable(db, name);
  requireColumns(contract, found, { where, file, rename, hasRowid });
  return `${schema}.${quoteName(name)}`;
}

/** The names by which SQLite gives a row's number, unless a column has that name. */
export const ROWID_NAMES = ["rowid", "_rowid_", "oid"] as const;

/** Whether a table has row numbers: views and tables WITHOUT ROWID have none. */
export function isRowidTable(db: Database, table: string): boolean {
  const sql = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE AND type = 'table'";
  return db.prepare(sql).pluck().get(table) === 0;
}

/** The names of all tables and views but SQLite's own. */
export function listTables(db: Database): string[] {
  const sql = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;
  return db.prepare<[], string>(sql).pluck().all();
}

/** The table to read: by default the one named like the contract's word for many records. */
export function tableOf({ table, contract }: RelationOptions): string {
  return table ?? contract.listing.words[1];
}

/**
 * Finds a table or view by name, ignoring case.
 * @param hints for messages: the word for records, advice other than to name a table, and the setting that names it.
 * @throws UserError if it does not exist.
 */
export function findTable(
  db: Database,
  file: string,
  table: string,
  hints: { many?: string; otherwise?: string | undefined; setting?: string } = {},
): string {
  const { many = "records", otherwise, setting = "--table" } = hints;
  const tables = listTables(db);
  const found = tables.find((name) => lowerCase(name) === lowerCase(table));
  if (found !== undefined) return found;
  if (tables.length === 0) throw new UserError(`${file} has no tables; name the SQLite file that holds the ${many}.`);
  const near = findNear(table, tables);
  throw new (otherwise ? ForeignSourceError : UserError)(
    `${file} has no table or view ${quoteName(table)}; it has ${listed(tables)}. ` +
      (near === undefined
        ? `Name one with ${setting}${otherwise ? `, or ${otherwise}` : ""}.`
        : `Did you mean ${setting} ${near}?`),
  );
}

/** The error for a source without a contract that does not have the columns of a directory of users. */
export class ForeignSourceError extends UserError {}

/** Makes a temporary view of the SELECT in a file. @param setting the setting that names the file. @returns its name. */
export function createQueryView(db: Database, path: string, setting = "--query"): string {
  return createView(db, readText(path, `${setting} names a file with one SELECT`), path);
}

/** Makes a temporary view of a SELECT. @param path the name of the SELECT in messages. @returns the name of the view. */
function createView(db: Database, sql: string, path: string): string {
  // SQLite would run only the text before the NUL.
  if (sql.includes("\0")) throw new UserError(`Query ${path} has a NUL character in it; name a text file.`);
  const views = db.prepare<[], string>("SELECT name FROM sqlite_temp_schema").pluck().all();
  const tables = new Set([...listTables(db), ...views].map(lowerCase));
  let view = QUERY_VIEW;
  while (tables.has(view)) view += "_";
  try {
    db.prepare(`CREATE TEMP VIEW ${view} AS\n${sql}`).run();
    // SQLite checks a view's tables and columns only when it is used. Check here, so that the message names the query's file.
    db.prepare(`SELECT * FROM temp.${view}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Query ${path} cannot be run: ${why}. It must be one SELECT that yields the columns.`;
    throw new UserError(message, { cause });
  }
  return view;
}

/** Refuses repeated columns, which SQLite numbers: `note`, `note:1`. */
function requireOnce({ fields }: Contract, where: string, found: readonly string[]): void {
  const repeated = fields
    .map(({ column }) => column)
    .filter((name) => found.some((other) => lowerCase(other).startsWith(`${lowerCase(name)}:`)));
  if (repeated.length === 0) return;
  throw new UserError(`${where} yields ${listed(repeated)} more than once; select each column once.`);
}

export interface ColumnsPlace {
  /** What should have the columns, in messages: `Table users in my.sqlite`. */
  where: string;
  file: string;
  /** How to name columns, as a part of a sentence. */
  rename: string;
  /** Whether it has row numbers. */
  hasRowid: boolean;
}

/** Checks that every column of a contract was found, ignoring case. @throws UserError that names the missing ones, and near names. */
export function requireColumns(
  contract: Contract,
  found: readonly string[],
  { where, file, rename, hasRowid }: ColumnsPlace,
): void {
  const columns = contract.fields.map(({ column }) => column);
  const lower = new Set(columns.map(lowerCase));
  const have = new Set([...found.map(lowerCase), ...(hasRowid ? ROWID_NAMES : [])]);
  const missing = columns.filter((name) => !have.has(lowerCase(name)));
  if (missing.length === 0) return;
  const spare = found.filter((name) => !lower.has(lowerCase(name)));
  const named = missing.map((name) => {
    const near = findNear(name, spare);
    return near === undefined ? name : `${name} (nearest: ${near})`;
  });
  const isBuiltIn = contract === USERS_CONTRACT;
  throw new (isBuiltIn ? ForeignSourceError : UserError)(
    `${where} lacks ${missing.length === 1 ? "the column" : `${missing.length} columns:`} ${listed(named, MOST_LISTED)}. ` +
      `It has ${listed(found, MOST_LISTED)}. ${rename}${isBuiltIn ? `; or ${makeContract(file)}` : ""}.`,
  );
}

/** The advice for a file that is not a directory of users. */
function makeContract(file: string): string {
  return `make a contract for it with "rollcall init --from ${shellWord(file)}"`;
}

/** Whether a name is that of a table, not of a view. */
export function isTable(db: Database, table: string): boolean {
  const sql = "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE";
  return db.prepare<[string], string>(sql).pluck().get(table) === "table";
}

/** The columns of a table that store numbers as text because of their declared type, in lower case. */
export function textColumns(db: Database, table: string): Set<string> {
  const sql = `SELECT lower(name) FROM pragma_table_xinfo(?, 'main')
    WHERE type NOT LIKE '%int%' AND (type LIKE '%char%' OR type LIKE '%clob%' OR type LIKE '%text%')`;
  return new Set(db.prepare<[string], string>(sql).pluck().all(table));
}
