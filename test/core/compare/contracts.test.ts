/** Diffs of releases with different contracts: changes of the contract, and records compared by common fields. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findContractChanges } from "../../../src/core/contract/changes.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import type { ContractFile } from "../../../src/core/contract/file/form.js";
import { diff as compare } from "../../../src/index.js";
import { scratch } from "../../support/files.js";
import { STATIONS, STATIONS_CONTRACT } from "../../support/stations.js";
import { contractOfThings, publishThings } from "./things.js";

type Options = Omit<Parameters<typeof compare>[0], "dist">;

async function compared(sides: [ContractFile, readonly object[]][], options: Options = {}) {
  const folder = scratch();
  for (const [contract, things] of sides) await publishThings(folder, contract, things, { force: true });
  const comparison = await compare({ dist: join(folder, "dist"), workers: 0, ...options });
  const changes = [];
  for await (const change of comparison.changes()) changes.push(change);
  comparison.close();
  return { ...comparison, changes };
}

const THINGS = Array.from({ length: 70 }, (_, at) => ({ key: `k${at}`, size: at, note: "n", kind: "a" }));
const kinds = ({ added, removed, changed, unchanged }: Record<string, unknown>) => [added, removed, changed, unchanged];

test("a field of one side only is a change of the contract, not of records", async () => {
  const color = { type: "string" } as const;
  const found = await compared([
    [contractOfThings({ color }), THINGS.map((one) => ({ ...one, color: "red" }))],
    [
      contractOfThings({ weight: { type: "integer" } }),
      THINGS.map((one, at) => ({ ...one, weight: at, note: at === 40 ? "other" : "n" })),
    ],
  ]);
  expect(found.contract).toEqual({
    ...{ added: ["weight"], removed: ["color"] },
    ...{ fields: [], listing: [], conditions: [], hasOtherKey: false },
  });
  expect(kinds(found)).toEqual([0, 0, 1, 69]);
  expect(found.changes).toMatchObject([{ id: "k40", fields: [{ path: "note", old: "n", new: "other" }] }]);
});

test("compares records of another path and order by key", async () => {
  const found = await compared([
    [contractOfThings(), THINGS],
    [contractOfThings({}, { path: "/v2/things/", order: ["key"], words: ["item", "items"] }), THINGS.slice(1)],
  ]);
  expect(found.contract?.listing.map(({ keyword }) => keyword)).toEqual(["order", "path", "words"]);
  expect(kinds(found)).toEqual([0, 1, 0, 69]);
});

test("a key of another type is compared as the key, and changes in each record", async () => {
  const numbers = THINGS.map((one, at) => ({ ...one, key: at - 5 }));
  const found = await compared([
    [contractOfThings({ key: { type: "integer" } }), numbers],
    [contractOfThings(), numbers.map((one) => ({ ...one, key: String(one.key) }))],
  ]);
  expect(found.contract?.fields).toEqual([{ path: "key", keyword: "type", old: "integer", new: "string" }]);
  expect(kinds(found)).toEqual([0, 0, 70, 0]);
  expect(found.changes[0]).toMatchObject({ kind: "changed", id: "64", fields: [{ path: "key", old: 64, new: "64" }] });
});

test("with another key field, all records are removed and added, and gates apply", async () => {
  const id = { type: "string" } as const;
  const things = THINGS.map((one, at) => ({ ...one, id: `i${at}` }));
  const sides: [ContractFile, readonly object[]][] = [
    [contractOfThings({ id }), things],
    [contractOfThings({ id }, { key: "id", order: ["-size", "id"] }), things],
  ];
  const found = await compared(sides, { maxRemoved: "50%" });
  expect(found.contract).toMatchObject({ hasOtherKey: true });
  expect(kinds(found)).toEqual([70, 70, 0, 0]);
  expect(found.changes.map(({ kind, id }) => [kind, id])).toEqual([
    ...things.toReversed().map(({ id }) => ["added", id]),
    ...things.toReversed().map(({ key }) => ["removed", key]),
  ]);
  expect(found.exceeded).toEqual(["max-removed 50%: 70 of 70 things removed (100 %)"]);
});

test("gates apply to a build with another contract", async () => {
  const folder = scratch();
  await publishThings(folder, contractOfThings(), THINGS);
  const other = contractOfThings({ note: undefined }, { order: ["key"] });
  const fewer = THINGS.slice(0, 60).map(({ note: _, ...one }) => one);
  await expect(publishThings(folder, other, fewer, { maxRemoved: 9 })).rejects.toThrow(
    "exceeds max-removed 9: 10 of 70 things removed",
  );
  const { gates } = await publishThings(folder, other, fewer, { maxRemoved: 10, maxChanged: 0 });
  expect(gates).toMatchObject({ added: 0, removed: 10, changed: 0 });
});

describe("named fields", () => {
  const sides: [ContractFile, readonly object[]][] = [
    [contractOfThings({ color: { type: "string" } }), THINGS.map((one) => ({ ...one, color: "red" }))],
    [contractOfThings(), THINGS.map((one) => ({ ...one, note: "m", kind: "b" }))],
  ];

  test.each<[what: string, options: Options, changed: number]>([
    ["by one side only", { only: ["color"] }, 0],
    ["by both sides", { only: ["kind", "color"] }, 70],
    ["to be left out", { ignore: ["kind", "note"] }, 0],
  ])("%s", async (_, options, changed) => {
    expect((await compared(sides, options)).changed).toBe(changed);
  });

  test.each<[options: Options, message: RegExp]>([
    [{ only: ["colour"] }, /^only names "colour", which is not a field; .*color/],
    [{ ignore: ["key.*"] }, /^ignore names "key\.\*", which is not a field/],
    [{ maxField: ["sise=1"] }, /^maxField names "sise", which is not a field; .*size/],
    [{ ignore: ["note"], maxField: ["note=1"] }, /^The gate on note cannot see changes/],
  ])("%j is refused", async (options, message) => {
    await expect(compared(sides, options)).rejects.toThrow(message);
  });
});

describe("what changed in a contract", () => {
  const changed = (change: object) => findContractChanges(STATIONS_CONTRACT, contractOf({ ...STATIONS, ...change }));
  const { code, position, ...others } = STATIONS.properties;

  test("nothing for another order of members", () => {
    expect(changed({})).toBeUndefined();
    expect(changed({ properties: { ...others, position, code } })).toBeUndefined();
  });

  test("keywords of fields and of objects of fields, by path", () => {
    const { longitude, ...rest } = position.properties;
    const moved = {
      ...{ ...position, description: "Where it is." },
      properties: { ...rest, longitude: { ...longitude, maximum: 90 }, height: { type: "number" } },
    };
    const { pattern: _, ...free } = code;
    expect(changed({ properties: { ...others, position: moved, code: free } })).toEqual({
      ...{ added: ["position.height"], removed: [], listing: [], conditions: [], hasOtherKey: false },
      fields: [
        { path: "code", keyword: "pattern", old: code.pattern, new: undefined },
        { path: "position", keyword: "description", old: undefined, new: "Where it is." },
        { path: "position.longitude", keyword: "maximum", old: 180, new: 90 },
      ],
    });
  });

  test("a field that becomes an object of fields is another field", () => {
    const found = changed({ properties: { ...others, code, position: { type: "string" } } });
    expect(found).toMatchObject({ added: ["position"], removed: ["position.latitude", "position.longitude"] });
    expect(found?.fields).toEqual([
      ...[{ path: "position", keyword: "additionalProperties", old: false, new: undefined }],
      ...[{ path: "position", keyword: "type", old: "object", new: "string" }],
    ]);
  });

  test("the listing, the title, and conditions by name", () => {
    const listing = { ...STATIONS["x-listing"], label: "code", version: 2 };
    const conditions = [{ name: "new", sql: "readings > 0" }];
    expect(changed({ title: "Place", "x-listing": listing, "x-observed": conditions })).toMatchObject({
      listing: [
        { keyword: "title", old: "Station", new: "Place" },
        { keyword: "label", old: "name", new: "code" },
        { keyword: "version", old: 1, new: 2 },
      ],
      conditions: [
        { name: "closed-after-opened", old: "closed IS NULL OR closed >= opened", new: undefined },
        { name: "new", old: undefined, new: "readings > 0" },
      ],
    });
  });
});
