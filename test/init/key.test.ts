/** Chooses key and label; adds a query with a key to a table without one. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initialize } from "../../src/init/init.js";
import { runSql } from "../support/database.js";
import { scratch } from "../support/files.js";
import { database, init } from "./found.js";

const UNENFORCED = "unique in 2 rows, but the table does not enforce it";

describe("the key", () => {
  test.each([
    ["the PRIMARY KEY", "nr INTEGER PRIMARY KEY, id TEXT UNIQUE", "(7, 'a'), (8, 'b')", "nr", "as the PRIMARY KEY"],
    ["of text", "slug TEXT PRIMARY KEY, n INT", "('b', 1), ('a', 2)", "slug", "as the PRIMARY KEY"],
    ["UNIQUE", "n INT, code TEXT UNIQUE", "(1, 'a'), (1, 'b')", "code", "as it is UNIQUE and never NULL"],
    ["no UNIQUE one with NULL", "code TEXT UNIQUE, n INT", "('a', 1), (NULL, 2)", "n", UNENFORCED],
    [
      "a name like a key's first",
      "city TEXT, person_id INT, id TEXT",
      "('a', 1, 'x'), ('b', 2, 'y')",
      "id",
      UNENFORCED,
    ],
    [
      "no PRIMARY KEY with NULL",
      "code TEXT PRIMARY KEY, n INT",
      "('a', 1), (NULL, 2)",
      "n",
      `${UNENFORCED}; the PRIMARY KEY (code) is not the key, as code is NULL in 1 of 2 rows`,
    ],
    [
      "not a PRIMARY KEY that is left out",
      "email TEXT PRIMARY KEY, n INT",
      "('a', 1), ('b', 2)",
      "n",
      `${UNENFORCED}; the PRIMARY KEY (email) is not the key, as email is omitted (contact data: its name says so)`,
    ],
    [
      "not a PRIMARY KEY of another type",
      "a REAL, b TEXT, n INT, PRIMARY KEY (b, a)",
      "(1.5, 'x', 1), (2.5, 'x', 2)",
      "n",
      `${UNENFORCED}; the PRIMARY KEY (b, a) is not the key, as a has the type number, and a key is text or a whole number`,
    ],
    [
      "not a text that is too long",
      "slug TEXT, title TEXT",
      `('${"s".repeat(250)}1', 'a'), ('${"s".repeat(250)}2', 'b')`,
      "title",
      `${UNENFORCED}; slug is not the key, as it has texts of up to 251 characters, and a key that is not declared has at most 100`,
    ],
    ["the table's own id", "route_id TEXT, thing_id TEXT", "('R1', 'T1'), ('R2', 'T2')", "thing_id", UNENFORCED],
    ["no time of day", "opens TEXT, name TEXT", "(' 8:00', 'x'), ('25:13', 'y')", "name", UNENFORCED],
    ["a date, if there is no other", "day TEXT, n INT", "('2026-01-01', 1), ('2026-01-02', 1)", "day", UNENFORCED],
  ])("is %s", async (_, columns, values, field, why) => {
    const { key, read } = await init(database(`CREATE TABLE things (${columns}); INSERT INTO things VALUES ${values}`));
    expect(key).toEqual({ field, why, order: [field] });
    expect(read.listing).toMatchObject({ key: field, order: [field] });
  });

  test("is a whole composite PRIMARY KEY, though one of its columns is unique by chance; its parts give the order", async () => {
    const file = database(`CREATE TABLE things (a BIGINT, b TEXT, c INT, PRIMARY KEY (b, a));
      INSERT INTO things VALUES (10, 'x', 5), (9, 'x', 6), (8, 'y', 7)`);
    const { key, read, config, folder } = await init(file);
    expect(key).toMatchObject({ field: "id", why: "made of the PRIMARY KEY (b, a)", order: ["b", "a", "id"] });
    expect(read.listing).toMatchObject({ key: "id", order: ["b", "a", "id"] });
    expect(config).toMatchObject({ query: "rollcall.query.sql" });
    expect(config).not.toHaveProperty("table");
    const sql = `SELECT\n  replace(replace("b", '~', '~0'), ':', '~1') || ':' || "a" AS "id",\n`;
    expect(readFileSync(join(folder, "rollcall.query.sql"), "utf8")).toContain(sql);
  });

  test.each<[string, string, readonly unknown[][], readonly string[], string]>([
    [
      "the columns that are UNIQUE together",
      "a INT, b TEXT, c TEXT, UNIQUE (b, c)",
      [
        [1, "x", "1"],
        [1, "x", "2"],
        [2, "y", "1"],
      ],
      ["b", "c"],
      "made of (b, c), which are UNIQUE and never NULL",
    ],
    [
      "the pair that is unique",
      "name TEXT, part INT, kind TEXT",
      [
        ["a", 1, "x"],
        ["a", 2, "x"],
        ["b", 1, "x"],
        ["b", 2, "y"],
      ],
      ["name", "part"],
      "made of (name, part), unique together in 4 rows, but the table does not enforce it",
    ],
    [
      "the pair with an ordinal, before another that is unique by chance",
      "trip_id TEXT, arrival_time TEXT, stop_id TEXT, stop_sequence INT",
      [
        ["T1", "08:00:00", "A", 1],
        ["T1", "25:13:00", "B", 2],
        ["T2", "08:01:00", "A", 1],
      ],
      ["trip_id", "stop_sequence"],
      "made of (trip_id, stop_sequence), unique together in 3 rows, but the table does not enforce it",
    ],
    [
      "a column without a name of keys, before the ordinal",
      "version INT, package TEXT",
      [
        [1, "a"],
        [2, "a"],
        [1, "b"],
      ],
      ["package", "version"],
      "made of (package, version), unique together in 3 rows, but the table does not enforce it",
    ],
    [
      "three columns, if no two are unique",
      "x INT, y INT, z INT",
      [
        [0, 0, 0],
        [0, 0, 1],
        [0, 1, 0],
        [0, 1, 1],
        [1, 0, 0],
        [1, 0, 1],
      ],
      ["x", "y", "z"],
      "made of (x, y, z), unique together in 6 rows, but the table does not enforce it",
    ],
  ])("is made of %s", async (_, columns, rows, parts, why) => {
    const values = rows.map((row) => `(${row.map((value) => (typeof value === "number" ? value : `'${value}'`))})`);
    const file = database(`CREATE TABLE things (${columns}); INSERT INTO things VALUES ${values}`);
    const { key, read } = await init(file);
    expect(key).toMatchObject({ why, order: [...parts, key.field] });
    expect(key.added?.parts?.map(({ column }) => column)).toEqual(parts);
    expect(read.listing.order).toEqual(key.order);
  });

  test.each([
    ["four columns", "a INT, b INT, c INT, d INT", 4],
    ["numbers with decimals", "a INT, b REAL", 2],
    ["columns with NULL", "a INT, b INT DEFAULT NULL", 2],
  ])("is not made of %s", async (_, columns, bits) => {
    const db = database(`CREATE TABLE things (${columns})`);
    const names = columns.split(", ").map((column) => column.split(" ")[0] ?? "");
    const type = columns.includes("REAL") ? " + 0.5" : "";
    const value = (at: number) => {
      const bit = `(n >> ${at}) & 1`;
      if (at === 0) return bit;
      return columns.includes("NULL") ? `nullif(${bit}, 0)` : `${bit}${type}`;
    };
    runSql(
      db,
      `WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n + 1 < ${2 ** bits})
        INSERT INTO things SELECT ${names.map((__, at) => value(at)).join(", ")} FROM c`,
    );
    expect((await init(db)).key).toMatchObject({ field: "id", added: { sql: "rowid" } });
  });

  test.each([
    ["email TEXT PRIMARY KEY, id INT", "('a', 1), ('b', 1)", "key", "no column is unique"],
    ["x REAL, score REAL", "(1.5, 1.5), (2.5, 2.5)", "id", "no column is unique"],
    [
      "at TEXT, about TEXT",
      `('08:00', '${"a".repeat(101)}'), ('09:00', '${"b".repeat(101)}')`,
      "id",
      "only times or long texts are unique (at, about)",
    ],
    [
      "tel TEXT, list TEXT, PRIMARY KEY (tel, list)",
      "('+49 30 1', 'a'), ('+49 30 2', 'a')",
      "id",
      "no column is unique",
    ],
    ["code TEXT, name TEXT", "('a', 'x'), (NULL, 'x'), ('b', 'x')", "id", "no column is unique"],
    ["user_id TEXT, name TEXT", "('a', 'x'), ('', 'x'), ('', 'x'), (NULL, 'y')", "id", "no column is unique"],
  ])("of %s is the rowid, without a query", async (columns, values, field, why) => {
    const { key, read, config, sql } = await init(
      database(`CREATE TABLE things (${columns}); INSERT INTO things VALUES ${values}`),
    );
    expect(key.field).toBe(field);
    expect(key.why.split("; ")[0]).toBe(`${why}, so the key is SQLite's rowid, which VACUUM may change`);
    expect(read.fields.find(({ path }) => path === field)).toMatchObject({
      column: "rowid",
      schema: { type: "integer" },
    });
    expect(sql).toBeUndefined();
    expect(config).not.toHaveProperty("query");
  });

  test.each([
    ["rowid TEXT, n INT", "_rowid_"],
    ["rowid TEXT, _ROWID_ TEXT, n INT", "oid"],
  ])("of a table with the columns %s is read by another name of the rowid", async (columns, column) => {
    const file = database(`CREATE TABLE things (${columns}); INSERT INTO things DEFAULT VALUES`);
    const { contract } = await init(file);
    expect(contract.properties["id"]).toMatchObject({ "x-column": column });
  });

  test("names the column that is nearly unique, and the pair that is", async () => {
    const rows = Array.from({ length: 20 }, (_, at) => `('a${at === 19 ? 0 : at}', '${at === 19 ? 2 : 1}:00', 'x')`);
    const file = database(`CREATE TABLE things (name TEXT, part TEXT, kind TEXT); INSERT INTO things VALUES ${rows}`);
    const { key } = await init(file);
    expect(key.why.split("; ").slice(1)).toEqual([
      "nearest: name, but for 1 of 20 rows",
      "name and part together are unique",
    ]);
  });

  test("of a query that has none is shown as a column to add", async () => {
    const file = database(
      "CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'x'), (2, 'y')",
    );
    const column = `"a" || ':' || replace(replace("b", '~', '~0'), ':', '~1') AS "id"`;
    await expect(init(file, { query: "SELECT a, b FROM t" })).rejects.toThrow(
      `The query query has no key: no column is unique, but (a, b) are together; add a column to its SELECT: ${column}`,
    );
    expect((await init(file, { query: `SELECT ${column}, a, b FROM t` })).key.field).toBe("id");
  });

  test("is required of a view or query", async () => {
    const file = database("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (1); CREATE VIEW v AS SELECT a FROM t");
    await expect(init(file, { table: "v" })).rejects.toThrow(/; add a unique column to the view\.$/);
    await expect(init(file, { query: "SELECT a FROM t" })).rejects.toThrow(/; add a unique column to the query\./);
  });
});

describe("the label", () => {
  test.each([
    ["id INTEGER PRIMARY KEY, name TEXT, title TEXT", "name"],
    ["id INTEGER PRIMARY KEY, title TEXT, DisplayName TEXT", "DisplayName"],
    ["id INTEGER PRIMARY KEY, company_name TEXT", "company_name"],
    ["id INTEGER PRIMARY KEY, name INT, note TEXT", "id"],
    ["id INTEGER PRIMARY KEY, note TEXT, customer TEXT", "customer"],
    ["id INTEGER PRIMARY KEY, note TEXT, parentThing TEXT", "parentThing"],
    ["customer TEXT PRIMARY KEY NOT NULL, note TEXT", "customer"],
  ])("of %s is %s", async (columns, label) => {
    const { read } = await init(database(`CREATE TABLE things (${columns})`));
    expect(read.label.path).toBe(label);
  });
});

test("chooses a table by name, in any case", async () => {
  const file = database("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE Kids (id INTEGER PRIMARY KEY)");
  const { config, contract } = await init(file, { table: "kids" });
  expect(config).toMatchObject({ db: file, table: "Kids" });
  expect(contract["x-listing"]).toMatchObject({ path: "/kids/", words: ["kid", "kids"] });
  await expect(init(file, { table: "Kid" })).rejects.toThrow(/has no table or view "Kid".*Did you mean --table Kids\?/);
});

test("reads the table that is named, not one that differs by the case of letters beyond ASCII", async () => {
  const file = database(
    `CREATE TABLE "\u00c9" (id INTEGER PRIMARY KEY); CREATE TABLE "\u00e9" (nr INTEGER PRIMARY KEY)`,
  );
  const { name, key } = await init(file, { table: "\u00e9" });
  expect([name, key.field]).toEqual(["\u00e9", "nr"]);
});

test("reads a table whose columns are named as SQLite numbers repeated ones", async () => {
  const { read } = await init(database(`CREATE TABLE t (id INTEGER PRIMARY KEY, "id:1" TEXT)`));
  expect(read.fields.map(({ column }) => column)).toEqual(["id", "id:1"]);
});

test("queries a table that has the name of a query's view", async () => {
  const file = database("CREATE TABLE rollcall_query (id INTEGER PRIMARY KEY); INSERT INTO rollcall_query VALUES (7)");
  const { rows, key } = await init(file, { query: "SELECT * FROM rollcall_query" });
  expect([rows, key.field]).toEqual([1, "id"]);
});

test("reads a query from its path, with its column names", async () => {
  const file = database("CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 5), (2, 6)");
  const { contract, rows, config } = await init(file, { query: "SELECT id, n * 2 AS twice FROM t WHERE n > 5" });
  expect(rows).toBe(1);
  expect(Object.keys(contract.properties)).toEqual(["id", "twice"]);
  expect(config).toMatchObject({ query: "query.sql" });
  expect(config).not.toHaveProperty("table");
});

test("refuses more columns than a contract can have, and says how to select some", async () => {
  const columns = Array.from({ length: 1001 }, (_, at) => `c${at} INT`);
  const file = database(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(", ")})`);
  await expect(init(file)).rejects.toMatchObject({
    message: `\
The table wide does not fit into a contract. Select columns in a query, and pass it with --query FILE:
  /properties must have at most 1000 fields, got 1002.`,
    exitCode: 1,
  });
  const { contract } = await init(file, { query: "SELECT id, c7 FROM wide" });
  expect(Object.keys(contract.properties)).toEqual(["id", "c7"]);
});

test("refuses a table of 2,000 columns before reading it", async () => {
  const columns = Array.from({ length: 1999 }, (_, at) => `c${at} TEXT`);
  const file = database(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(", ")})`);
  await expect(init(file)).rejects.toThrow(
    "The table wide has 2000 columns, and at most 1999 can be read. Select some in a query, and pass it with --query FILE.",
  );
});

test("paths in the config are relative to it", async () => {
  const folder = scratch();
  const file = database("CREATE TABLE people (id INTEGER PRIMARY KEY)", join(folder, "people.sqlite"));
  expect(await initialize({ folder: folder, from: file })).toMatchObject({ db: "people.sqlite" });
});

test("a signal stops init before it writes", async () => {
  const folder = scratch();
  const file = database(`CREATE TABLE t (id INTEGER PRIMARY KEY);
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) INSERT INTO t SELECT n FROM c`);
  const stop = new AbortController();
  const run = initialize({ folder, from: file }, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error("enough")));
  await expect(run).rejects.toThrow("enough");
  writeFileSync(join(folder, "rollcall.config.json"), "nothing was in its place");
});
