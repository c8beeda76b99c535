/** Counting records by time: bins of natural length, in bounded memory. */
import { expect, test } from "vitest";
import type { Diff } from "../../../../src/core/compare/change.js";
import type { Field } from "../../../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { countTimes } from "../../../../src/diff/report/figures.js";
import { wordingOf } from "../../../../src/diff/report/model.js";
import type { TimeBin } from "../../../../src/explorer/markup/figures/times.js";
import { added, diffOf, person, removed } from "../../../support/diffs.js";

function joinedAt(comers: readonly number[], leavers: readonly number[] = []): Diff {
  const at = (time: number) => ({ date_joined: new Date(time).toISOString().replace("Z", "000Z") });
  return diffOf([
    ...comers.map((time, number) => added(person(number, at(time)))),
    ...leavers.map((time, number) => removed(person(1_000_000 + number, at(time)))),
  ]);
}

/** `count` times, evenly distributed between two. */
const spread = (count: number, from: string, to: string) => {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: count }, (_, at) => first + ((last - first) * at) / (count - 1));
};

const FIELD = wordingOf(USERS_CONTRACT).time as Field;
const countJoins = (diff: Diff) => countTimes(diff, FIELD);

/** Of added users, or of removed ones. */
const sum = (bins: readonly TimeBin[], kind: 0 | 1) =>
  bins.reduce((users, { counts }) => users + (counts[kind] ?? 0), 0);

test.each([
  ["2026-11-20T08:10Z", "2026-11-20T20:50Z", 500, "hour", 13],
  ["2026-11-10T00:00Z", "2026-11-20T23:00Z", 500, "6 hours", 44],
  ["2026-10-01T00:00Z", "2026-11-20T00:00Z", 500, "day", 51],
  // Monday, 2026-01-05.
  ["2026-01-05T00:00Z", "2026-11-16T00:00Z", 500, "week", 46],
  ["2023-01-31T00:00Z", "2026-12-01T00:00Z", 500, "month", 48],
  ["2015-01-01T00:00Z", "2026-12-01T00:00Z", 500, "3 months", 48],
  ["1990-06-01T00:00Z", "2026-12-01T00:00Z", 500, "year", 37],
  ["1800-06-01T00:00Z", "2026-12-01T00:00Z", 500, "10 years", 23],
  ["0001-01-01T00:00Z", "9999-12-31T00:00Z", 20_000, "1000 years", 10],
  // Fewer users give coarser bins.
  ["2023-01-31T00:00Z", "2026-12-01T00:00Z", 30, "3 months", 16],
])("from %s to %s, %i users: %s", async (from, to, users, unit, count) => {
  const joins = await countJoins(joinedAt(spread(users, from, to), spread(users, from, to)));
  expect(joins).toMatchObject({ unit, before: 0, after: 0 });
  expect(joins.bins).toHaveLength(count);
  expect([sum(joins.bins, 0), sum(joins.bins, 1)]).toEqual([users, users]);
  for (const [at, { start, end }] of joins.bins.entries()) {
    expect(start.getTime()).toBeLessThan(end.getTime());
    if (at > 0) expect(start).toEqual(joins.bins[at - 1]?.end);
  }
});

test("puts each user into the bin of its time, also at the edge of a bin", async () => {
  const { bins } = await countJoins(
    joinedAt(
      ["2026-11-20T09:00:00Z", "2026-11-20T09:59:59.999Z", "2026-11-20T10:00:00Z"].map(Date.parse),
      ["2026-11-20T11:30:00Z"].map(Date.parse),
    ),
  );
  expect(bins.map(({ start, counts }) => [start.toISOString().slice(11, 16), ...counts])).toEqual([
    ["09:00", 2, 0],
    ["10:00", 1, 0],
    ["11:00", 0, 1],
  ]);
});

test("makes one bin for one user, and none without users", async () => {
  expect((await countJoins(joinedAt([Date.parse("2026-11-20T09:30Z")]))).bins).toEqual([
    { start: new Date("2026-11-20T09:00Z"), end: new Date("2026-11-20T10:00Z"), counts: [1, 0] },
  ]);
  expect(await countJoins(joinedAt([]))).toMatchObject({ bins: [], before: 0, after: 0 });
});

test("counts outliers without drawing them", async () => {
  const many = spread(1000, "2026-11-01T00:00Z", "2026-11-20T00:00Z");
  const joins = await countJoins(
    joinedAt(
      [...many, Date.parse("0001-01-01T00:00Z"), Date.parse("1999-01-01T00:00Z")],
      [Date.parse("9999-12-31T00:00Z")],
    ),
  );
  expect(joins.unit).toBe("day");
  // At most half a per cent on each side: these, and the outermost of the others.
  expect([2, 3, 4, 5]).toContain(joins.before);
  expect([1, 2, 3, 4, 5]).toContain(joins.after);
  expect(sum(joins.bins, 0) + sum(joins.bins, 1) + joins.before + joins.after).toBe(1003);
  expect(joins.bins[0]?.start.getUTCFullYear()).toBe(2026);
});

test("many times make the same bins as few", async () => {
  // Every hour of eight months exceeds the maximum; every other hour does not.
  const hours = spread(6001, "2026-01-05T00:00Z", "2026-09-12T00:00Z");
  const [all, half] = [
    await countJoins(joinedAt(hours)),
    await countJoins(joinedAt(hours.filter((_, at) => at % 2 === 0))),
  ];
  expect([all.unit, half.unit]).toEqual(["week", "week"]);
  expect(all.bins.map(({ start }) => start)).toEqual(half.bins.map(({ start }) => start));
  expect(all.bins.slice(0, -1).every(({ counts }) => counts[0] === 7 * 24)).toBe(true);
});
