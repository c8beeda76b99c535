/** `rollcall verify` on disk of releases with other contracts: intact ones pass, and damage is found. */
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import { CONTRACT } from "../../src/release/layout.js";
import { build } from "../../src/snapshot/build.js";
import type { BuildOptions } from "../../src/snapshot/options.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import { BASE_URL, edit, entriesRelease, readSnapshot, reseal } from "../support/damage.js";
import { ENTRIES, entries } from "../support/entries.js";
import { scratch } from "../support/files.js";
import { STATIONS, stations, writeStations } from "../support/stations.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);
const page = (number: number) => `log/entries/pages/${number}.json`;

async function stationsRelease(count = 9, options: Partial<BuildOptions> = {}) {
  const folder = scratch();
  const db = writeStations(
    join(folder, "stations.sqlite"),
    stations(count).map(({ row }) => row),
  );
  const built = await build({
    ...{ db, dist: join(folder, "dist"), baseUrl: BASE_URL, contract: STATIONS, table: "stations", pageSize: 2 },
    ...options,
  });
  renameSync(built.folder, join(folder, "release"));
  return join(folder, "release");
}

describe("an intact release has no finding", () => {
  test("of stations and of entries, with a lookup and an explorer", async () => {
    for (const folder of [
      await stationsRelease(30, { explorer: true }),
      await entriesRelease(entries(23), { explorer: true }),
    ]) {
      const verdict = await verifyRelease({ folder });
      expect(differing(verdict)).toEqual([]);
      for (const name of ["lookup", "explorer"]) expect(row(verdict, name)).toMatchObject({ outcome: "passed" });
    }
  });

  test("of entries: an integer for a key, and conditions that are not true of all", async () => {
    const folder = await entriesRelease();
    expect(readSnapshot(folder)).toMatchObject({
      contract: 3,
      warnings: { "open-or-closed": 1, "low-level": 3, "short-title": 10 },
    });
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual([]);
    expect(verdict.words).toEqual(["entry", "entries"]);
    expect(row(verdict, "records")).toMatchObject({
      request: "23 entries",
      rule: "every entry is valid by the contract",
    });
    expect(row(verdict, "order")?.rule).toBe(
      "entries are in the contract's order across all pages: topic, -level, seq",
    );
    expect(row(verdict, "unique-keys")?.rule).toBe("no two entries have the same seq");
    expect(row(verdict, "contract")?.outcome).toBe("passed");
  });

  test("of no record, of one, and of records with equal order values", async () => {
    for (const rows of [[], entries(1), entries(40).map((row) => ({ ...row, topic: "a", level: 1n }))]) {
      const sorted = rows.toSorted((one, other) => Number(one["seq"]) - Number(other["seq"]));
      expect(differing(await verifyRelease({ folder: await entriesRelease(sorted) }))).toEqual([]);
    }
  });
});

describe("an invalid contract.json", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await entriesRelease();
  });

  test.each([
    ["is no JSON", (text: string) => text.slice(0, -5), /^The file is not JSON: /],
    ["is empty", () => "", /^The file is not JSON: /],
    ["has a keyword that nobody knows", (text: string) => text.replace('"maximum"', '"maximun"'), /maximun/],
    [
      "has a condition that is more than an expression",
      (text: string) => text.replace("<> topic", "<> topic; DROP"),
      /./,
    ],
    ["is far too large", (text: string) => `${" ".repeat(2 ** 21)}${text}`, /^no file to read$/],
    ["is nested too deep", () => "[".repeat(100_000), /nested/],
  ])("%s is a finding, and independent checks still run", async (_what, change, found) => {
    const contract = contractOf(ENTRIES);
    edit(folder, CONTRACT, change);
    reseal(folder, contract);
    edit(folder, page(2), (text) => text.replace("title", "titel"));
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["digests", "contract", "compressed"]);
    expect(row(verdict, "contract")?.findings[0]).toMatchObject({
      path: CONTRACT,
      found: expect.stringMatching(found),
    });
    for (const name of ["pages", "records", "canonical", "order", "unique-keys", "count", "record-list"])
      expect(row(verdict, name)).toMatchObject({ outcome: "skipped", note: "contract.json cannot be used" });
    expect(passed(verdict)).toBe(false);
  });

  test.each([ENTRIES["x-listing"].path, "/"])("that is listed but missing, with the listing at %s", async (path) => {
    const contract = { ...ENTRIES, "x-listing": { ...ENTRIES["x-listing"], path } };
    const release = await entriesRelease(undefined, { contract });
    rmSync(join(release, CONTRACT));
    const verdict = await verifyRelease({ folder: release });
    expect(differing(verdict)).toEqual(["files", "contract"]);
    expect(row(verdict, "contract")?.findings).toMatchObject([{ path: CONTRACT, found: "no file to read" }]);
  });
});
