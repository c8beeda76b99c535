/** A shop: customers and their orders in one database, published as a site of two listings or more. */
import { join } from "node:path";
import Database from "better-sqlite3";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { type BuildOptions, type BuildResult, build } from "../../src/index.js";

export const SHOP = "https://shop.example.com";

export interface Shop {
  customers: number;
  orders: number;
  /** Changes the total of every order. */
  factor?: number;
  /** Also publishes a listing of countries. */
  countries?: number;
}

let clock = Date.UTC(2026, 10, 26, 12);

const fieldsOf = {
  customers: { id: { type: "integer" }, name: { type: "string" } },
  orders: {
    id: { type: "integer" },
    customer: { type: "integer", "x-references": "customers" },
    total: { type: "integer" },
  },
  countries: { id: { type: "integer" }, name: { type: "string" } },
};

function contractOf(name: keyof typeof fieldsOf, word: string): ContractFile {
  const properties = fieldsOf[name];
  return {
    type: "object",
    title: name,
    "x-listing": { words: [word, name], key: "id", order: ["id"], version: 1 },
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  } as unknown as ContractFile;
}

/** Writes the database of a shop. @returns its path */
function writeShop(folder: string, { customers, orders, factor = 1, countries = 0 }: Shop): string {
  const path = join(folder, "shop.db");
  const db = new Database(path);
  db.exec(`DROP TABLE IF EXISTS customers; DROP TABLE IF EXISTS orders; DROP TABLE IF EXISTS countries;
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total INTEGER);
    CREATE TABLE countries (id INTEGER PRIMARY KEY, name TEXT);`);
  const add = (sql: string, count: number, rowOf: (at: number) => unknown[]) => {
    const insert = db.prepare(sql);
    for (let at = 1; at <= count; at++) insert.run(rowOf(at));
  };
  add("INSERT INTO customers VALUES (?, ?)", customers, (at) => [at, `Customer ${at}`]);
  add("INSERT INTO orders VALUES (?, ?, ?)", orders, (at) => [at, 1 + (at % customers), at * factor]);
  add("INSERT INTO countries VALUES (?, ?)", countries, (at) => [at, `Country ${at}`]);
  db.close();
  return path;
}

/** The listings of a shop, as the options of a build. */
export function shopListings({ countries = 0 }: Pick<Shop, "countries"> = {}): NonNullable<BuildOptions["listings"]> {
  return {
    customers: { contract: contractOf("customers", "customer") },
    orders: { contract: contractOf("orders", "order") },
    ...(countries > 0 && { countries: { contract: contractOf("countries", "country") } }),
  };
}

/** Builds a release of a shop in `folder/dist`, a minute after the last one. */
export async function buildShop(folder: string, shop: Shop, options: Partial<BuildOptions> = {}): Promise<BuildResult> {
  clock += 60_000;
  const now = new Date(clock);
  const defaults = { dist: join(folder, "dist"), baseUrl: SHOP, pageSize: 10, keep: 9, listings: shopListings(shop) };
  return build({ db: writeShop(folder, shop), ...defaults, ...options }, { now: () => now });
}
