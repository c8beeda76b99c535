/** The lines of steps for any keys, and steps that are not written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeStep } from "../../../src/build/artifacts/step-writer.js";
import type { Matches } from "../../../src/core/compare/match.js";
import { matchRecords } from "../../../src/core/compare/match.js";
import { openReleaseSide } from "../../../src/core/compare/side.js";
import { openRelease } from "../../../src/core/release/open.js";
import { contractOfThings, publishThings, type Thing } from "../../core/compare/things.js";
import { openFiles, scratch } from "../../support/files.js";
import { seeded } from "../../support/random.js";

type Key = Thing["key"];

const HARD = ['"', "\\", "\n", "\u0000", "\u007f", "é", "ﾮ", "🕊", "\u2028", " ", "a", "Z", "0", "-", ","];
const random = seeded();

const KEYS: Record<string, (at: number) => Key> = {
  "hard texts": (at) => Array.from({ length: random.below(4) }, () => random.of(HARD)).join("") + at,
  "texts of digits": (at) => `${random.of(["", "-", "0"])}${at}`,
  integers: (at) => random.of([-1, 1]) * (at + random.of([0, 10 ** 12])),
};

const byKey = (one: Key, other: Key) =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));

/** Both releases of things, and what differs. */
async function sidesOf(old: readonly Thing[], now: readonly Thing[], contract = contractOfThings()) {
  const sides = [];
  for (const things of [old, now]) {
    const folder = scratch();
    const { folder: release } = await publishThings(folder, contract, things);
    sides.push(openReleaseSide(await openRelease(release), release));
  }
  const [before, after] = sides;
  if (!before || !after) throw new Error("There are two sides");
  return { matches: await matchRecords(before, after), side: after };
}

const [from, to] = ["a".repeat(64), "b".repeat(64)];
const options = { from, to, most: 2 ** 30, signal: undefined };

describe.each(Object.entries(KEYS))("%s", (_, keyOf) => {
  test("are in order, with what to do", async () => {
    const keys = new Set(Array.from({ length: 300 }, (_, at) => keyOf(at)));
    const thing = (key: Key): Thing => ({ key, size: random.below(9), note: random.of(HARD), kind: "a" });
    const [old, now] = [new Map<Key, Thing>(), new Map<Key, Thing>()];
    const expected: [Key, string][] = [];
    for (const key of keys) {
      const [before, after] = [thing(key), random.of(["same", "gone", "new", "changed"])];
      if (after !== "new") old.set(key, before);
      const kept = after === "changed" ? { ...before, kind: "b" as const } : before;
      if (after !== "gone") now.set(key, kept);
      const { note, size, kind } = kept;
      if (after === "gone") expected.push([key, JSON.stringify({ remove: key })]);
      else if (after !== "same") expected.push([key, JSON.stringify({ put: { key, kind, note, size } })]);
    }
    const contract = contractOfThings({ key: { type: typeof [...keys][0] === "number" ? "integer" : "string" } });
    const { matches, side } = await sidesOf([...old.values()], [...now.values()], contract);
    const written = await writeStep(matches, side, options);
    matches.close();
    const lines = gunzipSync(readFileSync(join(side.folder, written?.step.file ?? ""))).toString();
    const ordered = expected.sort(([one], [other]) => byKey(one, other)).map(([, line]) => line);
    expect(ordered.length).toBeGreaterThan(100);
    expect(lines).toBe(ordered.map((line) => `${line}\n`).join(""));
    const put = ordered.filter((line) => line.startsWith('{"put"')).length;
    expect(written?.step).toMatchObject({ from, to, put, remove: ordered.length - put });
  });
});

/** Text that gzip compresses little. */
const noise = (length: number) =>
  Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(20_000))).join("");

const large = (note: () => string, count: number) =>
  Array.from({ length: count }, (_, at): Thing => ({ key: `${at}`, size: 0, note: note(), kind: "a" }));

/** Counts the changes that are read. */
function counted(matches: Matches) {
  let asked = 0;
  const byKey = function* () {
    for (const change of matches.byKey()) {
      asked++;
      yield change;
    }
  };
  return { matches: { ...matches, byKey }, asked: () => asked };
}

test("gives up a step that is too large, and removes it", async () => {
  const { matches, side } = await sidesOf(
    [],
    large(() => noise(10_000), 250),
  );
  const { matches: given, asked } = counted(matches);
  expect(await writeStep(given, side, { ...options, most: 3_000_000 })).toBeUndefined();
  expect(asked()).toBeGreaterThan(30);
  expect(asked()).toBeLessThan(250);
  expect(readdirSync(side.folder).filter((name) => name.startsWith("changes"))).toEqual([]);
  // Exactly as large as allowed.
  const written = await writeStep(matches, side, options);
  const most = written?.step.bytes ?? 0;
  expect(most).toBeGreaterThan(4_000_000);
  for (const less of [1, 0]) {
    const again = { ...options, from: `${less}`.repeat(64), most: most - less };
    expect((await writeStep(matches, side, again))?.step.bytes).toBe(less === 1 ? undefined : most);
  }
  matches.close();
});

test("does not write a step that would unpack to too many bytes", async () => {
  const { matches, side } = await sidesOf(
    [],
    large(() => "a".repeat(200_000), 8),
  );
  expect(await writeStep(matches, side, options)).toBeUndefined();
  matches.close();
  const fewer = await sidesOf(
    [],
    large(() => "a".repeat(200_000), 4),
  );
  expect(await writeStep(fewer.matches, fewer.side, options)).toMatchObject({ step: { put: 4 } });
  fewer.matches.close();
});

test("an abort stops writing, and closes the file", async () => {
  const { matches, side } = await sidesOf(
    [],
    large(() => noise(100), 3),
  );
  const reason = new Error("enough");
  await expect(writeStep(matches, side, { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  matches.close();
  expect(existsSync(join(side.folder, "changes"))).toBe(false);
  expect(openFiles(side.folder)).toEqual([]);
});
