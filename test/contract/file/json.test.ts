import { expect, test } from "vitest";
import { parseConfig } from "../../../src/contract/file/config-json.js";

test.each([
  ["{}", {}],
  ['\uFEFF{"a": [1, -2.5e3, "x\\u00e9", true, null]}\n', { a: [1, -2500, "xé", true, null] }],
  ["[]", []],
])("%j is JSON", (text, value) => {
  expect(parseConfig(text)).toEqual({ value, repeated: [] });
});

const [KEY, VALUE, JSON_TEXT] = ["a key in double quotes", "a value", "valid JSON"];
test.each([
  ["", "the file is empty"],
  ["{", `line 1, column 2: expected a comma or }, found the end of the text`],
  ['{"a": 1,}', `line 1, column 9: expected ${KEY}, found }`],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected a comma, found "'],
  ["{\n  // port\n}", "line 2, column 3: expected JSON, which does not allow comments, found /"],
  ["{'a': 1}", `line 1, column 2: expected ${JSON_TEXT}, found '`],
  ["{a: 1}", `line 1, column 2: expected ${JSON_TEXT}, found a`],
  ['{"a": 01}', "line 1, column 7: expected a comma, found 01"],
  ['{"a": 1.}', `line 1, column 7: expected ${JSON_TEXT}, found 1`],
  ['{"a": True}', `line 1, column 7: expected ${JSON_TEXT}, found True`],
  ['{"a": nulls}', `line 1, column 7: expected ${JSON_TEXT}, found nulls`],
  ['{"a": }', `line 1, column 7: expected ${VALUE}, found }`],
  ['{"a": "x\ny"}', 'line 1, column 7: expected the closing quote of a string, found "'],
  ['{"a": "\\x"}', 'line 1, column 7: expected a valid JSON escape, found "'],
  ['{"a": [1, 2}', "line 1, column 12: expected a comma, found }"],
  ['{"a"= 1}', `line 1, column 5: expected ${JSON_TEXT}, found =`],
  ["{} {}", "line 1, column 4: expected the end of the text, found {"],
  ["{}x", `line 1, column 3: expected ${JSON_TEXT}, found x`],
])("%j is not JSON: %s", (text, mistake) => {
  expect(parseConfig(text)).toEqual({ mistake });
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

test("reads deeply nested JSON", () => {
  expect(parseConfig("[".repeat(1000))).toMatchObject({ mistake: expect.stringMatching(/^line 1, column 1001: /) });
  expect(parseConfig("[".repeat(50_000))).toHaveProperty("mistake");
  expect(parseConfig(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)).toHaveProperty("value");
});
