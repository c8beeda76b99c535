/** Real SQLite files of users for tests. */
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";

const SCHEMA = readFileSync(new URL("../cases/schema.sql", import.meta.url), "utf8");

/** Some columns of a row; the rest take the schema's defaults. */
export type Row = Record<string, string | number | bigint | null | Buffer>;

/** Writes a new file with the table of test/cases/schema.sql and these rows; `after` and `before` are more SQL. */
export function writeUsers(file: string, rows: readonly Row[], after = "", before = ""): string {
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  db.exec(before);
  db.exec(SCHEMA);
  insertUsers(db, rows);
  db.exec(after);
  db.close();
  return file;
}

export function insertUsers(db: Database.Database, rows: readonly Row[]): void {
  db.transaction(() => {
    for (const row of rows) {
      const columns = Object.keys(row);
      const values = columns.map((name) => `@${name}`);
      db.prepare(`INSERT INTO users (${columns}) VALUES (${values})`).run(row);
    }
  })();
}

/** A valid id whose order is that of `number`. */
export function userId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** `count` valid users, newest first by number, one a second. */
export function plainRows(count: number): Row[] {
  return Array.from({ length: count }, (_, number) => ({
    id: userId(number),
    username: `user${number}`,
    date_joined: new Date(Date.UTC(2026, 0, 1) - number * 1000).toISOString().replace("Z", "000Z"),
  }));
}
