/** records.csv.gz: made with the release, verified, served and linked. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { type BuildOptions, build, createServer, verify } from "rollcall";
import { expect, onTestFinished, test } from "vitest";
import { reseal } from "../support/damage.js";
import { plainRows, writeUsers } from "../support/database.js";
import { checkSums, scratch } from "../support/files.js";
import { STATIONS, stations, writeStations } from "../support/stations.js";

const PATH = "records.csv.gz";
const baseUrl = "https://directory.example.com";

const built = async (options: Omit<BuildOptions, "dist" | "baseUrl">) => {
  const dist = scratch();
  const result = await build({ ...options, baseUrl, dist, csv: true });
  const bytes = readFileSync(join(result.folder, PATH));
  return { ...result, dist, bytes, text: String(gunzipSync(bytes)) };
};

const stationsFile = (count: number) =>
  writeStations(
    join(scratch(), "stations.sqlite"),
    stations(count).map(({ row }) => row),
  );

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
  const { folder, text } = await built({ db: writeUsers(join(scratch(), "u.sqlite"), []) });
  expect(text).toMatch(/^bio,circles,[a-z_.,]+,wac_status\n$/);
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
});

test("a release without it is not what a build with it wants", async () => {
  const options = { db: writeUsers(join(scratch(), "u.sqlite"), plainRows(20)), baseUrl, dist: scratch() };
  const plain = await build(options);
  const csv = await build({ ...options, csv: true });
  expect([csv.isNew, csv.id]).toEqual([true, plain.id]);
  expect(await build({ ...options, csv: true })).toMatchObject({ isNew: false, name: csv.name });
  expect(await build(options)).toMatchObject({ isNew: false, name: plain.name });
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
  expect(await found(text.replace("closed,code", "closed,id"))).toMatchObject([["csv", { path: PATH }]]);
  expect(await found([...lines.slice(0, 30), "x", ...lines.slice(31), ""].join("\n"))).toMatchObject([
    ["csv", { path: PATH, page: 2 }],
  ]);
  expect(await found(`${lines.slice(0, -1).join("\n")}\n`)).toMatchObject([
    ["csv", { page: 3, found: "an end", expected: "as many records as the pages have" }],
  ]);
  expect(await found(`${text}${lines.at(-1)}\n`)).toMatchObject([["csv", { found: "more records" }]]);
});

test("is served with ranges, described, and linked by the explorer", async () => {
  const { dist, folder, bytes } = await built({ db: stationsFile(50), contract: STATIONS, explorer: true });
  const server = await createServer({ folder: dist });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0, host: "127.0.0.1" });
  const whole = await fetch(`${url}/${PATH}`);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    ...{ "content-type": "application/gzip", "accept-ranges": "bytes" },
  });
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
  const range = await fetch(`${url}/${PATH}`, { headers: { Range: "bytes=2-5" } });
  expect([range.status, Buffer.from(await range.arrayBuffer())]).toEqual([206, bytes.subarray(2, 6)]);
  const { paths } = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  expect(Object.keys(paths[`/${PATH}`].get.responses["206"].content)).toEqual(["application/gzip"]);
  const page = readFileSync(join(folder, "index.html"), "utf8");
  expect(page).toContain(`<a href="./${PATH}" download>Download CSV</a>`);
});
