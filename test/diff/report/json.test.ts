import fc from "fast-check";
import { expect, test } from "vitest";
import type { Diff } from "../../../src/core/compare/change.js";
import { jsonReport, ndjsonReport } from "../../../src/diff/report/json.js";
import { added, anyDiff, diffOf, longDiff, person } from "../../support/diffs.js";
import { collect } from "./collect.js";

/** The changes in both forms. */
async function changesOf(diff: Diff): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const change of diff.changes()) {
    const { kind, id } = change;
    list.push(kind === "changed" ? { kind, id, fields: change.fields } : { kind, id, fields: [], user: change.record });
  }
  return JSON.parse(JSON.stringify(list));
}

test("the document has everything of any diff", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => {
      const { added, removed, changed, unchanged } = diff;
      const sides = [diff.old, diff.new].map(({ id, count, pages }) => ({ id, count, pages }));
      expect(JSON.parse(await collect(jsonReport(diff)))).toEqual({
        ...{ old: sides[0], new: sides[1], added, removed, changed, unchanged },
        fields: Object.fromEntries(diff.fields),
        flow: diff.flow,
        changes: await changesOf(diff),
      });
    }),
  );
});

test("NDJSON has the same changes, one per line", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => {
      const lines = (await collect(ndjsonReport(diff))).split("\n");
      expect(lines.pop()).toBe("");
      expect(lines.map((line) => JSON.parse(line))).toEqual(await changesOf(diff));
      expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

test("a side that was never published has no id", async () => {
  const text = await collect(jsonReport(diffOf([], { new: { id: undefined } })));
  expect(JSON.parse(text)).toMatchObject({ new: { id: null, count: 0, pages: 1 }, changes: [] });
});

test.each([
  ["json", jsonReport],
  ["ndjson", ndjsonReport],
])("%s is written as the changes are read", async (_name, report) => {
  let read = 0;
  const diff = longDiff(
    5_000,
    (number) => added(person(number)),
    () => read++,
  );
  let [lines, most, before] = [0, 0, 0];
  for await (const part of report(diff)) {
    lines += part.match(/"kind":"added"/g)?.length ?? 0;
    [most, before] = [Math.max(most, read - before), read];
  }
  expect(lines).toBe(5_000);
  expect(most).toBeLessThan(500);
});
