import { expect, test } from "vitest";
import { parseConfig } from "../../../../src/core/contract/file/config-json.js";

test.each([
  ["{}", {}],
  ['\uFEFF{"a": [1, -2.5e3, "x\\u00e9", true, null]}\n', { a: [1, -2500, "xé", true, null] }],
])("%j is JSON", (text, value) => {
  expect(parseConfig(text)).toEqual({ value, repeated: [] });
});

test.each([
  ["", "the file is empty"],
  ["{", `line 1, column 2: close brace expected, found the end of the text`],
  ['{"a": 1,}', `line 1, column 9: property name expected, found }`],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: comma expected, found "'],
  ["{\n  // port\n}", "line 2, column 3: invalid comment token, found /"],
  ["{'a': 1}", `line 1, column 2: invalid symbol, found '`],
  ['{"a": 01}', "line 1, column 7: comma expected, found 01"],
  ['{"a": 1.}', `line 1, column 7: unexpected end of number, found 1`],
  ['{"a": nulls}', `line 1, column 7: invalid symbol, found nulls`],
  ['{"a": "x\ny"}', 'line 1, column 7: unexpected end of string, found "'],
  ['{"a": [1, 2}', "line 1, column 12: comma expected, found }"],
  ["{} {}", "line 1, column 4: end of file expected, found {"],
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
