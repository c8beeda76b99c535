/** What a source offers, whether a contract names it or not. */
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { lowerCase } from "../contract/sql.js";
import { listTables, type Relation } from "./relation.js";

export interface Offered {
  /** The tables that a listing reads, each with its columns. The table of a text file has an empty name. */
  columns: ReadonlyMap<string, readonly string[]>;
  /** All tables and views of a SQLite file; none for a text file. */
  tables: readonly string[];
  /** The text of the query that reads them, if there is one. */
  query?: string | undefined;
}

/** Lists the columns of a listing's table or view, or of the tables that its query reads. */
export function offeredBy(db: Database, relation: Relation): Offered {
  const tables = listTables(db);
  if (relation.kind === "query") {
    const query = db.prepare<[string], string>("SELECT sql FROM sqlite_temp_schema WHERE name = ?").pluck();
    return { columns: columnsBehind(db, relation.sql), tables, query: query.get(relation.name) };
  }
  const shown = relation.columns.filter(({ hidden }) => hidden !== 1);
  return { columns: new Map([[relation.name, shown.map(({ name }) => name)]]), tables };
}

/** The columns of the tables that SQLite opens to read a query, itself or through an index. */
function columnsBehind(db: Database, query: string): Map<string, string[]> {
  const program = db.prepare<[], { opcode: string; p2: number; p3: number }>(`EXPLAIN SELECT * FROM ${query}`).all();
  // The third operand is the database: 0 is `main`.
  const pages = program.filter(({ opcode, p3 }) => opcode === "OpenRead" && p3 === 0).map(({ p2 }) => p2);
  const table = db.prepare<[number], string>("SELECT tbl_name FROM main.sqlite_schema WHERE rootpage = ?").pluck();
  const columns = db.prepare<[string], string>("SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid").pluck();
  const names = pages.flatMap((page) => table.get(page) ?? []);
  return new Map(names.sort().map((name) => [name, columns.all(name)]));
}

/** Finds whether a contract or a query of some listings names a column. */
export function namedBy(
  listings: readonly { contract: Contract; offered?: Offered | undefined }[],
): (column: string) => boolean {
  const names = new Set<string>();
  for (const { contract } of listings)
    for (const { column, names: path } of contract.fields) {
      names.add(lowerCase(column));
      // In NDJSON, an object may hold the field.
      if (path.length > 1) names.add(lowerCase(path[0] ?? ""));
    }
  const queries = listings.map(({ offered }) => lowerCase(offered?.query ?? ""));
  return (column) => names.has(lowerCase(column)) || queries.some((sql) => hasWord(sql, lowerCase(column)));
}

function hasWord(text: string, word: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  return false;
}
