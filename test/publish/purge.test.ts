/** The purge list: exactly the URLs of new, changed and removed content. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type BuildOptions, type PublishOptions, publish } from "../../src/index.js";
import { switchTo, writeRelease } from "../serve/release.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { stationsAt } from "../support/stations.js";
import { buildUsers } from "./releases.js";

const BASE = "https://directory.example.com/people";

let folder: string;
let list: string;

beforeEach(() => {
  folder = scratch();
  list = join(folder, "purge.txt");
});

/** Publishes with a purge list, and returns its lines below the base URL. */
async function purged(options: Partial<PublishOptions> = {}): Promise<string[]> {
  const target = join(folder, "site");
  const { urls } = await publish({ dist: join(folder, "dist"), target, purgeList: list, ...options });
  const lines = readFileSync(list, "utf8").split("\n").slice(0, -1);
  expect(urls).toBe(lines.length);
  expect(new Set(lines).size).toBe(lines.length);
  return lines.map((line) => {
    expect(line.startsWith(`${BASE}/`) && URL.canParse(line)).toBe(true);
    return line.slice(BASE.length);
  });
}

/** The options of all releases here. */
const ALWAYS = ["/avatar.svg", "/contract.json", "/openapi.json"];
const SHARED = ["/records.sha256", "/SHA256SUMS", "/snapshot.json"];

test("with links by query, lists the query, the bare listing for page 1, and each variant by path", async () => {
  const rows = plainRows(30);
  const options: Partial<BuildOptions> = { baseUrl: BASE, compress: ["gzip"] };
  await buildUsers(folder, rows, options);
  await purged();
  const edited = rows.map((row, at) => (at === 3 || at === 25 ? { ...row, bio: "x" } : row));
  await buildUsers(folder, edited, options);
  expect(await purged({ dryRun: true })).toEqual(await purged());
  expect(await purged()).toEqual([]);
  await buildUsers(folder, rows, options);
  expect(await purged()).toEqual([
    "/api/users/",
    "/api/users/?format=api&page=1",
    "/api/users/pages/1.json",
    "/api/users/pages/1.json.gz",
    "/api/users/?format=api&page=3",
    "/api/users/pages/3.json",
    "/api/users/pages/3.json.gz",
    ...SHARED,
  ]);
});

test("with links by path, lists each page and variant once, and removed pages", async () => {
  await buildUsers(folder, 25, { baseUrl: BASE, links: "path", compress: ["br"] });
  expect(await purged()).toHaveLength(1 + 3 * 2 + ALWAYS.length + SHARED.length);
  await buildUsers(folder, 15, { baseUrl: BASE, links: "path" });
  expect(await purged()).toEqual([
    "/api/users/",
    "/api/users/pages/1.json",
    "/api/users/pages/1.json.br",
    "/api/users/pages/2.json",
    "/api/users/pages/2.json.br",
    "/api/users/pages/3.json",
    "/api/users/pages/3.json.br",
    "/openapi.json",
    ...SHARED,
  ]);
});

test("lists a page with its only changed variant", async () => {
  const dist = join(folder, "dist");
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE, count: 3, others: { "a+b/ü%.txt": "1" } }));
  await purged();
  await switchTo(
    dist,
    await writeRelease(dist, { baseUrl: BASE, count: 3, encodings: ["gzip"], others: { "a+b/ü%.txt": "2" } }),
  );
  expect(await purged()).toEqual([
    "/api/users/",
    "/api/users/?format=api&page=1",
    "/api/users/pages/1.json.gz",
    "/api/users/?format=api&page=2",
    "/api/users/pages/2.json.gz",
    "/a%2Bb/%C3%BC%25.txt",
    "/SHA256SUMS",
    "/snapshot.json",
  ]);
});

test("lists everything of both releases after an incomplete run", async () => {
  await buildUsers(folder, 25, { baseUrl: BASE, links: "path" });
  await purged();
  const stateFile = join(folder, "site/.rollcall-published.json");
  writeFileSync(stateFile, readFileSync(stateFile, "utf8").replace('"complete":true', '"complete":false'));
  await buildUsers(folder, 5, { baseUrl: BASE, links: "path" });
  const lines = await purged();
  expect(lines).toEqual(expect.arrayContaining([...ALWAYS, "/api/users/pages/3.json", ...SHARED]));
  expect(lines).toHaveLength(1 + 3 + ALWAYS.length + SHARED.length);
  expect(await purged()).toEqual([]);
});

test("refuses a list that cannot be written, before anything changes", async () => {
  await buildUsers(folder, 5, { baseUrl: BASE });
  mkdirSync(join(folder, "x.rollcall-new"));
  await expect(purged({ purgeList: join(folder, "x") })).rejects.toThrow("Cannot write");
  await expect(purged({ purgeList: join(folder, "none/x") })).rejects.toThrow("a part of its path does not exist");
  expect(existsSync(join(folder, "site"))).toBe(false);
});

test("lists the explorer by both URLs, with its sorted files, also when removed", async () => {
  const dist = join(folder, "dist");
  const others = { "index.html": "1", "lookup/words/1.txt": "1" };
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE, others }));
  expect(await purged()).toEqual(expect.arrayContaining(["/", "/index.html", "/lookup/words/1.txt"]));
  const edited = { ...others, "lookup/words/1.txt": "2" };
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE, others: edited }));
  expect((await purged()).sort()).toEqual(["/SHA256SUMS", "/lookup/words/1.txt"]);
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE }));
  expect((await purged()).sort()).toEqual(["/", "/SHA256SUMS", "/index.html", "/lookup/words/1.txt"]);
});

test.each([{}, { "index.html": "1" }])("lists page 1 at the base URL itself once, with %j", async (others) => {
  const dist = join(folder, "dist");
  const contract = stationsAt("/");
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE, contract, count: 3, pageSize: 3, others }));
  expect((await purged()).slice(0, 3)).toEqual(["/", "/?format=api&page=1", "/pages/1.json"]);
  // Another explorer over the same pages: hosts by path show it at the base URL.
  const edited = { ...others, "index.html": "2" };
  await switchTo(dist, await writeRelease(dist, { baseUrl: BASE, contract, count: 3, pageSize: 3, others: edited }));
  expect((await purged()).sort()).toEqual(["/", "/SHA256SUMS", "/index.html"]);
  // A move to another path removes what was at this one.
  await switchTo(
    dist,
    await writeRelease(dist, { baseUrl: BASE, contract: stationsAt("/pages/"), count: 3, pageSize: 3 }),
  );
  const lines = await purged({ force: true });
  expect(lines).toEqual(
    expect.arrayContaining(["/", "/pages/1.json", "/pages/", "/pages/pages/1.json", "/index.html"]),
  );
  expect([...readTree(join(folder, "site")).keys()].filter((path) => /pages|index/.test(path))).toEqual([
    "pages/pages/1.json",
  ]);
});
