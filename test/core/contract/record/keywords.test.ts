/** Each keyword that narrows a type: values that it takes, others, and its message, which a contract can replace. */
import { expect, test } from "vitest";
import { z } from "zod";
import type { ValueSchema } from "../../../../src/core/contract/file/form.js";
import { checksOf, hasFormat, KEYWORDS, kindsFor, messageOf } from "../../../../src/core/contract/record/keywords.js";

/** A keyword as a schema has it, the kinds that it is for, values at the limit and beyond it, and its message. */
interface Row {
  schema: ValueSchema;
  kinds: readonly string[];
  takes: readonly unknown[];
  refuses: readonly unknown[];
  message: string;
}

const TEXTS = ["string"];
const NUMBERS = ["integer", "number"];
const LISTS = ["array"];

const ROWS: Readonly<Record<string, Row>> = {
  format: {
    schema: { format: "date" },
    kinds: TEXTS,
    takes: ["2026-11-28", "2024-02-29"],
    refuses: ["2026-02-29", "2026-1-1", "28.11.2026", ""],
    message: "must be a real date, like 2026-01-31",
  },
  pattern: {
    schema: { pattern: "^[A-Z]{2}$", examples: ["DE"] },
    kinds: TEXTS,
    takes: ["DE"],
    refuses: ["de", "DEU", "DE\n", ""],
    message: "must match ^[A-Z]{2}$, like DE",
  },
  minLength: {
    schema: { minLength: 2 },
    kinds: TEXTS,
    takes: ["ab", "😀😀"],
    // One character of two UTF-16 units.
    refuses: ["a", "😀", ""],
    message: "must have at least 2 characters",
  },
  maxLength: {
    schema: { maxLength: 2 },
    kinds: TEXTS,
    takes: ["", "ab", "😀😀"],
    refuses: ["abc"],
    message: "must have at most 2 characters",
  },
  minimum: {
    schema: { minimum: 3 },
    kinds: NUMBERS,
    takes: [3, 3.5],
    refuses: [2.999, -3],
    message: "must be 3 or more",
  },
  maximum: {
    schema: { maximum: 3 },
    kinds: NUMBERS,
    takes: [3, -4],
    refuses: [3.001],
    message: "must be 3 or less",
  },
  exclusiveMinimum: {
    schema: { exclusiveMinimum: 3 },
    kinds: NUMBERS,
    takes: [3.001],
    refuses: [3, 2],
    message: "must be more than 3",
  },
  exclusiveMaximum: {
    schema: { exclusiveMaximum: 3 },
    kinds: NUMBERS,
    takes: [2.999],
    refuses: [3, 4],
    message: "must be less than 3",
  },
  minItems: {
    schema: { minItems: 2 },
    kinds: LISTS,
    takes: [[1, 1]],
    refuses: [[], [[1, 2]]],
    message: "must have at least 2 items",
  },
  maxItems: {
    schema: { maxItems: 2 },
    kinds: LISTS,
    takes: [[], [1, 2]],
    refuses: [[1, 2, 3]],
    message: "must have at most 2 items",
  },
  uniqueItems: {
    schema: { uniqueItems: true },
    kinds: LISTS,
    takes: [[], [1, "1", [1]], [{ a: 1 }, { a: 2 }]],
    refuses: [
      [1, 2, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    message: "must repeat no item",
  },
};

test("every keyword has a row, in the order of the checks", () => {
  expect(Object.keys(ROWS)).toEqual(KEYWORDS);
});

test.each(KEYWORDS)("%s", (keyword) => {
  const { schema, kinds, takes, refuses, message } = ROWS[keyword] as Row;
  const checked = (given: ValueSchema, error?: string) => z.unknown().check(...checksOf(given, error));
  const flawsOf = (type: z.ZodType, value: unknown) =>
    (type.safeParse(value).error?.issues ?? []).map((issue) => [issue.message, (issue as { params?: object }).params]);
  expect(kindsFor(keyword)).toEqual(kinds);
  expect(messageOf(keyword, schema)).toBe(message);
  for (const value of takes) expect(flawsOf(checked(schema), value), JSON.stringify(value)).toEqual([]);
  for (const value of refuses)
    expect(flawsOf(checked(schema), value), JSON.stringify(value)).toEqual([[message, { rule: keyword }]]);
  expect(flawsOf(checked(schema, "Own words."), refuses[0])).toEqual([["Own words.", { rule: keyword }]]);
});

test.each([
  [{ minLength: 1 }, "minLength", "must not be empty"],
  [{ minimum: 0 }, "minimum", "must not be negative"],
  [{ pattern: "^a" }, "pattern", "must match ^a"],
  [{ format: "uuid", examples: ["00000000-0000-0000-0000-000000000000"] }, "format", /like 00000000-0000-/],
] as const)("%j has a message of its own", (schema, keyword, message) => {
  expect(messageOf(keyword, schema)).toMatch(message);
});

test("uniqueItems: false allows repeated items", () => {
  expect(
    z
      .unknown()
      .check(...checksOf({ uniqueItems: false }))
      .safeParse([1, 1]).success,
  ).toBe(true);
});

test.each([
  ["uuid", "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53", "7f3c2a100d5e4b8e9c412f6b8d1e0a53"],
  ["date", "2026-01-31", "2026-01-32"],
  ["date-time", "2026-01-31T23:59:59+01:00", "2026-01-31T23:59:59"],
  ["uri", "https://example.com/", "example.com"],
  ["email", "jo@example.com", "jo@"],
  ["regex", "^[A-Z]{2}$", "("],
] as const)("format %s", (format, text, other) => {
  expect([text, other].map((one) => hasFormat(format, one))).toEqual([true, false]);
});
