/** Builds of two tables beside a process that writes to them, whose every transaction keeps what the test checks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { build } from "../../src/index.js";
import { readTree, scratch } from "../support/files.js";

const CUSTOMERS = 200;

/** Adds a customer with orders, and removes another one with those of it. It reads more than it writes, so that others get the lock. */
const WRITER = `
  import Database from "better-sqlite3";
  const db = new Database(process.argv[1], { timeout: 60_000 });
  db.pragma("synchronous = OFF");
  let next = ${CUSTOMERS};
  const change = db.transaction(() => {
    next += 1;
    const orders = next % 7;
    db.prepare("INSERT INTO customers VALUES (?, ?)").run(next, orders);
    for (let at = 1; at <= orders; at++) db.prepare("INSERT INTO orders (customer_id) VALUES (?)").run(next);
    db.prepare("DELETE FROM orders WHERE customer_id = ?").run(next - ${CUSTOMERS});
    db.prepare("DELETE FROM customers WHERE id = ?").run(next - ${CUSTOMERS});
  });
  console.log("ready");
  const count = db.prepare("SELECT count(*) FROM orders JOIN customers ON customers.id = customer_id");
  const work = () => {
    change();
    for (let times = 0; times < 20; times++) count.get();
    setImmediate(work);
  };
  work();
`;

const integer = { type: "integer" } as const;

function contractOf(words: readonly [string, string], fields: Record<string, ContractFile["properties"][string]>) {
  const file: ContractFile = {
    type: "object",
    "x-listing": { words, key: "id", order: ["id"], version: 1 },
    properties: { id: integer, ...fields },
    required: ["id", ...Object.keys(fields)],
    additionalProperties: false,
  };
  return { contract: file };
}

/** The build does not check references, so that the test does. */
const LISTINGS = {
  customers: contractOf(["customer", "customers"], { orders: integer }),
  orders: contractOf(["order", "orders"], { customer_id: integer }),
};

function recordsOf(folder: string): Record<string, number>[] {
  const pages = [...readTree(folder)].filter(([path]) => path.endsWith(".json"));
  return pages.flatMap(([, text]) => JSON.parse(text).results);
}

/**
 * Builds some releases while the writer writes, and checks each: every order has a customer, and every customer all orders.
 * @returns the number of different releases
 */
export async function buildBesideWriter(journal: "wal" | "delete", builds: number): Promise<number> {
  const folder = scratch();
  const path = join(folder, "shop.db");
  const db = new Database(path);
  db.exec(`PRAGMA journal_mode = ${journal};
    CREATE TABLE customers (id INTEGER PRIMARY KEY, orders INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER);
    CREATE INDEX by_customer ON orders (customer_id);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CUSTOMERS}) INSERT INTO customers SELECT i, 1 FROM n;
    INSERT INTO orders (customer_id) SELECT id FROM customers;`);
  db.close();
  const writer = spawn(process.execPath, ["--input-type=module", "-e", WRITER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ids = new Set<string>();
  try {
    await once(writer.stdout, "data");
    for (let at = 0; at < builds; at++) {
      const options = {
        db: path,
        baseUrl: "https://shop.example.com",
        dist: join(folder, "dist"),
        keep: 0,
        workers: 0,
      };
      const { id, folder: release } = await build({ ...options, listings: LISTINGS });
      ids.add(id);
      const counts = new Map<number, number>();
      for (const { customer_id = 0 } of recordsOf(join(release, "orders/pages")))
        counts.set(customer_id, (counts.get(customer_id) ?? 0) + 1);
      const customers = recordsOf(join(release, "customers/pages"));
      expect(customers).toHaveLength(CUSTOMERS);
      for (const { id = 0, orders } of customers) {
        expect(counts.get(id) ?? 0, `orders of customer ${id} in build ${at}`).toBe(orders);
        counts.delete(id);
      }
      expect([...counts.keys()], `customers of orders that are not there in build ${at}`).toEqual([]);
    }
    expect(writer.exitCode, "the writer still runs").toBeNull();
  } finally {
    writer.kill();
    await once(writer, "close");
  }
  return ids.size;
}
