/** Which share of the pages a run makes: named by numbers, and cut so that each page is in one share. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cutPages, isShard, pagesOf } from "../../src/core/shards.js";

test("a shard is a number from 0, below how many there are", () => {
  expect(["0/1", "7/8", "3/08"].filter(isShard)).toHaveLength(3);
  expect(["8/8", "0/0", "3", "-1/8", "1.5/8", "3/8/8", "auto"].filter(isShard)).toEqual([]);
});

test("every page is in one shard, shards differ by one group at most, and no group is parted", () => {
  const numbers = [
    fc.integer({ min: 0, max: 5000 }),
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 1, max: 50 }),
  ];
  fc.assert(
    fc.property(
      ...(numbers as [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<number>]),
      (pages, count, together) => {
        const ranges = Array.from({ length: count }, (_, number) => cutPages(pages, { number, count }, together));
        let next = 1;
        for (const range of ranges) {
          expect(range.first).toBe(next);
          if (range.last < pages) expect(range.last % together).toBe(0);
          next = range.last + 1;
        }
        expect(next).toBe(pages + 1);
        const sizes = ranges.map((range) => Math.ceil(pagesOf(range) / together));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
