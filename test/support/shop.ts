/** A database of four tables that refer to each other, and their contracts. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { contractWith } from "./contracts.js";

const integer = { type: "integer" } as const;
const text = { type: "string" } as const;

/** The listings of the shop, as the config has them. */
export const SHOP = {
  categories: {
    contract: contractWith(["category", "categories"], {
      id: integer,
      name: text,
      parent_id: { type: ["integer", "null"], "x-references": "categories" },
    }),
  },
  customers: { contract: contractWith(["customer", "customers"], { id: integer, name: text }) },
  orders: {
    contract: contractWith(["order", "orders"], {
      id: integer,
      customer_id: { ...integer, "x-references": "customers" },
      agent_id: { type: ["integer", "null"], "x-observed": { "x-references": "customers" } },
      total: { type: "number" },
    }),
    bulk: true,
    changes: 2,
  },
  products: {
    contract: contractWith(["product", "products"], {
      id: integer,
      name: text,
      category_id: { ...integer, "x-references": "categories" },
    }),
    pageSize: 3,
  },
} as const;

/** Writes the shop. @returns the path of its SQLite file */
export function writeShop(folder: string, more = ""): string {
  const path = join(folder, "shop.db");
  const db = new Database(path);
  db.exec(`
    CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES categories (id));
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), agent_id INTEGER, total REAL);
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER REFERENCES categories (id));
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
      INSERT INTO categories SELECT i, 'Category ' || i, nullif(i - 1, 0) FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
      INSERT INTO customers SELECT i, 'Customer ' || i FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
      INSERT INTO orders SELECT i, 1 + i % 6, iif(i % 2, 1, NULL), i / 4.0 FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
      INSERT INTO products SELECT i, 'Product ' || i, 1 + i % 4 FROM n;
    ${more}`);
  db.close();
  return path;
}

/** Changes the shop. */
export function changeShop(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
}
