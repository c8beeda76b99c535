/** Where a table's rows lie in its file, so that those which have not been touched since need not be read. */
import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { type DatabaseFile, levels, readHeader, readPage } from "./btree.js";

export interface Footprint {
  database: DatabaseFile;
  /** The numbers of the pages that hold rows, ascending. */
  leaves: Uint32Array;
  /**
   * A digest of all that decides which rows there are, in which order, and what their bytes mean: the table's
   * definition, the index that has the order, to the last entry, and SQLite's version.
   */
  shape: string;
}

/**
 * @param db in a transaction that keeps others from changing the file.
 * @param descriptor of the file, open until after the connection is closed: closing it would drop SQLite's locks.
 * @returns undefined when the newest rows are not in the file itself, or it is not understood.
 */
export function findFootprint(
  db: Database,
  { path, descriptor, table, index }: { path: string; descriptor: number; table: string; index: string },
): Footprint | undefined {
  if (hasLog(path)) return undefined;
  const find = db.prepare<[string, string], { rootpage: number; sql: string }>(
    "SELECT rootpage, sql FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
  );
  const [rows, order] = [find.get("table", table), find.get("index", index)];
  if (!rows || !order) return undefined;
  try {
    const database = readHeader(descriptor);
    const leaves = leavesOf(database, rows.rootpage).sort();
    const shape = createHash("sha256");
    shape.update(`${db.prepare("SELECT sqlite_version()").pluck().get()}\n${rows.sql}\n`);
    const memory = Buffer.alloc(database.pageSize);
    for (const level of levels(database, order.rootpage))
      for (const page of level) shape.update(readPage(database, page, memory));
    return { database, leaves, shape: shape.digest("hex") };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function leavesOf(database: DatabaseFile, root: number): Uint32Array {
  let leaves: Uint32Array = new Uint32Array();
  for (const level of levels(database, root)) leaves = level;
  return leaves;
}

/** Whether there is a write-ahead log with anything in it: rows in it are newer than those in the file. */
function hasLog(path: string): boolean {
  return (statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
