/** Finds the table, view or query that records are read from, and checks that it has every column. */
import { readFileSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { type Contract, USERS_CONTRACT } from "../contract/contract.js";
import { quoteName } from "../contract/sql.js";
import { UserError, unreadable, usageError } from "../errors.js";
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

const QUERY_VIEW = "rollcall_query";

/** A query becomes a temporary view, so that SQLite itself refuses a second statement, and all but a SELECT. */
export function findRelation(db: Database, file: string, options: RelationOptions): string {
  const { contract, table, query } = options;
  const [, many] = contract.listing.words;
  if (table !== undefined && query !== undefined)
    throw usageError(`The ${many} come from a table or from a query, not both; leave --table or --query out.`);
  // The directory of users is what a file is taken for that comes without a contract.
  const own = `make a contract for it with "rollcall init --from ${shellWord(file)}"`;
  const isBuiltIn = contract === USERS_CONTRACT;
  const name =
    query === undefined
      ? findTable(db, file, tableOf(options), many, isBuiltIn ? own : undefined)
      : createQueryView(db, query);
  const [schema, where, rename] =
    query === undefined
      ? ["main", `Table ${name} in ${file}`, "Name them so in a view, or with --query"]
      : ["temp", `Query ${query}`, "Name them so in it, with AS"];
  const step = `${rename}${isBuiltIn ? `; or ${own}` : ""}.`;
  const found = db.prepare("SELECT name FROM pragma_table_xinfo(?, ?)").pluck().all(name, schema);
  requireColumns(contract, where, found.map(String), step);
  return `${schema}.${quoteName(name)}`;
}

/** The names of all tables and views that people made. */
export function listTables(db: Database): string[] {
  const sql = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;
  return db.prepare<[], string>(sql).pluck().all();
}

/** The table that is read unless another is named has the contract's word for many records. */
export function tableOf({ table, contract }: RelationOptions): string {
  return table ?? contract.listing.words[1];
}

/** @param otherwise another way than to name a table, if there is one. */
export function findTable(db: Database, file: string, table: string, many = "records", otherwise?: string): string {
  const tables = listTables(db);
  const found = tables.find((name) => name.toLowerCase() === table.toLowerCase());
  if (found !== undefined) return found;
  if (tables.length === 0) throw new UserError(`${file} has no tables; name the SQLite file that holds the ${many}.`);
  const near = findNear(table, tables);
  throw new (otherwise ? ForeignSourceError : UserError)(
    `${file} has no table or view ${quoteName(table)}; it has ${listed(tables)}. ` +
      (near === undefined
        ? `Name one with --table${otherwise ? `, or ${otherwise}` : ""}.`
        : `Did you mean --table ${near}?`),
  );
}

/** A source without the columns of the directory of users, which was given without a contract. */
export class ForeignSourceError extends UserError {}

export function createQueryView(db: Database, path: string): string {
  let sql: string;
  try {
    sql = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, "--query names a file with one SELECT", cause);
  }
  return createView(db, sql, path);
}

/** @param path how messages call the SELECT. */
export function createView(db: Database, sql: string, path: string): string {
  // SQLite would stop reading at the NUL, and run only what stands before it.
  if (sql.includes("\0")) throw new UserError(`Query ${path} has a NUL character in it; --query names a text file.`);
  try {
    db.prepare(`CREATE TEMP VIEW ${QUERY_VIEW} AS\n${sql}`).run();
    // SQLite looks up a view's tables and columns only when it is used. A mistake should name the query's file.
    db.prepare(`SELECT * FROM temp.${QUERY_VIEW}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Query ${path} cannot be run: ${why}. It must be one SELECT that yields the columns.`;
    throw new UserError(message, { cause });
  }
  return QUERY_VIEW;
}

function requireColumns(contract: Contract, relation: string, found: string[], step: string): void {
  const { fields } = contract;
  const columns = fields.map(({ column }) => column);
  const lower = new Set(columns.map((column) => column.toLowerCase()));
  // SQLite numbers further columns of one name: `note`, `note:1`.
  const repeated = columns.filter((name) =>
    found.some((other) => other.toLowerCase().startsWith(`${name.toLowerCase()}:`)),
  );
  if (repeated.length > 0)
    throw new UserError(`${relation} yields ${listed(repeated)} more than once; say in it which one is meant.`);
  const have = new Set(found.map((name) => name.toLowerCase()));
  const missing = columns.filter((name) => !have.has(name.toLowerCase()));
  if (missing.length === 0) return;
  const spare = found.filter((name) => !lower.has(name.toLowerCase()));
  const named = missing.map((name) => {
    const near = findNear(name, spare);
    return near === undefined ? name : `${name} (nearest: ${near})`;
  });
  throw new (contract === USERS_CONTRACT ? ForeignSourceError : UserError)(
    `${relation} lacks ${missing.length === 1 ? "the column" : `${missing.length} columns:`} ${listed(named, MOST_LISTED)}. ` +
      `It has ${listed(found, MOST_LISTED)}. ${step}`,
  );
}

export function isTable(db: Database, table: string): boolean {
  const sql = "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE";
  return db.prepare<[string], string>(sql).pluck().get(table) === "table";
}
