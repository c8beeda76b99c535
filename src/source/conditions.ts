/** Whether SQLite takes the conditions of a contract, asked of a database in memory that has nothing else. */
import Database from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { compileCondition } from "../contract/file/conditions.js";
import { quoteName } from "./columns.js";

/** A sentence for each condition that SQLite refuses, with its JSON pointer, as `readContract` gives them. */
export function refusedConditions({ conditions, fields }: Pick<Contract, "conditions" | "fields">): string[] {
  if (conditions.length === 0) return [];
  const row = fields.map(({ column }) => `NULL AS ${quoteName(column)}`).join(", ");
  const db = new Database(":memory:");
  try {
    return conditions.flatMap(({ sql }, at) => {
      try {
        db.prepare(`SELECT ${compileCondition(sql, quoteName)} FROM (SELECT ${row})`);
        return [];
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        return [`/x-observed/${at}/sql is refused by SQLite: ${error.message}.`];
      }
    });
  } finally {
    db.close();
  }
}
