/** What a sample of two lists of records tells of the step between them, held against the step itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSurelyLarger } from "../../src/changes/estimate.js";
import { writeStep } from "../../src/changes/writer.js";
import { matchRecords } from "../../src/diff/match.js";
import { openReleaseSide } from "../../src/diff/side.js";
import { openRelease } from "../../src/release/open.js";
import { contractOfThings, publishThings, type Thing } from "../diff/things.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";

const COUNT = 100_000;

test("a step that is far too large is known before anything is matched, and no other is taken for one", {
  timeout: 300_000,
}, async () => {
  const random = seeded();
  const folder = scratch();
  const things = Array.from({ length: COUNT }, (_, at): Thing => {
    const note = Array.from({ length: 8 }, () => random.below(2 ** 31).toString(36)).join(" ");
    return { key: `${at}`, size: at, note, kind: "a" };
  });
  const { folder: release } = await publishThings(folder, contractOfThings(), things, { pageSize: 1000 });
  const now = await openReleaseSide(await openRelease(release), release, folder);
  const lines = readFileSync(now.list, "utf8").split("\n").slice(0, -1);
  const before = (edited: readonly string[]) => {
    const list = join(scratch(), "records.sha256");
    writeFileSync(list, edited.map((line) => `${line}\n`).join(""));
    return { ...now, list, digest: undefined };
  };
  const digits = () => Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");

  // Half of the records are 195 of the sample: it says a third too much, or 30 % too little, less than once in 10,000 runs.
  for (const share of [0.5, 0.9]) {
    const old = before(lines.map((line) => (random.chance(share) ? digits() + line.slice(32) : line)));
    const matches = await matchRecords(old, now);
    const states = { from: `${share * 10}`.repeat(64), to: "b".repeat(64) };
    const bytes = (await writeStep(matches, now, { ...states, most: 2 ** 30, signal: undefined }))?.step.bytes ?? 0;
    matches.close();
    expect(bytes).toBeGreaterThan(300_000);
    const found = [];
    for (const most of [bytes / 2, bytes]) found.push(await isSurelyLarger(old, now, most));
    expect(found).toEqual([true, false]);
  }
  // Another order is no change, and what is gone counts by its key.
  expect(await isSurelyLarger(before([...lines].reverse()), now, 50_000)).toBe(false);
  const gone = before([...lines, ...lines.map((line, at) => `${digits()}  gone${line.slice(34)}${digits()}${at}`)]);
  expect(await isSurelyLarger(gone, now, 1_000_000)).toBe(true);
  // Of few records, everything is looked at.
  const few = { ...now, facts: { ...now.facts, count: COUNT - 1 } };
  expect(await isSurelyLarger({ ...gone, facts: few.facts }, few, 1_000_000)).toBe(false);
});
