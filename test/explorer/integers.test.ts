/** Counts integers by value while they are few, otherwise in bins with round bounds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IntegerCounter } from "../../src/build/artifacts/integer-counter.js";
import type { Distribution } from "../../src/explorer/summary.js";
import { draws } from "../support/random.js";

type Bins = Distribution["bins"];

function count(values: readonly number[]) {
  const counter = new IntegerCounter();
  for (const value of values) counter.add(value);
  return counter.distribution();
}

const sum = (bins: Bins) => bins.reduce((all, { count: one }) => all + one, 0);
const spread = (length: number, most: number) => Array.from({ length }, (_, at) => Math.floor((at / length) * most));

test("one value, or none, has no distribution", () => {
  expect(count([])).toBeUndefined();
  expect(count([7, 7, 7])).toBeUndefined();
});

test("detects unique values, even if they are too many to keep", () => {
  const isUnique = (values: readonly number[]) => {
    const counter = new IntegerCounter();
    for (const value of values) counter.add(value);
    return counter.isUnique;
  };
  const many = Array.from({ length: 20_000 }, (_, at) => at * 1_000_003);
  expect([isUnique([3, 1, 2]), isUnique([3, 1, 3]), isUnique(many)]).toEqual([true, false, true]);
  expect(isUnique([...many, ...many.slice(0, 10_000)])).toBe(false);
});

test("few values have one bin each", () => {
  expect(count([3, -1, 3, 1_000_000])).toEqual({
    min: -1,
    max: 1_000_000,
    bins: [
      { from: -1, to: -1, count: 1 },
      { from: 3, to: 3, count: 2 },
      { from: 1_000_000, to: 1_000_000, count: 1 },
    ],
  });
});

describe("more than 24 values", () => {
  test("spread evenly have bins of equal round width", () => {
    const years = Array.from({ length: 1000 }, (_, at) => 1951 + (at % 70));
    const { bins = [] } = count(years) ?? {};
    expect(bins[0]).toMatchObject({ from: 1950, to: 1954 });
    expect(bins.at(-1)).toMatchObject({ from: 2020, to: 2024 });
    expect(new Set(bins.map(({ from, to }) => to - from))).toEqual(new Set([4]));
  });

  test("with an outlier have growing bins", () => {
    const { bins = [] } = count([...spread(1000, 100), 1_000_000]) ?? {};
    expect(bins.at(-1)).toEqual({ from: 1_000_000, to: 1_999_999, count: 1 });
    expect(bins[0]).toMatchObject({ from: 0, to: 0 });
  });

  test("that are mostly small have growing bins", () => {
    const { bins = [] } = count([...new Array(500).fill(0), ...spread(100, 4000), -3]) ?? {};
    expect(bins.slice(0, 5).map(({ from, to }) => [from, to])).toEqual([
      [-4, -2],
      [-1, -1],
      [0, 0],
      [1, 1],
      [2, 4],
    ]);
    expect(bins.at(-1)).toMatchObject({ from: 2000, to: 4999 });
  });

  const any = fc.oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.maxSafeInteger(),
  );

  test("are all counted in their bins, without gaps", () => {
    fc.assert(
      fc.property(fc.uniqueArray(any, { minLength: 25, maxLength: 300 }), (values) => {
        const { bins = [], ...ends } = count(values) ?? {};
        expect(ends).toEqual({ min: Math.min(...values), max: Math.max(...values) });
        expect(sum(bins)).toBe(values.length);
        expect(bins.length).toBeLessThanOrEqual(100);
        for (const [at, { from, to, count: found }] of bins.entries()) {
          expect(values.filter((value) => value >= from && value <= to).length).toBe(found);
          if (at > 0) expect(from).toBe((bins[at - 1]?.to ?? 0) + 1);
        }
      }),
      { numRuns: draws(500) },
    );
  });

  test("give the same result in any order", () => {
    const values = Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 1_000_003);
    const counted = count(values);
    expect(sum(counted?.bins ?? [])).toBe(values.length);
    expect(count(values.toReversed())).toEqual(counted);
    expect(count(values.toSorted((one, other) => one - other))).toEqual(counted);
  });
});
