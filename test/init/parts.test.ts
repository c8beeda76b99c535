/** Keys made of several columns: different rows have different keys, and few sets are counted. */
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Proposed } from "../../src/init/decide.js";
import { findSet, keySql } from "../../src/init/parts.js";
import { ColumnTally, type Survey } from "../../src/init/tally.js";

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(":", "~", "0", "1", "-", "a"), maxLength: 4 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.string({ unit: fc.constantFrom("\0", "\n", "'", '"', ":", "~"), maxLength: 3 }),
);
const whole = fc.bigInt({ min: -12n, max: 12n });

/** Rows of two or three values. Each column has texts or whole numbers. */
const tables = fc
  .array(fc.boolean(), { minLength: 2, maxLength: 3 })
  .chain((types) =>
    fc
      .array(fc.tuple(...types.map((isText) => (isText ? text : whole))), { minLength: 2, maxLength: 30 })
      .map((rows) => ({ types, rows })),
  );

test("two different rows never have one key, and equal rows have", () => {
  const db = new Database(":memory:");
  fc.assert(
    fc.property(tables, ({ types, rows }) => {
      const parts = types.map((isText, at) => ({ column: `part ${at}`, isText }));
      const select = parts.map(({ column }) => `? AS "${column}"`).join(", ");
      const made = db.prepare<unknown[], string>(`SELECT ${keySql(parts)} FROM (SELECT ${select})`).pluck();
      const keys = new Map<string, string>();
      for (const row of rows) {
        const given = JSON.stringify(row.map(String));
        const key = made.get(...row) ?? "";
        expect(keys.get(key) ?? given).toBe(given);
        keys.set(key, given);
      }
      expect(keys.size).toBe(new Set(rows.map((row) => JSON.stringify(row.map(String)))).size);
    }),
    { numRuns: 500 },
  );
  db.close();
});

test("a key looks as it would be written, but for the two characters that are escaped", () => {
  const db = new Database(":memory:");
  const parts = [
    { column: "trip", isText: true },
    { column: "stop", isText: false },
  ];
  const keyOf = (trip: unknown, stop: unknown) =>
    db
      .prepare(`SELECT ${keySql(parts)} FROM (SELECT ? AS trip, ? AS stop)`)
      .pluck()
      .get(trip, stop);
  expect(keyOf("T1", 5n)).toBe("T1:5");
  expect(keyOf("a-b/c~d:e", 5n)).toBe("a-b/c~0d~1e:5");
  expect(keyOf("~1", -5n)).toBe("~01:-5");
  expect(keyOf(null, 5n)).toBeNull();
  db.close();
});

/** A survey of columns of texts, of which each row is counted as told, and the sets that were counted. */
function surveyOf(names: readonly string[], rows: number, options: { different: number; sample: unknown[][] }) {
  const counted: string[] = [];
  const columns = names.map((name) => new ColumnTally({ name, type: "TEXT", sql: name }, "database", new Set()));
  const survey: Survey = {
    name: "things",
    kind: "table",
    origin: "database",
    relation: "things",
    rowid: "rowid",
    place: undefined,
    primary: [],
    unique: [],
    rows,
    columns,
    sqlOf: (column) => column,
    countDifferent(set) {
      if (set.length === 1) return options.different;
      counted.push(set.join(" "));
      return rows - 1;
    },
    sample: (set) => options.sample.map((row) => row.slice(0, set.length)),
    findChanged: () => undefined,
    findMerged: () => undefined,
  };
  const proposed = names.map(
    (column): Proposed => ({ column, field: column, what: "text", why: "", schema: { type: "string" } }),
  );
  return { survey, proposed, counted };
}

const MANY = Array.from({ length: 20 }, (_, at) => `c${String.fromCharCode(97 + at)}`);

test("at most twenty sets are counted, of the twelve best columns", () => {
  const names = [...MANY, "version", "order_id", "line_nr"];
  const { survey, proposed, counted } = surveyOf(names, 1000, { different: 900, sample: [] });
  expect(findSet(survey, proposed)).toBeUndefined();
  expect(counted).toHaveLength(20);
  expect(counted.slice(0, 4)).toEqual(["order_id line_nr", "order_id version", "line_nr version", "order_id ca"]);
  expect(counted.join(" ")).not.toContain("cj");
});

test.each([
  ["whose different values are too few", { different: 9, sample: [] }],
  ["that repeat in the first rows", { different: 900, sample: [Array(12).fill("x"), Array(12).fill("x")] }],
])("sets %s are not counted", (_, options) => {
  const { survey, proposed, counted } = surveyOf(MANY, 1000, options);
  expect(findSet(survey, proposed)).toBeUndefined();
  expect(counted).toEqual([]);
});
