/** Makes sources of any size, changed versions of them, and releases. */
import { existsSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { here, run, say } from "./processes.js";

export const BASE_URL = "https://directory.example.com";

/** Larger sources repeat this number of users with other ids and dates, which is five times as fast. */
const SAMPLE = 100_000;
const MOST_COPIES = 256;

/** Orders of rows in a file. Multiplication by an odd number modulo a prime gives a random one, the same each time. */
const ORDERS = {
  published: "date_joined DESC, id",
  random: "rowid * 2654435761 % 4294967291",
} as const;

/** Makes a source of the same users with its rows in another order. */
export function reorder(file: string, order: keyof typeof ORDERS): string {
  const reordered = file.replace(/\.sqlite$/, `-${order}.sqlite`);
  const { db, createIndex } = beginLike(file, reordered);
  db.exec(`INSERT INTO users SELECT * FROM sample.users ORDER BY ${ORDERS[order]}; ${createIndex}`);
  db.close();
  return reordered;
}

export async function makeSource(folder: string, users: number): Promise<string> {
  const file = join(folder, `${users}.sqlite`);
  if (existsSync(file)) return file;
  if (users > MOST_COPIES * SAMPLE) throw new Error(`a source has at most ${MOST_COPIES * SAMPLE} users`);
  say(`  making ${users.toLocaleString("en")} users`);
  if (users > SAMPLE) copyUsers(await makeSource(folder, SAMPLE), file, users);
  else {
    const sample = [here("../sample.ts"), "--users", `${users}`, "--out", file];
    await run([process.execPath, "--import", import.meta.resolve("tsx"), ...sample]);
  }
  return file;
}

/** Copies users in the order of ids, so that neighbours in the file are far apart in the listing. */
function copyUsers(sample: string, file: string, users: number): void {
  const { db, createIndex } = beginLike(sample, file);
  const columns = columnsOf(db, {
    id: "printf('%02x', @copy) || substr(id, 3)",
    date_joined: "strftime('%Y-%m-%dT%H:%M:%S', date_joined, (-10 * @copy) || ' days') || substr(date_joined, 20)",
  });
  const insert = db.prepare(`INSERT INTO users SELECT ${columns} FROM sample.users ORDER BY id LIMIT @limit`);
  for (let copy = 0; copy * SAMPLE < users; copy++) insert.run({ copy, limit: users - copy * SAMPLE });
  db.exec(createIndex);
  db.close();
}

/** Opens a new file with the empty table of another, which is attached as `sample`. */
function beginLike(sample: string, file: string): { db: Database.Database; createIndex: string } {
  const db = new Database(file);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF"]) db.pragma(pragma);
  db.prepare("ATTACH ? AS sample").run(sample);
  const statements = db.prepare<[], string>("SELECT sql FROM sample.sqlite_master WHERE sql IS NOT NULL").pluck().all();
  const [createTable = "", createIndex = ""] = statements;
  db.exec(createTable);
  return { db, createIndex };
}

/** Of each 2,000 users, changes 18, removes one and adds one, spread over the listing. */
export function changeOnePercent(file: string): void {
  const db = new Database(file);
  // A prime, to keep the copies of one user apart.
  db.exec(`
    UPDATE users SET bio = bio || '!', referrals_count = referrals_count + 1 WHERE rowid % 1999 BETWEEN 10 AND 27;
    DELETE FROM users WHERE rowid % 1999 = 5;
    INSERT INTO users SELECT ${columnsOf(db, { id: "substr(id, 1, 2) || 'ffffff' || substr(id, 9)" })}
      FROM users WHERE rowid % 1999 = 7`);
  db.close();
}

function columnsOf(db: Database.Database, expressions: Readonly<Record<string, string>>): string {
  const columns = db.pragma("table_info(users)") as { name: string }[];
  return columns.map(({ name }) => expressions[name] ?? name).join(", ");
}

/** Makes a table of orders with two numbers each, and its contract. The same numbers have two decimals, or are whole. */
export function makeOrders(folder: string, orders: number, type: "number" | "integer") {
  const file = join(folder, `orders-${type}.sqlite`);
  const contract = join(folder, `orders-${type}.contract.json`);
  const divisor = type === "number" ? "100.0" : "1";
  const db = new Database(file);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF"]) db.pragma(pragma);
  db.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, day TEXT, paid, due)");
  db.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    INSERT INTO orders SELECT n, 'Customer ' || (n * 7919 % 99991), printf('2026-01-%02d', 1 + n % 28),
      n * 137 / ${divisor}, n * 7919 % 1000003 / ${divisor} FROM numbers`).run(orders);
  db.close();
  const properties = {
    id: { type: "integer" },
    customer: { type: "string" },
    day: { type: "string", format: "date" },
    paid: { type },
    due: { type },
  };
  const listing = { words: ["order", "orders"], key: "id", order: ["id"], version: 1 };
  const required = Object.keys(properties);
  const text = { type: "object", "x-listing": listing, properties, required, additionalProperties: false };
  writeFileSync(contract, JSON.stringify(text));
  return { file, contract };
}

export function buildCommand(cli: string, db: string, dist: string, ...flags: readonly string[]): string[] {
  return [process.execPath, cli, "build", "--db", db, "--dist", dist, "--base-url", BASE_URL, "--quiet", ...flags];
}

/** Builds a release. @returns its folder. */
export async function release(...args: Parameters<typeof buildCommand>): Promise<string> {
  const [, , dist] = args;
  await run(buildCommand(...args));
  return join(dist, readlinkSync(join(dist, "current")));
}
