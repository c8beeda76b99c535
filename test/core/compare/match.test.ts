/** Matches lists of records, and compares the result with two maps. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SideFacts } from "../../../src/core/compare/change.js";
import { matchRecords } from "../../../src/core/compare/match.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { userId } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { draws } from "../../support/random.js";

type Line = readonly [id: number, digest: number];

function sideOf(lines: readonly Line[]) {
  const file = join(scratch(), "records.sha256");
  const text = lines.map(([id, digest]) => `${String(digest).padStart(32, "0")}  ${userId(id)}\n`);
  writeFileSync(file, text.join(""));
  const facts: SideFacts = {
    ...{ name: "a side", id: undefined, count: lines.length, pages: 1, pageSize: lines.length },
    ...{ baseUrl: undefined, links: undefined, contract: USERS_CONTRACT },
  };
  return { facts, list: file };
}

async function match(old: readonly Line[], now: readonly Line[]) {
  const matches = await matchRecords(sideOf(old), sideOf(now));
  const [added, removed, changed] = [[...matches.added()], [...matches.removed()], [...matches.changed()]];
  matches.close();
  expect(matches.counts).toEqual({
    added: added.length,
    removed: removed.length,
    changed: changed.length,
  });
  return { added, removed, changed };
}

function expected(old: readonly Line[], now: readonly Line[]): Awaited<ReturnType<typeof match>> {
  const place = ([id, digest]: Line, at: number) => ({
    key: userId(id),
    at,
    digest: String(digest).padStart(32, "0"),
  });
  const [before, after] = [new Map(old), new Map(now)];
  const oldPlaces = new Map(old.map((line, at) => [line[0], place(line, at)]));
  const places = now.map((line, at) => ({ line, place: place(line, at) }));
  const changed = places.filter(({ line: [id, digest] }) => before.has(id) && before.get(id) !== digest);
  return {
    added: places.filter(({ line: [id] }) => !before.has(id)).map(({ place }) => place),
    removed: old
      .map((line, at) => ({ line, at }))
      .filter(({ line: [id] }) => !after.has(id))
      .map(({ line, at }) => place(line, at)),
    changed: changed.map(({ line: [id], place }) => {
      const [{ key, ...now }, { key: _, ...old }] = [place, oldPlaces.get(id) ?? place];
      return { key, old, new: now };
    }),
  };
}

/** Few ids, so that sides share many, in any order. */
const side = fc.uniqueArray(fc.tuple(fc.nat(60), fc.nat(2)), { selector: ([id]) => id, maxLength: 60 });

test("matches any two sides, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(side, side, async (old, now) => {
      expect(await match(old, now)).toEqual(expected(old, now));
    }),
    { numRuns: draws(300) },
  );
});

const many = (from: number, to: number): Line[] => Array.from({ length: to - from }, (_, at) => [from + at, 1]);

/** The second half first, with every thirtieth line changed. */
function changedAndMoved(count: number): Line[] {
  const moved = [...many(count / 2, count), ...many(0, count / 2)];
  return moved.map(([id, digest]): Line => [id, id % 30 === 0 ? digest + 1 : digest]);
}

test.each([
  ["equal", many(0, 20_000), many(0, 20_000)],
  ["many added in one place", many(0, 20_000), [...many(0, 9_000), ...many(30_000, 30_500), ...many(9_000, 20_000)]],
  ["many removed in one place", many(0, 20_000), [...many(0, 7_000), ...many(7_300, 20_000)]],
  ["empty to full", [], many(0, 20_000)],
  ["full to empty", many(0, 20_000), []],
  ["all moved", many(0, 20_000), [...many(10_000, 20_000), ...many(0, 10_000)]],
  ["every second one changed", many(0, 20_000), many(0, 20_000).map(([id, digest]): Line => [id, digest + (id % 2)])],
  ["none in common", many(0, 9_000), many(20_000, 29_000)],
  ["in opposite order, more than memory holds", many(0, 102_000), many(0, 102_000).reverse()],
  ["changed and moved, more than memory holds", many(0, 102_000), changedAndMoved(102_000)],
])("large: %s", async (_, old, now) => {
  expect(await match(old, now)).toEqual(expected(old, now));
});

test("reports a user that is on one side twice", async () => {
  await expect(
    match(
      [
        [1, 1],
        [2, 1],
        [1, 2],
      ],
      [[3, 1]],
    ),
  ).rejects.toThrow(`User ${userId(1)} is in the old snapshot twice`);
});

test("reports a user that is on one side twice, far apart", async () => {
  const old = [...many(0, 110_000), [5, 2] as const];
  await expect(match(old, many(200_000, 310_000))).rejects.toThrow(`User ${userId(5)} is in the old snapshot twice`);
});
