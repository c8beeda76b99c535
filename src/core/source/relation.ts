/** The relation that a listing's rows are read from: a table, a view, or a query. */
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { lowerCase, quoteName } from "../contract/sql.js";
import { USERS_CONTRACT } from "../contract/users.js";
import { readText, UserError, usageError } from "../errors.js";
import { findNear } from "../print/near.js";
import { listed } from "../print/text.js";
import type { ReadContext } from "./errors.js";
import { type ListedTable, withoutSystemTables } from "./system-tables.js";
import { nameOfSource, type SourcePath, shellSource } from "./text-format.js";

export interface RelationOptions {
  /** The source, for messages. */
  db: SourcePath;
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

/** What the rows of a listing come from, for messages; undefined without a site. */
export function contextOf(listing: string, { contract, table, query }: RelationOptions): ReadContext | undefined {
  if (listing === "") return undefined;
  const relation = query === undefined ? `table ${table ?? contract.listing.words[1]}` : `query ${query}`;
  return { listing, relation };
}

/** A table, a view, or the SELECT of a query. */
export interface Relation {
  /** The name in the database's spelling, or that of the query's view. */
  name: string;
  kind: "table" | "view" | "query";
  /** What follows FROM. */
  sql: string;
  columns: readonly RelationColumn[];
  /** Whether it stores rows itself: a virtual table does not. */
  isStored: boolean;
  /** Whether it has row numbers: views and tables WITHOUT ROWID have none. */
  hasRowid: boolean;
}

interface RelationColumn {
  name: string;
  /** How SQL names it. */
  sql: string;
  /** The declared type. */
  type: string;
  /** Its position in the PRIMARY KEY, from 1; 0 if it is not a part of it. */
  pk: number;
  /** 1 for a column of a virtual table that `SELECT *` leaves out. */
  hidden: number;
}

/**
 * Opens the relation of a contract. @param listing the name of the listing in a site; empty without one
 * @throws UserError if it does not exist, or lacks a column
 */
export function findRelation(db: Database, options: RelationOptions, listing: string): Relation {
  const { contract, query } = options;
  const file = nameOfSource(options.db);
  const wantedTable = tablePlace(options, listing);
  const table = query === undefined ? wantedTable.table : options.table;
  const relation = openRelation(db, file, { ...wantedTable, table, query });
  const [where, rename] =
    query === undefined
      ? [`Table ${relation.name} in ${file}`, `Name them so in a view, or with ${settingOf("query", listing)}`]
      : [`Query ${query}`, "Name them so in it, with AS"];
  const names = relation.columns.map(({ name }) => name);
  const wanted = contract.fields.map(({ column }) => column);
  if (!relation.isStored) requireOnce(where, names, wanted);
  requireColumns(contract, names, { where, file: options.db, listing, rename, hasRowid: relation.hasRowid });
  return relation;
}

/** Finds the table of a listing that no query reads, among those of several text files. @throws UserError if it does not exist */
export function tableAmong(tables: readonly string[], options: RelationOptions, listing: string): string {
  return chooseTable(tables, nameOfSource(options.db), tablePlace(options, listing));
}

function tablePlace({ db, contract, table }: RelationOptions, listing: string) {
  const [, many] = contract.listing.words;
  // Without a contract, a file is read as a directory of users, so it may need a contract.
  const otherwise = isBuiltIn(contract, listing) ? makeContract(db, listing) : undefined;
  // By default, the table is named like the records.
  return { table: table ?? many, many, otherwise, listing, query: undefined };
}

interface WantedRelation {
  table: string | undefined;
  query: string | undefined;
  /** The name of the listing in a site. */
  listing?: string;
  /** What the records are called in messages. */
  many?: string;
  /** Advice other than to name a table. */
  otherwise?: string | undefined;
}

/**
 * Finds the table or view, or makes a temporary view of the query, so that SQLite refuses a second statement and anything but
 * a SELECT. @throws UserError if it does not exist
 */
export function openRelation(db: Database, file: string, wanted: WantedRelation): Relation {
  const { table, query, listing = "" } = wanted;
  if (table !== undefined && query !== undefined)
    throw usageError("--table and --query exclude each other; leave one out.");
  const { name, columns: selected = [] } =
    query === undefined
      ? { name: chooseTable(listTables(db), file, wanted) }
      : createQueryView(db, query, settingOf("query", listing));
  const schema = query === undefined ? "main" : "temp";
  const found = db
    .prepare<[string, string], { type: string; wr: number }>(
      "SELECT type, wr FROM pragma_table_list WHERE schema = ? AND name = ?",
    )
    .get(schema, name);
  const isStored = found?.type === "table";
  const columns = db
    .prepare<[string, string], Omit<RelationColumn, "sql">>(
      "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid",
    )
    .all(name, schema)
    .map((column, at) => ({ ...column, name: ownName(selected, at) ?? column.name, sql: quoteName(column.name) }));
  return {
    name,
    kind: query !== undefined ? "query" : found?.type === "view" ? "view" : "table",
    sql: `${schema}.${quoteName(name)}`,
    columns,
    isStored,
    hasRowid: isStored && found.wr === 0,
  };
}

/** The names by which SQLite gives a row's number, unless a column has that name. */
export const ROWID_NAMES = ["rowid", "_rowid_", "oid"] as const;

/** A name that reads the number of a row, if no column has it. */
export function freeRowid(columns: readonly string[]): string | undefined {
  const taken = new Set(columns.map(lowerCase));
  return ROWID_NAMES.find((name) => !taken.has(name));
}

/** The names of all tables and views but those of SQLite itself, GeoPackage and SpatiaLite. */
export function listTables(db: Database): string[] {
  const sql = `SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;
  return withoutSystemTables(db.prepare<[], ListedTable>(sql).all()).map(({ name }) => name);
}

/** Finds a table or view by name, ignoring case; without a name, the only one. @throws UserError if it does not exist. */
export function chooseTable(tables: readonly string[], file: string, wanted: Omit<WantedRelation, "query">): string {
  const { many = "records", otherwise, listing = "" } = wanted;
  const setting = settingOf("table", listing);
  const table = wanted.table ?? tables[0] ?? "";
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

/** The names of columns that a view does not take over: it calls such a column `column2`. */
const LITERALS: readonly string[] = ["true", "false"];

/** The name of a query's column that its view does not take over, if it is one. One that is repeated is numbered, as views do. */
function ownName(selected: readonly string[], at: number): string | undefined {
  const name = selected[at];
  if (name === undefined || !LITERALS.includes(lowerCase(name))) return undefined;
  const first = selected.findIndex((other) => lowerCase(other) === lowerCase(name));
  return first === at ? name : `${name}:${at}`;
}

/**
 * Makes a temporary view of the SELECT in a file.
 * @param setting the setting that names it
 * @returns the name of the view, and the names of the columns that the SELECT yields
 */
function createQueryView(db: Database, path: string, setting: string): { name: string; columns: string[] } {
  const sql = readText(path, `${setting} names a file with one SELECT`);
  // SQLite would run only the text before the NUL.
  if (sql.includes("\0")) throw new UserError(`Query ${path} has a NUL character in it; name a text file.`);
  const views = db.prepare<[], string>("SELECT name FROM sqlite_temp_schema").pluck().all();
  const tables = new Set([...listTables(db), ...views].map(lowerCase));
  let name = QUERY_VIEW;
  while (tables.has(name)) name += "_";
  try {
    db.prepare(`CREATE TEMP VIEW ${name} AS\n${sql}`).run();
    // SQLite checks a view's tables and columns only when it is used. Check here, so that the message names the query's file.
    db.prepare(`SELECT * FROM temp.${name}`);
    const columns = db.prepare(sql).columns();
    return { name, columns: columns.map((column) => column.name) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const has = why.startsWith("no such table") ? `; the source has ${listed(listTables(db).filter(isOfUser))}` : "";
    const message = `Query ${path} cannot be run: ${why}${has}. It must be one SELECT that yields the columns.`;
    throw new UserError(message, { cause });
  }
}

/** Whether a table is not one that was imported for a listing alone: `forListing` names those. */
function isOfUser(table: string): boolean {
  return !table.includes("/");
}

/** The name of a table that is imported for a listing alone. No file has such a name, since a slash is in it. */
export function forListing(table: string, listing: string): string {
  return `${table}/${listing}`;
}

/** The table of the file that a table is imported from, whether for a listing alone or not. */
export function tableOfFile(table: string): string {
  return table.split("/")[0] ?? table;
}

/** Refuses repeated columns, which SQLite numbers: `note`, `note:1`. @param where what yields them @param wanted those that count */
export function requireOnce(where: string, found: readonly string[], wanted = found): void {
  const repeated = wanted.filter((name) => found.some((other) => lowerCase(other).startsWith(`${lowerCase(name)}:`)));
  if (repeated.length === 0) return;
  throw new UserError(`${where} yields ${listed(repeated)} more than once; select each column once.`);
}

export interface ColumnsPlace {
  /** What should have the columns, in messages: `Table users in my.sqlite`. */
  where: string;
  file: SourcePath;
  /** The name of the listing in a site. */
  listing?: string;
  /** How to name columns, as a part of a sentence. */
  rename: string;
  /** Whether it has row numbers. */
  hasRowid: boolean;
}

/** Checks that every column of a contract was found, ignoring case. @throws UserError that names the missing ones, and near names. */
export function requireColumns(
  contract: Contract,
  found: readonly string[],
  { where, file, listing, rename, hasRowid }: ColumnsPlace,
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
  const mayBeForeign = isBuiltIn(contract, listing);
  throw new (mayBeForeign ? ForeignSourceError : UserError)(
    `${where} lacks ${missing.length === 1 ? "the column" : `${missing.length} columns:`} ${listed(named, MOST_LISTED)}. ` +
      `It has ${listed(found, MOST_LISTED)}. ${rename}${mayBeForeign ? `; or ${makeContract(file, listing)}` : ""}.`,
  );
}

/** Whether a contract is the built-in one. In a site, that has no path, so it is another object. */
function isBuiltIn(contract: Contract, listing = ""): boolean {
  if (listing === "") return contract === USERS_CONTRACT;
  return JSON.stringify(contract.file.properties) === JSON.stringify(USERS_CONTRACT.file.properties);
}

/** The advice for a file that is not a directory of users. @param listing the name of the listing in a site */
function makeContract(file: SourcePath, listing = ""): string {
  const command = `rollcall init --from ${shellSource(file)}`;
  return listing === ""
    ? `make a contract for it with "${command}"`
    : `give it one in listings.${listing}.contract, as "${command} --all" writes it`;
}
