/** The one splitter of a page's records. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { RECORD_SEPARATOR } from "../../../../src/core/contract/page.js";
import { recordsOf } from "../../../../src/core/contract/record/split.js";

const split = (text: string, first = 0) =>
  [...recordsOf({ first, text })].map(([number, begin, end]) => [number, text.slice(begin, end)]);

test("a page has no record, one, or several; they are numbered through all pages", () => {
  expect(split("")).toEqual([]);
  expect(split('{"id":1}', 7)).toEqual([[7, '{"id":1}']]);
  expect(split('{"id":1},\n{"id":2},\n{"id":3}', 50)).toEqual([
    [50, '{"id":1}'],
    [51, '{"id":2}'],
    [52, '{"id":3}'],
  ]);
});

test("a separator inside a string is escaped, so it does not end the record", () => {
  const record = JSON.stringify({ bio: "{},\n{" });
  expect(split([record, record].join(RECORD_SEPARATOR))).toEqual([
    [0, record],
    [1, record],
  ]);
});

test("splits what was joined, whatever the records hold", () => {
  fc.assert(
    fc.property(fc.array(fc.object()), (values) => {
      const records = values.map((value) => Buffer.from(JSON.stringify(value)).toString("latin1"));
      expect(split(records.join(RECORD_SEPARATOR))).toEqual(records.map((record, number) => [number, record]));
    }),
  );
});
