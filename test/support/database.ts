/** Real SQLite files of users for tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { scratch } from "./files.js";
import { seeded } from "./random.js";

const SCHEMA = readFileSync(new URL("../cases/schema.sql", import.meta.url), "utf8");

/** Some columns of a row; the others have the schema's defaults. */
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

/** The same in a new folder. */
export function usersFile(rows: readonly Row[], after?: string, before?: string): string {
  return writeUsers(join(scratch(), "users.sqlite"), rows, after, before);
}

/** Changes a file by SQL. */
export function runSql(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
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

const NAMES = [
  "Anna",
  "Özgür",
  "मीरा",
  "Li",
  'Q"uote',
  "back\\slash",
  "李雷",
  "İstanbul",
  "🕊",
  'a\tb "c"',
  "x".repeat(70),
];
/** Every character that `trim` removes, and some that it does not. */
const BLANKS = [
  ...[9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x180e, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 12 }, (_, at) => 0x2000 + at),
].map((code) => String.fromCodePoint(code));

/** Users with words, facets, warnings, texts that JSON escapes, and more of the same time than a page has. */
export function variedUsers(count: number): Row[] {
  const random = seeded(7);
  return plainRows(count).map((row, at) => ({
    ...row,
    ...(at < 15 && { date_joined: "2026-01-01T00:00:00.000000Z" }),
    display_name: at % 3 ? null : `everybody ${random.of(NAMES)}${random.below(1e6).toString(36)}`,
    first_name: at % 5 ? random.of(NAMES) : `${BLANKS[at % BLANKS.length]}Ada${BLANKS[at % BLANKS.length]}`,
    last_name: `${random.of(NAMES)}-${random.below(50)}`,
    country: random.of(["DE", "TR", "XX", "IN"]),
    ...(random.chance(0.01) && { wac_status: 1 }),
  }));
}
