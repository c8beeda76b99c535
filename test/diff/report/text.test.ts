import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { painter } from "../../../src/core/print/style.js";
import { textReport } from "../../../src/diff/report/text.js";
import { Screen } from "../../cli/run.js";
import { DECEIVING } from "../../support/deceiving.js";
import { added, anyDiff, changed, diffOf, longDiff, person, removed } from "../../support/diffs.js";
import { collect, plain } from "./collect.js";

const paint = painter(new Screen(true), {});

/** The lines that begin a change. */
function heads(text: string): string[] {
  return text.split("\n").filter((line) => /^ {2}[+~-] /.test(line));
}

test.each([0, 1, 20, 21, 100, Number.POSITIVE_INFINITY])("--limit %s applies to each kind", async (limit) => {
  const users = Array.from({ length: 21 }, (_, number) => person(number));
  const changes = [
    ...users.map(added),
    ...users.slice(0, 2).map(removed),
    ...users.map((user) => changed(user, { ...user, country: "FR" })),
  ];
  const text = await collect(textReport(diffOf(changes), { limit, paint: plain }));
  const expected = { "+": Math.min(21, limit), "-": Math.min(2, limit), "~": Math.min(21, limit) };
  for (const [sign, count] of Object.entries(expected))
    expect(heads(text).filter((line) => line.startsWith(`  ${sign}`)).length, sign).toBe(count);
  const left = 44 - heads(text).length;
  const said = [...text.matchAll(/^ {2}\.\.\. (\d+) not shown; --all shows every one$/gm)];
  expect(said.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(left);
});

test("reads only the changes that it shows", async () => {
  let read = 0;
  const diff = longDiff(
    1_000_000,
    (number) => added(person(number)),
    () => read++,
  );
  await collect(textReport(diff, { limit: 20, paint: plain }));
  expect(read).toBe(20);
  await collect(textReport(diff, { limit: 0, paint: plain }));
  expect(read).toBe(20);
});

test("--all writes while it reads", async () => {
  let read = 0;
  const diff = longDiff(
    100_000,
    (number) => added(person(number)),
    () => read++,
  );
  const report = textReport(diff, { limit: Number.POSITIVE_INFINITY, paint: plain });
  const { value = "" } = await report.next();
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(2000);
  const rest = await collect(report);
  expect(heads(value + rest).length).toBe(100_000);
});

test("uses colours for terminals only, and hides nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => {
      const [bare, coloured] = await Promise.all(
        [plain, paint].map((style) => collect(textReport(diff, { limit: 20, paint: style, exceeded: ["x"] }))),
      );
      expect(coloured).toContain("\x1b[");
      expect(stripVTControlCharacters(coloured ?? "")).toBe(bare);
    }),
  );
});

test("colours only the difference", async () => {
  const user = person(1);
  const diff = diffOf([changed(user, { ...user, bio: "Likes rum." })]);
  const text = await collect(textReport(diff, { limit: 20, paint }));
  expect(text).toContain('bio: "Likes \x1b[31mtea\x1b[39m." -> "Likes \x1b[32mrum\x1b[39m."');
});

test("no text moves the cursor, or breaks or fakes a line", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => {
      const text = await collect(textReport(diff, { limit: 20, paint: plain }));
      expect(text.replaceAll("\n", "")).not.toMatch(DECEIVING);
      expect(heads(text).length).toBe(diff.added + diff.removed + diff.changed);
      let fields = 0;
      for (const count of diff.fields.values()) fields += count;
      expect(text.match(/^ {6}[a-z_.]+: /gm)?.length ?? 0).toBe(fields);
      for (const line of text.split("\n")) expect(line).toBe(line.trimEnd());
    }),
  );
});
