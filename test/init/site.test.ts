/** `init --from` of a database of several tables: it lists them, and with `--all` writes a contract for each that has a key. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { resolveSettings } from "../../src/core/settings/resolve.js";
import { build } from "../../src/index.js";
import { initialize } from "../../src/init/init.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { readTree, scratch } from "../support/files.js";
import { draws, type Random, seeded } from "../support/random.js";
import { changeShop, writeShop } from "../support/shop.js";
import { database } from "./found.js";

/** Tables beside those of the shop, whose orders have agents that are customers. */
const MORE = `
  PRAGMA foreign_keys = OFF;
  CREATE TABLE order_items (order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES products, quantity INTEGER,
    PRIMARY KEY (order_id, product_id));
  INSERT INTO order_items VALUES (1, 1, 3), (1, 2, 1), (2, 1, 1);
  CREATE TABLE audit_log (line TEXT); INSERT INTO audit_log VALUES ('x'), ('x');
  CREATE TABLE parcels (order_id INTEGER, product_id INTEGER, weight INTEGER, PRIMARY KEY (order_id, product_id),
    FOREIGN KEY (product_id, order_id) REFERENCES order_items (product_id, order_id));
  INSERT INTO parcels VALUES (1, 2, 5);
  CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;
  CREATE VIEW gone_view AS SELECT x FROM gone;
  CREATE TABLE Logins (id INTEGER PRIMARY KEY, seen TEXT, email TEXT REFERENCES customers (id), customer_id INTEGER REFERENCES customers (id),
    name_of TEXT REFERENCES customers (name), item INTEGER REFERENCES audit_log (line));
  INSERT INTO Logins VALUES (1, 'from a@x.org', 'SECRET@x.org', 99, 'Customer 1', NULL), (2, 'x', NULL, NULL, NULL, NULL), (3, 'y', NULL, NULL, NULL, NULL);`;

let cwd: string;
const run = (line: string) => rollcall(line, fakeIo(cwd));
const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));

beforeEach(() => {
  cwd = scratch();
});

/** The lines of stderr, each with single spaces. */
function linesOf({ stderr }: { stderr: string }): string[] {
  return stderr.split("\n").map((line) => line.trim().replace(/ {2,}/g, "  "));
}

test("lists several tables with what each would publish, asks for a choice, and writes nothing", async () => {
  writeShop(cwd, MORE);
  const before = [...readTree(cwd).keys()];
  const ended = await run("init --from shop.db");
  expect([ended.code, ended.stdout]).toEqual([2, ""]);
  expect(linesOf(ended)).toEqual([
    "error: shop.db has 10 tables and views. Pass --table NAME to publish one, or --all to publish each with a key:",
    "Logins  table  3 rows, 5 fields, key id, as the PRIMARY KEY; omits email",
    "categories  table  4 rows, 3 fields, key id, as the PRIMARY KEY",
    "customers  table  6 rows, 2 fields, key id, as the PRIMARY KEY",
    "order_items  join table  3 rows, 4 fields, key id, made of the PRIMARY KEY (order_id, product_id)",
    "orders  table  250 rows, 4 fields, key id, as the PRIMARY KEY",
    "parcels  table  1 row, 5 fields, key id, made of the PRIMARY KEY (order_id, product_id)",
    "products  table  10 rows, 3 fields, key id, as the PRIMARY KEY",
    "totals  view  6 rows, 2 fields, key customer_id, unique in 6 rows, but the view does not enforce it",
    "audit_log  log table  not with --all: 2 rows. The table audit_log has no key: no publishable column was found that is unique and never NULL, alone or with one or two others; add a unique column to the table. Or write a SELECT that yields one, and name its file in the config: listings.audit_log.query, beside a contract.",
    expect.stringMatching(
      /^gone_view {2}table or view {2}not with --all: SQLite cannot read it: no such table: main\.gone\.$/,
    ),
    "",
  ]);
  expect([...readTree(cwd).keys()]).toEqual(before);
});

test("--all writes contracts and a config that build as they are, with the references that hold", async () => {
  writeShop(cwd, MORE);
  const ended = await run("init --from shop.db --all");
  expect([ended.code, ended.stdout]).toEqual([0, ""]);
  expect(ended.stderr).not.toContain("SECRET");
  const lines = linesOf(ended);
  expect(lines).toEqual(
    expect.arrayContaining([
      'omit  logins.email  contact data: its name says so; if it is meant to be public: "email": {"type":["string","null"]}',
      "note  logins.seen  published with e-mail addresses in 1 of 3, such as in rowid 1",
      "refer  orders.customer_id  a record of customers",
      "refer  categories.parent_id  a record of categories",
      "refer  order_items.product_id  a record of products",
      "refer  parcels.order_item_id  a record of order_items",
      "note  Logins.customer_id is not a reference to customers: 1 value of it is not there",
      "note  Logins.email is not a reference to customers: the column is omitted",
      "note  Logins.name_of is not a reference to customers: it leads to name, and the key of customers is id",
      "note  Logins.item is not a reference to audit_log: that table is not a listing",
      expect.stringMatching(/^leave {2}audit_log {2}log table\. The table audit_log has no key: /),
    ]),
  );
  expect(lines.filter((line) => line.startsWith("refer"))).toHaveLength(6);
  expect(read("rollcall.config.json")).toEqual({
    $schema: "./node_modules/rollcall/config.schema.json",
    db: "shop.db",
    baseUrl: "http://127.0.0.1:8080",
    dist: "dist",
    explorer: true,
    title: "Shop",
    listings: {
      categories: { contract: "contracts/categories.json" },
      customers: { contract: "contracts/customers.json" },
      logins: { contract: "contracts/logins.json", table: "Logins" },
      order_items: { contract: "contracts/order_items.json", query: "contracts/order_items.sql" },
      orders: { contract: "contracts/orders.json" },
      parcels: { contract: "contracts/parcels.json", query: "contracts/parcels.sql" },
      products: { contract: "contracts/products.json" },
      totals: { contract: "contracts/totals.json" },
    },
  });
  expect(read("contracts/orders.json")).toMatchObject({
    "x-listing": { words: ["order", "orders"], key: "id" },
    properties: { customer_id: { type: "integer", "x-references": "customers" } },
  });
  expect(read("contracts/orders.json")["x-listing"]).not.toHaveProperty("path");
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
  for (const [path, bytes] of readTree(cwd))
    if (path !== "shop.db") expect(String(bytes), path).not.toContain("SECRET");
  expect((await run("verify")).stdout).toMatch(/passed +references +270 values/);
});

/** Tables of SpatiaLite 5, but for those of styles and coverages that differ by a word. */
const SPATIALITE = `spatial_ref_sys spatial_ref_sys_aux spatialite_history geometry_columns geometry_columns_auth
  geometry_columns_field_infos geometry_columns_statistics geometry_columns_time views_geometry_columns
  views_geometry_columns_auth virts_geometry_columns_statistics vector_layers vector_layers_auth data_licenses
  sql_statements_log raster_coverages raster_coverages_keyword vector_coverages_srid wms_getcapabilities wms_getmap
  wms_settings SE_external_graphics SE_vector_styles SE_raster_styled_layers SE_styled_group_styles stored_procedures
  ElementaryGeometries`.split(/\s+/);

test.each<[string, string[], string, string[]]>([
  [
    "GeoPackage",
    ["gpkg_contents", "gpkg_spatial_ref_sys", "gpkg_geometry_columns", "GPKG_ogr_contents", "gpkg_extensions"],
    "rtree_cities_geom",
    ["rtree_notes", "spatial_ref_sys"],
  ],
  ["SpatiaLite", SPATIALITE, "idx_cities_geom", ["idx_notes", "gpkg_notes", "vector_styles"]],
  ["no other", [], "rtree_cities_geom", ["gpkg_notes", "spatial_ref_sys", "vector_layers"]],
])("the tables that %s keeps for itself are not those of the user", async (_, tables, index, own) => {
  const all = ["cities", ...tables, ...own];
  const made = all.map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY); INSERT INTO ${name} VALUES (1);`);
  database(`${made.join("")} CREATE VIRTUAL TABLE ${index} USING rtree (id, x0, x1, y0, y1)`, join(cwd, "s.db"));
  expect(await run("init --from s.db --all")).toMatchObject({ code: 0 });
  const listings = Object.keys(read("rollcall.config.json").listings);
  const shown = tables.length === 0 ? [...own, index] : own;
  expect(listings.sort()).toEqual(["cities", ...shown].sort());
});

test("a column with two foreign keys refers to the first that holds, and a note names the other", async () => {
  database(
    `PRAGMA foreign_keys = OFF; CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO a VALUES (1, 'x');
      CREATE TABLE c (id INTEGER PRIMARY KEY); INSERT INTO c VALUES (1), (2);
      CREATE TABLE b (id INTEGER PRIMARY KEY, aid INTEGER REFERENCES a, cid INTEGER REFERENCES a REFERENCES c,
        same INTEGER REFERENCES a REFERENCES a (id), FOREIGN KEY (aid) REFERENCES c (id));
      INSERT INTO b VALUES (1, 1, 2, 1);`,
    join(cwd, "s.db"),
  );
  const ended = await run("init --from s.db --all");
  const lines = linesOf(ended).filter((line) => /^refer|is not a reference/.test(line));
  expect(lines).toEqual([
    "refer  b.aid  a record of a",
    "refer  b.cid  a record of c",
    "refer  b.same  a record of a",
    "note  b.cid is not a reference to a: 1 value of it is not there",
    "note  b.aid is not a reference to c: it is one to a",
  ]);
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
});

test("a foreign key of several columns is a reference by the key's own expression, in the order of the key", async () => {
  database(
    `PRAGMA foreign_keys = OFF;
      CREATE TABLE things (kind TEXT, nr INTEGER, name TEXT, PRIMARY KEY (kind, nr));
      INSERT INTO things VALUES ('a:b', 1, 'x'), ('a~b', 2, 'y'), ('c', 3, 'z');
      CREATE TABLE uses (id INTEGER PRIMARY KEY, number TEXT, sort TEXT, thing_id TEXT,
        FOREIGN KEY (number, sort) REFERENCES things (nr, kind), FOREIGN KEY (sort, number) REFERENCES things);
      INSERT INTO uses VALUES (1, '1', 'a:b', 'own'), (2, NULL, 'a:b', 'own'), (3, '2', 'a~b', 'own');
      CREATE TABLE lost (id INTEGER PRIMARY KEY, k TEXT, n INTEGER, FOREIGN KEY (k, n) REFERENCES things);
      INSERT INTO lost VALUES (1, 'a', 1), (2, 'c', 3);
      CREATE TABLE others (id INTEGER PRIMARY KEY, email TEXT, n INTEGER, m INTEGER,
        FOREIGN KEY (email, n) REFERENCES things, FOREIGN KEY (n, m) REFERENCES uses (id, number));
      CREATE TABLE parts (kind TEXT, nr INTEGER, of_kind TEXT, of_nr INTEGER, PRIMARY KEY (nr, kind),
        FOREIGN KEY (of_nr, of_kind) REFERENCES parts);
      INSERT INTO parts VALUES ('p', 1, NULL, NULL), ('p', 2, 'p', 1);`,
    join(cwd, "s.db"),
  );
  const ended = await run("init --from s.db --all");
  expect(linesOf(ended).filter((line) => /^refer|is not a reference/.test(line))).toEqual([
    "refer  parts.part_id  a record of parts",
    "refer  uses.thing_id_2  a record of things",
    "note  lost (k, n) is not a reference to things: 1 value of it is not there",
    "note  others (email, n) is not a reference to things: email is omitted",
    "note  others (n, m) is not a reference to uses: it leads to id, number, and the key of uses is id",
  ]);
  expect(read("contracts/uses.json").properties.thing_id_2).toEqual({
    type: ["string", "null"],
    "x-references": "things",
  });
  expect(await run("build --workers 0 --page-size 1")).toMatchObject({ code: 0 });
  const pages = [1, 2, 3].map((page) => read(`dist/current/uses/pages/${page}.json`).results[0]);
  expect(pages.map(({ thing_id, thing_id_2 }) => [thing_id, thing_id_2])).toEqual([
    ["own", "a~1b:1"],
    ["own", null],
    ["own", "a~0b:2"],
  ]);
  expect(read("dist/current/parts/pages/2.json").results[0]).toMatchObject({ id: "2:p", part_id: "1:p" });
  expect((await run("verify")).stdout).toMatch(/passed +references +3 values/);
});

test("--all makes a key of columns that are unique together, of a view too, and leaves out only what has none", async () => {
  database(
    `CREATE TABLE trips (trip_id TEXT, route TEXT); INSERT INTO trips VALUES ('T1', 'R'), ('T2', 'R');
      CREATE TABLE stop_times (trip_id TEXT, stop_sequence INTEGER, at TEXT);
      INSERT INTO stop_times VALUES ('T1', 1, '08:00:00'), ('T1', 2, '25:13:00'), ('T2', 1, '08:00:00');
      CREATE VIEW late AS SELECT * FROM stop_times; CREATE TABLE twice (x); INSERT INTO twice VALUES (1), (1);`,
    join(cwd, "g.db"),
  );
  const ended = await run("init --from g.db --all");
  const made = (kind: string) =>
    `key id, made of (trip_id, stop_sequence), unique together in 3 rows, but the ${kind} does not enforce it`;
  expect(linesOf(ended)).toEqual(
    expect.arrayContaining([
      `write  contracts/late.json  view, 3 rows, 4 fields, ${made("view")}`,
      `write  contracts/stop_times.json  table, 3 rows, 4 fields, ${made("table")}`,
      "write  contracts/stop_times.sql  the SELECT that reads stop_times; edit it",
      expect.stringMatching(/^leave {2}twice {2}.* listings\.twice\.query, beside a contract\.$/),
    ]),
  );
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
  const { results } = read("dist/current/stop_times/pages/1.json");
  expect(results.map(({ id }: { id: string }) => id)).toEqual(["T1:1", "T1:2", "T2:1"]);
});

test("a message on a key that a query makes names the columns of the query, not the source", async () => {
  const path = join(cwd, "g.db");
  database(
    `CREATE TABLE stops (trip TEXT, "the ""nr" INTEGER); INSERT INTO stops VALUES ('T1', 1), ('T1', 2), ('T2', 1);
      CREATE TABLE vers (pkg TEXT NOT NULL, v TEXT NOT NULL, PRIMARY KEY (pkg, v)); INSERT INTO vers VALUES ('a-1', '2'), ('a', '1-3');`,
    path,
  );
  await run("init --from g.db --all --quiet");
  changeShop(path, `INSERT INTO vers VALUES ('a', '1-2')`);
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
  changeShop(path, `INSERT INTO stops VALUES ('T1', 2)`);
  const repeated = await run("build --workers 0");
  expect(repeated.code).toBe(1);
  expect(repeated.stderr).toContain(`\
nothing was published and current is unchanged. Correct them, or leave them out with --skip-invalid. \
contracts/stops.sql makes id of trip, the "nr; if these may repeat, make it of more columns. "rollcall build`);
  changeShop(path, `DELETE FROM stops WHERE rowid > 3; INSERT INTO stops VALUES (NULL, 2)`);
  const missing = await run("build --workers 0");
  expect(missing.stderr).toContain(
    `with --skip-invalid. contracts/stops.sql makes id of trip, the "nr. "rollcall build`,
  );
  expect(missing.stderr).not.toContain("in the source");
});

test("a message on a value that a query converts names the query, and each column once", async () => {
  const path = join(cwd, "towns.csv");
  writeFileSync(path, "town;people\nA;1.234,50\nB;7\n");
  await run("init --from towns.csv --convert --quiet");
  writeFileSync(path, "town;people\nA;1.234,50\nB;x\n");
  expect((await run("build --workers 0")).stderr).toContain(
    'or leave it out with --skip-invalid. rollcall.query.sql converts people. "rollcall build --problems FILE"',
  );
});

test("a key that an older init joined by dashes goes on working, and messages name its columns", async () => {
  const path = join(cwd, "k.db");
  database(
    `CREATE TABLE vers (pkg TEXT NOT NULL, v TEXT NOT NULL, PRIMARY KEY (pkg, v)); INSERT INTO vers VALUES ('a', '1'), ('b', '2');`,
    path,
  );
  await run("init --from k.db --quiet");
  const query = join(cwd, "rollcall.query.sql");
  const made = readFileSync(query, "utf8");
  writeFileSync(query, made.replace(/^.* AS "id",$/m, `  "pkg" || '-' || "v" AS "id",`));
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
  expect(read("dist/current/vers/pages/1.json").results[0]).toMatchObject({ id: "a-1" });
  changeShop(path, `INSERT INTO vers VALUES ('a-1', '2'), ('a', '1-2')`);
  expect((await run("build --workers 0")).stderr).toContain(
    "Correct them, allow them in rollcall.contract.json, or leave them out with --skip-invalid. rollcall.query.sql makes id of pkg, v; if these may repeat, make it of more columns.",
  );
});

test("--all names listings that cannot have the table's name, and says how", async () => {
  database(
    `CREATE TABLE pages (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE "snapshot.json" (id INTEGER PRIMARY KEY);
      CREATE TABLE "É" (id INTEGER PRIMARY KEY); CREATE TABLE "é" (id INTEGER PRIMARY KEY, x TEXT);
      CREATE TABLE "e" (id INTEGER PRIMARY KEY, page_id INTEGER REFERENCES PAGES (ID)); CREATE TABLE "東京" (id INTEGER PRIMARY KEY);
      INSERT INTO pages VALUES (1, 'x'); INSERT INTO e VALUES (7, 1);`,
    join(cwd, "odd.db"),
  );
  const ended = await run("init --from odd.db --all");
  expect(ended.code).toBe(0);
  expect(linesOf(ended)).toContain(
    "note  the table pages is the listing pages-list, since a listing cannot be named pages; the config can give it another name",
  );
  const { listings } = read("rollcall.config.json");
  expect(Object.keys(listings).map((name) => [name, listings[name].table])).toEqual([
    ["e", "e"],
    ["pages-list", undefined],
    ["snapshot-json", "snapshot.json"],
    ["e-2", "É"],
    ["e-3", "é"],
    ["records", "東京"],
  ]);
  expect(read("contracts/e.json").properties.page_id).toEqual({ type: "integer", "x-references": "pages-list" });
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
});

test.each([
  ["--all", "rollcall.config.json"],
  ["--all", "contracts/orders.json"],
  ["--table orders", "rollcall.config.json"],
  ["--table orders", "rollcall.contract.json"],
])("%s overwrites nothing: %s", async (choice, name) => {
  writeShop(cwd);
  mkdirSync(join(cwd, "contracts"));
  writeFileSync(join(cwd, name), "mine");
  const before = readTree(cwd);
  const { code, stderr } = await run(`init --from shop.db ${choice}`);
  expect([code, stderr]).toEqual([
    1,
    `error: ${name} exists already, so nothing was written. Move it away, or run "rollcall build".\n`,
  ]);
  expect(readTree(cwd)).toEqual(before);
});

test.each([
  ["--all", 2, "--table, --all, --query and --decimal need --from, the file of records."],
  [
    "--from shop.db --all --table orders",
    2,
    "--all is for every table, so it excludes --table and --query; remove one.",
  ],
  ["--from a.csv --all", 2, "a.csv is one table; leave --all out."],
  ["--from none.db --all", 1, "No table of none.db has a key. Add one, or name a table with --table:"],
])("refuses init %s", async (line, code, message) => {
  writeShop(cwd);
  writeFileSync(join(cwd, "a.csv"), "id\n1\n");
  database("CREATE TABLE a (x); INSERT INTO a VALUES (1), (1); CREATE VIEW b AS SELECT x FROM a", join(cwd, "none.db"));
  const before = readTree(cwd);
  const ended = await run(`init ${line}`);
  expect([ended.code, ended.stderr.split("\n")[0]]).toEqual([code, `error: ${message}`]);
  expect(readTree(cwd)).toEqual(before);
});

test("--all --convert says what it converts, and that a converted column is not a reference", async () => {
  database(
    `CREATE TABLE days (day TEXT PRIMARY KEY); INSERT INTO days VALUES ('31.01.2026');
      CREATE TABLE notes (id INTEGER PRIMARY KEY, day TEXT REFERENCES days); INSERT INTO notes VALUES (1, '31.01.2026')`,
    join(cwd, "days.db"),
  );
  const ended = await run("init --from days.db --all --convert");
  expect(linesOf(ended)).toEqual(
    expect.arrayContaining([
      'convert  notes.day  a date: "31.01.2026" becomes "2026-01-31"',
      "note  notes.day is not a reference to days: its values are converted",
    ]),
  );
  expect(await run("build --workers 0")).toMatchObject({ code: 0 });
});

test("a column of no values is not a reference to keys that are converted", async () => {
  database(
    `CREATE TABLE days (day TEXT PRIMARY KEY); INSERT INTO days VALUES ('31.01.2026');
      CREATE TABLE notes (id INTEGER PRIMARY KEY, day TEXT REFERENCES days)`,
    join(cwd, "days.db"),
  );
  const ended = await run("init --from days.db --all --convert");
  expect(linesOf(ended)).toContain("note  notes.day is not a reference to days: its values are converted");
});

test("with --all, one table is a site of one listing; without it, a listing as before", async () => {
  database("CREATE TABLE things (id INTEGER PRIMARY KEY)", join(cwd, "one.db"));
  expect(await run("init --from one.db --all")).toMatchObject({ code: 0 });
  expect(read("rollcall.config.json").listings).toEqual({ things: { contract: "contracts/things.json" } });
});

test("schema and diff ask for a listing instead of taking the wrong contract", async () => {
  writeShop(cwd);
  await run("init --from shop.db --all --quiet");
  const refuse = (message: string) => ({ code: 2, stdout: "", stderr: `error: ${message}\n` });
  const names = "categories, customers, orders, products";
  expect(await run("schema")).toEqual(
    refuse(`The config has the listings ${names}; name one with --listing categories.`),
  );
  expect(await run("schema --listing order")).toEqual(
    refuse('The config has no listing "order"; did you mean orders?'),
  );
  for (const choice of ["--listing orders", "--contract contracts/orders.json"])
    expect((await run(`schema ${choice} --format sql`)).stdout, choice).toContain('CREATE TABLE "orders"');
  await run("build --workers 0 --quiet");
  const asked = await run("schema current");
  expect(asked).toMatchObject({ code: 2, stdout: "" });
  expect(asked.stderr).toContain(`has the listings ${names}; name one with --listing categories.`);
  for (const choice of ["current --listing orders", "dist/current/orders"])
    expect((await run(`schema ${choice} --format sql`)).stdout, choice).toContain('CREATE TABLE "orders"');
  expect((await run("schema dist/current/orders --listing orders")).stderr).toContain("leave --listing out");
  const refused = await run("diff dist/current/orders shop.db");
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("shop.db is a site of 4 listings");
  changeShop(join(cwd, "shop.db"), "DELETE FROM orders WHERE id = 9");
  expect(await run("diff shop.db --listing products")).toMatchObject({ code: 0 });
  expect(await run("diff shop.db --listing orders")).toMatchObject({ code: 1 });
});

const NAMES = ["one", "two", "three"];
const TYPES = ["INTEGER", "TEXT", "TEXT COLLATE NOCASE", "", "REAL"];
const VALUES = ["1", "2", "3", "'1'", "'a'", "'A'", "1.5", "NULL", "9007199254740993", "x'61'"];

/** Three tables with foreign keys to each other, of types and values that do not always fit. */
function randomTables(random: Random): string {
  const pick = (list: readonly string[]) => list[random.below(list.length)] ?? "";
  const keys = NAMES.map((name) => [name, pick(["INTEGER", "TEXT", "TEXT COLLATE NOCASE"])] as const);
  const idsOf = (type: string) => (type === "INTEGER" ? ["1", "2", "3"] : ["'1'", "'a'", "'b'"]);
  const tables = keys.map(([name, type]) => {
    const columns = NAMES.map((to) => `to_${to} ${pick(TYPES)} REFERENCES ${to} ${pick(["", "(id)"])}`);
    return `CREATE TABLE ${name} (id ${type} PRIMARY KEY, ${columns.join(", ")});`;
  });
  const rows = keys.flatMap(([name, type]) => {
    // Most columns have keys only; the others have any values.
    const pools = keys.map(([, other]) => (random.chance(0.7) ? [...idsOf(other), "NULL"] : VALUES));
    return idsOf(type).map((id) => `INSERT INTO ${name} VALUES (${[id, ...pools.map(pick)].join(", ")});`);
  });
  return `PRAGMA foreign_keys = OFF; ${tables.join("")} ${rows.join("")}`;
}

test("whatever the foreign keys hold, what --all writes builds every row", { timeout: 120_000 }, async () => {
  const random = seeded();
  let references = 0;
  for (let round = 0; round < draws(100); round++) {
    const folder = join(cwd, String(round));
    mkdirSync(folder);
    const sql = randomTables(random);
    const from = database(sql, join(folder, "any.db"));
    const { site } = await initialize({ folder, from, allTables: true });
    for (const { found } of site?.listings ?? [])
      for (const field of Object.values(found.contract.properties)) if (field["x-references"]) references++;
    const settings = await resolveSettings({ flags: {}, env: {}, cwd: folder });
    const { listings = {} } = settings;
    const options = { db: from, dist: join(folder, "dist"), baseUrl: "https://example.com", workers: 0, listings };
    const built = await build(options).catch((error: unknown) => error);
    expect(built, sql).toMatchObject({ records: 9, skipped: 0 });
  }
  expect(references).toBeGreaterThan(10);
});
