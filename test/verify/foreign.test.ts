/** `rollcall verify` on disk of releases whose records are no users: they pass, and every kind of damage is found. */
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { build } from "../../src/build/build.js";
import type { BuildOptions } from "../../src/build/options.js";
import { contractOf } from "../../src/contract/contract.js";
import { CONTRACT, OLD_RECORDS, SNAPSHOT } from "../../src/release/layout.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import { BASE_URL, edit, entriesRelease, readSnapshot, remake, reseal } from "../support/damage.js";
import type { Row } from "../support/database.js";
import { ENTRIES, entries, writeEntries } from "../support/entries.js";
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
    ...{ db, out: join(folder, "dist"), baseUrl: BASE_URL, contract: STATIONS, table: "stations", pageSize: 2 },
    ...options,
  });
  renameSync(built.folder, join(folder, "release"));
  return join(folder, "release");
}

describe("a whole release has no finding", () => {
  test("of stations and of entries, with a look-up and a page for people", async () => {
    for (const folder of [
      await stationsRelease(30, { explorer: true }),
      await entriesRelease(entries(23), { explorer: true }),
    ]) {
      const verdict = await verifyRelease({ folder });
      expect(differing(verdict)).toEqual([]);
      for (const name of ["lookup", "explorer"]) expect(row(verdict, name)).toMatchObject({ outcome: "passed" });
    }
  });

  test("of stations below a base URL that ends as the listing of users does", async () => {
    const folder = await stationsRelease(3, { baseUrl: "https://weather.example.com/api/users" });
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
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
      "entries stand in the order of the contract across all pages: topic, -level, seq",
    );
    expect(row(verdict, "unique-keys")?.rule).toBe("no two entries have the same seq");
    expect(row(verdict, "contract")?.outcome).toBe("passed");
  });

  test("of stations: numbers, any JSON and nested fields", async () => {
    for (const links of ["query", "path"] as const) {
      const folder = await stationsRelease(40, { links, encodings: ["gzip"] });
      const verdict = await verifyRelease({ folder });
      expect(differing(verdict)).toEqual([]);
      expect(row(verdict, "records")).toMatchObject({ request: "40 stations", outcome: "passed" });
    }
  });

  test("of nothing, of one, and where every record ties", async () => {
    for (const rows of [[], entries(1), entries(40).map((row) => ({ ...row, topic: "a", level: 1n }))]) {
      const sorted = rows.toSorted((one, other) => Number(one["seq"]) - Number(other["seq"]));
      expect(differing(await verifyRelease({ folder: await entriesRelease(sorted) }))).toEqual([]);
    }
  });

  test.each(["TEXT COLLATE NOCASE", "BLOB", "NUMERIC", "VARCHAR(5) COLLATE RTRIM"])(
    "from columns of %s",
    async (text) => {
      const folder = scratch();
      const rows = entries(23).map((row) => ({ ...row, title: String(row["topic"]).toUpperCase() }));
      const db = writeEntries(join(folder, "log.sqlite"), rows, text);
      const options = {
        db,
        out: join(folder, "dist"),
        baseUrl: BASE_URL,
        contract: ENTRIES,
        table: "entries",
        pageSize: 4,
      };
      const built = await build(options);
      expect(readSnapshot(built.folder).warnings["low-level"]).toBe(12);
      expect(differing(await verifyRelease({ folder: built.folder }))).toEqual([]);
    },
  );

  test("with keys and texts of any length", async () => {
    const rows = entries(9).map((row) => ({ ...row, topic: `${"ä".repeat(60_000)}${row["topic"]}` }));
    expect(differing(await verifyRelease({ folder: await entriesRelease(rows, { pageSize: 2 }) }))).toEqual([]);
  });
});

test("a release from before releases had a contract passes, whatever its warnings were called", async () => {
  const folder = join(scratch(), "before");
  cpSync(new URL("../release/before", import.meta.url), folder, { recursive: true });
  const verdict = await verifyRelease({ folder });
  expect(differing(verdict)).toEqual([]);
  expect(row(verdict, "contract")).toMatchObject({ outcome: "skipped", note: "it has no contract.json" });
  expect(row(verdict, "record-list")?.outcome).toBe("passed");
  const change = (warnings: object) => {
    writeFileSync(join(folder, SNAPSHOT), JSON.stringify({ ...readSnapshot(folder), warnings }));
    reseal(folder);
    return verifyRelease({ folder });
  };
  expect(differing(await change({ circles_not_empty: 2, wac_status_unobserved: 1 }))).toEqual([]);
  expect(differing(await change({ tokens_do_not_add_up: 1 }))).toEqual(["snapshot"]);
  edit(folder, OLD_RECORDS, (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0")));
  reseal(folder);
  expect(differing(await verifyRelease({ folder }))).toEqual(["snapshot", "record-list"]);
});

describe("order and keys", () => {
  test("order by bytes: U+FFEE before U+1F54A, whatever UTF-16 says", async () => {
    const rows = entries(7).filter(({ topic }) => ["\uffee", "\u{1f54a}"].includes(String(topic)));
    const folder = await entriesRelease(rows);
    expect(differing(await verifyRelease({ folder }))).toEqual([]);
    edit(folder, page(1), (text) => text.replace(/\n([^\n]*),\n([^\n]*)\n/, "\n$2,\n$1\n"));
    remake(folder);
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["order"]);
    expect(row(verdict, "order")?.findings).toMatchObject([{ found: 'topic "\uffee" after "\u{1f54a}"' }]);
  });

  test("a tie in the wrong order at the edge of two pages", async () => {
    const tied = entries(8).map((row): Row => ({ ...row, topic: "a", level: 1n, short: "s", title: "t" }));
    const folder = await entriesRelease(tied.toSorted((one, other) => Number(one["seq"]) - Number(other["seq"])));
    const keyOf = (text: string, at: number) => text.match(/"seq":-?\d+/g)?.at(at) ?? "";
    const [one, two] = [1, 2].map((number) => readFileSync(join(folder, page(number)), "utf8")) as [string, string];
    const [last, first] = [keyOf(one, -1), keyOf(two, 0)];
    edit(folder, page(1), (text) => text.replace(`${last},`, `${first},`));
    edit(folder, page(2), (text) => text.replace(`${first},`, `${last},`));
    remake(folder);
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["order"]);
    expect(row(verdict, "order")?.findings).toMatchObject([
      { page: 2, found: expect.stringMatching(/^seq -?\d+ after -?\d+, of equal topic, level$/) },
    ]);
  });

  test("many entries with one key", async () => {
    const folder = await entriesRelease(entries(60), { pageSize: 10 });
    for (let number = 1; number <= 6; number++)
      edit(folder, page(number), (text) => text.replaceAll(/"seq":-?\d+/g, '"seq":7'));
    remake(folder);
    reseal(folder);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["unique-keys"]);
    expect(row(verdict, "unique-keys")?.findings).toMatchObject([{ id: "7", found: "60 times, on pages 1 to 6" }]);
  });
});

describe("a contract.json that is none", () => {
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
  ])("%s is a finding, and what does not depend on it is checked", async (_what, change, found) => {
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

  test("is listed and not there", async () => {
    rmSync(join(folder, CONTRACT));
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["files", "contract"]);
    expect(row(verdict, "contract")?.findings).toMatchObject([{ path: CONTRACT, found: "no file to read" }]);
  });

  test("is a folder", async () => {
    rmSync(join(folder, CONTRACT));
    cpSync(new URL("../release/before", import.meta.url), join(folder, CONTRACT), { recursive: true });
    expect(differing(await verifyRelease({ folder }))).toEqual(["files", "contract"]);
  });
});
