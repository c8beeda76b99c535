/** records.csv.gz: made with the release, verified, served and linked. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { type BuildOptions, build, verify } from "rollcall";
import { expect, test } from "vitest";
import { reseal } from "../../support/damage.js";
import { usersFile } from "../../support/database.js";
import { checkSums, scratch } from "../../support/files.js";
import { STATIONS, stations, stationsFile } from "../../support/stations.js";

const PATH = "records.csv.gz";
const baseUrl = "https://directory.example.com";

const built = async (options: Omit<BuildOptions, "dist" | "baseUrl">) => {
  const dist = scratch();
  const result = await build({ ...options, baseUrl, dist, csv: true });
  const bytes = readFileSync(join(result.folder, PATH));
  return { ...result, dist, bytes, text: String(gunzipSync(bytes)) };
};

const rowsOf = async (folder: string) => {
  const { rows } = await verify({ what: folder });
  return rows.filter(({ outcome }) => outcome === "differs").map(({ name, findings }) => [name, findings[0]] as const);
};

test("has a row for each record in published order, the same bytes with any threads, and is verified", async () => {
  const db = stationsFile(1234);
  const one = await built({ db, contract: STATIONS, workers: 0, pageSize: 7 });
  const rows: Record<string, string>[] = parse(one.text, { columns: true });
  expect(rows.map(({ code }) => code)).toEqual(stations(1234).map(({ record }) => record.code));
  expect(one.text.endsWith("\n") && !one.text.includes("\r") && !one.text.startsWith("\ufeff")).toBe(true);
  checkSums(one.folder);
  expect(await verify({ what: one.folder })).toMatchObject({ passed: true });
  const threads = await built({ db, contract: STATIONS, workers: 3, pageSize: 7 });
  expect(threads.bytes.equals(one.bytes)).toBe(true);
});

test("of no records is its heading", async () => {
  const { folder, text } = await built({ db: usersFile([]) });
  expect(text).toMatch(/^bio,circles,[a-z_.,]+,wac_status\n$/);
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
});

test("verify finds a flipped byte, another cell, a row that is missing and one too many", async () => {
  const { folder, bytes, text } = await built({ db: stationsFile(50), contract: STATIONS, pageSize: 20 });
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(folder, PATH), flipped);
  expect((await rowsOf(folder)).map(([name]) => name)).toEqual(["digests", "csv"]);
  const found = async (changed: string) => {
    writeFileSync(join(folder, PATH), gzipSync(changed));
    reseal(folder);
    return rowsOf(folder);
  };
  expect(await found(text)).toEqual([]);
  const lines = text.trimEnd().split("\n");
  expect(await found(text.replace("code,name", "id,name"))).toMatchObject([["csv", { path: PATH }]]);
  expect(await found([...lines.slice(0, 30), "x", ...lines.slice(31), ""].join("\n"))).toMatchObject([
    ["csv", { path: PATH, found: expect.stringContaining("plain bytes of") }],
  ]);
  expect(await found(`${lines.slice(0, -1).join("\n")}\n`)).toMatchObject([
    ["csv", { found: expect.stringContaining("plain bytes of") }],
  ]);
  expect(await found(`${text}${lines.at(-1)}\n`)).toMatchObject([["csv", { found: "more plain bytes" }]]);
});
