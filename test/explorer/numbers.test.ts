/** Counts numbers with decimals by value while they are few, otherwise in bins with round bounds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NumberCounter } from "../../src/build/artifacts/number-counter.js";
import type { Distribution } from "../../src/explorer/summary.js";
import { draws } from "../support/random.js";

type Bins = Distribution["bins"];

function count(values: readonly number[]) {
  const counter = new NumberCounter();
  for (const value of values) counter.add(value);
  return counter.distribution();
}

const sum = (bins: Bins) => bins.reduce((all, { count: one }) => all + one, 0);
const spread = (length: number, most: number) => Array.from({ length }, (_, at) => (at / length) * most);

test("one value, or none, has no distribution", () => {
  expect(count([])).toBeUndefined();
  expect(count([0.5, 0.5])).toBeUndefined();
});

test("few values have one bin each, rounded to the digits that every number keeps", () => {
  expect(count([0.1 + 0.2, -1.5, 0.3])).toEqual({
    min: -1.5,
    max: 0.1 + 0.2,
    bins: [
      { from: -1.5, to: -1.5, count: 1 },
      { from: 0.3, to: 0.3, count: 2 },
    ],
  });
});

describe("more than 24 values", () => {
  test("spread evenly have bins of equal round width", () => {
    const prices = Array.from({ length: 1000 }, (_, at) => Number((0.29 + at * 0.01).toFixed(2)));
    const { bins = [] } = count(prices) ?? {};
    expect(bins[0]).toEqual({ from: 0, to: 0.5, count: 21 });
    expect(bins[1]).toEqual({ from: 0.5, to: 1, count: 50 });
    expect(bins.at(-1)).toEqual({ from: 10, to: 10.5, count: 29 });
  });

  test("between close ends have round bounds, too", () => {
    const { bins = [] } = count(spread(100, 0.0001).map((value) => 1e6 + value)) ?? {};
    expect(bins.length).toBeGreaterThan(9);
    expect(bins[0]).toMatchObject({ from: 1_000_000, to: 1_000_000.000005 });
  });

  test("with an outlier have growing bins", () => {
    const { bins = [] } = count([...spread(1000, 100), 1_000_000]) ?? {};
    expect(bins.at(-1)).toEqual({ from: 1_000_000, to: 2_000_000, count: 1 });
    expect(bins[0]).toEqual({ from: 0, to: 1, count: 10 });
    expect(bins[1]).toEqual({ from: 1, to: 2, count: 10 });
  });

  test("below zero have mirrored bins", () => {
    const { bins = [] } = count([...spread(1000, -100), -1_000_000]) ?? {};
    expect(bins[0]).toEqual({ from: -1_000_000, to: -500_000, count: 1 });
    expect(bins.at(-1)).toMatchObject({ from: 0, to: 1, count: 1 });
  });

  const decimal = fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: -8, max: 8 }))
    .map(([digits, power]) => Number(`${digits}e${power}`));
  const any = fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }));

  test("are all counted in their bins, without gaps", () => {
    fc.assert(
      fc.property(fc.uniqueArray(any, { minLength: 30, maxLength: 300 }), (values) => {
        const { bins = [], ...ends } = count(values) ?? {};
        expect(ends).toEqual({ min: Math.min(...values), max: Math.max(...values) });
        expect(sum(bins)).toBe(values.length);
        expect(bins.length).toBeLessThanOrEqual(60);
        for (const [at, { from, to, count: found }] of bins.entries()) {
          const isIn = (value: number) => value >= from && (value < to || from === to || at === bins.length - 1);
          expect(values.filter((value) => isIn(Number(value.toPrecision(15)))).length).toBe(found);
          if (at > 0 && from !== to) expect(from).toBe(bins[at - 1]?.to);
        }
      }),
      { numRuns: draws(500) },
    );
  });

  test("give the same result in any order, however many and unlike they are", () => {
    for (const values of [
      Array.from({ length: 30_000 }, (_, at) => ((at * 7919) % 1_000_003) / 997),
      Array.from({ length: 8000 }, (_, at) => ((at % 2) - 0.5) * 10 ** ((at % 600) - 300) * (at + 1)),
      [0, ...Array.from({ length: 6000 }, (_, at) => (at + 1) * 1e-20)],
    ]) {
      const counted = count(values);
      expect(sum(counted?.bins ?? [])).toBe(values.length);
      expect(count(values.toReversed())).toEqual(counted);
      expect(count(values.toSorted((one, other) => Math.abs(one) - Math.abs(other)))).toEqual(counted);
    }
  });
});
