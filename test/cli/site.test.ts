/** A site of several listings on the command line: whose settings win, and what messages name. */
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runSql } from "../support/database.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

let cwd: string;

/** Twenty records of `a`, and two of `b` that refer to the first. */
beforeEach(async () => {
  cwd = scratch();
  runSql(
    join(cwd, "s.db"),
    `CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, aid INTEGER REFERENCES a (id));
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO a SELECT i, 'x' FROM n;
      INSERT INTO b VALUES (1, 1), (2, 1)`,
  );
  expect(await run("init --from s.db --all")).toMatchObject({ code: 0 });
});

const run = (line: string) => rollcall(line, fakeIo(cwd));
const build = (more = "") => run(`build --no-explorer --workers 0 ${more}`);
const change = (sql: string) => runSql(join(cwd, "s.db"), `PRAGMA foreign_keys = OFF; ${sql}`);

/** Writes the config with settings of the site and of its listings. */
function configure(listings: Record<string, object>, more: object = {}): void {
  const file = join(cwd, "rollcall.config.json");
  const { explorer: _, ...config } = JSON.parse(readFileSync(file, "utf8"));
  for (const [name, own] of Object.entries(listings)) config.listings[name] = { ...config.listings[name], ...own };
  writeFileSync(file, JSON.stringify({ ...config, ...more }));
}

const snapshotOf = (name: string) => JSON.parse(readFileSync(join(cwd, "dist/current", name, "snapshot.json"), "utf8"));

test("flags win over the settings of a listing", async () => {
  change("UPDATE b SET aid = 99 WHERE id = 2");
  configure({ b: { skipInvalid: true, pageSize: 250, maxRemoved: 0 } });
  expect(await build("--no-skip-invalid")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("1 of 22 records is invalid, with 1 problem: nothing was published"),
  });
  expect(await build("--page-size 1")).toMatchObject({ code: 0 });
  expect(snapshotOf("b")).toMatchObject({ page_size: 1, skipped: 1 });
  change("DELETE FROM b");
  expect(await build()).toMatchObject({ code: 3 });
  expect(await build("--max-removed 100%")).toMatchObject({ code: 0 });
});

test("a flag that is for one listing is refused", async () => {
  expect(await build("--contract contracts/a.json")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: --contract is one contract, and listings in rollcall.config.json has 2 listings; give each its own: listings.a.contract.\n",
  });
  expect(await build("--table a")).toMatchObject({
    code: 2,
    stderr: "error: Each listing has a table or a query of its own; give it in listings.a.table or listings.a.query.\n",
  });
  expect(await run("schema --contract contracts/a.json")).toMatchObject({ code: 0 });
});

test("a listing whose records are all left out is named, and the others are published", async () => {
  expect(await build()).toMatchObject({ code: 0 });
  const before = readlinkSync(join(cwd, "dist/current"));
  change("UPDATE b SET aid = 99");
  expect(await build("--skip-invalid --max-removed b=1")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("exceeds b: max-removed 1: 2 of 2 bs removed (100 %)"),
  });
  expect(readlinkSync(join(cwd, "dist/current"))).toBe(before);
  const { code, stderr } = await build("--skip-invalid");
  expect(code).toBe(0);
  expect(stderr).toMatch(/^skip +2 invalid records LEFT OUT +20 records published; 2 problems, /m);
  expect(stderr).toMatch(/^empty +b +none left of 2 records$/m);
  expect(snapshotOf("b")).toMatchObject({ count: 0, skipped: 2 });
  expect(snapshotOf("a")).toMatchObject({ count: 20, skipped: 0 });
  expect(await run("verify")).toMatchObject({ code: 0 });
});

test("nothing is published if no record of any listing is left", async () => {
  expect(await build()).toMatchObject({ code: 0 });
  const before = readlinkSync(join(cwd, "dist/current"));
  change("UPDATE a SET n = x'00'");
  expect(await build("--skip-invalid")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^error: 20 of 22 records are invalid, with 20 problems: no valid record is left, so nothing was published and current is unchanged\. /m,
    ),
  });
  expect(readlinkSync(join(cwd, "dist/current"))).toBe(before);
  change("DELETE FROM b");
  expect(await build("--skip-invalid")).toMatchObject({ code: 1, stderr: expect.stringContaining("is left, so") });
});

test("a listing that leaves out no records is not said to have none left", async () => {
  change("UPDATE b SET aid = 99");
  configure({ b: { skipInvalid: false } }, { skipInvalid: true });
  const { code, stderr } = await build();
  expect(code).toBe(1);
  expect(stderr).toContain(
    "nothing was published and current is unchanged. Correct them in the source, or leave them out",
  );
});

test("a shard names the setting that leaves out records, and does not advise it", async () => {
  configure({ b: { skipInvalid: true } });
  const shard = (more = "") => build(`--shard 0/1 --parts parts ${more}`);
  const refusal = (what: string, flag: string) => ({
    code: 2,
    stderr: `error: ${what} and ${flag} exclude each other: every shard would have to check all records.\n`,
  });
  expect(await shard()).toMatchObject(refusal("listings.b.skipInvalid", "--shard"));
  expect(await shard("--skip-invalid")).toMatchObject(refusal("--skip-invalid", "--shard"));
  expect(await build("--join parts")).toMatchObject(refusal("listings.b.skipInvalid", "--join"));
  change("UPDATE b SET aid = 99");
  for (const ended of [await shard("--no-skip-invalid"), await build("--join parts --no-skip-invalid")])
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("or leave them out with --skip-invalid, in a build without shards."),
    });
});

/** The error of a build, on one line. */
async function errorOf(more = ""): Promise<string> {
  const { code, stderr } = await build(more);
  expect(code, stderr).toBeGreaterThan(0);
  return stderr.replace(/^error: /, "").trimEnd();
}

test.each<[string, object, string]>([
  [
    "a table and a query",
    { query: "b.sql" },
    "listings.b.table in rollcall.config.json and listings.b.query in rollcall.config.json exclude each other; remove one.",
  ],
  [
    "a contract that does not exist",
    { contract: "none.json" },
    "There is no file none.json; listings.b.contract names the JSON file of a contract.",
  ],
  [
    "a contract that is none",
    { contract: { type: "object" } },
    "listings.b.contract: The given object is not a valid contract. It has",
  ],
  [
    "no contract",
    { contract: undefined, table: undefined },
    's.db has no table or view "users"; it has a, b. Name one with listings.b.table, or give it one in listings.b.contract, as "rollcall init --from s.db --all" writes it.',
  ],
  [
    "a value",
    { pageSize: 0 },
    "listings.b.pageSize in rollcall.config.json must be a whole number from 1 to 1000, got 0.",
  ],
])("a message names the setting of a listing: %s", async (_, own, message) => {
  configure({ b: own });
  expect(await errorOf()).toContain(message);
});

test("a site is not read from a text file alone, and has a listing", async () => {
  const all = "is one table, and listings are tables of a SQLite file or of several text files; give those as db.";
  expect(await errorOf("--db -")).toBe(`Standard input ${all}`);
  expect(await errorOf("--db b.csv")).toBe(`b.csv ${all}`);
  const file = join(cwd, "rollcall.config.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), listings: {} }));
  expect(await errorOf()).toBe(
    'listings in rollcall.config.json has no listings; give it one, such as {"orders": {"contract": "orders.json"}}, or leave it out.',
  );
});

test.each<[string, string, object, string]>([
  [
    "a view that cannot be read",
    "CREATE VIEW v AS SELECT id, gone AS aid FROM b",
    { table: "v" },
    "listings.b: table v in s.db cannot be read by SQLite; correct it, or name another one in listings.b.table (no such column: gone).",
  ],
  [
    "a view that fails on a row",
    "CREATE VIEW v AS SELECT id, abs(-9223372036854775807 - id) AS aid FROM b",
    { table: "v" },
    "listings.b: table v in s.db has a row that SQLite cannot evaluate: ",
  ],
  [
    "a query that fails on a row",
    "SELECT 1",
    { table: undefined, query: "SELECT id, json(aid || 'x') AS aid FROM b" },
    "listings.b: query query.sql in s.db cannot be read by SQLite; correct it, or name another one in listings.b.table (malformed JSON).",
  ],
  [
    "a query that cannot be run",
    "SELECT 1",
    { table: undefined, query: "SELECT id, aid FROM c" },
    "listings.b: Query query.sql cannot be run: no such table: c; the source has a, b. It must be one SELECT that yields the columns.",
  ],
  [
    "a query that lacks a column",
    "SELECT 1",
    { table: undefined, query: "SELECT id FROM b" },
    "listings.b: Query query.sql lacks the column aid. It has id. Name them so in it, with AS.",
  ],
  [
    "a query that yields a column twice",
    "SELECT 1",
    { table: undefined, query: "SELECT id, aid, aid FROM b" },
    "listings.b: Query query.sql yields aid more than once; select each column once.",
  ],
  [
    "a table that lacks a column",
    "ALTER TABLE b DROP COLUMN aid",
    {},
    "Table b in s.db lacks the column aid. It has id. Name them so in a view, or with listings.b.query.",
  ],
])("an error of the source names the listing and its table: %s", async (_, sql, own: { query?: string }, message) => {
  change(sql);
  const { query } = own;
  if (query !== undefined) writeFileSync(join(cwd, "query.sql"), query);
  configure({ b: { ...own, ...(query !== undefined && { query: "query.sql" }) } });
  expect(await errorOf()).toContain(message);
});

test("a condition that SQLite cannot evaluate names the listing and its table", async () => {
  const file = join(cwd, "contracts/b.json");
  const contract = JSON.parse(readFileSync(file, "utf8"));
  const overflow = { name: "low", sql: "abs(aid - 9223372036854775807 - 2) > 1" };
  writeFileSync(file, JSON.stringify({ ...contract, "x-observed": [overflow] }));
  expect(await errorOf()).toMatch(
    /^listings\.b: table b in s\.db has a row that SQLite cannot evaluate: .* \(integer overflow\)\.$/,
  );
});

test("an error of a query of a text file names the text file", async () => {
  writeFileSync(join(cwd, "votes.csv"), "id,text\n1,x\n");
  writeFileSync(join(cwd, "q.sql"), "SELECT id, json(text) AS text FROM votes");
  const contract = { ...JSON.parse(readFileSync(join(cwd, "contracts/a.json"), "utf8")) };
  contract.properties = { id: { type: "integer" }, text: { type: "string" } };
  contract.required = ["id", "text"];
  writeFileSync(
    join(cwd, "votes.json"),
    JSON.stringify({ ...contract, "x-listing": { ...contract["x-listing"], path: "/votes/" } }),
  );
  writeFileSync(
    join(cwd, "one.json"),
    JSON.stringify({ db: "votes.csv", query: "q.sql", contract: "votes.json", baseUrl: "https://x.example.com" }),
  );
  expect(await errorOf("--config one.json")).toBe(
    "votes.csv has a table or view that SQLite cannot read, or a query fails; correct it, or name another table with --table (malformed JSON).",
  );
});

test("a build names the listings that a mirror gives another name", async () => {
  const file = join(cwd, "rollcall.config.json");
  const { listings, ...config } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(
    file,
    JSON.stringify({ ...config, listings: { a: listings.a, SQLite_b: listings.a, rollcall: listings.a } }),
  );
  const { code, stderr } = await build();
  expect(code, stderr).toBe(0);
  expect(stderr.match(/^note .*/gm)).toEqual([
    expect.stringMatching(/^note +in a mirror, the listing SQLite_b is the table _SQLite_b, since names that begin/),
  ]);
});
