/** What init makes of CSV, TSV and NDJSON files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TextSettings } from "../../src/core/source/text-format.js";
import { headingOf } from "../../src/explorer/meaning.js";
import { build } from "../../src/index.js";
import type { InitOptions } from "../../src/init/init.js";
import { notesOn } from "../../src/init/source.js";
import { scratch } from "../support/files.js";
import { init } from "./found.js";

const lines = (...all: string[]) => `${all.join("\n")}\n`;

async function initText(name: string, text: string, options?: Omit<InitOptions, "from" | "folder">) {
  const file = join(scratch(), name);
  writeFileSync(file, text);
  return init(file, options);
}

/** What init finds in a column of cells, beside a key. */
async function ofCells(cells: readonly string[], options?: Omit<InitOptions, "from" | "folder">) {
  const quoted = cells.map((cell, at) => `k${at},"${cell.replaceAll('"', '""')}"`);
  const found = await initText("things.csv", lines("code,thing", ...quoted), options);
  const { "x-observed": _, ...schema } = found.of("thing").schema ?? {};
  return { ...found.of("thing"), schema, found };
}

/** The records that a build makes by the files that init wrote. */
async function builtFrom({ folder, config, sql }: Awaited<ReturnType<typeof init>>): Promise<unknown[]> {
  const { db, separator, quote, encoding, sourceFormat } = config as TextSettings & { db: string };
  const contract = join(folder, "rollcall.contract.json");
  const query = sql === undefined ? undefined : join(folder, "rollcall.query.sql");
  const settings = { separator, quote, encoding, sourceFormat };
  const baseUrl = "https://example.com";
  const dist = join(folder, "dist");
  const made = await build({ ...settings, db, contract, query, baseUrl, dist, workers: 0 });
  const path = JSON.parse(readFileSync(contract, "utf8"))["x-listing"].path;
  return JSON.parse(readFileSync(join(made.folder, `${path.slice(1)}pages/1.json`), "utf8")).results;
}

describe("cells", () => {
  test.each<[what: string, cells: string[], schema: object]>([
    ["integer", ["1", "-20"], { type: "integer" }],
    ["number", ["1.5", "2"], { type: "number" }],
    ["boolean", ["true", "false"], { type: "boolean" }],
    ["boolean or null", ["true", ""], { type: ["boolean", "null"] }],
    ["list of texts", ['["a"]', "[]"], { type: "array", items: { type: "string" } }],
    ["JSON", ["[1]", "{}"], { "x-json": true }],
    ["date", ["2026-01-31"], { type: "string", format: "date" }],
    ["date or null", ["2026-01-31", ""], { type: ["string", "null"], format: "date" }],
    ["text", ["007", "8"], { type: "string" }],
    ["text", ["2023-02-29", "c. 2019"], { type: "string" }],
    ["text or null", ["", ""], { type: ["string", "null"] }],
  ])("%s: %j", async (what, cells, schema) => {
    const found = await ofCells(cells);
    expect(found).toMatchObject({ what, schema });
    expect(found.schema).toEqual(schema);
    expect(found.nulls).toBeUndefined();
  });

  test("the limits of numbers are observed", async () => {
    const { found } = await ofCells(["12.50", "-3.00"]);
    expect(found.of("thing").schema?.["x-observed"]).toEqual({ minimum: -3, maximum: 12.5 });
  });
});

describe("marks of absence", () => {
  test.each<[cells: string[], schema: object, nulls: [string, number][]]>([
    [
      ["1", "n/a", "2", "n/a", "-"],
      { type: ["integer", "null"], "x-null-marks": ["n/a", "-"] },
      [
        ["n/a", 2],
        ["-", 1],
      ],
    ],
    [["1.5", "NaN", ""], { type: ["number", "null"], "x-null-marks": ["NaN"] }, [["NaN", 1]]],
    [["true", "NULL"], { type: ["boolean", "null"], "x-null-marks": ["NULL"] }, [["NULL", 1]]],
    [["[1]", "\\N"], { "x-json": true, "x-null-marks": ["\\N"] }, [["\\N", 1]]],
    [
      ["2026-01-31", "0000-00-00"],
      { type: ["string", "null"], format: "date", "x-null-marks": ["0000-00-00"] },
      [["0000-00-00", 1]],
    ],
  ])("among typed cells become null: %j", async (cells, schema, nulls) => {
    const { found, ...decided } = await ofCells(cells);
    expect(decided.schema).toEqual(schema);
    expect(decided.nulls).toEqual(nulls);
    const records = (await builtFrom(found)) as { thing: unknown }[];
    const isNull = (cell: string) => cell === "" || nulls.some(([mark]) => mark === cell);
    expect(records.map(({ thing }) => thing === null)).toEqual(cells.map(isNull));
  });

  test.each(["NaT", "0000-00-00 00:00:00"])("among times that are converted become null: %s", async (mark) => {
    const { found, nulls } = await ofCells(["2026-01-31 12:00:00", mark], { convert: true });
    expect(nulls).toEqual([[mark, 1]]);
    expect(await builtFrom(found)).toEqual([
      { code: "k0", thing: "2026-01-31T12:00:00Z" },
      { code: "k1", thing: null },
    ]);
  });

  test.each([
    ["among texts", ["a", "n/a", "b"]],
    ["alone", ["n/a", "NULL"]],
    ["beside another text", ["1", "n/a", "x"]],
  ])("%s stay texts", async (_, cells) => {
    const { nulls, what, found } = await ofCells(cells);
    expect({ nulls, what }).toEqual({ nulls: undefined, what: "text" });
    expect(await builtFrom(found)).toEqual(cells.map((thing, at) => ({ code: `k${at}`, thing })));
  });

  test("are given by --null, also among texts and for other marks", async () => {
    const { nulls, schema, found } = await ofCells(["a", "?", "", "n/a"], { null: ["?", "n/a"] });
    expect(nulls).toEqual([
      ["?", 1],
      ["n/a", 1],
    ]);
    expect(schema).toEqual({ type: ["string", "null"], "x-null-marks": ["?", "n/a"] });
    expect(await builtFrom(found)).toEqual(["a", null, null, null].map((thing, at) => ({ code: `k${at}`, thing })));
    const numbers = await ofCells(["1", "?"], { null: ["?"] });
    expect(numbers.schema).toEqual({ type: ["integer", "null"], "x-null-marks": ["?"] });
  });

  test("are for cells alone: NDJSON and SQLite have null", async () => {
    const ndjson = lines('{"id": 1, "v": "n/a"}', '{"id": 2, "v": "-"}');
    await expect(initText("a.ndjson", ndjson, { null: ["-"] })).rejects.toThrow(
      "--null is for the cells of CSV and TSV",
    );
    const { of } = await initText("a.ndjson", ndjson);
    expect(of("v").schema).not.toHaveProperty("x-null-marks");
    expect(of("v").what).toBe("text");
  });

  test("a first line that looks like a record is noted", async () => {
    const { note } = await initText("a.csv", lines("1,Ann", "2,Bo"));
    expect(note).toMatch(/first line names the columns 1, Ann; if it is a record, add a line of names/);
    const bank = await initText("b.csv", lines("Compte;31/01/2026;1\u202f234,56", "a;b;-45,20"));
    expect(bank.note).toMatch(/first line names the columns Compte, 31\/01\/2026, 1\u202f234,56; if it is a record/);
    expect((await initText("c.csv", lines("id,name", "2,Bo"))).note).toBeUndefined();
  });

  test("a first line that looks like a title is noted", async () => {
    const found = await initText("a.csv", lines("Budget 2026,,", ",,", "Department,Q1,Q2", "IT,1,2"));
    const note = "its first line names 1 of 3 columns; if it is a title, remove the lines above the names";
    expect(found.note).toBe(note);
    expect(notesOn({ name: "", role: "file", found })).toEqual([note]);
    expect(notesOn({ name: "budget", role: "file", found })).toEqual([`budget: ${note}`]);
    expect((await initText("b.csv", lines(',"mpg"', '"Mazda",21'))).note).toBeUndefined();
    expect((await initText("c.csv", lines("id;name;", "2;Bo;"))).note).toBeUndefined();
  });

  test("are NULL for the query that converts, too", async () => {
    const { found } = await ofCells(["31.01.2026", "n/a", "28.02.2026"], { convert: true });
    expect(found.sql).toContain("GLOB");
    expect(await builtFrom(found)).toEqual([
      { code: "k0", thing: "2026-01-31" },
      { code: "k1", thing: null },
      { code: "k2", thing: "2026-02-28" },
    ]);
  });
});

describe("--convert", () => {
  test("refuses a later value of another form by its text", async () => {
    const { found } = await ofCells(["1,234", "5"], { decimal: ["."] });
    writeFileSync(String(found.config["db"]), lines("code,thing", 'k0,"12,34"'));
    await expect(builtFrom(found)).rejects.toMatchObject({ problems: { first: [{ path: "thing", value: "12,34" }] } });
  });
});

describe("NDJSON", () => {
  test("values keep their types, also where they differ", async () => {
    const text = lines(
      '{"id": 740245381351497730, "code": "007", "on": true, "n": 1.50, "mixed": 5, "list": ["a"], "obj": {"b": 1, "a": 2}}',
      '{"id": 9223372036854775807, "code": "8", "on": false, "n": 2, "mixed": "5", "list": [], "obj": {}}',
      '{"id": 740245381351497731, "code": "9", "on": null, "n": 1e3, "mixed": true, "list": [], "obj": {}}',
    );
    const found = await initText("a.ndjson", text);
    expect(found.columns.map(({ column, what }) => `${column}: ${what}`)).toEqual([
      "id: text",
      "code: text",
      "on: boolean or null",
      "n: number",
      "mixed: JSON",
      "list: list of texts",
      "obj: JSON",
    ]);
    expect(found.of("mixed").why).toBe(
      "values of several types: 1 of 3 whole numbers, 1 of 3 texts, 1 of 3 true or false",
    );
    expect(found.sql).toBeUndefined();
    expect(await builtFrom(found)).toEqual([
      { id: "740245381351497730", code: "007", on: true, n: 1.5, mixed: 5, list: ["a"], obj: { a: 2, b: 1 } },
      { id: "740245381351497731", code: "9", on: null, n: 1000, mixed: true, list: [], obj: {} },
      { id: "9223372036854775807", code: "8", on: false, n: 2, mixed: "5", list: [], obj: {} },
    ]);
  });

  test.each([
    ["a number", "1.5", "1e400"],
    ["half a surrogate pair", '"x"', '"\\ud800"'],
    ["half a surrogate pair beside a number", "1", '"\\ud800"'],
    ["half a surrogate pair in a list", "[]", '["\\ud800"]'],
  ])("%s that readers would change is omitted, with its line", async (_, one, other) => {
    const { of } = await initText("a.ndjson", lines(`{"id": 1, "n": ${one}}`, `{"id": 2, "n": ${other}}`));
    const why = `1 of 2 that readers would change, such as ${JSON.stringify(other)} in line 2`;
    expect(of("n")).toMatchObject({ what: "not exact", why });
  });

  test("a conversion is of the values, not of their JSON", async () => {
    const text = lines(
      '{"id": 1, "at": "2024-02-29 12:00:00", "same": "2024-02-29 12:00:00", "seen": 1735689600}',
      '{"id": 2, "at": "2024-03-01 12:00:00", "same": "2024-02-29T12:00:00", "seen": 1735689601}',
    );
    const { of } = await initText("a.ndjson", text);
    expect(of("at").offer?.why).toBe('"2024-02-29 12:00:00" becomes "2024-02-29T12:00:00Z"');
    expect(of("same").offer?.why).toBe('but "2024-02-29 12:00:00" and "2024-02-29T12:00:00" would be equal');
    expect(of("seen").offer?.why).toBe('1735689600 becomes "2025-01-01T00:00:00Z"');
  });

  test("a name that some lines lack is null there", async () => {
    const found = await initText("a.ndjson", lines('{"id": 1}', '{"name": "x", "id": 2}'));
    expect(found.of("name")).toMatchObject({ what: "text or null", why: "up to 1 character, 1 of 2 null or missing" });
    expect(await builtFrom(found)).toEqual([
      { id: 1, name: null },
      { id: 2, name: "x" },
    ]);
  });

  test.each(["{}", '{"a": null}'])("%s as the first line", async (first) => {
    const found = await initText("a.ndjson", lines(first, '{"a": 1}'));
    expect((await builtFrom(found)).length).toBe(2);
  });
});

describe("the key", () => {
  test("is the line's number if no column is unique, without a query", async () => {
    const found = await initText("trees.csv", lines("kind,side", "oak,north", "elm,south", "oak,north"));
    expect(found.key.why).toBe(
      "no column is unique, so the key is the line's number: a line inserted on top renumbers all after it",
    );
    expect(found.contract.properties["id"]).toEqual({ type: "integer", "x-column": "rowid" });
    expect(found.sql).toBeUndefined();
    expect(await builtFrom(found)).toEqual([
      { id: 2, kind: "oak", side: "north" },
      { id: 3, kind: "elm", side: "south" },
      { id: 4, kind: "oak", side: "north" },
    ]);
  });

  test("is the line's number if all other columns are omitted", async () => {
    const found = await initText("people.csv", lines("email", "a@example.com", "b@example.com"));
    expect(await builtFrom(found)).toEqual([{ id: 2 }, { id: 3 }]);
  });
});

test("names of other alphabets are fields, and equal names are numbered", async () => {
  const { columns, contract } = await initText("a.csv", lines("番号,Ort (neu),ort neu,Größe", "1,a,b,c"));
  expect(columns.map(({ field }) => field)).toEqual(["番号", "ort_neu", "ort_neu_2", "größe"]);
  expect(contract.properties["ort_neu_2"]).toMatchObject({ "x-column": "ort neu" });
});

test("a heading that says more than the name is the title in the explorer and openapi.json", async () => {
  const found = await initText(
    "prices.csv",
    lines("id,Day-ahead Price [EUR/MWh],Open Since,ort neu,Ort  neu,Ort (neu)", "1,12.5,x,a,b,c"),
  );
  const titles = found.read.fields.map(({ path, schema }) => [path, schema.title]);
  expect(Object.fromEntries(titles)).toEqual({
    id: undefined,
    day_ahead_price_eur_mwh: "Day-ahead Price [EUR/MWh]",
    open_since: undefined,
    ort_neu: undefined,
    ort_neu_2: undefined,
    ort_neu_3: "Ort (neu)",
  });
  expect(found.read.fields.map(headingOf)).toContain("Day-ahead Price [EUR/MWh]");
  const [record] = (await builtFrom(found)) as object[];
  expect(record).toHaveProperty("day_ahead_price_eur_mwh", 12.5);
  const { components } = JSON.parse(readFileSync(join(found.folder, "dist/current/openapi.json"), "utf8"));
  expect(components.schemas.Price.properties.day_ahead_price_eur_mwh.title).toBe("Day-ahead Price [EUR/MWh]");
});

test("a text file has no tables", async () => {
  await expect(initText("t.csv", lines("id", "1"), { table: "t" })).rejects.toThrow(
    "--table is for several tables; a text file alone is one table.",
  );
});

test.each(["__proto__", "constructor", "toString"])("a column named %s is published", async (name) => {
  const found = await initText("t.csv", lines(`id,${name}`, "1,x"));
  const [record] = (await builtFrom(found)) as object[];
  expect(Object.values(record ?? {}).sort()).toEqual([1, "x"]);
});
