import { expect, test } from "vitest";
import { parseConfig } from "../../../src/contract/file/json.js";

test.each([
  ["{}", {}],
  ['\uFEFF{"a": [1, -2.5e3, "x\\u00e9", true, null]}\n', { a: [1, -2500, "xé", true, null] }],
  ["[]", []],
])("%j is JSON", (text, value) => {
  expect(parseConfig(text)).toEqual({ value, repeated: [] });
});

test.each([
  ["", 1, 1, "the end of the file"],
  ["{", 1, 2, "the end of the file"],
  ['{"a": 1,}', 1, 9, "}"],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"'],
  ["{\n  // port\n}", 2, 3, "/"],
  ["{'a': 1}", 1, 2, "'"],
  ["{a: 1}", 1, 2, "a"],
  ['{"a": 01}', 1, 7, "01"],
  ['{"a": 1.}', 1, 7, "1"],
  ['{"a": True}', 1, 7, "True"],
  ['{"a": nulls}', 1, 7, "nulls"],
  ['{"a": "x\ny"}', 1, 7, '"'],
  ['{"a": "\\x"}', 1, 7, '"'],
  ['{"a": [1, 2}', 1, 12, "}"],
  ['{"a"= 1}', 1, 5, "="],
  ["{} {}", 1, 4, "{"],
  ["{}x", 1, 3, "x"],
])("%j stops being JSON at %i:%i", (text, line, column, found) => {
  expect(parseConfig(text)).toEqual({ mistake: { line, column, found } });
});

test.each([
  ['{"a": 1, "b": 2,\n "a": 3}', [{ key: '"a"', line: 2, column: 2 }]],
  ['{"a": 1, "\\u0061": 2}', [{ key: '"\\u0061"', line: 1, column: 10 }]],
  ['[{"a": {"b": 1}, "b": [{"a": 1}, {"a": 1}]}]', []],
  [
    '{"__proto__": 1, "x": {"y": 1, "y": 1}, "__proto__": 1}',
    [
      { key: '"y"', line: 1, column: 32 },
      { key: '"__proto__"', line: 1, column: 41 },
    ],
  ],
])("%j repeats %j", (text, repeated) => {
  expect(parseConfig(text)).toMatchObject({ repeated });
});

test("deep nesting is read like any other", () => {
  expect(parseConfig("[".repeat(1000))).toMatchObject({ mistake: { line: 1, column: 1001 } });
  expect(parseConfig("[".repeat(50_000))).toHaveProperty("mistake");
  expect(parseConfig(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)).toHaveProperty("value");
});
