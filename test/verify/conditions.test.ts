/** Warnings of conditions counted from records equal those that SQLite counts in the source. */
import { join } from "node:path";
import Database from "better-sqlite3";
import stringify from "fast-json-stable-stringify";
import { expect, test } from "vitest";
import { type Contract, contractOf } from "../../src/contract/contract.js";
import type { Span } from "../../src/contract/envelope.js";
import { compileCondition } from "../../src/contract/file/conditions.js";
import { conditionCounter, recountedConditions } from "../../src/verify/conditions.js";
import { scratch } from "../support/files.js";

const FIELDS = {
  extra: { "x-json": true },
  flag: { type: "boolean" },
  list: { type: "array", items: { type: "string" } },
  maybe: { type: ["integer", "null"] },
  name: { type: "string", "x-column": "Full Name" },
  other: { type: "string", "x-null": { field: "name" } },
  price: { type: "number" },
  size: { type: "integer" },
} as const;

function contractWith(...conditions: readonly string[]): Contract {
  return contractOf({
    type: "object",
    "x-listing": { path: "/v1/things/", words: ["thing", "things"], key: "size", order: ["size"], version: 1 },
    properties: FIELDS,
    required: Object.keys(FIELDS),
    additionalProperties: false,
    "x-observed": conditions.map((sql, at) => ({ name: `c${at}`, sql })),
  });
}

const RECORDS = Array.from({ length: 250 }, (_, at) => ({
  extra: at % 7 === 0 ? { size: at, name: "inside" } : [],
  flag: at % 2 === 0,
  list: ["a"],
  maybe: at % 3 === 0 ? null : at - 100,
  name: ["", "ä\u{1f54a}", 'say "size":9', "back\\slash", "Z", "z"][at % 6] ?? "",
  other: "o",
  price: 0.5,
  size: at % 5 === 0 ? -Number.MAX_SAFE_INTEGER + at : Number.MAX_SAFE_INTEGER - at,
}));

/** Counts conditions over columns with the records' values. */
function inSource(contract: Contract): Record<string, number> {
  const db = new Database(join(scratch(), "things.sqlite"));
  db.exec('CREATE TABLE things (flag INTEGER, maybe INTEGER, "Full Name" TEXT, size INTEGER)');
  const insert = db.prepare("INSERT INTO things VALUES (?, ?, ?, ?)");
  for (const { flag, maybe, name, size } of RECORDS)
    insert.run(flag ? 1n : 0n, maybe === null ? null : BigInt(maybe), name, BigInt(size));
  const counts: Record<string, number> = {};
  for (const { name, sql } of contract.conditions) {
    const compiled = compileCondition(sql, (column) => `(+"${column}")`);
    const count = db.prepare(`SELECT count(*) FROM things WHERE ${compiled} IS NOT TRUE`).pluck().get() as number;
    if (count > 0) counts[name] = count;
  }
  db.close();
  return counts;
}

function fromRecords(contract: Contract) {
  const counts = {};
  let text = "";
  const spans = RECORDS.map((record): Span => {
    const begin = text.length;
    text += Buffer.from(stringify(record)).toString("latin1");
    const span: Span = [begin, text.length];
    text += ",\n";
    return span;
  });
  conditionCounter(contract)(text, spans, counts);
  return counts;
}

test("integers, texts, NULL and booleans have the values of their columns", () => {
  const contract = contractWith(
    "size / 2 * 2 = size",
    "typeof(size) = 'integer' AND typeof(flag) = 'integer' AND typeof(\"Full Name\") = 'text'",
    "flag = 1",
    "maybe > 0",
    "maybe IS NULL OR maybe < size",
    "\"full name\" = 'z'",
    "[FULL NAME] < 'a' COLLATE NOCASE",
    "length(`Full Name`) <= 2",
    "size = 9007199254740990",
    "Size % 10 < '5'",
    "flag AND NOT maybe",
  );
  const expected = inSource(contract);
  expect(Object.keys(expected).length).toBeGreaterThan(8);
  expect(fromRecords(contract)).toEqual(expected);
});

test("a condition that cannot be evaluated counts as not true for that record only", () => {
  const contract = contractWith("flag = 1", "abs(size * 1024 - 1024) > 0", "size > 0");
  // -(2^53 - 1) * 1024 - 1024 is the only 64-bit integer without a positive counterpart.
  expect(() => inSource(contractWith("abs(size * 1024 - 1024) > 0"))).toThrow("integer overflow");
  expect(fromRecords(contract)).toEqual({ c0: 125, c1: 1, c2: 50 });
});

test("leaves out conditions over values that records do not show", () => {
  const contract = contractWith(
    "size > 0",
    "other = 'o'",
    "price / 2 > 0",
    "list = '[\"a\"]'",
    "extra IS NULL",
    "1 = 1",
  );
  expect(recountedConditions(contract).map(({ name }) => name)).toEqual(["c0"]);
  expect(fromRecords(contract)).toEqual({ c0: 50 });
});

test("a contract without conditions runs no SQL", () => {
  expect(fromRecords(contractWith())).toEqual({});
});
