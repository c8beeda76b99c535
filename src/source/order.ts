/** Puts rows in published order, and finds the rows of one page without reading those before it. */
import type { Database } from "better-sqlite3";
import type { Contract, OrderField } from "../contract/contract.js";
import { quoteName } from "../contract/sql.js";
import { publishedSql } from "./published.js";

/** ORDER BY in byte order, whatever collation the columns declare (contract part 2). */
export function orderSql(contract: Contract): string {
  return orderBy(contract, " COLLATE BINARY");
}

/** The published order for columns that are in byte order themselves. Naming the collation would cost time for each row. */
function indexOrder(contract: Contract): string {
  return orderBy(contract, "");
}

function orderBy(contract: Contract, collation: string): string {
  const terms = contract.order.map((field) => {
    const isText = field.kind === "text";
    return `${publishedSql(contract, field)}${isText ? collation : ""}${field.isDescending ? " DESC" : ""}`;
  });
  return `ORDER BY ${terms.join(", ")}`;
}

/** A page is a range of an index, or of a temporary table into which each connection sorts row ids once. */
export type OrderKind = "indexed" | "sorted";

const SORTED = "temp.rollcall_order";

/** The values of the order's fields. */
type Key = readonly unknown[];

/** Rows that follow each other in published order, behind so many others. */
export interface RowRange {
  before: number;
  rows: number;
}

export interface PageStart {
  /** How many rows come before it. */
  offset: number;
  /** The order's values of its first row; none where rows are sorted. */
  key: Key;
}

/** Chooses `indexed` where an index has the order, and no first value of it has more rows than a page. */
export function chooseOrder(db: Database, relation: string, contract: Contract, pageSize: number): OrderKind {
  if (findOrderedIndex(db, relation, contract) === undefined) return "sorted";
  const [first, ...others] = contract.order;
  if (!first || others.length === 0) return "indexed";
  // Within one value, a page is found by skipping the rows before it. Too many of them would make that slow.
  const column = publishedSql(contract, first);
  const tied = `SELECT 1 FROM ${relation} GROUP BY ${column} HAVING count(*) > ? LIMIT 1`;
  return db.prepare(tied).get(pageSize) === undefined ? "indexed" : "sorted";
}

/** The index in byte order from which SQLite would take the order without sorting, if there is one. */
function findOrderedIndex(db: Database, relation: string, contract: Contract): string | undefined {
  if (contract.order.some(({ schema }) => schema["x-null"])) return undefined;
  const plan = `EXPLAIN QUERY PLAN SELECT ${columnsOf(contract)} FROM ${relation} ${indexOrder(contract)}`;
  const steps = db.prepare<[], { detail: string }>(plan).all();
  const [, index] = /USING COVERING INDEX (.+)$/.exec(steps[0]?.detail ?? "") ?? [];
  if (steps.length !== 1 || index === undefined) return undefined;
  const collations = db.prepare<[string], string>("SELECT coll FROM pragma_index_xinfo(?) WHERE key = 1").pluck();
  const isInByteOrder = collations
    .all(index)
    .slice(0, contract.order.length)
    .every((collation) => collation === "BINARY");
  return isInByteOrder ? index : undefined;
}

function columnsOf(contract: Contract): string {
  return contract.order.map((field) => publishedSql(contract, field)).join(", ");
}

export function sortRows(db: Database, relation: string, contract: Contract, parameters: object): void {
  const rows = `SELECT rowid AS source_rowid FROM ${relation} NOT INDEXED ${orderSql(contract)}`;
  db.prepare(`CREATE TEMP TABLE rollcall_order AS ${rows}`).run(parameters);
}

export function countRows(db: Database, rows: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get() ?? 0;
}

/** Keeps the keys that more than one row has in a temporary table. @returns false when there are none. */
export function keepRepeatedKeys(db: Database, rows: string, { key }: Contract): boolean {
  const column = quoteName(key.column);
  const repeated = `SELECT ${column} AS key FROM ${rows} GROUP BY ${column} COLLATE BINARY HAVING count(*) > 1`;
  if (db.prepare(`${repeated} LIMIT 1`).get() === undefined) return false;
  db.exec(`CREATE TEMP TABLE rollcall_repeated AS ${repeated}`);
  return true;
}

export function isRepeated({ key }: Contract): string {
  return `${quoteName(key.column)} COLLATE BINARY IN (SELECT key FROM temp.rollcall_repeated)`;
}

/** FROM, WHERE and ORDER BY of one page's rows; takes `pageParameters`. */
export function pageRows(relation: string, kind: OrderKind, contract: Contract): string {
  if (kind === "indexed") {
    // The index only finds rows. Its values may be damaged, and without NOT INDEXED SQLite would read them there.
    // A parameter alone behind LIMIT would make SQLite prepare the statement again for every page.
    return `FROM (SELECT rowid AS found ${rangeOfIndex(relation, contract)} LIMIT ifnull(@rows, 0))
      CROSS JOIN ${relation} AS source NOT INDEXED ON source.rowid = found`;
  }
  return `FROM ${SORTED} AS ordered CROSS JOIN ${relation} AS source NOT INDEXED ON source.rowid = ordered.source_rowid
    WHERE ordered.rowid > @offset AND ordered.rowid <= @offset + @rows ORDER BY ordered.rowid`;
}

export function pageParameters({ offset, key }: PageStart, rows: number): Record<string, unknown> {
  return { offset, rows, ...Object.fromEntries(key.map((value, at) => [`key${at}`, value])) };
}

function rangeOfIndex(relation: string, contract: Contract): string {
  return `FROM ${relation} WHERE ${notBefore(contract.order, 0)} ${indexOrder(contract)}`;
}

/** Whether a row does not come before `@key0`, `@key1`, ...: by its first value alone, so that an index finds it. */
function notBefore(order: readonly OrderField[], at: number): string {
  const [field] = order.slice(at);
  if (!field) return "1";
  const column = quoteName(field.column);
  const behind = field.isDescending ? "<" : ">";
  const first = `${column} ${behind}= @key${at}`;
  return at === order.length - 1
    ? first
    : `${first} AND (${column} ${behind} @key${at} OR ${notBefore(order, at + 1)})`;
}

export function* pageStarts(
  db: Database,
  relation: string,
  contract: Contract,
  { kind, pageSize, before, rows }: { kind: OrderKind; pageSize: number } & RowRange,
): Generator<PageStart, void> {
  const end = before + rows;
  let start: PageStart = { offset: before, key: [] };
  if (kind === "sorted") {
    for (let offset = before; offset < end; offset += pageSize) yield { ...start, offset };
    return;
  }
  const columns = columnsOf(contract);
  const first = db
    .prepare<[number], Key>(`SELECT ${columns} FROM ${relation} ${orderSql(contract)} LIMIT 1 OFFSET ?`)
    .raw()
    .get(before);
  const next = db
    .prepare<[object], Key>(`SELECT ${columns} ${rangeOfIndex(relation, contract)} LIMIT 1 OFFSET ifnull(@rows, 0)`)
    .raw();
  start = { offset: before, key: first ?? [] };
  for (let offset = before; offset < end; offset += pageSize) {
    start = { ...start, offset };
    yield start;
    start = { offset, key: next.get(pageParameters(start, pageSize)) ?? start.key };
  }
}
