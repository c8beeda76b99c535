/** Refuses JSON that is too deep or has too many values; otherwise parses like JSON.parse. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isTooDeep, parseJson, whyNotExactJson } from "../../../src/core/contract/json.js";

const nested = (levels: number, inside = "") => "[".repeat(levels) + inside + "]".repeat(levels);

test("parses any value in any notation", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test.each([
  ["", "is not JSON"],
  ['{"a":', "is not JSON"],
  ['"\\', "is not JSON"],
  [nested(320), undefined],
  [nested(321), "is nested deeper than 320 levels"],
  [nested(200_000), "is nested deeper than 320 levels"],
  [`${'{"a":'.repeat(321)}0${"}".repeat(321)}`, "is nested deeper than 320 levels"],
  // Depth counts, not the number of lists, and brackets in a string do not count.
  [`[${"[],".repeat(400)}0]`, undefined],
  [JSON.stringify(`\\"${nested(400)}\\\\`), undefined],
  [`[${JSON.stringify('\\"'.repeat(400))},${JSON.stringify("[".repeat(400))}]`, undefined],
  [`[${"0,".repeat(199_998)}0]`, undefined],
  [`[${"0,".repeat(200_000)}0]`, "holds more than 200000 values"],
  [`[${"{},".repeat(100_000)}0]`, "holds more than 200000 values"],
])("parses text %#", (text, why) => {
  expect(parseJson(text)).toEqual(why === undefined ? { value: JSON.parse(text) } : { why });
  expect(isTooDeep(text)).toBe(why?.includes("deeper") ?? false);
});

test.each(
  [
    [2 ** 53 - 1, 0.5, 1e-7, 1.5e15 + 0.5],
    [[2 ** 53], [1e21], [-1e300]],
  ].flatMap((all, at) => all.map((value) => [value, at === 0] as const)),
)("every reader can hold %s: %s", (value, isExact) => {
  expect(whyNotExactJson(value)).toBe(
    isExact ? undefined : "must not hold whole numbers beyond +-(2^53 - 1), 1e21 too",
  );
});
