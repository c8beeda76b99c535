import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeIo, rollcall } from "../cli/run.js";
import { readTree, scratch } from "../support/files.js";
import { database } from "./found.js";

test("prints a line with a reason for each column", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  expect(await rollcall("init --from people.sqlite", fakeIo(cwd))).toEqual({
    code: 0,
    stdout: "",
    stderr: `\
read      people.sqlite             the table people, 60 rows
publish   id                        integer: the key, as the PRIMARY KEY; 1 to 3600
publish   name                      text: up to 9 characters
omit      mail                      contact data: its name says so; if it is meant to be public: "mail": {"type":"string"}
omit      ApiKey                    a secret: its name says so; if it is meant to be public: "ApiKey": {"type":"string"}
publish   role                      text: 3 values, which repeat
publish   is_admin                  integer: only 0 and 1
publish   created                   integer: 1700086400 to 1705184000
publish   last_seen                 integer or null: 1700000060123 to 1700003540123, 15 of 60 NULL
publish   height                    number: 1.51 to 2.1
publish   website                   uri or null: all are URLs, 12 of 60 NULL
omit      photo                     BLOB: bytes, which JSON cannot hold; for text: hex("photo") AS "photo"
omit      age                       mixed: 59 of 60 INTEGER, 1 of 60 TEXT, such as "SECRET old" in rowid 289; for text: CAST("age" AS TEXT) AS "age"
omit      Full Address              contact data: its name says so; if it is meant to be public: "full_address": {"type":"string","x-column":"Full Address"}
publish   Favourite Colour          text: the field favourite_colour; up to 13 characters
publish   serial                    text: the digits of whole numbers, as 59 of 60 are beyond 2^53 - 1, such as 9007199254740992 in rowid 4
publish   unused                    text or null: no values so far, all 60 NULL
convert   is_admin                  with --convert, a boolean: 0 becomes false, and 1 becomes true
convert   created                   with --convert, a date-time, if they are seconds since 1970: 1700086400 becomes "2023-11-15T22:13:20Z"
convert   last_seen                 with --convert, a date-time, if they are milliseconds since 1970: 1700000060123 becomes "2023-11-14T22:14:20.123Z"
note      published data is public; to publish an omitted column, add its line to properties and its name to required
write     rollcall.query.sql        the SELECT that reads people; edit it
write     rollcall.contract.json    the contract of the records at /people/; edit it
write     rollcall.config.json      the settings; edit them
next      rollcall build && rollcall serve
`,
  });
  expect(JSON.parse(readFileSync(join(cwd, "rollcall.config.json"), "utf8"))).toEqual({
    $schema: "./node_modules/rollcall/config.schema.json",
    db: "people.sqlite",
    query: "rollcall.query.sql",
    baseUrl: "http://127.0.0.1:8080",
    dist: "dist",
    explorer: true,
  });
  expect(JSON.parse(readFileSync(join(cwd, "rollcall.contract.json"), "utf8"))).toMatchObject({
    $schema: "./node_modules/rollcall/contract.schema.json",
    title: "Person",
    "x-listing": { path: "/people/", words: ["person", "people"], key: "id", order: ["id"], label: "name", version: 1 },
    additionalProperties: false,
  });
});

test("--convert says which columns were converted, and which value keeps the others as they are", async () => {
  const cwd = scratch();
  const rows = "('a', '31.01.2026', 'yes', '1.1'), ('b', '28.02.2026', 'n/a', '1.10'), ('c', 'soon', 'x', '1.9')";
  const sql = `CREATE TABLE things (code TEXT PRIMARY KEY, day TEXT, note TEXT, version TEXT, at TEXT);
    INSERT INTO things (code, day, note, version) VALUES ${rows}; UPDATE things SET at = '2026-01-31 10:00:00'`;
  database(sql, join(cwd, "things.sqlite"));
  const { code, stderr } = await rollcall("init --from things.sqlite --convert", fakeIo(cwd));
  expect(code).toBe(0);
  expect(stderr).toContain(`
publish   at                        date-time: converted
keep      day                       as it is: it could be a date, but for 1 of 3, such as "soon" in rowid 3
keep      version                   as it is: it could be a number, but "1.1" and "1.10" would be equal
convert   at                        a date-time, if they are UTC: "2026-01-31 10:00:00" becomes "2026-01-31T10:00:00Z"
note      published data is public
`);
});

test("reads a CSV file, and says what becomes null and what the key is", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "trees.csv"), "kind,height\noak,12.5\noak,n/a\noak,12.5\noak,3.0\n");
  const { code, stderr } = await rollcall("init --from trees.csv", fakeIo(cwd));
  expect(code).toBe(0);
  expect(stderr).toContain(`\
read      trees.csv                 4 records
key       id                        no column is unique, so the key is the line's number: a line inserted on top renumbers all after it
publish   kind                      text: up to 3 characters
publish   height                    number or null: 3 to 12.5
null      height                    "n/a" becomes null, in 1 of 4 rows
`);
  expect(JSON.parse(readFileSync(join(cwd, "rollcall.config.json"), "utf8"))).toMatchObject({ db: "trees.csv" });
});

const KEY = { field: "id", why: "as the PRIMARY KEY", order: ["id"] };

test("--json prints what was found, --quiet prints nothing", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  const { code, stdout, stderr } = await rollcall("init --from people.sqlite --json", fakeIo(cwd));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { contract, columns, sql, ...found } = JSON.parse(stdout).found;
  expect(found).toEqual({ name: "people", kind: "table", rows: 60, key: KEY });
  expect(contract).toEqual(JSON.parse(readFileSync(join(cwd, "rollcall.contract.json"), "utf8")));
  expect(columns[2]).toEqual({
    ...{ column: "mail", field: "mail", what: "contact data", why: "its name says so", instead: { type: "string" } },
  });
  expect(readFileSync(join(cwd, "rollcall.query.sql"), "utf8")).toContain(sql);
  expect(JSON.parse(stdout).written).toEqual(["rollcall.contract.json", "rollcall.config.json", "rollcall.query.sql"]);

  const other = scratch();
  database("people.sql", join(other, "people.sqlite"));
  const silent = { code: 0, stdout: "", stderr: "" };
  expect(await rollcall("init --from people.sqlite --quiet", fakeIo(other))).toEqual(silent);
});

test.each([
  ["--table people", 2, "--table, --all, --query and --decimal need --from, the file of records."],
  ["--from nothing.sqlite", 2, "There is no file nothing.sqlite; give a SQLite, CSV, TSV or NDJSON file."],
  ["--from one.sqlite --table two", 1, 'one.sqlite has no table or view "two"; it has people. Name one with --table.'],
  ["--from one.sqlite --query none.sql", 2, "There is no file none.sql; --query names a file with one SELECT."],
  ["--from one.sqlite --table people --query q", 2, "--table and --query exclude each other; remove one."],
])("refuses init %s", async (line, code, message) => {
  const cwd = scratch();
  database("CREATE TABLE people (id INTEGER PRIMARY KEY)", join(cwd, "one.sqlite"));
  const result = await rollcall(`init ${line}`, fakeIo(cwd));
  expect(result).toEqual({ code, stdout: "", stderr: `error: ${message}\n` });
  expect(readTree(cwd).has("rollcall.config.json")).toBe(false);
});

test("says why it cannot write, and leaves no files", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  const inside = join(cwd, "nowhere");
  const { code, stderr } = await rollcall(`init --from ${join(cwd, "people.sqlite")}`, fakeIo(inside));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: Cannot write rollcall\.contract\.json and rollcall\.config\.json here \(.*\)\. Correct this/,
  );
  expect([...readTree(cwd).keys()]).toEqual(["people.sqlite"]);
});
