/** What each kind of column of a SQLite table becomes, as it is and with --convert. */
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InitOptions } from "../../src/init/init.js";
import { columnOf, database, init } from "./found.js";

const UUID = "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53";
const repeated = (...values: unknown[]) => [...values, ...values, ...values, ...values];

async function becomes(
  values: readonly unknown[],
  column = "thing",
  declared = "",
  options?: Omit<InitOptions, "from" | "folder">,
) {
  const found = await init(columnOf(values, column, declared), options);
  const { field: _, ...decided } = found.of(column);
  const { "x-observed": observed, ...schema } = decided.schema ?? {};
  return { ...decided, schema: decided.schema && schema, observed, found };
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
    ["integer", [0n, 1n], { type: "integer" }, "is_it"],
    ["integer", [0n, 1n], { type: "integer" }, "thing", "TINYINT(1)"],
    ["boolean", [0n, 1n], { type: "boolean" }, "thing", "bool"],
    ["boolean or null", [0n, null], { type: ["boolean", "null"] }, "thing", "BOOLEAN"],
    ["integer", [0n, 2n], { type: "integer" }, "thing", "BOOLEAN"],
    ["text", ["12", "13"], { type: "string" }, "thing", ""],
    ["text", ["true", "false"], { type: "string" }],
    ["text", ["31.01.2026"], { type: "string" }],
    ["text", ["2026-01-31 23:59:59"], { type: "string" }],
    ["text", ["n/a", "NULL", "-"], { type: "string" }],
    ["integer", [1_700_000_000n], { type: "integer" }, "created_at"],
    ["text", [9007199254740993n, -9007199254740992n], { type: "string" }],
    ["text", [1n, 9007199254740993n], { type: "string" }],
    ["number", [1.5, 1e300], { type: "number" }],
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
    const { schema, offer } = await becomes([...dates, "soon", "then"]);
    expect(schema).toEqual({ type: "string" });
    const why = 'but for 2 of 42, such as "soon" in rowid 41';
    expect(offer).toEqual({ what: "a date", why, isPossible: false });
  });
});

test.each(Array.from({ length: 30 }, (_, at) => at))(
  "one text of another form is found in row %s of 30",
  async (odd) => {
    const values = Array.from({ length: 30 }, (_, at) => (at === odd ? "no date" : "2026-01-31"));
    const { schema, offer } = await becomes(values);
    expect(schema).toMatchObject({ type: "string" });
    expect(offer?.why).toBe(`but for 1 of 30, such as "no date" in rowid ${odd + 1}`);
  },
);

describe("columns that are omitted", () => {
  test.each<[what: string, why: string, values: unknown[]]>([
    ["BLOB", "bytes, which JSON cannot hold", [Buffer.from("ab"), null]],
    ["mixed", '2 of 3 INTEGER, 1 of 3 TEXT, such as "x" in rowid 2', [1n, "x", 2n]],
    ["mixed", "2 of 3 TEXT, 1 of 3 REAL, such as 1.5 in rowid 3", ["a", "b", 1.5]],
    ["mixed", "1 of 2 TEXT, 1 of 2 BLOB, such as x'ff' in rowid 2", ["a", Buffer.from([255])]],
    ["mixed", "2 of 3 TEXT, 1 of 3 BLOB, such as x'ff' in rowid 3", ["a", "b", Buffer.from([255])]],
    ["not exact", "1 of 2 that readers would change, such as Infinity in rowid 2", [1.5, Infinity]],
    ["not exact", "1 of 2 that readers would change, such as 9007199254740993 in rowid 2", [1.5, 9007199254740993n]],
    ["contact data", "its values are e-mail addresses", ["a@example.com", "b@example.org"]],
    ["contact data", "its values are e-mail addresses", ["Ada <ada@example.com>", "a@example.org; b@example.org", "?"]],
    ["contact data", "its values are e-mail addresses", ['["ada@example.com"]', "[]"]],
    ["contact data", "its values are telephone numbers", ["+49 30 1234567", "+1 (555) 010-9999"]],
    [
      "personal data",
      "its values are IBANs of bank accounts",
      ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19"],
    ],
    ["personal data", "its values are IP addresses", ["10.0.0.1", "fe80::1"]],
    ["a secret", "its values are tokens and keys", ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "sk_live_abc123"]],
    ["a secret", "its values are hashes of passwords", ["pbkdf2_sha256$1$a$b", "$2b$12$abc"]],
    ["contact data", 'there is "work_email" in its JSON', ['{"a": {"work_email": "x"}}']],
    ["contact data", 'there is "email" in its JSON', ['[{"email": "x"}]']],
    ["contact data", 'there is "email" in its JSON', [`{"a": "${"\\n".repeat(9_000_000)}", "b\\"": 1, "email" : "x"}`]],
  ])("%s: %s", async (what, why, values) => {
    const found = await becomes(values);
    expect(found.what).toBe(what);
    expect(found.why.split("; for text: ")[0]).toBe(why);
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

  test("stays omitted, even with --convert", async () => {
    const file = database(`CREATE TABLE t (id INTEGER PRIMARY KEY, note, tel BLOB, at INT);
      INSERT INTO t VALUES (1, 'a@example.com', x'${"00".repeat(16)}', 1600000000), (2, 5, x'${"01".repeat(16)}', 1600000001),
        (3, 7, NULL, 1600000002), (4, 9, NULL, 1600000003)`);
    const { contract, of, sql } = await init(file, { convert: true });
    expect(sql).not.toMatch(/note|tel/);
    expect(Object.keys(contract.properties)).toEqual(["id", "at"]);
    expect(of("note")).toMatchObject({ what: "contact data" });
    expect(of("tel")).toMatchObject({ what: "contact data", instead: { type: ["string", "null"], format: "uuid" } });
  });

  test("without a name; the others are published", async () => {
    const file = database(
      `CREATE TABLE t (id INTEGER PRIMARY KEY, "" TEXT, "a.b" TEXT); INSERT INTO t VALUES (1, 'x', 'y')`,
    );
    const { contract, of } = await init(file);
    expect(Object.keys(contract.properties)).toEqual(["id", "a_b"]);
    expect(of("")).toMatchObject({ what: "no name", why: "it is empty; name the column in a query, with AS" });
  });

  test("not an address of a place, but its telephone number", async () => {
    const { contract } = await init(
      database(`CREATE TABLE stations (id INTEGER PRIMARY KEY, street TEXT, zip TEXT, lat REAL, phone TEXT);
      INSERT INTO stations VALUES (1, 'Main Street', '01234', 52.5, 'x')`),
    );
    expect(Object.keys(contract.properties)).toEqual(["id", "street", "zip", "lat"]);
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

test.each<[concern: string | undefined, values: unknown[]]>([
  ["published with e-mail addresses in 1 of 3, such as in rowid 2", ["a", "Ask Ada (ada@example.com).", "b"]],
  ["published with e-mail addresses in 1 of 3, such as in rowid 3", ['{"a": 1}', "{}", '{"b": ["ada@example.com"]}']],
  [undefined, ["left@18.2.0", "https://example.com/@ada/index.html", "@ada", "a @ example.com"]],
])("of a published column, %s", async (concern, values) => {
  const found = await becomes(values);
  expect(found.schema).toBeDefined();
  expect(found.concern).toBe(concern);
});

describe("conversions", () => {
  const dateTime = { type: "string", format: "date-time" };
  const date = { type: "string", format: "date" };
  const bytes = Buffer.from(UUID.replaceAll("-", ""), "hex");

  test.each<[what: string, values: unknown[], schema: object, made: unknown[], column?: string]>([
    ["a UUID", [UUID.replaceAll("-", "")], { type: "string", format: "uuid" }, [UUID]],
    ["a UUID", [bytes], { type: "string", format: "uuid" }, [UUID.toUpperCase()]],
    [
      "a date-time, if they are UTC",
      ["2026-01-31 23:59:59", "2026-01-31T23:59:59.123456", null],
      { ...dateTime, type: ["string", "null"] },
      ["2026-01-31T23:59:59Z", "2026-01-31T23:59:59.123456Z", null],
    ],
    ["a date-time", ["2026-01-31 23:59:59+02:00"], dateTime, ["2026-01-31T23:59:59+02:00"]],
    ["a date-time", ["2026-01-31 23:59:59+02"], dateTime, ["2026-01-31T23:59:59+02:00"]],
    ["a date-time", ["2026-01-31T23:59:59.000-0530"], dateTime, ["2026-01-31T23:59:59.000-05:30"]],
    ["a date-time, if they are UTC", ["2026-01-31 23:59"], dateTime, ["2026-01-31T23:59:00Z"]],
    [
      "a date-time, if they are seconds since 1970",
      [1_700_000_000n, 1_700_000_001n],
      dateTime,
      ["2023-11-14T22:13:20Z", "2023-11-14T22:13:21Z"],
      "created_at",
    ],
    [
      "a date-time, if they are seconds since 1970",
      [1_700_000_000n, 1_700_000_000.25],
      dateTime,
      ["2023-11-14T22:13:20.000Z", "2023-11-14T22:13:20.250Z"],
      "created_at",
    ],
    [
      "a date-time, if they are milliseconds since 1970",
      [1_700_000_000_123n, null],
      { ...dateTime, type: ["string", "null"] },
      ["2023-11-14T22:13:20.123Z", null],
      "last_seen",
    ],
    ["a date", ["2026/01/31"], date, ["2026-01-31"]],
    ["a date", ["31.01.2026"], date, ["2026-01-31"]],
    ["a date, if the month is first", ["01/31/2026", "01/02/2026"], date, ["2026-01-31", "2026-01-02"]],
    ["a date, if the day is first", ["31/01/2026", "01/02/2026"], date, ["2026-01-31", "2026-02-01"]],
    ["a boolean", ["true", "FALSE"], { type: "boolean" }, [1, 0]],
    ["an integer", ["12", "-3"], { type: "integer" }, [12, -3]],
    ["a number", ["-3", "12.5"], { type: "number" }, [-3, 12.5]],
    ["an integer", ["1,234,567", "-12"], { type: "integer" }, [1234567, -12]],
    ["a number", ["1.234,5", "0,5"], { type: "number" }, [1234.5, 0.5]],
  ])("to %s: %o", async (what, values, schema, made, column = "my thing") => {
    const offered = await becomes(values, column);
    expect(offered.offer).toMatchObject({ what, isPossible: true });
    expect(offered.found.sql).toBeUndefined();

    const converted = await becomes(values, column, "", { convert: true });
    expect(converted.schema).toEqual(schema);
    expect(converted.offer).toEqual(offered.offer);
    expect(converted.offer?.why.endsWith(`becomes ${JSON.stringify(made[0])}`)).toBe(what !== "a boolean");
    const { sql = "", config } = converted.found;
    const db = new Database(String(config["db"]), { readonly: true });
    expect(
      db
        .prepare(sql)
        .all()
        .map((row) => Object(row)[column]),
    ).toEqual(made);
    db.close();
  });

  test.each<[values: unknown[], what: string, why: string, column?: string]>([
    [["2026-01-31", ""], "a date", "but for 1 of 2 empty"],
    [[...repeated("2026-01-31"), "n/a", ""], "a date", 'but for 1 of 6, such as "n/a" in rowid 5, and 1 of 6 empty'],
    [["1.1", "1.9", "1.10"], "a number", 'but "1.1" and "1.10" would be equal'],
    [["1,234,567", "7", "1234567"], "an integer", 'but "1,234,567" and "1234567" would be equal'],
    [["12", "13", "1e3"], "an integer", 'but for 1 of 3, such as "1e3" in rowid 3'],
    [["1,234", "5,678", "many"], "an integer", 'but for 1 of 3, such as "many" in rowid 3'],
    [
      [1_700_000_000.123456, 1_700_000_000.5],
      "a date-time, if they are seconds since 1970",
      "but for 1 of 2 finer than a millisecond, such as 1700000000.123456 in rowid 1",
      "created_at",
    ],
  ])("are not done if a value of %o does not fit", async (values, what, why, column) => {
    const { offer, found, schema } = await becomes(values, column, "", { convert: true });
    expect(offer).toEqual({ what, why, isPossible: false });
    expect(found.sql).toBeUndefined();
    expect(schema?.format).toBeUndefined();
  });

  test("of 0 and 1 to a boolean need no query", async () => {
    const offered = await becomes([0n, 1n], "is_it");
    expect(offered.offer).toEqual({
      what: "a boolean",
      why: "0 becomes false, and 1 becomes true",
      isPossible: true,
    });
    const { schema, found } = await becomes([0n, 1n], "is_it", "", { convert: true });
    expect(schema).toEqual({ type: "boolean" });
    expect(found.sql).toBeUndefined();
  });

  test("whole numbers beyond 2^53 - 1 become their digits without --convert", async () => {
    const { found, what, why } = await becomes([1n, 9007199254740993n, null]);
    expect(what).toBe("text or null");
    expect(why).toBe(
      "the digits of whole numbers, as 1 of 3 is beyond 2^53 - 1, such as 9007199254740993 in rowid 2, 1 of 3 NULL",
    );
    expect(found.sql).toContain('CAST("thing" AS TEXT) AS "thing"');
    expect((await becomes([9007199254740993n])).found.sql).toBeUndefined();
  });

  test("are left to a query of the user's", async () => {
    const file = columnOf([1n, 9007199254740993n], "thing", "");
    const { of, sql } = await init(file, { query: "SELECT * FROM things" });
    expect(sql).toBeUndefined();
    const why =
      '1 of 2 is beyond 2^53 - 1, such as 9007199254740993 in row 2; for text: CAST("thing" AS TEXT) AS "thing"';
    expect(of("thing")).toMatchObject({ what: "too large", why });
    await expect(init(file, { query: "SELECT * FROM things", convert: true })).rejects.toThrow(
      "--convert writes a query of its own, so it excludes --query; convert in that query.",
    );
  });
});

test("the SQL for seconds since 1970 keeps every millisecond, and any finer number", async () => {
  const { found } = await becomes([1_700_000_000.5], "at", "", { convert: true });
  const db = new Database(":memory:");
  db.exec("CREATE TABLE things (the_key, at)");
  const insert = db.prepare("INSERT INTO things VALUES (1, ?)");
  const read = db.prepare<[], string | number>(`SELECT at FROM (${found.sql})`).pluck();
  const convert = (value: number) => {
    db.exec("DELETE FROM things");
    insert.run(value);
    return read.get();
  };
  const seconds = fc.integer({ min: 0, max: 4_102_444_800_000 }).map((milliseconds) => milliseconds / 1000);
  fc.assert(
    fc.property(seconds, (value) => {
      expect(convert(value)).toBe(new Date(Math.round(value * 1000)).toISOString());
      expect(convert(value + 0.000_25)).toBe(value + 0.000_25);
    }),
  );
  expect(convert(1e15)).toBe(1e15);
  db.close();
});
