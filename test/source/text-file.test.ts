import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import type { FieldSchema } from "../../src/contract/file/form.js";
import { importText } from "../../src/source/text-file.js";
import { scratch } from "../support/files.js";

function contractFor(properties: Record<string, FieldSchema>) {
  return contractOf({
    title: "Row",
    type: "object",
    "x-listing": { path: "/rows/", words: ["row", "rows"], key: "id", order: ["id"], version: 1 },
    properties: { id: { type: "integer" }, ...properties },
    required: ["id", ...Object.keys(properties)],
    additionalProperties: false,
  });
}

/** The rows of a text file in SQLite, and the declared types of the columns. */
async function read(name: string, text: string | Buffer, contract?: ReturnType<typeof contractFor>) {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  const to = join(scratch(), "to.sqlite");
  const { table } = await importText(path, to, contract);
  const db = new Database(to, { readonly: true });
  try {
    const types = db.prepare("SELECT name, type FROM pragma_table_info(?)").raw().all(table);
    const rows = db.prepare(`SELECT * FROM "${table}"`).raw().safeIntegers().all();
    return { table, types, rows };
  } finally {
    db.close();
  }
}

test("without a contract, a column has the type that all its values have", async () => {
  const text = 'id,name,zip,score,is on,none\n1,"A, ""x""\n2",01234,1.5,TRUE,\n2,,99,2,false,\n';
  expect(await read("my team.csv", text)).toEqual({
    table: "my team",
    types: Object.entries({
      ...{ id: "INTEGER", name: "TEXT", zip: "TEXT", score: "REAL", "is on": "BOOLEAN", none: "TEXT" },
    }),
    rows: [
      [1n, 'A, "x"\n2', "01234", 1.5, 1n, null],
      [2n, null, "99", 2, 0n, null],
    ],
  });
});

test("with a contract, converts values to its types, and keeps others as text", async () => {
  const contract = contractFor({
    flag: { type: "boolean", "x-column": "Flag" },
    score: { type: "number" },
    maybe: { type: ["string", "null"] },
    text: { type: "string" },
    filled: { type: "string", minLength: 1 },
    list: { type: "array", items: { type: "string" } },
  });
  const text = 'id,flag,score,maybe,text,filled,list,other\n007,True,1e2,,,,"[""a""]",5\nx,maybe,-,,,,,\n';
  expect((await read("t.csv", text, contract)).rows).toEqual([
    [7n, 1n, 100, null, "", null, '["a"]', "5"],
    ["x", "maybe", "-", null, "", null, null, null],
  ]);
});

test.each([
  ["a byte order mark and CRLF", "t.csv", "\uFEFFid,name\r\n1,a\r\n\r\n2,b\r\n"],
  ["semicolons", "t.csv", "id;name\n1;a\n2;b\n"],
  ["tabs", "t.tsv", "id\tname\n1\ta\n2\tb\n"],
  ["lines of JSON", "t.ndjson", '\uFEFF{"id": 1, "name": "a"}\r\n\n{"name": "b", "id": 2}'],
])("%s", async (_what, name, text) => {
  const { rows } = await read(name, text);
  expect(rows).toEqual([
    [1n, "a"],
    [2n, "b"],
  ]);
});

test("members of NDJSON keep their types; fields of a contract are also found by path", async () => {
  const lines = [
    '{"id": 1, "on": true, "code": "007"}',
    '{"id": 2, "position": {"lat": 1.5}, "list": [1], "code": null}',
  ];
  expect(await read("t.jsonl", lines.join("\n"))).toEqual({
    table: "t",
    types: Object.entries({ id: "INTEGER", on: "BOOLEAN", code: "TEXT", position: "TEXT", list: "TEXT" }),
    rows: [
      [1n, 1n, "007", null, null],
      [2n, null, null, '{"lat":1.5}', "[1]"],
    ],
  });
  const position: FieldSchema = {
    type: "object",
    properties: { lat: { type: ["number", "null"] } },
    required: ["lat"],
    additionalProperties: false,
  };
  const contract = contractFor({ position, on: { type: ["boolean", "null"] } });
  expect((await read("t.jsonl", lines.join("\n"), contract)).rows).toEqual([
    [1n, 1n, null],
    [2n, null, 1.5],
  ]);
});

test.each([
  ["t.csv", "id,name\n1,a\n2\n", /t\.csv, line 3, column 2: the row has 1 value, where the first line has 2\. /],
  ["t.csv", 'id\n"1\n', /t\.csv, line 2, column 1: Quote Not Closed/],
  ["t.csv", "id, \n", /line 1: column 2 has no name; the first line names each column once\.$/],
  ["t.csv", "id,Name,name\n", /line 1: column 3 repeats the name "name"; /],
  ["t.csv", "", /t\.csv is empty \(0 bytes\); --db names/],
  ["t.csv", Buffer.from("id\n1\n\xff\n", "latin1"), /is not text in UTF-8, from line 3 on; save it as UTF-8\.$/],
  ["t.csv", Buffer.from("id\n\xc3", "latin1"), /is not text in UTF-8/],
  ["t.ndjson", '{"id": 1}\n{"id": }', /t\.ndjson, line 2, column 8: expected a value, found }\. /],
  ["t.ndjson", "[1]", /line 1: expected an object, found \[1\]\.$/],
  ["t.ndjson", '{"a": 1}\n{"A": 1}', /has the columns a and A, which are the same for SQLite; rename one\.$/],
  ["t.csv", `${Array.from({ length: 2000 }, (_, at) => `c${at}`).join()}\n`, /more than 1999 columns/],
])("refuses %s with its line: %j", async (name, text, message) => {
  await expect(read(name, text)).rejects.toThrow(message);
});
