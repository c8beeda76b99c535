/** Copies the rows of a database in UTF-16: SQLite compares its texts by UTF-16, and records are in the order of UTF-8. */
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { quoteName } from "../contract/sql.js";
import { TemporaryDatabase } from "../scratch/database.js";
import { findInvalidText, REPLACEMENT } from "./candidates.js";
import { InvalidText, type SqlValue } from "./values.js";

/** In KiB. */
const MEMORY = 8000;

export const COPY = "main.rollcall_copy";

/** A database in UTF-8 with the rows of a relation in `COPY`, as they were stored. To be closed by the caller. */
export function copyAsUtf8(db: Database, rows: string, { fields }: Contract): TemporaryDatabase {
  const columns = fields.map(({ column }) => quoteName(column));
  // Without types, SQLite stores each value as it comes.
  const tables = `CREATE TABLE ${COPY} (${columns})`;
  const copy = new TemporaryDatabase({ tables, memory: MEMORY, purpose: "copy a database in UTF-16 to" });
  const invalidText = findInvalidText(db, columns, `FROM ${rows}`, {});
  try {
    const read = db.prepare<[], SqlValue[]>(`SELECT ${columns} FROM ${rows}`).raw().safeIntegers();
    const insert = copy.db.prepare(`INSERT INTO ${COPY} VALUES (${columns.map(() => "?")})`);
    for (const row of read.iterate()) {
      invalidText.mark(row);
      const isInvalid = row.some((value) => value instanceof InvalidText);
      copy.run(() => (isInvalid ? insertInvalid(copy.db, row) : insert.run(row)));
    }
    return copy;
  } catch (error) {
    copy.close();
    throw error;
  } finally {
    invalidText.close();
  }
}

/** Text that is not valid UTF-16 becomes text that is not valid UTF-8, and looks the same when it is decoded. */
function insertInvalid(copy: Database, row: readonly SqlValue[]): void {
  const places = row.map((value) => (value instanceof InvalidText ? "CAST(? AS TEXT)" : "?"));
  const values = row.map((value) => (value instanceof InvalidText ? invalidUtf8(value.decoded) : value));
  copy.prepare(`INSERT INTO ${COPY} VALUES (${places})`).run(values);
}

function invalidUtf8(decoded: string): Buffer {
  const parts = decoded.split(REPLACEMENT).map((part) => Buffer.from(part));
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.of(0xff), part])));
}
