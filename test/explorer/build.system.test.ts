/** `build --explorer`: the same bytes from every build of the same records, carried on by links, and gone where it is not asked for. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, build } from "rollcall";
import { describe, expect, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import { toSql } from "../../src/contract/sql.js";
import { plainRows, writeUsers } from "../support/database.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { FOREIGN } from "../support/foreign.js";

const baseUrl = "https://people.example.org/directory";
const OWN = /^(?:index\.html|explorer\/|lookup\/)/;

/** The files of the page for people, by path. */
function ownFiles(folder: string): Map<string, string> {
  return new Map([...readTree(folder)].filter(([path]) => OWN.test(path)));
}

async function outcomeOf(options: Omit<BuildOptions, "dist" | "baseUrl">) {
  const result = await build({ ...options, baseUrl, dist: scratch(), explorer: true });
  checkSums(result.folder);
  return { ...result, files: ownFiles(result.folder) };
}

function usersFile(count: number): string {
  const db = join(scratch(), "users.sqlite");
  writeUsers(db, plainRows(count));
  return db;
}

test("one thread and several write the same files, and the release says which", async () => {
  const db = usersFile(2345);
  const alone = await outcomeOf({ db, workers: 0, pageSize: 10 });
  const together = await outcomeOf({ db, workers: 3, pageSize: 10 });
  expect([alone.workers, together.workers]).toEqual([0, 3]);
  expect(together.files).toEqual(alone.files);
  expect(together.id).toBe(alone.id);
  expect(alone.explorer).toBe(`${baseUrl}/`);
  const paths = [...alone.files.keys()].filter((path) => !path.startsWith("lookup/"));
  expect(paths).toEqual([
    ...["explorer/app.js", "explorer/facets/1.txt", "explorer/icon.svg", "explorer/style.css"],
    ...["explorer/summary.json", "index.html"],
  ]);
  expect(JSON.parse(alone.files.get("explorer/summary.json") ?? "")).toMatchObject({ count: 2345, version: 1 });
  expect(alone.files.get("index.html")).toContain("<h1>2,345 users</h1>");
});

test("what has not changed is linked from the last release; a build without a page has none of it", async () => {
  const [db, dist] = [usersFile(50), scratch()];
  const first = await build({ db, baseUrl, dist, explorer: true });
  const again = await build({ db, baseUrl, dist, explorer: true });
  expect([again.isNew, again.explorer]).toEqual([false, `${baseUrl}/`]);
  const bulk = await build({ db, baseUrl, dist, explorer: true, bulk: true });
  const inode = (folder: string, path: string) => statSync(join(folder, path)).ino;
  for (const path of ["explorer/app.js", "explorer/summary.json"])
    expect(inode(bulk.folder, path)).toBe(inode(first.folder, path));
  expect(readFileSync(join(bulk.folder, "index.html"), "utf8")).toContain('href="./bulk.json"');
  const without = await build({ db, baseUrl, dist });
  expect(without.explorer).toBeUndefined();
  expect([...ownFiles(without.folder).keys()]).toEqual([]);
  expect(without).toMatchObject({ isNew: true, id: first.id });
});

describe.each(FOREIGN.slice(0, 2))("a contract that is not of users", ({ contract, config, fill }) => {
  test("has a page, whose counts are of all records", async () => {
    const db = join(scratch(), "source.sqlite");
    const database = new Database(db);
    database.exec(toSql(contractOf(contract)));
    database.exec(fill);
    database.close();
    const { pageSize } = config as { pageSize: number };
    const { files, records } = await outcomeOf({ db, contract, pageSize, workers: 2, defaultAvatar: baseUrl });
    const { count, facets } = JSON.parse(files.get("explorer/summary.json") ?? "");
    expect(count).toBe(records);
    expect(facets.length).toBeGreaterThan(0);
    for (const { values, more } of facets)
      if (more === 0)
        expect(values.reduce((sum: number, { count: one }: { count: number }) => sum + one, 0)).toBe(records);
    expect(files.get("index.html")).toContain(`<h1>${records} ${contract["x-listing"].words[1]}</h1>`);
  });
});
