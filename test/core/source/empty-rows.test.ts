/** Rows that are no records: they are left out and told, and no other row is renumbered. Empty texts are no keys. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { ContractFile } from "../../../src/core/contract/file/form.js";
import { build, diff, InvalidRecordsError } from "../../../src/index.js";
import { findSource } from "../../../src/init/source.js";
import { scratch } from "../../support/files.js";

const lines = (...all: string[]) => `${all.join("\n")}\n`;

function contractOf(key: string, properties: ContractFile["properties"]): ContractFile {
  return {
    title: "Thing",
    type: "object",
    "x-listing": { path: "/things/", words: ["thing", "things"], key, order: [key], version: 1 },
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const CODES = contractOf("code", { code: { type: "string" }, name: { type: ["string", "null"] } });
const NUMBERED = contractOf("id", {
  id: { type: "integer", "x-column": "rowid" },
  name: { type: ["string", "null"] },
});

async function publish(name: string, text: string, contract: ContractFile, query?: string) {
  const folder = scratch();
  const db = join(folder, name);
  writeFileSync(db, text);
  const sql = query === undefined ? undefined : join(folder, "query.sql");
  if (sql !== undefined) writeFileSync(sql, query ?? "");
  const dist = join(folder, "dist");
  const made = await build({ db, contract, query: sql, dist, baseUrl: "https://example.com", workers: 0 });
  const { results } = JSON.parse(readFileSync(join(made.folder, "things/pages/1.json"), "utf8"));
  return { db, dist, results, notes: made.sourceNotes };
}

/** The problems of a build that is refused. */
async function problemsOf(step: Promise<unknown>) {
  const error = await step.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InvalidRecordsError)) throw error;
  return error.problems.first;
}

test.each<[what: string, name: string, text: string, note: string]>([
  ["empty cells", "t.csv", lines("code,name", "A,x", ",", "B,y"), "left out 1 empty row, line 3"],
  ["blank cells", "t.csv", lines("code;name", "A;x", " ; ", '"";" "', "B;y"), "left out 2 empty rows, lines 3 and 4"],
  ["a line of blanks", "t.csv", lines("code,name", "A,x", "   ", "B,y"), "left out 1 empty row, line 3"],
  ["an empty line", "t.csv", lines("", "code,name", "A,x", "", "B,y"), "left out 2 empty rows, lines 1 and 4"],
  ["empty cells of TSV", "t.tsv", lines("code\tname", "A\tx", "\t", "B\ty"), "left out 1 empty row, line 3"],
  [
    "rows behind a value of two lines",
    "t.csv",
    lines("code,name", 'A,"x', 'z"', ",", "B,y"),
    "left out 1 empty row, line 4",
  ],
])("%s: not a record", async (_, name, text, note) => {
  const { db, dist, results, notes } = await publish(name, text, CODES);
  expect(results.map(({ code }: { code: string }) => code)).toEqual(["A", "B"]);
  expect(notes).toEqual([note]);
  const found = await findSource({ from: db });
  expect(found.listings[0]?.found).toMatchObject({ rows: 2, notes: [note] });
  const told: string[] = [];
  const changes = await diff({ old: "current", new: db, dist, contract: CODES }, { onNote: (line) => told.push(line) });
  expect(changes.unchanged).toBe(2);
  changes.close();
  expect(told).toEqual([`${db}: ${note}`]);
});

test("an empty line of a file of one column is no record", async () => {
  const found = contractOf("name", { name: { type: "string" } });
  const { results, notes } = await publish("t.csv", lines("name", "a", "", "b"), found);
  expect(results).toEqual([{ name: "a" }, { name: "b" }]);
  expect(notes).toEqual(["left out 1 empty row, line 3"]);
});

test("at most ten lines are listed", async () => {
  const { notes } = await publish("t.csv", lines("code,name", ...Array(12).fill(","), "A,x"), CODES);
  expect(notes).toEqual(["left out 12 empty rows, lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"]);
});

test("an object of NDJSON without members is a record", async () => {
  const { results, notes } = await publish("t.ndjson", lines('{"name": "a"}', "{}"), NUMBERED);
  expect(results).toEqual([
    { id: 1, name: "a" },
    { id: 2, name: null },
  ]);
  expect(notes).toEqual([]);
});

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("the number of a row is its line, whatever is left out, with a query, too: %s", async (_, end) => {
  const text = ["", "kind,name", "oak,a", ",", "", "oak,b", '"oak', '",c', ""].join(end);
  const kept = [
    { id: 3, name: "a" },
    { id: 6, name: "b" },
    { id: 8, name: "c" },
  ];
  expect((await publish("t.csv", text, NUMBERED)).results).toEqual(kept);
  const found = await findSource({ from: (await publish("t.csv", text, NUMBERED)).db });
  expect(found.listings[0]?.found.rows).toBe(3);
  const queried = contractOf("id", { id: { type: "integer" }, name: { type: "string" } });
  expect((await publish("t.csv", text, queried, "SELECT rowid AS id, name FROM t")).results).toEqual(kept);
});

describe("an empty text as a key", () => {
  const wrong = { path: "code", rule: "key", value: "", message: "must not be empty, since it is the key" };

  test.each([
    ["t.csv", lines("code,name", "A,x", ",y", ",z"), [3, 4]],
    ["t.ndjson", lines('{"code": "A"}', "", '{"code": "", "name": "y"}'), [3]],
  ])("is a problem with its line in %s", async (name, text, places) => {
    expect(await problemsOf(publish(name, text, CODES))).toEqual(places.map((line) => ({ id: "", line, ...wrong })));
  });

  test("is a problem with its row in SQLite", async () => {
    const db = join(scratch(), "t.db");
    const source = new Database(db);
    source.exec(
      "CREATE TABLE things (code TEXT, name TEXT); INSERT INTO things VALUES ('A', 'x'), ('', 'y'), ('B', 'z')",
    );
    source.close();
    const options = { db, contract: CODES, dist: join(scratch(), "dist"), baseUrl: "https://example.com", workers: 0 };
    expect(await problemsOf(build(options))).toEqual([{ id: "", row: 2, ...wrong }]);
    expect(await build({ ...options, skipInvalid: true })).toMatchObject({ records: 2, skipped: 1 });
  });

  test("is not chosen by init", async () => {
    const from = join(scratch(), "t.ndjson");
    writeFileSync(from, lines('{"code": "", "name": "x"}', '{"code": "A", "name": "y"}'));
    expect((await findSource({ from })).listings[0]?.found.key.field).toBe("name");
  });
});

test("problems of a text file name the line on which the record ends", async () => {
  const sized = contractOf("code", { code: { type: "string" }, size: { type: "integer" } });
  const text = lines("code,size", 'A,"1"', '"B', 'b",x', ",", "C,2.5", "C,3");
  const problems = await problemsOf(publish("t.csv", text, sized));
  expect(problems.map(({ id, line, rule }) => [id, line, rule])).toEqual([
    ["B\nb", 4, "type"],
    ["C", 6, "type"],
    ["C", 6, "unique"],
    ["C", 7, "unique"],
  ]);
});
