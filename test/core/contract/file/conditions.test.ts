/** Conditions can read only the contract's columns. SQLite checks the accepted ones. */
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { compileCondition } from "../../../../src/core/contract/file/conditions.js";
import { checkContract } from "../../../../src/core/contract/file/parse.js";
import { draws } from "../../../support/random.js";
import { STATIONS } from "../../../support/stations.js";

const db = new Database(":memory:");
db.exec("CREATE TABLE secrets (word TEXT); INSERT INTO secrets VALUES ('x')");
const COLUMNS =
  "code name nickname iso2 opened closed position_latitude position_longitude sensors is_active readings extra";
db.exec(`CREATE TABLE stations (${COLUMNS.replaceAll(" ", ", ")}, hidden)`);
db.exec("INSERT INTO stations (code, opened, readings) VALUES ('A', '2020-01-01', 3), ('B', '2021-01-01', 4)");
afterAll(() => db.close());

function mistakesOf(sql: string): string[] {
  const checked = checkContract({ ...STATIONS, "x-observed": [{ name: "it", sql }] });
  return "mistakes" in checked ? checked.mistakes : [];
}

const compiled = (sql: string) => compileCondition(sql, (column) => `(+"${column.replaceAll('"', '""')}")`);

describe("accepts conditions that SQLite accepts", () => {
  test.each([
    "closed IS NULL OR closed >= opened",
    "CLOSED is not null and \"Opened\" < '2020-01-01' || [code] || `name`",
    "case when readings between 0 and 9 then length(name) > 1 else iso2 in ('DE', 'AT') end",
    "cast(readings AS text) collate nocase like 'a%' escape '\\'",
    "readings IS NOT DISTINCT FROM 3 and not (is_active & 1) <> 0x1F",
    "min(readings, 3) = 3 or coalesce(max(readings, (1), 2), 1.5e3) > -.5",
    "name = 'it''s; -- no comment /* here */ ?'",
    "readings - -1 >= 0\n\tand readings % 2 == 0",
  ])("%s", (sql) => {
    expect(mistakesOf(sql)).toEqual([]);
    const rows = db.prepare(`SELECT ${compiled(sql)} FROM stations`).all();
    expect(rows).toHaveLength(2);
  });
});

describe("refuses conditions", () => {
  test.each([
    ["(SELECT word FROM secrets) = 'x'", '"SELECT"'],
    ["readings IN secrets", '"secrets"'],
    ["hidden = 1", '"hidden"'],
    ["close > 1", "did you mean closed?"],
    ["stations.readings > 1", "opened"],
    ["readings > ?", "parameters"],
    ["readings > $a", "parameters"],
    ["readings > 1; DELETE FROM stations", "one expression"],
    ["readings > 1 -- more", "comments"],
    ["readings /* more */ > 1", "comments"],
    ["randomblob(1000000000) = 1", "may call only"],
    ['"length"(name) > 1', '"length"'],
    ["max(readings) = 1", "an aggregate of all records"],
    ["readings) OR (1 = 1", 'near ")"'],
    ["readings) FROM (SELECT 1) WHERE (1", '"SELECT"'],
    ["1 THEN 2 WHEN 3", 'near "THEN"'],
    ["(readings, 1)", "row value"],
    ["readings AS text", 'near "AS"'],
    ["((readings)", "refused by SQLite"],
    ["substr(name)", "wrong number of arguments"],
    ["abs(-9223372036854775808) > 0", "integer overflow"],
    ["name LIKE 'a' ESCAPE 'ab'", "ESCAPE expression must be a single character"],
    ["name = 'it", "one expression"],
    ['"name = 1', "one expression"],
    ["x'00' = 1", '"x"'],
    ["name COLLATE mine = 'x'", "binary, nocase, rtrim"],
    ["CAST(name AS constructor)", "integer"],
    ["  ", "got nothing"],
    ["name = '\u0000'", "control characters"],
    ["current_timestamp > opened", '"current_timestamp"'],
    [`${"not ".repeat(2000)}1`, "refused by SQLite"],
    [`readings > ${"1".repeat(10_001)}`, "10000 characters"],
  ])("%s", (sql, why) => {
    const mistakes = mistakesOf(sql);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain("/x-observed/0/sql ");
    if (why !== "opened") expect(mistakes[0]).toContain(why);
  });
});

test("names of conditions must be words, and unique", () => {
  const conditions = [
    { name: "a b", sql: "1" },
    { name: "c", sql: "1" },
    { name: "c", sql: "1" },
  ];
  const checked = checkContract({ ...STATIONS, "x-observed": conditions });
  expect("mistakes" in checked && checked.mistakes).toEqual([
    '/x-observed/0/name must be a name like closed-after-opened: letters, digits and . _ -, a letter first, got "a b".',
    '/x-observed/2/name is given twice: "c".',
  ]);
});

const PIECES = [
  ...'readings code NAME "opened" [closed] `iso2` secrets hidden word rowid'.split(" "),
  ..."( ) , ; . + - * / || < = >= -- /* */ ' \" ` [ ] ? :a 1 0x2 1e3 'a' x'00' 'it''s'".split(" "),
  ..."select from where and or not is null in like case when then else end cast as text collate nocase".split(" "),
  ..."max min length lower load_extension random count group_concat exists union values".split(" "),
];

test("every accepted condition reads only columns of its own row", () => {
  let taken = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }),
      fc.constantFrom("", " "),
      (words, gap) => {
        const sql = words.join(gap);
        if (mistakesOf(sql).length > 0) return;
        // Without a table `secrets` and other columns, what SQLite prepares has named none of them.
        const from = `(SELECT ${COLUMNS.split(" ").map((name) => `${name} AS "c_${name}"`)} FROM stations)`;
        const text = compileCondition(sql, (column) => `(+"c_${column.toLowerCase()}")`);
        try {
          const statement = db.prepare(`SELECT ${text} FROM ${from}`);
          taken++;
          expect(statement.readonly).toBe(true);
          expect(statement.all(), sql).toHaveLength(2);
        } catch (error) {
          expect((error as { code?: string }).code, sql).toBe("SQLITE_ERROR");
        }
      },
    ),
    { numRuns: draws(5000) },
  );
  expect(taken).toBeGreaterThan(0);
});
