/** Imports text files: all columns with types that say the same, or the columns of a contract. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import type { FieldSchema } from "../../../src/core/contract/file/form.js";
import { quoteName } from "../../../src/core/contract/sql.js";
import type { ImportAs } from "../../../src/core/source/text-file.js";
import type { TextSettings } from "../../../src/core/source/text-format.js";
import { scratch } from "../../support/files.js";
import { importFile } from "../../support/imported.js";

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

const TYPED: ImportAs = { queriedFor: undefined };

/** The rows of a text file in SQLite, and the names of its columns. */
async function read(name: string, text: string | Buffer, as: ImportAs = TYPED, settings: TextSettings = {}) {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  const to = join(scratch(), "to.sqlite");
  const { table, note } = await importFile(path, settings, to, as);
  const db = new Database(to, { readonly: true });
  try {
    const named = "SELECT name FROM pragma_table_info(?) WHERE name <> ''";
    const names = db.prepare<[string], string>(named).pluck().all(table);
    const columns = names.length === 0 ? "NULL" : names.map(quoteName).join(", ");
    const rows = db
      .prepare(`SELECT ${columns} FROM ${quoteName(table)}`)
      .raw()
      .safeIntegers()
      .all() as unknown[][];
    return { table, names, rows, note };
  } finally {
    db.close();
  }
}

const lines = (...all: string[]) => `${all.join("\n")}\n`;

describe("without a contract", () => {
  test("marks for NULL are those of the contract whose columns a query yields, so that the others are typed", async () => {
    const queriedFor = contractFor({ size: { type: ["integer", "null"], "x-null-marks": ["n/a", "?"] } });
    const { rows } = await read("t.csv", lines("id,size,text", "1,n/a,n/a", "2,?,?", "3,5,5"), { queriedFor });
    expect(rows).toEqual([
      [1n, null, "n/a"],
      [2n, null, "?"],
      [3n, 5n, "5"],
    ]);
  });

  test("a column of the contract is found in any case, so that its marks are NULL", async () => {
    const queriedFor = contractFor({ size: { type: ["string", "null"], "x-null-marks": ["n/a"] } });
    const { names, rows } = await read("t.csv", lines("ID,SIZE", "1,n/a", "2,5"), { queriedFor });
    expect(names).toEqual(["ID", "SIZE"]);
    expect(rows).toEqual([
      [1n, null],
      [2n, "5"],
    ]);
  });

  test("values as they are written have the line on which the row ends", async () => {
    expect(await read("t.csv", lines("id,text", '1,"a\nb"', "", "2,007"), "written")).toMatchObject({
      names: ["rollcall_line", "c1", "c2"],
      rows: [
        [3n, "1", "a\nb"],
        [5n, "2", "007"],
      ],
    });
    expect((await read("t.ndjson", lines('{"id": 1.50}', "", '{"name": "a", "id": null}'), "written")).rows).toEqual([
      [1n, "1.50", null],
      [3n, null, '"a"'],
    ]);
  });
});

describe("with a contract", () => {
  test("fields of NDJSON are found by name in any case, or by path", async () => {
    const position: FieldSchema = {
      type: "object",
      properties: { lat: { type: ["number", "null"] } },
      required: ["lat"],
      additionalProperties: false,
    };
    const contract = contractFor({ position, on: { type: ["boolean", "null"] } });
    const text = lines(
      '{"ID": 1, "ON": true, "extra": [1]}',
      '{"id": 2, "position": {"lat": 1.5}}',
      '{"id": 3, "position_lat": 2, "Id": 4, "on": 0}',
    );
    const { names, rows } = await read("t.jsonl", text, { contract });
    expect(names).toEqual(["id", "on", "position_lat"]);
    expect(rows).toEqual([
      [1n, 1n, null],
      [2n, null, 1.5],
      [3n, 0n, 2n],
    ]);
  });

  test.each(['"N48 E11"', "[48, 11]", "48", "true"])("a path through %s is not NULL but bytes", async (json) => {
    const position: FieldSchema = {
      type: "object",
      properties: { lat: { type: ["number", "null"] }, name: { type: ["string", "null"] } },
      required: ["lat", "name"],
      additionalProperties: false,
    };
    const text = lines(`{"id": 1, "position": ${json}}`, '{"id": 2, "position": null}', '{"id": 3, "position": {}}');
    const { rows } = await read("t.ndjson", text, { contract: contractFor({ position }) });
    expect(rows).toEqual([
      [1n, Buffer.from(json), Buffer.from(json)],
      [2n, null, null],
      [3n, null, null],
    ]);
  });

  test("a field with x-column does not take a member with the field's own name", async () => {
    const contract = contractFor({ x_y: { type: ["integer", "null"], "x-column": "x-y" } });
    const text = lines('{"id": 1, "x-y": 1, "x_y": 2}', '{"id": 2, "x_y": 3}');
    expect((await read("t.ndjson", text, { contract })).rows).toEqual([
      [1n, 1n],
      [2n, null],
    ]);
  });

  test("the line's number is x-column rowid, unless a column has that name", async () => {
    const numbered = { ...contractFor({}).file, properties: { id: { type: "integer", "x-column": "rowid" } } } as const;
    const contract = contractOf(numbered);
    expect((await read("t.csv", lines("v", "x", "y"), { contract })).rows).toHaveLength(2);
    expect((await read("t.ndjson", lines('{"v": 1}'), { contract })).rows).toHaveLength(1);
    expect((await read("t.csv", lines("v,rowid", "x,7"), { contract })).rows).toEqual([[7n]]);
    expect((await read("t.ndjson", lines('{"rowid": 7}'), { contract })).rows).toEqual([[7n]]);
    const late = lines('{"v": 1}', "", '{"rowid": 7}', '{"rowid": 8}');
    expect((await read("t.ndjson", late, { contract })).rows).toEqual([[null], [7n], [8n]]);
  });

  test.each([
    ["t.csv", lines("id,nam", "1,a"), /t\.csv lacks the column name \(nearest: nam\)\. It has id, nam\. /],
    [
      "t.ndjson",
      lines('{"id": 1, "nam": "a"}'),
      /t\.ndjson lacks the column name \(nearest: nam\)\. It has id, nam\. /,
    ],
    ["t.ndjson", lines('{"id": 1, "Name": "a", "NAME": "b"}'), /line 1: several names differ from name only by case/],
  ])("refuses %s without a column", async (name, text, message) => {
    const contract = contractFor({ name: { type: ["string", "null"] } });
    await expect(read(name, text, { contract })).rejects.toThrow(message);
  });
});

describe("line ends", () => {
  test("mixed", async () => {
    expect((await read("t.csv", "id,name\r\n1,a\n2,b\r3,c")).rows).toHaveLength(3);
    expect((await read("t.ndjson", '{"id":1}\r\n{"id":2}\n{"id":3}\r{"id":4}')).rows).toHaveLength(4);
  });

  test("at the end of a piece of the file", async () => {
    const long = "x".repeat(65_536 - '{"id":"1"}\r'.length);
    const { rows } = await read("t.ndjson", `{"id":"1${long}"}\r\n{"id":"2"}\r\n`, "written");
    expect(rows.map(([line, id]) => [line, String(id).slice(0, 2)])).toEqual([
      [1n, '"1'],
      [2n, '"2'],
    ]);
  });
});

describe("a file that another program writes to while it is read", () => {
  const before = lines("id,a", "1,x");

  /** Imports a file, to which something is done at each reading. @returns the rows, and how often it was read */
  async function readDuring(change: (path: string, readings: number) => void) {
    const path = join(scratch(), "t.csv");
    writeFileSync(path, before);
    const to = join(scratch(), "to.sqlite");
    let readings = 0;
    const effects = { onRead: () => change(path, ++readings) };
    await importFile(path, {}, to, TYPED, effects);
    const db = new Database(to, { readonly: true });
    const rows = db.prepare("SELECT * FROM t").raw().all();
    db.close();
    return { rows, readings };
  }

  test("is read again", async () => {
    const found = await readDuring((path, readings) => {
      // Of the same size, so that the reading under way ends in one piece.
      if (readings === 1) writeFileSync(path, lines("id,a", "1,y"));
    });
    expect(found).toEqual({ rows: [[1, "y"]], readings: 2 });
  });

  test("is read again if what was read is malformed", async () => {
    const path = join(scratch(), "t.csv");
    writeFileSync(path, lines("id,a", '1,"x'));
    let isFirst = true;
    const onRead = () => {
      if (isFirst) writeFileSync(path, before);
      isFirst = false;
    };
    await expect(importFile(path, {}, join(scratch(), "to.sqlite"), TYPED, { onRead })).resolves.toBeDefined();
  });

  test("is refused at the third time", async () => {
    let readings = 0;
    const run = readDuring((path, count) => {
      readings = count;
      writeFileSync(path, lines("id,a", `${count},x`));
    });
    await expect(run).rejects.toThrow(
      /t\.csv changed while it was read, 3 times, so nothing was published; run this again/,
    );
    expect(readings).toBe(3);
  });
});

test("names of columns keep every character; one without a name has its number", async () => {
  const { names } = await read("t.csv", lines("名前, Straße ,,a.b,__proto__", "1,2,3,4,5"));
  expect(names).toEqual(["名前", "Straße", "column_3", "a.b", "__proto__"]);
});

test.each(["sqlite_x.csv", "rollcall_raw.csv", 'quo"te.csv', "select.csv", ".csv"])(
  "reads a file named %s",
  async (name) => {
    const { rows } = await read(name, lines("id,a", "1,x"), TYPED, { sourceFormat: "csv" });
    expect(rows).toEqual([[1n, "x"]]);
  },
);

test.each<[name: string, text: string | Buffer, message: RegExp]>([
  ["t.csv", "id,name\n1,a\n2\n", /t\.csv, line 3: the row has 1 value by commas, where most lines have 2\. /],
  [
    "t.csv",
    `id,name\n${"1,a\n".repeat(50)}2\n`,
    /t\.csv, line 52: the row has 1 value, where the first line has 2, which names the columns\. /,
  ],
  [
    "t.csv",
    'id,a\n"1\n',
    /t\.csv, line 2, column 1: a value begins with a quote, and no quote ends it\. .*--quote none/,
  ],
  ["t.csv", 'id,a\n1,"x"y\n', /t\.csv, line 2, column 2: a quote ends the value before its separator; .*--quote none/],
  [
    "t.csv",
    'id,a\n1,"x \\"y\\""\n',
    /t\.csv, line 2, column 2: .* write a quote in it twice, as in "6"" pipe", not \\"\. /,
  ],
  ["t.csv", 'id,a\n1,6" pipe\n', /t\.csv, line 2, column 2: a quote is in a value that does not begin with one; /],
  ["t.csv", '[{"a": 1}]', /t\.csv looks like JSON; name it \.ndjson, or pass --format ndjson\.$/],
  ["t.csv", "id,Name,name\n1,a,b\n", /has the columns Name and name, which are the same for SQLite; rename one\.$/],
  ["t.csv", "id,name,name\n1,a,b\n", /line 1: column 3 repeats the name "name"; name each column once/],
  ["t.csv", "id,a\u0000b\n1,2\n", /line 1: the name of column 2 has a control character.*--encoding utf-16le/],
  ["t.csv", "id,a\u0007\n1,2\n", /line 1: the name of column 2 has a control character, "a\\u0007"; rename it\.$/],
  ["t.csv", "", /t\.csv is empty \(0 bytes\); give a SQLite/],
  ["t.csv", "sep=;\nid;id\n1;a\n", /line 2: column 2 repeats the name "id"/],
  ["t.csv", ",,\n1,a,b\n", /t\.csv has no columns; its first line names them\.$/],
  ["t.csv", "\n\n", /t\.csv has no columns; its first line names them\.$/],
  ["t.ndjson", '{"id": 1}\n{"id": }', /t\.ndjson, line 2, column 8: value expected, found }\. /],
  ["t.ndjson", "1", /line 1: expected an object, found 1\. /],
  ["t.ndjson", '{"a": 1}\n{"A": 1}', /has the columns a and A, which are the same for SQLite; rename one\.$/],
  ["t.ndjson", '{"": 1}', /line 1: the name of a member is empty; rename it\.$/],
  ["t.ndjson", '{"a\\u0000": 1}', /line 1: the name of a member has a control character, "a\\u0000"; rename it\.$/],
  [
    "t.csv",
    `${Array.from({ length: 2000 }, (_, at) => `c${at}`).join()}\n`,
    /has more than 1999 columns; leave some out\.$/,
  ],
])("refuses %s with its line: %#", async (name, text, message) => {
  await expect(read(name, text)).rejects.toThrow(message);
});
