/** With a contract, the same value gives the same result from CSV, TSV, NDJSON and SQLite. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ContractFile, FieldSchema } from "../../../src/core/contract/file/form.js";
import { build } from "../../../src/index.js";
import { runSql } from "../../support/database.js";
import { scratch } from "../../support/files.js";

/** A value in each kind of source. Undefined where a kind has no such value. */
interface Given {
  cell?: string | undefined;
  json?: string | undefined;
  sql?: string | undefined;
}

const REFUSED = Symbol("refused");

/** A value given as JSON. Cells have texts as they are, and any other value as JSON. */
function given(json: string, others: Given = {}): Given {
  const value: unknown = JSON.parse(json);
  const isText = typeof value === "string";
  const quoted = `'${(isText ? value : json).replaceAll("'", "''")}'`;
  const sql = isText || json.startsWith("[") || json.startsWith("{") ? quoted : json;
  return { cell: isText ? value : json === "null" ? "" : json, json, sql, ...others };
}

const text = (value: string) => JSON.stringify(value);

const TYPES: readonly [type: string, schema: FieldSchema, cases: readonly [Given, unknown][]][] = [
  [
    "integer",
    { type: "integer" },
    [
      [given("0"), 0],
      [given("-7"), -7],
      [given("9007199254740991"), 9007199254740991],
      [given("9007199254740993"), REFUSED],
      [given("99999999999999999999"), REFUSED],
      [given("1.5"), REFUSED],
      [given("1.0"), REFUSED],
      [given("1e3"), REFUSED],
      [given("-0", { sql: undefined }), REFUSED],
      [given("null"), REFUSED],
      [given("[1]"), REFUSED],
      [given(text("12"), { cell: undefined }), REFUSED],
      [given(text("007")), REFUSED],
      [given(text("x")), REFUSED],
    ],
  ],
  [
    "integer or null",
    { type: ["integer", "null"], "x-null-marks": ["n/a"] },
    [
      [given("5"), 5],
      [given("null"), null],
      [{ cell: "n/a" }, null],
      [{ cell: "N/A", json: text("n/a"), sql: "'n/a'" }, REFUSED],
    ],
  ],
  [
    "number",
    { type: "number" },
    [
      [given("1.5"), 1.5],
      [given("12.50"), 12.5],
      [given("1e3"), 1000],
      [given("5"), 5],
      [given("1e300"), 1e300],
      [given("9007199254740993"), REFUSED],
      [given("1e400"), REFUSED],
      // SQLite has no such value.
      [given("0.1000000000000000055", { sql: undefined }), REFUSED],
      [given("-0", { sql: undefined }), REFUSED],
      [given(text("1,5")), REFUSED],
      [given(text("1.5"), { cell: undefined }), REFUSED],
      [given(text("NaN")), REFUSED],
    ],
  ],
  [
    "boolean",
    { type: "boolean" },
    [
      [given("true"), true],
      [given("false"), false],
      [given("1"), true],
      [given("0"), false],
      [given("2"), REFUSED],
      [given(text("yes")), REFUSED],
      [given(text("True")), REFUSED],
      [given(text("true"), { cell: undefined }), REFUSED],
    ],
  ],
  [
    "string",
    { type: "string" },
    [
      [given(text("a\nb, \"c\" 'd'")), "a\nb, \"c\" 'd'"],
      [given(text("12")), "12"],
      [given(text("007")), "007"],
      [given(text("null")), "null"],
      [given(text("true")), "true"],
      [given(text(" x ")), " x "],
      [given(text("")), ""],
      [given(text("[1]")), "[1]"],
      [given("12", { cell: undefined }), REFUSED],
      [given("9007199254740993"), "9007199254740993"],
      [given("99999999999999999999", { sql: undefined }), "99999999999999999999"],
      [given("1.5", { cell: undefined }), REFUSED],
      [{ json: "-0" }, REFUSED],
      [{ json: "1e400" }, REFUSED],
      [{ json: "0.1000000000000000055" }, REFUSED],
      [given("true", { cell: undefined, sql: undefined }), REFUSED],
      [given("[1]", { cell: undefined, sql: undefined }), REFUSED],
      [given("null", { cell: undefined }), REFUSED],
    ],
  ],
  [
    "string or null",
    { type: ["string", "null"], "x-null-marks": ["\\N", "-"] },
    [
      [given(text("x")), "x"],
      [given("null"), null],
      [{ cell: "-" }, null],
      [{ cell: "\\N" }, null],
      [{ json: text("-"), sql: "'-'" }, "-"],
      [given(text(""), { cell: undefined }), ""],
    ],
  ],
  [
    "string with a const for NULL",
    { type: "string", minLength: 1, "x-null": { const: "unknown" } },
    [
      [given("null"), "unknown"],
      [given(text("x")), "x"],
    ],
  ],
  [
    "date",
    { type: "string", format: "date" },
    [
      [given(text("2026-01-31")), "2026-01-31"],
      [given(text("2023-02-29")), REFUSED],
      [given(text("31.01.2026")), REFUSED],
      [given(text("0000-00-00")), REFUSED],
    ],
  ],
  [
    "enum of several kinds",
    { anyOf: [{ type: "integer" }, { type: "number" }] },
    [
      [given("5"), 5],
      [given("1.5"), 1.5],
      [given(text("x")), REFUSED],
    ],
  ],
  [
    "text or number",
    { anyOf: [{ type: "string" }, { type: "number" }] },
    [
      [given(text("5")), "5"],
      [given(text("x")), "x"],
      [given("5", { cell: undefined }), 5],
    ],
  ],
  [
    "array",
    { type: "array", items: { type: "string" } },
    [
      [given('["a", "b"]'), ["a", "b"]],
      [given("[]"), []],
      [given("[1]"), REFUSED],
      [given(text("a, b")), REFUSED],
      [given("null"), REFUSED],
      [given("{}"), REFUSED],
    ],
  ],
  [
    "x-json",
    { "x-json": true },
    [
      [given('{"b": [1.50, true, null], "a": "12"}'), { a: "12", b: [1.5, true, null] }],
      [given('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
      [given("null"), null],
      [given("5", { sql: "'5'" }), 5],
      [given("true", { sql: "'true'" }), true],
      [{ cell: '"12"', json: '"12"', sql: `'"12"'` }, "12"],
      [{ cell: '"null"', json: '"null"', sql: `'"null"'` }, "null"],
      [{ cell: "hello", sql: "'hello'" }, REFUSED],
      [{ json: '"hello"' }, "hello"],
      [given("[9007199254740993]"), REFUSED],
      [given('{"a": 1e400}'), REFUSED],
      [given("[0.1000000000000000055, -0]"), REFUSED],
      [{ cell: '{"a": 1, "a": 2}', sql: `'{"a": 1, "a": 2}'` }, REFUSED],
    ],
  ],
];

function contractOf(v: FieldSchema): ContractFile {
  return {
    type: "object",
    "x-listing": { path: "/rows/", words: ["row", "rows"], key: "id", order: ["id"], version: 1 },
    properties: { id: { type: "integer" }, v },
    required: ["id", "v"],
    additionalProperties: false,
  };
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** Files of each kind, with the values that the kind has. */
const WRITERS: Record<string, (file: string, values: ReadonlyMap<number, Given>) => void> = {
  "t.csv": (file, values) =>
    writeFileSync(
      file,
      lines(
        "id,v",
        cellsOf(values, (id, cell) => `${id},${quoted(cell)}`),
      ),
    ),
  "t.tsv": (file, values) =>
    writeFileSync(
      file,
      lines(
        "id\tv",
        cellsOf(values, (id, cell) => `${id}\t${cell}`, "\n"),
      ),
    ),
  "t.ndjson": (file, values) => {
    const objects = [...values].flatMap(([id, { json }]) =>
      json === undefined ? [] : [`{"id": ${id}, "v": ${json}}`],
    );
    writeFileSync(file, `${objects.join("\n")}\n`);
  },
  "t.sqlite": (file, values) => {
    const rows = [...values].flatMap(([id, { sql }]) => (sql === undefined ? [] : [`(${id}, ${sql})`]));
    runSql(file, `CREATE TABLE rows (id INTEGER PRIMARY KEY, v); INSERT INTO rows VALUES ${rows}`);
  },
};

function cellsOf(
  values: ReadonlyMap<number, Given>,
  line: (id: number, cell: string) => string,
  except = "\0",
): string[] {
  return [...values].flatMap(([id, { cell }]) => (cell === undefined || cell.includes(except) ? [] : [line(id, cell)]));
}

function lines(first: string, others: readonly string[]): string {
  return `${[first, ...others].join("\n")}\n`;
}

/** The published values by id. */
async function published(
  db: string,
  contract: ContractFile,
  settings: { quote?: "none" },
): Promise<Map<number, unknown>> {
  const dist = scratch();
  const baseUrl = "https://example.com";
  const { folder } = await build({ db, contract, dist, baseUrl, workers: 0, skipInvalid: true, ...settings });
  const page = JSON.parse(readFileSync(join(folder, "rows/pages/1.json"), "utf8"));
  return new Map(page.results.map(({ id, v }: { id: number; v: unknown }) => [id, v]));
}

test.each(TYPES)("%s", async (_, schema, cases) => {
  const contract = contractOf(schema);
  const values = new Map(cases.map(([value], at) => [at + 1, value]));
  for (const [name, write] of Object.entries(WRITERS)) {
    const file = join(scratch(), name);
    write(file, values);
    const found = await published(file, contract, name === "t.tsv" ? { quote: "none" } : {});
    for (const [at, [value, expected]] of cases.entries()) {
      const { cell, json, sql } = value;
      const isWritten = {
        "t.csv": cell,
        "t.tsv": cell?.includes("\n") ? undefined : cell,
        "t.ndjson": json,
        "t.sqlite": sql,
      };
      if (isWritten[name as "t.csv"] === undefined) continue;
      const got = found.has(at + 1) ? found.get(at + 1) : REFUSED;
      expect([name, value, got]).toEqual([name, value, expected]);
    }
  }
});
