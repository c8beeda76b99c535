/** Diffs by any key: texts of 1 to 5,000 bytes, difficult ones, too, and integers. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DiffResult } from "../../../src/diff/diff.js";
import { diff as compare } from "../../../src/index.js";
import { scratch } from "../../support/files.js";
import { type Random, seeded } from "../../support/random.js";
import { contractOfThings, publishThings, type Thing } from "./things.js";

const HARD = ['"', "\\", "\n", "\u0001", "é", "ﾮ", "🕊", "\u2028", " ", "a", "Z", "0", "-", ","];

const KEYS: Record<string, (random: Random, at: number) => string | number> = {
  "plain texts of 1 to 5,000 bytes": (random, at) => `${at}${"x".repeat(random.below(5000 - String(at).length))}`,
  "hard texts": (random, at) => Array.from({ length: random.below(30) }, () => random.of(HARD)).join("") + at,
  "hard texts of up to 5,000 bytes": (random, at) => random.of(HARD).repeat(random.below(1200)) + at,
  "texts that look like integers, or JSON": (random, at) => `${random.of(["", "-", '"', "0", "1e"])}${at}`,
  "integers, negative ones too": (random, at) => (random.chance(0.5) ? -1 : 1) * (at + random.below(2) * 10 ** 12),
};

/** Things before and after edits of every kind. Many have the key's text in another field. */
function edited(random: Random, keyOf: (at: number) => string | number): [Thing[], Thing[]] {
  const thing = (at: number): Thing => {
    const key = keyOf(at);
    const note = random.chance(0.3) ? `"key":${JSON.stringify(key)}` : [...String(key)].slice(0, 9).join("");
    return { key, size: random.below(40) - 20, note, kind: random.of(["a", "b", "c", null] as const) };
  };
  const all = Array.from({ length: 400 }, (_, at) => thing(at));
  const old = all.slice(0, 360);
  const kept = old.filter((_, at) => at % 45 !== 7);
  const after = kept.map((one, at): Thing => {
    if (at % 9 === 3) return { ...one, note: `${one.note}!`, kind: one.kind === "a" ? "b" : "a" };
    // Moves over pages.
    return at % 31 === 5 ? { ...one, size: one.size + 17 } : one;
  });
  return [old, [...after, ...all.slice(360)]];
}

const byBytes = (one: Thing["key"], other: Thing["key"]) =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));

function inOrder(things: readonly Thing[]): Thing[] {
  return [...things].sort((one, other) => other.size - one.size || byBytes(one.key, other.key));
}

function expected(old: readonly Thing[], now: readonly Thing[]) {
  const [before, after] = [new Map(old.map((one) => [one.key, one])), new Map(now.map((one) => [one.key, one]))];
  return [
    ...inOrder(now.filter(({ key }) => !before.has(key))).map((record) => ({ kind: "added", id: record.key, record })),
    ...inOrder(old.filter(({ key }) => !after.has(key))).map((record) => ({ kind: "removed", id: record.key, record })),
    ...inOrder(now).flatMap((one) => {
      const was = before.get(one.key);
      const paths = (["kind", "note", "size"] as const).filter((path) => was && was[path] !== one[path]);
      const fields = paths.map((path) => ({ path, old: was?.[path], new: one[path] }));
      return fields.length === 0 ? [] : [{ kind: "changed", id: one.key, fields, old: was, new: one }];
    }),
  ];
}

async function changesOf(comparison: DiffResult) {
  const found = [];
  for await (const change of comparison.changes()) found.push(change);
  comparison.close();
  return found;
}

describe.each(Object.entries(KEYS))("%s", (_, keyOf) => {
  test.each([1, 2, 3])("seed %i", async (seed) => {
    const random = seeded(seed);
    const keys = new Map<number, string | number>();
    const [old, now] = edited(random, (at) => {
      const key = keys.get(at) ?? keyOf(random, at);
      keys.set(at, key);
      return key;
    });
    const folder = scratch();
    const contract = contractOfThings({ key: { type: typeof old[0]?.key === "number" ? "integer" : "string" } });
    for (const things of [old, now]) await publishThings(folder, contract, things);
    const comparison = await compare({ dist: join(folder, "dist"), workers: 0 });
    expect(comparison.flow.map(({ field }) => field)).toContain("kind");
    expect(await changesOf(comparison)).toEqual(expected(old, now));
  });
});

test("counts moves between values of a facet, most records first", async () => {
  const folder = scratch();
  const things = Array.from({ length: 50 }, (_, at): Thing => ({ key: `k${at}`, size: at, note: "", kind: "a" }));
  const moved = things.map((one, at): Thing => ({ ...one, kind: at < 30 ? "b" : at < 45 ? null : "a" }));
  for (const all of [things, moved]) await publishThings(folder, contractOfThings(), all);
  const comparison = await compare({ dist: join(folder, "dist"), workers: 0 });
  comparison.close();
  expect(comparison.flow).toEqual([
    { field: "kind", from: "a", to: "b", count: 30 },
    { field: "kind", from: "a", to: null, count: 15 },
  ]);
});

test("a facet with very many values has no moves", async () => {
  const folder = scratch();
  const contract = contractOfThings({ note: { type: "string", "x-facet": true } });
  const things = Array.from({ length: 10_002 }, (_, at): Thing => ({ key: at + 1, size: 0, note: `${at}`, kind: "a" }));
  const other = things.map((one): Thing => ({ ...one, note: `${one.note}!`, kind: one.key === 7 ? "c" : "a" }));
  const keyed: typeof contract = { ...contract, properties: { ...contract.properties, key: { type: "integer" } } };
  for (const all of [things, other]) await publishThings(folder, keyed, all, { pageSize: 1000 });
  const comparison = await compare({ dist: join(folder, "dist"), workers: 0 });
  comparison.close();
  expect(comparison.flow).toEqual([{ field: "kind", from: "a", to: "c", count: 1 }]);
  expect(comparison.fields.get("note")).toBe(10_002);
});
