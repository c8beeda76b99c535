/** Round trip: a build from a mirror makes the same pages that were mirrored. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkContract } from "../../src/core/contract/file/parse.js";
import { toSql } from "../../src/core/contract/sql.js";
import { type BuildOptions, build } from "../../src/index.js";
import { createSqliteStores } from "../../src/mirror/sqlite-store.js";
import { insertUsers, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { FOREIGN } from "../support/foreign.js";
import { draws } from "../support/random.js";
import { anyUser, toRow } from "../support/users.js";
import { fill } from "./filled.js";

const CASES = new URL("../cases/", import.meta.url).pathname;
const URL_OF = "https://directory.example.com";

/** Builds, mirrors, builds from the mirror with the release's contract, and compares. @returns the mirrored release's files. */
async function goRound(cwd: string, options: Omit<BuildOptions, "dist" | "baseUrl">) {
  const first = await build({ baseUrl: URL_OF, ...options, dist: join(cwd, "first") });
  const file = join(cwd, "mirror.sqlite");
  const stores = createSqliteStores(file, URL_OF);
  await fill(stores, first.folder);
  stores.close();
  const contract = join(first.folder, "contract.json");
  const { skipInvalid: _, ...settings } = options;
  const second = await build({ baseUrl: URL_OF, ...settings, db: file, contract, dist: join(cwd, "second") });
  const [before, after] = [pagesOf(first.folder), pagesOf(second.folder)];
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const [path, text] of before) expect(after.get(path), path).toBe(text);
  expect(before.size).toBeGreaterThan(2);
  return first;
}

function pagesOf(folder: string): Map<string, string> {
  const isOfRecords = (path: string) => /(?:^|\/)pages\/|^records\.sha256$|^contract\.json$/.test(path);
  return new Map([...readTree(folder)].filter(([path]) => isOfRecords(path)));
}

const published = readdirSync(CASES).filter((name) => !/\.|^refused$/.test(name));

test.each(published)("of the case %s", async (name) => {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), [], readFileSync(join(CASES, name, "users.sql"), "utf8"));
  await goRound(cwd, { db, ...JSON.parse(readFileSync(join(CASES, name, "options.json"), "utf8")) });
});

test.each(FOREIGN.map((foreign) => ({ foreign, many: foreign.contract["x-listing"].words[1] })))(
  "of $many",
  async ({ foreign, many }) => {
    const { contract, config, order, record } = foreign;
    const read = checkContract(contract);
    if ("mistakes" in read) throw new Error(read.mistakes.join());
    const cwd = scratch();
    const file = join(cwd, "source.sqlite");
    const db = new Database(file);
    db.exec(
      `${toSql(read)};${foreign.fill}; DELETE FROM "${many}" WHERE rowid NOT IN (SELECT rowid FROM "${many}" LIMIT 300)`,
    );
    const rows = db.prepare(`SELECT * FROM "${many}" ORDER BY ${order}`).all() as Record<string, unknown>[];
    db.close();
    const { folder } = await goRound(cwd, { db: file, contract, ...config } as unknown as BuildOptions);
    const pages = readdirSync(join(folder, contract["x-listing"].path ?? "", "pages"))
      .filter((name) => name.endsWith(".json"))
      .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
    const published = pages.flatMap((name) => {
      return JSON.parse(readFileSync(join(folder, contract["x-listing"].path ?? "", "pages", name), "utf8")).results;
    });
    expect(published).toEqual(rows.map(record));
    expect(rows.length).toBeGreaterThan(50);
  },
);

test("of any users", async () => {
  const users = fc.uniqueArray(anyUser, { selector: ({ id }) => id, maxLength: 30 });
  const property = fc.asyncProperty(users, async (some) => {
    const cwd = scratch();
    const file = writeUsers(join(cwd, "users.sqlite"), []);
    const db = new Database(file);
    insertUsers(db, some.map(toRow));
    db.close();
    await goRound(cwd, { db: file, pageSize: 7 });
  });
  await fc.assert(property, { numRuns: draws(50) });
});
