/** What each kind of column becomes, and which query converts it. */
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { decide } from "../../src/init/decide.js";
import { survey, withSource } from "../../src/init/survey.js";
import { columnOf, database, init } from "./found.js";

const UUID = "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53";
const repeated = (...values: unknown[]) => [...values, ...values, ...values, ...values];

async function becomes(values: readonly unknown[], column = "thing", declared = "") {
  const file = columnOf(values, column, declared);
  await init(file);
  const tallies = await withSource(
    file,
    undefined,
    async (db) => (await survey(db, { from: file }, undefined)).columns,
  );
  const [decided] = tallies.filter((tally) => tally.column === column).map(decide);
  if (!decided) throw new Error(`There is no column ${column}`);
  const { "x-observed": observed, ...schema } = decided.schema ?? {};
  return { ...decided, schema: decided.schema && schema, observed, file };
}

describe("columns that are published", () => {
  test.each<[what: string, values: unknown[], schema: object, column?: string, declared?: string]>([
    ["uuid", [UUID, UUID.toUpperCase()], { type: "string", format: "uuid" }],
    ["uuid or null", [UUID, null], { type: ["string", "null"], format: "uuid" }],
    ["date", ["2026-02-28", "2024-02-29"], { type: "string", format: "date" }],
    ["date-time", ["2026-01-31T23:59:59Z", "2026-01-31T23:59:59.123+02:00"], { type: "string", format: "date-time" }],
    ["uri", ["https://example.com/a?b#c", "http://a.b"], { type: "string", format: "uri" }],
    ["text", ["https://example.com/a b"], { type: "string" }],
    ["text", ["note:x", "a:b"], { type: "string" }],
    ["text", ["2026-02-30"], { type: "string" }],
    ["text", ["", ""], { type: "string" }],
    ["text or null", ["🍰", null], { type: ["string", "null"] }],
    ["integer", [1n, -5n, 9007199254740991n], { type: "integer" }],
    ["integer", [0n, 1n], { type: "integer" }],
    ["integer or null", [7n, null], { type: ["integer", "null"] }],
    ["number", [1.5, 2n], { type: "number" }, "thing", ""],
    ["number", [1n, 2n], { type: "number" }, "thing", "REAL"],
    ["boolean", [0n, 1n], { type: "boolean" }, "is_it"],
    ["boolean or null", [0n, null], { type: ["boolean", "null"] }, "thing", "BOOLEAN"],
    ["integer", [0n, 2n], { type: "integer" }, "is_it"],
    ["text", repeated("b", "a"), { type: "string", "x-facet": true }],
    ["text or null", [...repeated("b", "a"), null], { type: ["string", "null"], "x-facet": true }],
    ["text", ["a", "a", "b"], { type: "string" }],
    ["text", repeated("same"), { type: "string" }],
    ["text", repeated("x".repeat(41), "y"), { type: "string" }],
    ["text", repeated(...Array.from({ length: 21 }, (_, at) => `v${at}`)), { type: "string" }],
    ["list of texts", ['["a", "b"]', "[]"], { type: "array", items: { type: "string" } }],
    ["list of texts or null", ['["a"]', null], { type: ["array", "null"], items: { type: "string" } }],
    ["JSON", ['{"a": [1.5]}', "[1]"], { "x-json": true }],
    ["JSON or null", ['{"a": null}', null], { "x-json": true }],
    ["text", ['{"a": 9007199254740993}'], { type: "string" }],
    ["text", ['{"a": 1'], { type: "string" }],
    ["text", ["1", "2"].map((text) => `0${text}`), { type: "string" }],
    ["text or null", [null, null], { type: ["string", "null"] }],
    ["integer or null", [null], { type: ["integer", "null"] }, "thing", "BIGINT"],
    ["number or null", [null], { type: ["number", "null"] }, "thing", "DOUBLE"],
  ])("%s: %o", async (what, values, schema, column, declared) => {
    const found = await becomes(values, column, declared);
    expect(found).toMatchObject({ what, schema });
    expect(found.schema).toEqual(schema);
  });

  test.each<[values: unknown[], observed: object | undefined]>([
    [repeated("b", "a"), { enum: ["a", "b"] }],
    [["a", "abc"], { maxLength: 3 }],
    [[2n, -5n, null], { minimum: -5, maximum: 2 }],
    [[1.5, 2n], { minimum: 1.5, maximum: 2 }],
    [[UUID], undefined],
  ])("limits measured in %o become x-observed, not rules", async (values, observed) => {
    expect((await becomes(values)).observed).toEqual(observed);
  });

  test("without rows, uses declared types", async () => {
    const file = database(
      "CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT, b INT, c REAL, d BOOLEAN, e DECIMAL(5,2), f)",
    );
    const { contract, rows } = await init(file);
    expect(rows).toBe(0);
    expect(Object.entries(contract.properties).map(([name, { type }]) => `${name} ${type}`)).toEqual([
      ...["id integer", "a string", "b integer", "c number", "d boolean", "e number", "f string"],
    ]);
  });

  test("says how many values do not match a form, with an example", async () => {
    const dates = Array.from({ length: 40 }, (_, at) => `2026-01-${String(1 + (at % 28)).padStart(2, "0")}`);
    const { why, schema, better } = await becomes([...dates, "soon", "then"]);
    expect(schema).toEqual({ type: "string" });
    expect(why).toBe('dates, but 2 of 42, such as "soon" in rowid 41');
    expect(better).toBeUndefined();
  });
});

test.each(Array.from({ length: 30 }, (_, at) => at))(
  "one text of another form is found in row %s of 30",
  async (odd) => {
    const values = Array.from({ length: 30 }, (_, at) => (at === odd ? "no date" : "2026-01-31"));
    const { schema, why } = await becomes(values);
    expect(schema).toEqual({ type: "string" });
    expect(why).toBe(`dates, but 1 of 30, such as "no date" in rowid ${odd + 1}`);
  },
);

describe("columns that are omitted", () => {
  test.each<[what: string, why: string, values: unknown[]]>([
    ["BLOB", "bytes, which JSON cannot hold", [Buffer.from("ab"), null]],
    ["mixed", '2 of 3 INTEGER, 1 of 3 TEXT, such as "x" in rowid 2', [1n, "x", 2n]],
    ["mixed", "2 of 3 TEXT, 1 of 3 REAL, such as 1.5 in rowid 3", ["a", "b", 1.5]],
    ["mixed", "1 of 2 TEXT, 1 of 2 BLOB, such as x'ff' in rowid 2", ["a", Buffer.from([255])]],
    [
      "too large",
      "1 of 2 beyond 2^53, which readers would round, such as 9007199254740993 in rowid 2",
      [1n, 9007199254740993n],
    ],
    ["infinite", "1 of 2, such as Infinity in rowid 2", [1.5, Infinity]],
    ["contact data", "its values are e-mail addresses", ["a@example.com", "b@example.org"]],
    ["contact data", "its values are telephone numbers", ["+49 30 1234567", "+1 (555) 010-9999"]],
    ["personal data", "its values are IP addresses", ["10.0.0.1", "fe80::1"]],
    ["a secret", "its values are tokens and keys", ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "sk_live_abc123"]],
    ["a secret", "its values are hashes of passwords", ["pbkdf2_sha256$1$a$b", "$2b$12$abc"]],
    ["contact data", 'there is "work_email" in its JSON', ['{"a": {"work_email": "x"}}']],
    ["contact data", 'there is "email" in its JSON', [`{"a": "${"\\n".repeat(9_000_000)}", "b\\"": 1, "email" : "x"}`]],
  ])("%s: %s", async (what, why, values) => {
    const found = await becomes(values);
    expect(found).toMatchObject({ what, why });
    expect(found.schema).toBeUndefined();
  });

  test("text that is not UTF-8, with its row", async () => {
    const file = database(`CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
      INSERT INTO t VALUES (5, 'fine \u{fffd}', 'x'), (7, 'ok', CAST(x'41ff' AS TEXT))`);
    const { of } = await init(file);
    expect(of("a").schema).toMatchObject({ type: "string" });
    expect(of("b")).toMatchObject({ what: "not UTF-8", why: "1 of 2, such as in rowid 7; correct the source" });
  });

  test("refuses a file in UTF-16", async () => {
    const file = database("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (id INTEGER PRIMARY KEY)");
    await expect(init(file)).rejects.toThrow("stores text in UTF-16; convert it with");
  });

  test("stays omitted, even if a query could convert it", async () => {
    const file = database(`CREATE TABLE t (id INTEGER PRIMARY KEY, note, tel BLOB, at INT);
      INSERT INTO t VALUES (1, 'a@example.com', x'${"00".repeat(16)}', 1600000000), (2, 5, x'${"01".repeat(16)}', 1600000001),
        (3, 7, NULL, 1600000002), (4, 9, NULL, 1600000003)`);
    const { contract, of, sql } = await init(file);
    expect(sql).toContain('CAST("note" AS TEXT)');
    expect(Object.keys(contract.properties)).toEqual(["id", "at"]);
    expect(of("note")).toMatchObject({ what: "contact data", instead: { type: "string" } });
    expect(of("tel")).toMatchObject({ what: "contact data" });
  });

  test("without a name; the others are published", async () => {
    const file = database(
      `CREATE TABLE t (id INTEGER PRIMARY KEY, "" TEXT, "a.b" TEXT); INSERT INTO t VALUES (1, 'x', 'y')`,
    );
    const { contract, of } = await init(file);
    expect(Object.keys(contract.properties)).toEqual(["id", "a_b"]);
    expect(of("")).toMatchObject({ what: "no name", why: "it is empty; name the column in a query, with AS" });
  });

  test("by its name, with the line that publishes it", async () => {
    const { contract, of } = await init(
      database(`CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, "E-Mail" TEXT);
      INSERT INTO people VALUES (1, 'Ada', 'x')`),
    );
    expect(Object.keys(contract.properties)).toEqual(["id", "name"]);
    expect(of("E-Mail")).toMatchObject({ field: "e_mail", what: "contact data", instead: { type: "string" } });
  });
});

/** Values in a form that is not ours, the type that the query makes of them, and how often it says so. */
const BETTER: readonly [values: unknown[], schema: object, column?: string][] = [
  [[UUID.replaceAll("-", "")], { type: "string", format: "uuid" }],
  [[Buffer.from(UUID.replaceAll("-", ""), "hex")], { type: "string", format: "uuid" }],
  [["2026-01-31 23:59:59", "2026-01-31 23:59:59.123456"], { type: "string", format: "date-time" }],
  [["2026-01-31T23:59:59"], { type: "string", format: "date-time" }],
  [["2026-01-31 23:59:59+00:00"], { type: "string", format: "date-time" }],
  [["2026-01-31 23:59:59", null], { type: ["string", "null"], format: "date-time" }],
  [[1_700_000_000n, 1_700_000_001n], { type: "string", format: "date-time" }, "created_at"],
  [[1_700_000_000.25], { type: "string", format: "date-time" }, "created_at"],
  [[1_700_000_000_123n, null], { type: ["string", "null"], format: "date-time" }, "last_seen"],
  [["2026-01-31 23:59", "2026-01-31T00:00"], { type: "string", format: "date-time" }],
  [["2026/01/31"], { type: "string", format: "date" }],
  [["31.01.2026", ""], { type: ["string", "null"], format: "date" }],
  [["01/31/2026", "01/02/2026"], { type: "string", format: "date" }],
  [["31/01/2026", "01/02/2026"], { type: "string", format: "date" }],
  [["true", "FALSE"], { type: "boolean" }],
  [["true", ""], { type: ["boolean", "null"] }],
  [["12", "-3"], { type: "integer" }],
  [["12.5", "-3"], { type: "number" }],
  [["12.5", ""], { type: ["number", "null"] }],
  [["2026-01-31", ""], { type: ["string", "null"], format: "date" }],
  [[...Array.from({ length: 12 }, () => "2026-01-31"), "n/a", "n/a"], { type: ["string", "null"], format: "date" }],
  [[...Array.from({ length: 12 }, () => "2026-01-31"), "it's", ""], { type: ["string", "null"], format: "date" }],
  [[9007199254740993n], { type: "string" }, "number"],
  [[1n, 2n, "x"], { type: "string" }],
  [["a", "b", 1n], { type: "string" }],
  [["a", 1n], { type: "string" }],
  [[1.5, Infinity], { type: ["number", "null"] }],
  [[Buffer.from("abc")], { type: "string" }],
  [["a", Buffer.from("abc"), null], { type: ["string", "null"] }],
];

test.each(BETTER)("the SQL shown for %o gives %o", async (values, schema, column = "my thing") => {
  const { better, file } = await becomes(values, column);
  const query = `SELECT the_key, ${better?.sql} FROM things`;
  const { of } = await init(file, { query });
  const made = { ...of(column).schema };
  delete made["x-column"];
  delete made["x-observed"];
  expect(made).toEqual(schema);
  const db = new Database(file, { readonly: true });
  expect(db.prepare(query).all()).toHaveLength(values.length);
  db.close();
});
