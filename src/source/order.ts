/** Puts rows in published order, and finds the rows of one page without reading those before it. */
import type { Database } from "better-sqlite3";

/** Newest first, ties by id, both in byte order whatever collation the columns declare (contract part 2). */
export const ORDER = "ORDER BY date_joined COLLATE BINARY DESC, id COLLATE BINARY";

/** The published order for columns that are in byte order themselves. Naming the collation would cost time for each row. */
const INDEX_ORDER = "ORDER BY date_joined DESC, id";

/** A page is a range of an index, or of a temporary table into which each connection sorts row ids once. */
export type OrderKind = "indexed" | "sorted";

const SORTED = "temp.rollcall_order";

interface Key {
  date: string;
  id: string;
}

export interface PageStart extends Key {
  /** How many rows come before it. */
  offset: number;
}

/** Chooses `indexed` where an index has the order, and no date has more rows than a page. */
export function chooseOrder(db: Database, relation: string, pageSize: number): OrderKind {
  if (findOrderedIndex(db, relation) === undefined) return "sorted";
  // Within one date, a page is found by skipping the ids before it. Too many of them would make that slow.
  const tied = `SELECT 1 FROM ${relation} GROUP BY date_joined HAVING count(*) > ? LIMIT 1`;
  return db.prepare(tied).get(pageSize) === undefined ? "indexed" : "sorted";
}

/** The index in byte order from which SQLite would take the order without sorting, if there is one. */
function findOrderedIndex(db: Database, relation: string): string | undefined {
  const plan = `EXPLAIN QUERY PLAN SELECT date_joined, id FROM ${relation} ${INDEX_ORDER}`;
  const steps = db.prepare<[], { detail: string }>(plan).all();
  const [, index] = /USING COVERING INDEX (.+)$/.exec(steps[0]?.detail ?? "") ?? [];
  if (steps.length !== 1 || index === undefined) return undefined;
  const columns = db.prepare<[string], string>("SELECT coll FROM pragma_index_xinfo(?) WHERE key = 1").pluck();
  const isInByteOrder = columns
    .all(index)
    .slice(0, 2)
    .every((collation) => collation === "BINARY");
  return isInByteOrder ? index : undefined;
}

export function sortRows(db: Database, relation: string): void {
  db.exec(`CREATE TEMP TABLE rollcall_order AS SELECT rowid AS source_rowid FROM ${relation} NOT INDEXED ${ORDER}`);
}

export function countRows(db: Database, rows: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get() ?? 0;
}

/** Keeps the ids that more than one row has in a temporary table. @returns false when there are none. */
export function keepRepeatedIds(db: Database, rows: string): boolean {
  const repeated = `SELECT id FROM ${rows} GROUP BY id COLLATE BINARY HAVING count(*) > 1`;
  if (db.prepare(`${repeated} LIMIT 1`).get() === undefined) return false;
  db.exec(`CREATE TEMP TABLE rollcall_duplicates AS ${repeated}`);
  return true;
}

export const IS_REPEATED = "id COLLATE BINARY IN (SELECT id FROM temp.rollcall_duplicates)";

/** FROM, WHERE and ORDER BY of one page's rows; takes `@offset`, `@date`, `@id` (a `PageStart`) and `@rows`. */
export function pageRows(relation: string, kind: OrderKind): string {
  if (kind === "indexed") {
    // The index only finds rows. Its values may be damaged, and without NOT INDEXED SQLite would read them there.
    return `FROM (SELECT rowid AS found ${rangeOfIndex(relation)} LIMIT @rows)
      CROSS JOIN ${relation} AS source NOT INDEXED ON source.rowid = found`;
  }
  return `FROM ${SORTED} AS ordered CROSS JOIN ${relation} AS source NOT INDEXED ON source.rowid = ordered.source_rowid
    WHERE ordered.rowid > @offset AND ordered.rowid <= @offset + @rows ORDER BY ordered.rowid`;
}

function rangeOfIndex(relation: string): string {
  return `FROM ${relation} WHERE date_joined <= @date AND (date_joined < @date OR id >= @id) ${INDEX_ORDER}`;
}

export function* pageStarts(
  db: Database,
  relation: string,
  { kind, pageSize, count }: { kind: OrderKind; pageSize: number; count: number },
): Generator<PageStart, void> {
  let start = { offset: 0, date: "", id: "" };
  if (kind === "indexed") {
    const first = db.prepare<[], Key>(`SELECT date_joined AS date, id FROM ${relation} ${ORDER} LIMIT 1`).get();
    start = { ...start, ...first };
  }
  const following = `SELECT date_joined AS date, id ${rangeOfIndex(relation)} LIMIT 1 OFFSET ${pageSize}`;
  const next = db.prepare<[PageStart], Key>(following);
  for (let offset = 0; offset < count; offset += pageSize) {
    start = { ...start, offset };
    yield start;
    if (kind === "indexed") start = { ...(next.get(start) ?? start), offset };
  }
}
