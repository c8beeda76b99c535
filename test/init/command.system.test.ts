/** `rollcall init --from` as people see it: lines, refusals, and what it writes. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fakeIo, rollcall } from "../commands/run.js";
import { readTree, scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { database } from "./found.js";

const CSV = fileURLToPath(new URL("books.csv", import.meta.url));

test("a table with some of everything: a line for each column, and why", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  expect(await rollcall("init --from people.sqlite", fakeIo(cwd))).toEqual({
    code: 0,
    stdout: "",
    stderr: `\
read      people.sqlite             the table people, 60 rows
take      id                        integer: the key, as the PRIMARY KEY; 1 to 3600
take      name                      text: up to 9 characters
leave     mail                      contact data: its name says so; if it is meant to be public: "mail": {"type":"string"}
leave     ApiKey                    a secret: its name says so; if it is meant to be public: "ApiKey": {"type":"string"}
take      role                      text: 3 values, which repeat
take      is_admin                  boolean: only 0 and 1
take      created                   date-time: all are times with an offset
take      last_seen                 date-time or null: all are times with an offset, 15 of 60 NULL
take      height                    number: 1.51 to 2.1
take      website                   uri or null: all are URLs, 12 of 60 NULL
leave     photo                     BLOB: bytes, which JSON cannot hold; for text: hex("photo") AS "photo"
leave     age                       mixed: 59 of 60 INTEGER, 1 of 60 TEXT, such as "SECRET old" in rowid 289; if it is meant to be public: "age": {"type":"string"}
leave     Full Address              contact data: its name says so; if it is meant to be public: "full_address": {"type":"string","x-column":"Full Address"}
take      Favourite Colour          text: the field favourite_colour; up to 13 characters
take      serial                    text: up to 16 characters
take      unused                    text or null: so far, all 60 NULL
note      everything that is published is public; to publish what was left out, add its line to properties and its name to required
note      SQL above is for a SELECT ... FROM people in a file, which --query names
write     rollcall.query.sql        what is read of people: a SELECT that is yours to change
write     rollcall.contract.json    what a record is, and that /people/ lists them; yours to change
write     rollcall.config.json      settings to change
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

test.skipIf(isMissing("sqlite3"))(
  "a list that the sqlite3 shell has imported as texts: a query makes numbers and dates of them",
  async () => {
    const cwd = scratch();
    copyFileSync(CSV, join(cwd, "books.csv"));
    execFileSync("sqlite3", ["books.sqlite", ".import --csv books.csv books"], { cwd });
    const { code, stderr } = await rollcall("init --from books.sqlite", fakeIo(cwd));
    expect(code).toBe(0);
    expect(stderr.split("\n").slice(1, 10).join("\n")).toBe(`\
take      ISBN                      integer: the key, as it is unique in 8 rows, though nothing in the table keeps it so; 9780061120084 to 9788437604947
take      Title                     text: up to 40 characters
take      Author                    text: up to 24 characters
take      Published                 date or null: all are dates, 1 of 8 NULL
take      Pages                     integer: 96 to 471
take      Price                     number or null: 6.5 to 14.95, 1 of 8 NULL
take      In Print                  boolean: the field in_print; only 0 and 1
take      Shelf                     text: 2 values, which repeat
take      Notes                     text: up to 21 characters`);
  },
);

test("a CSV file is read as it is", async () => {
  const cwd = scratch();
  copyFileSync(CSV, join(cwd, "books.csv"));
  expect(await rollcall("init --from books.csv --words book,books --title Tome --path /b/", fakeIo(cwd))).toMatchObject(
    {
      code: 0,
    },
  );
  expect(JSON.parse(readFileSync(join(cwd, "rollcall.config.json"), "utf8"))).toMatchObject({ db: "books.csv" });
  const contract = JSON.parse(readFileSync(join(cwd, "rollcall.contract.json"), "utf8"));
  expect(contract).toMatchObject({
    title: "Tome",
    "x-listing": { path: "/b/", words: ["book", "books"] },
    properties: { Pages: { type: "integer" }, in_print: { type: "boolean" }, Price: { type: ["number", "null"] } },
  });
});

test("several tables: the list of them, and nothing is written", async () => {
  const cwd = scratch();
  database("django.sql", join(cwd, "site.sqlite"));
  const before = [...readTree(cwd).keys()];
  expect(await rollcall("init --from site.sqlite", fakeIo(cwd))).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: site.sqlite has 5 tables and views; name one with --table: auth_user, django_session, members, members_profile, members_standing.\n",
  });
  expect([...readTree(cwd).keys()]).toEqual(before);
});

test("nothing of what is left out is written or printed", async () => {
  const cwd = scratch();
  database("django.sql", join(cwd, "site.sqlite"));
  const { code, stderr } = await rollcall("init --from site.sqlite --table members", fakeIo(cwd));
  expect(code).toBe(0);
  const written = readFileSync(join(cwd, "rollcall.contract.json"), "utf8");
  expect(stderr + written).not.toContain("SECRET");
  expect(Object.keys(JSON.parse(written).properties)).toEqual([
    ...["id", "username", "first_name", "last_name", "is_staff", "date_joined", "last_login", "bio", "country"],
    ...["languages", "settings", "points", "share", "has_badge"],
  ]);
  expect(JSON.parse(readFileSync(join(cwd, "rollcall.config.json"), "utf8"))).not.toHaveProperty("table");
});

test.each(["rollcall.config.json", "rollcall.contract.json"])("nothing is written when %s is there", async (name) => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  writeFileSync(join(cwd, name), "mine");
  const { code, stderr } = await rollcall("init --from people.sqlite", fakeIo(cwd));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: ${name} is there already, so nothing was written; move it away, or run "rollcall build".\n`,
  });
  expect([...readTree(cwd).keys()].sort()).toEqual(["people.sqlite", name].sort());
  expect(readFileSync(join(cwd, name), "utf8")).toBe("mine");
});

test("--json is what was found, and --quiet is nothing", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  const { code, stdout, stderr } = await rollcall("init --from people.sqlite --json", fakeIo(cwd));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { contract, columns, sql, ...found } = JSON.parse(stdout).found;
  expect(found).toEqual({ name: "people", kind: "table", rows: 60, key: { field: "id", why: "as the PRIMARY KEY" } });
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
  ["--table people", 2, "There is no database to read the table or query from; name its file with --from."],
  ["--from nothing.sqlite", 2, "There is no file nothing.sqlite; --from names a file of records."],
  ["--from folder", 1, "folder is a folder; --from names a file of records."],
  ["--from empty", 1, "empty is empty (0 bytes); --from names a file of records."],
  [
    "--from text",
    1,
    "text is not a SQLite database, or it is encrypted; name a plain SQLite file (file is not a database).",
  ],
  ["--from bare.sqlite", 1, "bare.sqlite has no tables; name the SQLite file that holds the records."],
  ["--from one.sqlite --table two", 1, 'one.sqlite has no table or view "two"; it has people. Name one with --table.'],
  ["--from one.sqlite --query none.sql", 2, "There is no file none.sql; --query names a file with one SELECT."],
  ["--from one.sqlite --table people --query q", 2, "--table and --query exclude each other; give one of them."],
])("init %s is refused", async (line, code, message) => {
  const cwd = scratch();
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "empty"), "");
  writeFileSync(join(cwd, "text"), "no database, but a text that is longer than a header of one would be".repeat(20));
  database("CREATE TABLE t (a); DROP TABLE t", join(cwd, "bare.sqlite"));
  database("CREATE TABLE people (id INTEGER PRIMARY KEY)", join(cwd, "one.sqlite"));
  const result = await rollcall(`init ${line}`, fakeIo(cwd));
  expect(result).toEqual({ code, stdout: "", stderr: `error: ${message}\n` });
  expect(readTree(cwd).has("rollcall.config.json")).toBe(false);
});

test("where it cannot write it says why, and leaves nothing", async () => {
  const cwd = scratch();
  database("people.sql", join(cwd, "people.sqlite"));
  const inside = join(cwd, "nowhere");
  const { code, stderr } = await rollcall(`init --from ${join(cwd, "people.sqlite")}`, fakeIo(inside));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: Cannot write rollcall\.contract\.json and rollcall\.config\.json here \(.*\); mend that/,
  );
  expect([...readTree(cwd).keys()]).toEqual(["people.sqlite"]);
});
