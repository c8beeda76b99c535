/** Numbers whose point or comma may stand before decimals or between groups of digits. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, InvalidRecordsError, type ProblemKind } from "../../src/index.js";
import type { InitOptions } from "../../src/init/init.js";
import { scratch } from "../support/files.js";
import { columnOf, init } from "./found.js";

type Options = Omit<InitOptions, "from" | "folder">;

const lines = (...all: string[]) => `${all.join("\n")}\n`;

function write(text: string): string {
  const file = join(scratch(), "towns.csv");
  writeFileSync(file, text);
  return file;
}

/** The records that a build makes by the files that init wrote, and what it notes. */
async function built(db: string, { folder, sql }: Awaited<ReturnType<typeof init>>) {
  const contract = join(folder, "rollcall.contract.json");
  const query = sql === undefined ? undefined : join(folder, "rollcall.query.sql");
  const dist = join(folder, "dist");
  const made = await build({ db, contract, query, dist, baseUrl: "https://example.com", workers: 0 });
  const { results } = JSON.parse(readFileSync(join(made.folder, "towns/pages/1.json"), "utf8"));
  return { results, notes: made.sourceNotes };
}

/** What becomes of the column people: its kind and its published values. */
async function people(text: string, options?: Options) {
  const file = write(text);
  const found = await init(file, options);
  const { what, why, doubt, offer } = found.of("people");
  const { results, notes } = await built(file, found);
  return { what, why, doubt, offer, notes, values: results.map((record: { people: unknown }) => record.people) };
}

const BOTH = '"1.234" may be 1234 or 1.234: --decimal people=, or --decimal people=.';
const SEMICOLONS = lines("town;people", "A;1.234", "B;56.789", "C;2.000");
const COMMAS = lines("town;people;km2", "A;1.234;12,5", "B;56.789;8,25", "C;2.000;3,5");
const QUOTED = lines("town,people,km2", 'A,1.234,"12,5"', 'B,56.789,"8,25"', 'C,2.000,"3,5"');

describe("a column that may be read in two ways", () => {
  test.each([
    ["cells separated by semicolons", SEMICOLONS],
    ["a column with decimal commas", QUOTED],
    ["both", COMMAS],
    ["numbers below 1,000 beside it", lines("town;people", "A;1.234", "B;7", "C;950")],
  ])("is text in a file with %s", async (_, text) => {
    const { what, why, values } = await people(text);
    expect({ what, why }).toEqual({ what: "text", why: BOTH });
    expect(values[0]).toBe("1.234");
  });

  test.each([
    ["a value begins with 0", lines("town;people", "A;1.234", "B;0.512")],
    ["a value over 999 has no mark", lines("town;people", "A;1.234", "B;1250")],
    ["a value over 999 has decimals", lines("town;people", "A;1.234", "B;1250.125")],
    ["another column has decimals by points", lines("town;people;x", "A;1.234;12.5", "B;2.345;7.25")],
  ])("is a number if %s", async (_, text) => {
    const { what, doubt, values } = await people(text);
    expect({ what, doubt }).toEqual({ what: "number", doubt: undefined });
    expect(values[0]).toBe(1.234);
  });

  test("is a number in a file without any sign, with a note", async () => {
    const all = await people(lines("town,people", "A,1.234", "B,56.789"));
    expect(all).toMatchObject({
      what: "number",
      doubt: `read with a decimal point, but ${BOTH}`,
      values: [1.234, 56.789],
    });
    expect((await people(lines("town,people", "A,1.234", "B,7"))).doubt).toBeUndefined();
  });

  test("is text where the decimals of two other columns contradict each other", async () => {
    const text = lines("town;people;km2;lat", "A;1.234;12,5;48.25", "B;2.345;8,25;47.5");
    const { what, why } = await people(text);
    const columns = 'as "12,5" in km2 has a decimal comma, and "48.25" in lat a decimal point';
    expect({ what, why }).toEqual({ what: "text", why: BOTH.replace(":", `, ${columns}:`) });
  });
});

describe("--decimal", () => {
  test.each<[decimal: string[], values: unknown[], km2: unknown]>([
    [["people=,"], [1234, 56789, 2000], "12,5"],
    [["people=."], [1.234, 56.789, 2], "12,5"],
    [[","], [1234, 56789, 2000], 12.5],
    [["."], [1.234, 56.789, 2], "12,5"],
    [[",", "people=."], [1.234, 56.789, 2], 12.5],
  ])("%j settles columns, and builds note nothing", async (decimal, values, km2) => {
    const file = write(COMMAS);
    const found = await init(file, { decimal });
    const { results, notes } = await built(file, found);
    expect(results.map((record: { people: unknown }) => record.people)).toEqual(values);
    expect(results[0].km2).toBe(km2);
    expect(notes).toEqual([]);
  });

  test("reads text of a table, too", async () => {
    const { of } = await init(columnOf(["1.234", "2.345"], "people", "TEXT"), { decimal: ["people=,"] });
    expect(of("people").what).toBe("integer");
  });

  test("says which column has the other mark", async () => {
    const text = lines("town;people", "A;12.5", "B;7.25");
    expect(await people(text, { decimal: [","] })).toMatchObject({
      what: "number",
      doubt: 'read with a decimal point, as in "12.5"',
    });
  });

  test.each<[options: Options, message: string]>([
    [{ decimal: ["peple=,"] }, "--decimal names the column peple, which does not exist; there are town, people."],
    [{ decimal: [","], query: "SELECT 1" }, "--decimal writes a query of its own, so it excludes --query"],
  ])("refuses %j", async (options, message) => {
    await expect(people(SEMICOLONS, options)).rejects.toThrow(message);
  });
});

describe("--convert", () => {
  test.each<[what: string, text: string, values: unknown[]]>([
    ["a decimal comma beside it", COMMAS, [1234, 56789, 2000]],
    ["a decimal point beside it", lines("town;people;x", "A;1,234;12.50", "B;2,000;3.25"), [1234, 2000]],
    ["decimals of its own", lines("town;people", "A;1.234,50", "B;1.230"), [1234.5, 1230]],
    ["groups of its own", lines("town;people", "A;1.234.567", "B;1.230"), [1234567, 1230]],
    ["narrow spaces", lines("town;people", "A;12\u202f345,67", "B;1\u202f000,5"), [12345.67, 1000.5]],
    ["no-break spaces", lines("town;people", "A;12\u00a0345", "B;1 000"), [12345, 1000]],
    ["apostrophes", lines("town;people", "A;1'234.50", "B;7.25"), [1234.5, 7.25]],
  ])("reads numbers by %s", async (_, text, values) => {
    expect((await people(text, { convert: true })).values).toEqual(values);
  });

  test("leaves a column where nothing tells what its mark means, and says so", async () => {
    expect(await people(SEMICOLONS, { convert: true })).toMatchObject({ what: "text", why: BOTH });
    const commas = await people(lines("town;people", "A;1,234", "B;5,678"), { convert: true });
    expect(commas).toMatchObject({ what: "text", why: BOTH.replace('"1.234"', '"1,234"') });
  });

  test("never reads two columns by two decimal marks", async () => {
    const { what, offer } = await people(lines("town;people;lat", "A;12,5;48.25", "B;8,25;47.5"), { convert: true });
    const why = 'but "12,5" has a decimal comma, and "48.25" in lat a decimal point: --decimal people=,';
    expect({ what, offer }).toEqual({ what: "text", offer: { what: "a number", why, isPossible: false } });
  });

  test("a number with a decimal point among numbers with decimal commas is refused by a later build", async () => {
    const file = write(lines("town;people", "A;1.234,50", "B;7"));
    const found = await init(file, { convert: true });
    writeFileSync(file, lines("town;people", "A;1.5", "B;7"));
    await expect(built(file, found)).rejects.toThrow("1 of 2 towns is invalid");
  });

  test("an offset of hours, as PostgreSQL writes it", async () => {
    const file = write(lines("town,at", "A,2020-12-31 21:25:58.745232+02", "B,2020-12-31 21:25:58+05:30"));
    const { results } = await built(file, await init(file, { convert: true }));
    expect(results.map(({ at }: { at: string }) => at)).toEqual([
      "2020-12-31T21:25:58.745232+02:00",
      "2020-12-31T21:25:58+05:30",
    ]);
  });
});

describe("a contract of an older init that takes such a column as number", () => {
  const NOTE =
    /^people: "1.234" is read as 1.234, but may be 1234, since .*; make the field text, or convert the column/;

  /** Builds by a contract with people as numbers. */
  async function buildOld(text: string, type: "number" | "string" = "number") {
    const file = write(text);
    const found = await init(file);
    const contract = { ...found.contract, properties: { ...found.contract.properties, people: { type } } };
    writeFileSync(join(found.folder, "rollcall.contract.json"), JSON.stringify(contract));
    return built(file, found);
  }

  test.each([
    ["semicolons", SEMICOLONS, "semicolons separate the cells"],
    ["decimal commas", QUOTED, '"12,5" in km2 has a decimal comma'],
  ])("works, and each build notes it because of %s", async (_, text, why) => {
    const { results, notes } = await buildOld(text);
    expect(results[0].people).toBe(1.234);
    expect(notes).toEqual([expect.stringMatching(NOTE)]);
    expect(notes[0]).toContain(why);
  });

  test.each([
    ["numbers that are no groups", lines("town;people", "A;1.234", "B;0.5")],
    ["a file without a sign", lines("town,people", "A,1.234", "B,5.678")],
  ])("is not noted for %s", async (_, text) => {
    expect((await buildOld(text)).notes).toEqual([]);
  });

  test("is settled by text in the contract", async () => {
    expect(await buildOld(SEMICOLONS, "string")).toMatchObject({ notes: [], results: [{ people: "1.234" }, {}, {}] });
  });
});

test("a later file that the query does not fit is refused, without the advice of a database", async () => {
  const file = write(lines("town;km2", "A;12,5", "B;8,25"));
  const found = await init(file, { convert: true });
  expect((await built(file, found)).results.map(({ km2 }: { km2: number }) => km2)).toEqual([12.5, 8.25]);
  writeFileSync(file, lines("town;km2", "A;12.500", "B;8.250"));
  const refused = await built(file, found).catch((error) => error);
  expect(refused).toBeInstanceOf(InvalidRecordsError);
  expect(refused.problems.kinds.map(({ example }: ProblemKind) => example.message)).toEqual([
    "must be a finite number, is TEXT",
  ]);
});
