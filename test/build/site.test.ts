/** Several tables as one release: built at one point in time, switched together, with references that lead to records. */
import { existsSync, lstatSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { build, buildShard, GateError, InvalidRecordsError, verify } from "../../src/index.js";
import { contractWith } from "../support/contracts.js";
import { reseal } from "../support/damage.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { draws, type Random, seeded } from "../support/random.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";

const baseUrl = "https://shop.example.com";
const integer = { type: "integer" } as const;
const text = { type: "string" } as const;
let folder: string;
let dist: string;
let db: string;

beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
  db = writeShop(folder);
});

const buildShop = (more: Partial<Parameters<typeof build>[0]> = {}) =>
  build({ db, baseUrl, dist, listings: SHOP, workers: 0, ...more });

const current = () => readlinkSync(join(dist, "current"));

function keysOf(name: string): number[] {
  const files = [...readTree(join(dist, "current", name, "pages"))].filter(([path]) => path.endsWith(".json"));
  const records = files.flatMap(([, text]) => JSON.parse(text).results as { id: number }[]);
  return records.map(({ id }) => id).sort((one, other) => one - other);
}

test("views belong to a listing, which their notes name", async () => {
  await expect(buildShop({ views: ["id"] })).rejects.toMatchObject({
    exitCode: 2,
    message:
      '--views is for one listing, and here are several. Name the views of each in the config file, as in "listings": {"categories": {"views": ["field"]}}.',
  });
  const orders = { ...SHOP["orders"], views: { id: { by: "id", most: 300 } } };
  const { notes } = await buildShop({ listings: { ...SHOP, orders } });
  expect(notes).toContain("listings.orders.views.id has 250 values; a build refuses more than 300, its most");
});

test("each listing is a release of its own, below the files that name them", async () => {
  const result = await buildShop();
  expect(result).toMatchObject({ new: true, switched: true, records: 270, pages: 9 });
  expect(Object.keys(result.listings ?? {})).toEqual(["categories", "customers", "orders", "products"]);
  const site = join(dist, "current");
  const top = JSON.parse(readFileSync(join(site, "snapshot.json"), "utf8"));
  expect(top).toMatchObject({ id: result.id, base_url: baseUrl, listings: { orders: { count: 250, pages: 3 } } });
  checkSums(site);
  for (const name of Object.keys(SHOP)) {
    checkSums(join(site, name));
    const snapshot = JSON.parse(readFileSync(join(site, name, "snapshot.json"), "utf8"));
    expect(snapshot).toMatchObject({ base_url: `${baseUrl}/${name}`, site: baseUrl, id: top.listings[name].id });
  }
  const page = JSON.parse(readFileSync(join(site, "orders/pages/1.json"), "utf8"));
  expect(page.next).toBe(`${baseUrl}/orders/?format=api&page=2`);
  const verdict = await verify({ dist });
  expect(verdict.passed).toBe(true);
  expect(verdict.rows.find(({ name }) => name === "references")?.request).toBe("263 values");
});

test("a listing that did not change keeps its id and its files, and nothing new keeps the release", async () => {
  const first = await buildShop();
  const before = current();
  expect(await buildShop()).toMatchObject({ id: first.id, new: false, switched: false });
  expect(current()).toBe(before);
  changeShop(db, "INSERT INTO customers VALUES (7, 'New')");
  const second = await buildShop();
  expect(second.id).not.toBe(first.id);
  const inode = (release: string, path: string) => lstatSync(join(dist, release, path)).ino;
  for (const path of ["orders/pages/2.json", "orders/snapshot.json", "customers/pages/1.json"])
    expect(inode(current(), path) === inode(before, path), path).toBe(!path.startsWith("customers"));
  changeShop(db, "DELETE FROM customers WHERE id = 7");
  expect(await buildShop()).toMatchObject({ id: first.id, new: false, switched: true });
});

test("a damaged file at the top is replaced by the same build", async () => {
  const { id, name } = await buildShop();
  const file = join(dist, "current/openapi.json");
  const intact = readFileSync(file, "utf8");
  writeFileSync(file, "{}");
  const again = await buildShop();
  expect(again).toMatchObject({ id, new: true, switched: true });
  expect(again.name).not.toBe(name);
  expect(readFileSync(file, "utf8")).toBe(intact);
});

test("an invalid record, a missing reference or a gate in any listing switches nothing", async () => {
  await buildShop();
  const before = current();
  changeShop(db, "UPDATE customers SET name = NULL WHERE id = 2; UPDATE orders SET customer_id = 99 WHERE id = 7");
  const error: unknown = await buildShop().catch((error: unknown) => error);
  if (!(error instanceof InvalidRecordsError)) throw error;
  expect(error.problems.first.map(({ listing, path, rule, id }) => [listing, path, rule, id])).toEqual([
    ["customers", "name", "type", 2],
    ["orders", "customer_id", "reference", 7],
  ]);
  expect(current()).toBe(before);
  changeShop(db, "UPDATE customers SET name = 'B' WHERE id = 2; DELETE FROM orders WHERE id < 9");
  const listings = { ...SHOP, orders: { ...SHOP.orders, maxRemoved: "1%" } };
  await expect(buildShop({ listings })).rejects.toThrow(GateError);
  await expect(buildShop({ listings })).rejects.toThrow(/orders: max-removed 1%: 8 of 250 orders removed/);
  expect(current()).toBe(before);
});

test("a reference of another type is one problem, which shows the value", async () => {
  changeShop(db, "UPDATE orders SET customer_id = 'x' WHERE id = 7; UPDATE orders SET customer_id = 1.5 WHERE id = 8");
  const error: unknown = await buildShop().catch((error: unknown) => error);
  if (!(error instanceof InvalidRecordsError)) throw error;
  expect(error.problems.first.map(({ id, path, rule, value }) => [id, path, rule, value])).toEqual([
    [7, "customer_id", "type", "x"],
    [8, "customer_id", "type", { real: 1.5 }],
  ]);
});

test("gates that name a listing, and its own, are for it alone, before those for all", async () => {
  await buildShop();
  changeShop(db, "DELETE FROM orders WHERE id > 245; UPDATE products SET name = 'x' WHERE id = 1");
  const refusalOf = async (more: Partial<Parameters<typeof build>[0]>) => {
    const error: unknown = await buildShop(more).catch((error: unknown) => error);
    return error instanceof GateError ? error.exceeded : error;
  };
  const removed = "orders: max-removed 1: 5 of 250 orders removed (2 %)";
  const listings = { ...SHOP, orders: { ...SHOP.orders, maxRemoved: 1 } };
  expect(await refusalOf({ listings, maxRemoved: "50%" })).toEqual([removed]);
  expect(await refusalOf({ maxRemoved: ["50%", "orders=2"] })).toEqual([removed.replace("1:", "2:")]);
  const fields = ["products: max-field name 0: 1 of 10 products changed in name (10 %)"];
  for (const maxField of [["name=0"], ["products.name=0"], ["name=9", "products.name=0"]])
    expect(await refusalOf({ maxRemoved: "orders=2%", maxField })).toEqual(fields);
  const own = { ...SHOP, products: { ...SHOP.products, maxField: ["category_id=0"] } };
  expect(await refusalOf({ listings: own, maxRemoved: "orders=2%", maxField: ["name=0"] })).toEqual(fields);
  const result = await buildShop({ maxRemoved: "orders=2%", maxField: ["name=0", "products.name=1"] });
  expect(result.listings?.["orders"]?.gates).toMatchObject({ removed: 5 });
});

test("a gate on a field stays, if a listing that was removed has the name of the field's object", async () => {
  const address = {
    type: "object",
    properties: { city: text },
    required: ["city"],
    additionalProperties: false,
  } as const;
  const contract = contractWith(["customer", "customers"], { id: integer, address });
  const query = join(folder, "customers.sql");
  writeFileSync(query, "SELECT id, name AS address_city FROM customers");
  const customers = { contract, query };
  await buildShop({ listings: { customers, address: { contract: SHOP.customers.contract, table: "customers" } } });
  changeShop(db, "UPDATE customers SET name = 'x' WHERE id = 1");
  await expect(buildShop({ listings: { customers }, maxField: ["address.city=0"] })).rejects.toThrow(
    "customers: max-field address.city 0: 1 of 6 customers changed in address.city",
  );
});

test("a gate that names a removed listing is not passed over, if the current release is broken", async () => {
  await buildShop();
  const before = current();
  rmSync(join(dist, before, "customers/pages/1.json"));
  const { orders, ...others } = SHOP;
  const refusal = /^The gates cannot compare with the current release, which is broken/;
  for (const gate of [{ maxRemoved: "orders=5%" }, { maxField: ["orders.total=1"] }])
    await expect(buildShop({ listings: others, ...gate })).rejects.toThrow(refusal);
  expect(current()).toBe(before);
  expect(await buildShop({ listings: others })).toMatchObject({ switched: true });
});

test.each<[string, Partial<Parameters<typeof build>[0]>, string]>([
  ["a listing", { maxRemoved: "ordrs=1%" }, 'maxRemoved names "ordrs", which is not a listing; did you mean orders?'],
  [
    "a field",
    { maxField: ["orders.totl=1"] },
    'maxField names "orders.totl", which is not a field; did you mean orders.total?',
  ],
  [
    "a listing in the settings of a listing",
    { listings: { ...SHOP, orders: { ...SHOP.orders, maxAdded: "orders=1%" } } },
    'listings.orders.maxAdded names "orders", but it is for one listing, not for a site of several; give the limit alone: 1%.',
  ],
  [
    "a listing of a plain release",
    { listings: undefined, contract: SHOP.orders.contract, maxChanged: ["1%", "orders=5%"] },
    'maxChanged names "orders", but it is for one listing, not for a site of several; give the limit alone: 5%.',
  ],
  [
    "a listing twice",
    { maxRemoved: ["orders=1%", "9", "orders=2%"] },
    "maxRemoved 1% and maxRemoved 2% are both for orders; leave one out.",
  ],
  [
    "a listing that has its own gate",
    { maxRemoved: "orders=1%", listings: { ...SHOP, orders: { ...SHOP.orders, maxRemoved: 7 } } },
    "listings.orders.maxRemoved 7 and maxRemoved 1% are both for orders; leave one out.",
  ],
  [
    "all listings twice",
    { maxAdded: ["1%", 2] },
    "maxAdded 1% and maxAdded 2 are both for all records; leave one out.",
  ],
  [
    "a field twice",
    { maxField: ["name=1", "orders.total=1", "products.name=1", "orders.total=2"] },
    "maxField 1 and maxField 2 are both for the field total of orders; leave one out.",
  ],
  [
    "a field that has a gate in its listing",
    { maxField: ["orders.total=1"], listings: { ...SHOP, orders: { ...SHOP.orders, maxField: ["total=3"] } } },
    "listings.orders.maxField 3 and maxField 1 are both for the field total of orders; leave one out.",
  ],
])("refuses a gate that names %s wrongly, before anything is read", async (_, more, message) => {
  rmSync(db);
  await expect(buildShop(more)).rejects.toThrow(message);
});

test("all records of a removed listing count as removed, and those of an added one as added", async () => {
  const { orders, ...others } = SHOP;
  await buildShop();
  const without = { listings: others, maxRemoved: "5%" };
  await expect(buildShop(without)).rejects.toThrow("max-removed 5%: the listing orders was removed, with 250 records");
  await expect(buildShop({ ...without, maxRemoved: "orders=249" })).rejects.toThrow(GateError);
  const result = await buildShop({ ...without, maxRemoved: ["5%", "orders=100%"] });
  expect(result.notes).toEqual(["the listing orders was removed, with 250 orders"]);
  expect(await buildShop({ listings: others })).toMatchObject({ switched: false, notes: [] });

  await expect(buildShop({ maxAdded: "99%" })).rejects.toThrow(
    "max-added 99%: the listing orders was added, with 250 records",
  );
  await expect(buildShop({ maxAdded: 249 })).rejects.toThrow(GateError);
  const { listings } = await buildShop({ maxAdded: ["0", "orders=250"] });
  expect(listings?.["orders"]?.gates).toMatchObject({ added: 250, removed: 0, changed: 0 });
});

test("a listing of no records has one page, and is verified and gated as others are", async () => {
  await buildShop();
  changeShop(db, "DELETE FROM orders");
  await expect(buildShop({ maxRemoved: "orders=99%" })).rejects.toThrow("orders: max-removed 99%: 250 of 250 orders");
  const { listings } = await buildShop({ explorer: true });
  expect(listings?.["orders"]).toMatchObject({ records: 0, pages: 1 });
  expect(await verify({ dist })).toMatchObject({ passed: true });
});

test("a missing reference that was only observed is a warning", async () => {
  changeShop(db, "UPDATE orders SET agent_id = 77 WHERE id < 4");
  const { listings } = await buildShop();
  expect(listings?.["orders"]?.warnings).toEqual({ agent_id: 3 });
});

const REFUSED: [string, Record<string, object>, RegExp][] = [
  ["a name of a release's own file", { "snapshot.json": {} }, /snapshot\.json is the name of a file or folder/],
  ["names that differ by case", { a: {}, A: {} }, /A and a differ only by case/],
  ["a name below another", { v1: {}, "v1/orders": {} }, /v1\/orders lies below the listing v1/],
  ["a name that leads out", { "../x": {} }, /"\.\.\/x" is not a name/],
  ["a long name", { ["a".repeat(201)]: {} }, /a{201} is too long; use at most 200 characters/],
  ["no listings", {}, /build: listings has no listings; give it one, such as .*, or leave it out/],
  [
    "more than a hundred listings",
    Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`list-${at}`, {}])),
    /has 101 listings; at most 100 are possible/,
  ],
  [
    "an unknown setting",
    { orders: { pagesize: 3 } },
    /build: listings\.orders\.pagesize is not an option; did you mean pageSize\?/,
  ],
  [
    "a contract with a path",
    { orders: { contract: withPath() } },
    /listings\.orders\.contract: remove x-listing\.path/,
  ],
  [
    "a reference to no listing",
    { orders: SHOP.orders },
    /orders: customer_id refers to customers, which is not a listing/,
  ],
];

function withPath(): ContractFile {
  const { contract } = SHOP.customers;
  return { ...contract, "x-listing": { ...contract["x-listing"], path: "/orders/" } };
}

test.each(REFUSED)("refuses %s", async (_, listings, message) => {
  const error: unknown = await buildShop({ listings }).catch((error: unknown) => error);
  if (!(error instanceof Error)) throw error;
  const { details = [] } = error as { details?: string[] };
  expect([error.message, ...details].join("\n")).toMatch(message);
});

test("a site and one listing do not replace each other", async () => {
  await buildShop();
  const plain = { db, baseUrl, dist, contract: SHOP.customers.contract, workers: 0 };
  await expect(build(plain)).rejects.toThrow(/holds another release, the site https:\/\/shop\.example\.com \(release/);
  await build({ ...plain, force: true });
  await expect(buildShop()).rejects.toThrow(
    /holds another release, the listing https:\/\/shop\.example\.com\/ \(release/,
  );
});

const NAMES = ["a", "b", "c"];

/** Tables whose rows refer to each other and to themselves, some to no row; some rows are invalid. */
function writeRandom(path: string, random: Random): void {
  const random6 = () => (random.chance(0.2) ? "NULL" : `${1 + random.below(8)}`);
  const rows = (name: string) =>
    Array.from({ length: random.below(8) }, (_, at) => {
      const value = random.chance(0.1) ? "'x'" : "1";
      return `INSERT INTO ${name} VALUES (${at + 1}, ${value}, ${NAMES.map(random6).join(", ")});`;
    });
  const columns = NAMES.map((to) => `to_${to} INTEGER REFERENCES ${to} (id)`).join(", ");
  const tables = NAMES.map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, value, ${columns});`);
  const file = new Database(path);
  file.exec(`PRAGMA foreign_keys = OFF; ${tables.join("")} ${NAMES.flatMap(rows).join("\n")}`);
  file.close();
}

const RANDOM = Object.fromEntries(
  NAMES.map((name) => {
    const nullable = { type: ["integer", "null"] } as const;
    const references = NAMES.map((to) => [`to_${to}`, { ...nullable, "x-references": to }] as const);
    const properties = {
      id: { type: "integer" },
      value: { type: "integer" },
      ...Object.fromEntries(references),
    } as const;
    const contract = {
      type: "object",
      "x-listing": { words: [name, name], key: "id", order: ["id"], version: 1 },
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    } as const;
    return [name, { contract, table: name }];
  }),
);

/** What is left after SQLite's own check was asked until it finds nothing. */
function keptBySqlite(path: string): Record<string, number[]> {
  const file = new Database(path);
  file.pragma("foreign_keys = OFF");
  for (const name of NAMES) file.exec(`DELETE FROM ${name} WHERE typeof(value) <> 'integer'`);
  for (;;) {
    const found = file.pragma("foreign_key_check") as { table: string; rowid: number }[];
    if (found.length === 0) break;
    for (const { table, rowid } of found) file.exec(`DELETE FROM ${table} WHERE id = ${rowid}`);
  }
  const kept = NAMES.map((name) => [name, file.prepare(`SELECT id FROM ${name} ORDER BY id`).pluck().all()] as const);
  file.close();
  return Object.fromEntries(kept) as Record<string, number[]>;
}

test("skipInvalid leaves what SQLite's own check of foreign keys leaves", async () => {
  const random = seeded();
  for (let round = 0; round < draws(100); round++) {
    const path = join(folder, `${round}.db`);
    writeRandom(path, random);
    const built = build({ db: path, baseUrl, dist, listings: RANDOM, skipInvalid: true, workers: 0, force: true });
    const result = await built.catch((error: unknown) => error);
    const kept = keptBySqlite(path);
    if (result instanceof InvalidRecordsError) expect(Object.values(kept).some((keys) => keys.length === 0)).toBe(true);
    else if (result instanceof Error) throw result;
    else for (const name of NAMES) expect(keysOf(name), `${name} of database ${round}`).toEqual(kept[name]);
  }
});

test("records whose references were left out are counted, however many references are between", async () => {
  const path = join(folder, "chain.db");
  const columns = "id INTEGER PRIMARY KEY, value, to_a INTEGER, to_b INTEGER, to_c INTEGER";
  const file = new Database(path);
  file.exec(`${NAMES.map((name) => `CREATE TABLE ${name} (${columns});`).join("")}
    INSERT INTO a VALUES (1, 1, NULL, 1, NULL), (2, 1, NULL, NULL, NULL);
    INSERT INTO b VALUES (1, 1, NULL, NULL, 1), (2, 1, NULL, NULL, NULL);
    INSERT INTO c VALUES (1, 'x', NULL, NULL, NULL), (2, 1, NULL, NULL, NULL);`);
  file.close();
  const result = await build({ db: path, baseUrl, dist, listings: RANDOM, skipInvalid: true, workers: 0 });
  expect(result).toMatchObject({ records: 3, skipped: 3, unreferenced: 2, problems: { count: 1 } });
});

test("shards of a site give what one machine gives, and find references to no row of the source", async () => {
  const parts = join(folder, "parts");
  // With bulk, the orders would be too few for several shards.
  const listings = { ...SHOP, orders: { ...SHOP.orders, bulk: false } };
  const build3 = async (more = {}) => {
    const errors: unknown[] = [];
    for (const shard of ["0/3", "1/3", "2/3"])
      await buildShard({ db, baseUrl, dist, listings, workers: 0, parts, shard, ...more }).catch((error) =>
        errors.push(error),
      );
    return errors;
  };
  const sizes = { listings, pageSize: 20, compress: ["gzip"], lookup: true } as const;
  const one = await buildShop({ ...sizes, dist: join(folder, "one") });
  expect(await build3(sizes)).toEqual([]);
  expect(await buildShard({ db, baseUrl, dist, ...sizes, parts, shard: "1/3" })).toMatchObject({
    new: false,
    total: 270,
    listings: { orders: { total: 250, pages: { first: 5, last: 8 } } },
  });
  const joined = await buildShop({ ...sizes, join: parts });
  expect(joined.id).toBe(one.id);
  const filesIn = ({ folder }: { folder: string }) => [...readTree(folder)].filter(([path]) => path !== ".release");
  expect(filesIn(joined)).toEqual(filesIn(one));

  // Customer 99 is in no shard. The other customers are rows of one shard, and orders of three refer to them.
  changeShop(db, "UPDATE orders SET customer_id = 99 WHERE id = 130");
  rmSync(parts, { recursive: true });
  const [error, ...others] = await build3(sizes);
  expect(others).toEqual([]);
  expect(error).toBeInstanceOf(InvalidRecordsError);
  expect((error as InvalidRecordsError).problems.first).toMatchObject([{ rule: "reference", id: 130 }]);
});

test("shards and their join report the invalid records of all listings", async () => {
  const invalid =
    "UPDATE orders SET customer_id = 99 WHERE id IN (2, 130); UPDATE products SET name = NULL WHERE id = 1";
  changeShop(db, `${invalid}; UPDATE customers SET name = NULL WHERE id = 1`);
  const parts = join(folder, "parts");
  const problems = join(folder, "problems.ndjson");
  const refusalOf = async (made: Promise<unknown>) => {
    const error: unknown = await made.catch((error: unknown) => error);
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { message: error.message, report: error.problems, file: readFileSync(problems, "utf8") };
  };
  // With bulk, the orders would be too few for several shards.
  const listings = { ...SHOP, orders: { ...SHOP.orders, bulk: false } };
  const options = { db, baseUrl, dist, listings, pageSize: 5, workers: 0, problems };
  const found: Awaited<ReturnType<typeof refusalOf>>[] = [];
  for (const shard of ["0/2", "1/2"]) found.push(await refusalOf(buildShard({ ...options, parts, shard })));
  const listingsOf = ({ report }: (typeof found)[number]) => report.first.map(({ listing, id }) => `${listing} ${id}`);
  expect(found.map(listingsOf)).toEqual([["customers 1", "orders 2", "products 1"], ["orders 130"]]);
  expect(found[0]?.file.split("\n")).toHaveLength(4);
  const joined = await refusalOf(build({ ...options, join: parts }));
  const one = await refusalOf(build(options));
  expect(joined).toEqual({ ...one, message: one.message.replace(/\.$/, ", in a build without shards.") });
  expect(joined.message).toMatch(/^4 of 270 records are invalid/);
});

test("a table or a column that is missing names the settings of its listing", async () => {
  changeShop(db, "ALTER TABLE products RENAME TO things; ALTER TABLE customers DROP COLUMN name");
  const { categories, customers, products } = SHOP;
  const built = (listings: Parameters<typeof build>[0]["listings"]) => buildShop({ listings });
  await expect(built({ categories, "v1/products": { ...products, table: "thing" } })).rejects.toThrow(
    /has no table or view "thing"; .* Did you mean listings\.v1\/products\.table things\?$/,
  );
  await expect(built({ categories, products })).rejects.toThrow(/Name one with listings\.products\.table\.$/);
  await expect(built({ customers })).rejects.toThrow("Name them so in a view, or with listings.customers.query.");
  await expect(built({ customers: { ...customers, query: join(folder, "none.sql") } })).rejects.toThrow(
    "listings.customers.query names a file with one SELECT",
  );
});

test("a join refuses parts whose references were checked with another table", async () => {
  changeShop(db, "CREATE TABLE clients AS SELECT * FROM customers WHERE id < 3");
  const parts = join(folder, "parts");
  const options = { db, baseUrl, dist, listings: SHOP, workers: 0 };
  await buildShard({ ...options, parts, shard: "0/1" });
  const others = { ...SHOP, customers: { ...SHOP.customers, table: "clients" } };
  const remade = { ...options, listings: others, parts: join(folder, "other"), shard: "0/1" };
  await buildShard(remade).catch(() => undefined);
  rmSync(join(parts, "customers"), { recursive: true });
  renameSync(join(folder, "other/customers"), join(parts, "customers"));
  await expect(build({ ...options, listings: others, join: parts })).rejects.toThrow(
    /orders\/0-of-1-.* does not belong to this build: it is shard 0\/1 of other settings/,
  );
  rmSync(join(parts, "orders"), { recursive: true });
  await expect(build({ ...options, listings: others, join: parts })).rejects.toThrow(
    `There is no part in ${parts}/orders; make parts with "rollcall build --shard 0/8 --parts ${parts}"`,
  );
});

test("a listing that others refer to has the names of its records, which verify compares, and which change no id", async () => {
  const named = (name: "categories" | "customers") => {
    const { contract } = SHOP[name];
    return { contract: { ...contract, "x-listing": { ...contract["x-listing"], label: "name" } } };
  };
  const listings = { ...SHOP, categories: named("categories"), customers: named("customers") };
  const { id } = await buildShop({ listings });
  const { id: withNames } = await buildShop({ listings, explorer: true });
  expect(withNames).toBe(id);
  const site = join(dist, "current");
  const labels = JSON.parse(readFileSync(join(site, "customers/labels.json"), "utf8"));
  expect(labels).toEqual({ labels: [1, 2, 3, 4, 5, 6].map((key) => [key, `Customer ${key}`]), version: 1 });
  // A listing may refer to itself. No listing refers to orders, and products have no label.
  const has = (name: string) => existsSync(join(site, name, "labels.json"));
  expect(Object.keys(SHOP).filter(has)).toEqual(["categories", "customers"]);
  expect((await verify({ dist })).passed).toBe(true);
  const lie = join(site, "customers/labels.json");
  const honest = readFileSync(lie, "utf8");
  writeFileSync(lie, honest.replace("Customer 2", "Customer 3"));
  reseal(join(site, "customers"));
  const { rows } = await verify({ what: join(site, "customers") });
  const wrong = rows
    .filter(({ outcome }) => outcome === "differs")
    .map(({ name, findings }) => [name, findings[0]?.path]);
  expect(wrong).toEqual([["explorer", "labels.json"]]);
});
