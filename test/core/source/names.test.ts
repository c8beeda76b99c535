/** Columns and tables whose names are words of SQL. SQLite takes some of them as values, and some as the number of a row. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../../src/index.js";
import { fakeIo, rollcall } from "../../cli/run.js";
import { contractWith } from "../../support/contracts.js";
import { runSql } from "../../support/database.js";
import { scratch } from "../../support/files.js";

const WORDS = [
  ...["true", "False", "null", "current_date", "current_time", "CURRENT_TIMESTAMP", "rowid", "oid", "_rowid_"],
  ...["select", "order", "group", "default", "index", "abort", "number", "rollcall_number", "rollcall_query"],
];
const quoted = WORDS.map((word) => `"${word}"`);
/** Enough rows for a key, with values that the text of a page and the exact check both see. */
const ROWS = [0, 1].map((row) => WORDS.map((_word, at) => `${row} of ${at}`));

/** Writes the rows to a file. @returns its name */
function write(cwd: string, kind: string): string {
  const name = `words.${kind}`;
  const at = join(cwd, name);
  const separated = (by: string) =>
    [["id", ...WORDS], ...ROWS.map((row, id) => [id, ...row])].map((row) => row.join(by));
  if (kind === "csv") writeFileSync(at, separated(",").join("\n"));
  else if (kind === "tsv") writeFileSync(at, separated("\t").join("\n"));
  else if (kind === "ndjson") {
    const objects = ROWS.map((row, id) => ({ id, ...Object.fromEntries(WORDS.map((word, at) => [word, row[at]])) }));
    writeFileSync(at, objects.map((object) => JSON.stringify(object)).join("\n"));
  } else {
    const values = ROWS.map((row, id) => `(${[id, ...row.map((value) => `'${value}'`)].join(", ")})`);
    runSql(at, `CREATE TABLE words (id INTEGER PRIMARY KEY, ${quoted.join(", ")}); INSERT INTO words VALUES ${values}`);
  }
  return name;
}

function published(cwd: string, path: string): Record<string, unknown>[] {
  return JSON.parse(readFileSync(join(cwd, "dist/current", path, "pages/1.json"), "utf8")).results;
}

/** The values of a record as text, sorted, since `init` writes some names otherwise. */
function valuesOf(record: Record<string, unknown>): string[] {
  return Object.values(record).map(String).sort();
}

const VALUES = ROWS.map((row, id) => [String(id), ...row].sort());

/** Runs command lines, each of which must succeed. */
async function runAll(cwd: string, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const { code, stderr } = await rollcall(line, fakeIo(cwd));
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
  }
}

const BUILD = "build --workers 0 --no-explorer --base-url https://x.example.com";

/** The columns that a contract names. */
function columnsIn(cwd: string, file: string): string[] {
  const { properties } = JSON.parse(readFileSync(join(cwd, file), "utf8"));
  return Object.entries<{ "x-column"?: string }>(properties).map(([path, field]) => field["x-column"] ?? path);
}

const KINDS = ["sqlite", "csv", "tsv", "ndjson"];

test.each(KINDS)("columns of %s may have any word as their name", async (kind) => {
  const cwd = scratch();
  const from = write(cwd, kind);
  await runAll(cwd, `init --from ${from}`, BUILD);
  expect(new Set(columnsIn(cwd, "rollcall.contract.json"))).toEqual(new Set(["id", ...WORDS]));
  expect(published(cwd, "words").map(valuesOf)).toEqual(VALUES);
});

const SELECTED = [
  "*",
  ["id", ...quoted].join(", "),
  ["id", ...quoted.map((name) => `words.${name} || '' AS ${name}`)].join(", "),
];

test.each(KINDS.flatMap((kind) => SELECTED.map((columns) => [kind, columns] as const)))(
  "a query of %s may yield columns with any word as their name: %s",
  async (kind, columns) => {
    const cwd = scratch();
    const from = write(cwd, kind);
    writeFileSync(join(cwd, "q.sql"), `SELECT ${columns} FROM words; -- all`);
    await runAll(cwd, `init --from ${from} --query q.sql`, BUILD);
    expect(new Set(columnsIn(cwd, "rollcall.contract.json"))).toEqual(new Set(["id", ...WORDS]));
    expect(published(cwd, "q").map(valuesOf)).toEqual(VALUES);
  },
);

test("a column named true that a query yields twice is refused", async () => {
  const cwd = scratch();
  write(cwd, "sqlite");
  writeFileSync(join(cwd, "q.sql"), 'SELECT id, "true", 1 AS "TRUE" FROM words');
  const { code, stderr } = await rollcall("init --from words.sqlite --query q.sql", fakeIo(cwd));
  expect(code).toBe(1);
  expect(stderr).toContain("The query q yields true more than once; select each column once.");
});

test("tables may have any word as their name, and refer to a key of any name", async () => {
  const cwd = scratch();
  const tables = WORDS.map(
    (
      word,
      at,
    ) => `CREATE TABLE "${word}" ("${word}" INTEGER PRIMARY KEY, "t ${word}" INTEGER REFERENCES "${WORDS[at - 1] ?? word}");
      INSERT INTO "${word}" VALUES (1, NULL), (2, 1)`,
  );
  runSql(join(cwd, "words.db"), tables.join("; "));
  await runAll(cwd, "init --from words.db --all", BUILD, "verify");
  const { listings } = JSON.parse(readFileSync(join(cwd, "dist/current/snapshot.json"), "utf8"));
  expect(Object.keys(listings)).toHaveLength(WORDS.length);
  for (const name of Object.keys(listings)) {
    expect(published(cwd, name).map(valuesOf)).toEqual([
      ["1", "null"],
      ["1", "2"],
    ]);
    const contract = readFileSync(join(cwd, `contracts/${name}.json`), "utf8");
    expect(contract).toContain("x-references");
  }
});

test.each(["true", "number"])("a key %s is compared, ordered and checked like any other", async (key) => {
  const folder = scratch();
  const db = join(folder, "votes.db");
  const fields = {
    [key]: { type: "integer" },
    false: { type: ["integer", "null"], "x-references": "votes" },
    text: { type: "string", "x-null": { field: "null" } },
    null: { type: "string" },
  } as const;
  const contract = {
    ...contractWith(["vote", "votes"], fields, { key, order: [`-${key}`] }),
    "x-observed": [{ name: "low", sql: `"${key}" < 2 AND TRUE` }],
  };
  runSql(
    db,
    `CREATE TABLE votes ("${key}" INTEGER, "false" INTEGER, text, "null" TEXT);
      INSERT INTO votes VALUES (1, NULL, 9007199254740993, 'a'), (2, 1, NULL, 'b'), (3, 9, 'c', 'c'), (4, 3, 'd', 'd'), (5, 4, 'e', 'e'), (5, 1, 'f', 'f')`,
  );
  const options = { db, baseUrl: "https://x.example.com", dist: join(folder, "dist"), workers: 0 };
  const listings = { votes: { contract, skipInvalid: true } };
  const result = await build({ ...options, listings });
  expect(result).toMatchObject({
    records: 2,
    skipped: 4,
    unreferenced: 1,
    listings: { votes: { warnings: { low: 1 } } },
  });
  expect(result.problems.first.map(({ id, path, rule }) => [id, path, rule])).toEqual([
    [5, key, "unique"],
    [5, key, "unique"],
    [3, "false", "reference"],
  ]);
  expect(published(folder, "votes")).toEqual([
    { [key]: 2, false: 1, null: "b", text: "b" },
    { [key]: 1, false: null, null: "a", text: "9007199254740993" },
  ]);
});
