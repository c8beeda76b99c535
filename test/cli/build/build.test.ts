/** `rollcall build` on the command line, in process. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeBuild } from "../../../src/cli/build/summary.js";
import { PAGE_BYTES } from "../../../src/core/contract/page.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { plainRows, type Row, userId, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { fakeIo, rollcall } from "../run.js";

const LINE = "build --db users.sqlite --base-url https://example.com";

/** A folder with users.sqlite, and runs of one command line after another in it. */
function folderOf(rows: readonly Row[]) {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), rows);
  const run = (line: string, options: Parameters<typeof fakeIo>[1] = {}) => rollcall(line, fakeIo(cwd, options));
  return { cwd, run };
}

/** The text with the parts that differ from run to run replaced. */
function masked(text: string): string {
  return text.replace(/\d{8}T\d{6}Z-/g, "TIME-").replace(/[0-9a-f]{12}/g, "ID");
}

function ticking(step: number): () => number {
  let now = 0;
  return () => (now += step);
}

test("prints what it read and wrote, and the next command", async () => {
  const { run } = folderOf(plainRows(5));
  const { code, stdout, stderr } = await run(`${LINE} --page-size 2`, { now: ticking(410) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(masked(stderr)).toBe(`\
read      5 users            users.sqlite
write     3 pages, 3.9 kB    dist/releases/TIME-ID
done      in 0.41 s          ID is current; next: rollcall serve
`);
});

test("counts warnings by kind, and highlights skipped users", async () => {
  const rows = plainRows(4).map((row, index) => ({ ...row, wac_status: index === 0 ? 0 : 7 }));
  const { run } = folderOf([...rows, { ...plainRows(5)[4], country: "xx" }, { ...plainRows(6)[5], country: "" }]);
  const { code, stderr } = await run(`${LINE} --skip-invalid`, { isTTY: true });
  expect(code).toBe(0);
  expect(stderr).toContain("3 users: wac_status outside what was observed");
  expect(stderr).toContain("\x1b[1m\x1b[33mskip      2 invalid users LEFT OUT");
  expect(stderr).toContain("6 users");
});

test("--quiet prints nothing on success, not even on a terminal", async () => {
  const { run } = folderOf([...plainRows(1000), { ...plainRows(1001)[1000], country: "xx" }]);
  const slow = { isTTY: true, now: ticking(5000) };
  const line = `${LINE} --skip-invalid`;
  expect(await run(`${line} --quiet`, slow)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await run(`${line} --json`, slow)).stderr).toBe("");
  expect((await run(line, slow)).stderr, "where the bar would have been").toContain("1,001 of 1,001 users");
  expect((await run(line, { now: ticking(5000) })).stderr, "no terminal, no bar").toMatch(/^read /);
});

const PROBLEM = {
  ...{ id: userId(3), path: "country", rule: "pattern" },
  ...{ value: "xx", message: "must match ^[A-Z]{2}$, like DE" },
};

test("--json prints one document and nothing else", async () => {
  const { run } = folderOf([...plainRows(3), { ...plainRows(4)[3], country: "xx" }]);
  const { code, stdout, stderr } = await run(`${LINE} --json --skip-invalid`, {
    isTTY: true,
    now: ticking(1250),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    name: expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]{12}$/),
    folder: expect.stringMatching(/^dist\/releases\//),
    new: true,
    switched: true,
    pruned: [],
    records: 3,
    pages: 1,
    bytes: expect.any(Number),
    largestPage: { page: 1, bytes: expect.any(Number) },
    linked: 0,
    skipped: 1,
    unreferenced: 0,
    warnings: {},
    untidied: [],
    sourceNotes: [],
    notes: [],
    problems: {
      records: 1,
      count: 1,
      kinds: [{ path: "country", rule: "pattern", records: 1, example: PROBLEM }],
      first: [PROBLEM],
    },
    seconds: 1.25,
  });
});

test("warns of a page that readers do not take, with a page size that they do", async () => {
  const bytes = [...Array.from({ length: 20 }, () => 600_000), PAGE_BYTES, 1];
  const { run } = folderOf(plainRows(bytes.length).map((row, at) => ({ ...row, bio: "x".repeat(bytes[at] ?? 0) })));
  const warnings = async (pageSize: number) => {
    const { code, stderr } = await run(`${LINE} --page-size ${pageSize}`);
    expect(code).toBe(0);
    return stderr.split("\n").flatMap((line) => (line.startsWith("warn") ? [line.replace(/ {2,}/g, "  ")] : []));
  };
  const first = "warn  page 1 has 12 MB; by default, readers take up to 8.4 MB  use --page-size 10";
  expect(await warnings(20)).toEqual([first]);
  expect(await warnings(20), "though every page is linked").toEqual([first]);
  // The last page has two records.
  expect(await warnings(10)).toEqual([
    "warn  page 3 has 8.4 MB; by default, readers take up to 8.4 MB  use --page-size 1",
  ]);
  expect(await warnings(1)).toEqual([
    "warn  page 21 has 8.4 MB; by default, readers take up to 8.4 MB  one record is too large",
  ]);
  const { stdout } = await run(`${LINE} --page-size 20 --json`);
  expect(JSON.parse(stdout).largestPage).toEqual({ page: 1, bytes: expect.closeTo(12_000_000, -5) });
});

const INVALID =
  '12 of 12 users are invalid, with 24 problems: nothing was published and current is unchanged. Correct them in the source, or leave them out with --skip-invalid. "rollcall build --problems FILE" writes every problem.';

test("a refusal prints the first problems, the number of others, and that nothing was published", async () => {
  const rows = plainRows(12).map((row) => ({ ...row, country: "x\u202ey\x1b[2J", wac_status: "many" }));
  const { cwd, run } = folderOf(rows);
  const { code, stdout, stderr } = await run(LINE);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const lines = stderr.split("\n");
  expect(lines).toHaveLength(12);
  const [country, status] = [
    '"x\\u202ey\\u001b[2J" must match ^[A-Z]{2}$, like DE',
    '"many" must be an integer within +-(2^53 - 1), is TEXT',
  ];
  expect(lines.slice(0, 6)).toEqual([
    "users  field       rule     example",
    `   12  country     pattern  ${userId(0)}: ${country}`,
    `   12  wac_status  type     ${userId(0)}: ${status}`,
    "",
    `user ${userId(0)}: country ${country}`,
    `user ${userId(0)}: wac_status ${status}`,
  ]);
  expect(lines.slice(9)).toEqual(["and 19 more", `error: ${INVALID}`, ""]);
  expect(existsSync(join(cwd, "dist/current"))).toBe(false);
  const json = await run(`${LINE} --json`);
  expect(json).toMatchObject({ code: 1, stderr: `error: ${INVALID}\n` });
  expect(JSON.parse(json.stdout)).toMatchObject({ error: INVALID, problems: { records: 12, count: 24 } });
  expect(JSON.parse(json.stdout).problems.first).toHaveLength(20);
});

test("--problems writes all problems, and the message names the file", async () => {
  const { cwd, run } = folderOf(plainRows(12).map((row) => ({ ...row, country: "x", wac_status: "many" })));
  const { code, stderr } = await run(`${LINE} --problems all.ndjson`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/\nand 19 more\nerror: .* with --skip-invalid\. Every problem is in all\.ndjson\.\n$/);
  expect(readFileSync(join(cwd, "all.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(24);
});

test("prints values of every SQLite type, as text and as JSON", async () => {
  const wild = { ...plainRows(1)[0], bio: Buffer.from([255, 0]), wac_status: 2n ** 62n, country: null };
  const { run } = folderOf([wild]);
  const { code, stderr } = await run(LINE);
  expect(code).toBe(1);
  expect(stderr).toContain('country is NULL; a type that includes "null" would accept it');
  const json = await run(`${LINE} --json`);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout).problems.count).toBe(3);
});

test.each([
  ["https://example.com/a/api/users/", "https://example.com/a"],
  ["https://example.com/api/users", "https://example.com"],
])("notes that %s ends like the listing's path", async (baseUrl, above) => {
  const { run } = folderOf(plainRows(1));
  const { code, stderr } = await run(`build --db users.sqlite --base-url ${baseUrl}`);
  expect(code).toBe(0);
  expect(stderr).toContain(
    `page 1 is ${above}/api/users/api/users/?format=api&page=1; for ${above}/api/users/?format=api&page=1, pass --base-url ${above}`,
  );
});

test("a base URL that only resembles the listing's path gets no note", async () => {
  const { run } = folderOf(plainRows(1));
  const { code, stderr } = await run("build --db users.sqlite --base-url https://example.com/xapi/users");
  expect([code, stderr.includes("note")]).toEqual([0, false]);
});

test("prints every line of a summary", () => {
  const result = {
    id: "1f6a9c0d2b7e",
    name: "20261121T034000Z-1f6a9c0d2b7e",
    folder: "dist/releases/20261121T034000Z-1f6a9c0d2b7e",
    new: true,
    switched: true,
    records: 1000,
    pages: 10,
    bytes: 1_300_000,
    largestPage: { page: 3, bytes: 2 ** 23 },
    linked: 2,
    skipped: 12,
    unreferenced: 0,
    warnings: { "off_chain.liveness_tier": 1, tokens_do_not_add_up: 3 },
    problems: { records: 12, count: 30, kinds: [], first: [] },
    pruned: ["20260101T000000Z-000000000000"],
    gates: { previous: "20261120T000000Z-000000000000", added: 1200, removed: 3, changed: 0 },
    untidied: [],
    signedWith: "41D7CC311FDAD50B",
    feed: { entry: "1,200 users added, 3 removed", notes: [] },
    lookup: { by: ["id", "display_name"], files: 12, bytes: 3_400_000 },
    views: [
      {
        name: "country",
        values: 200,
        pages: 1110,
        bytes: 26_000_000,
        linked: 2,
        largest: { path: "views/country/DE/pages/1.json", bytes: 25_000 },
      },
    ],
    explorer: "https://example.com/people/",
    changes: { put: 1240, remove: 3, bytes: 22_000, steps: 4, none: undefined },
    listings: undefined,
    sourceNotes: ["left out 2 empty rows, lines 4 and 5"],
    notes: ["links led to http://127.0.0.1:8080 until now; they lead to https://example.com/people"],
  };
  const run = {
    db: "data/users.sqlite",
    contract: USERS_CONTRACT,
    pageSize: 100,
    problemsFile: undefined,
    next: "rollcall serve",
    milliseconds: 412,
  };
  const plain = (_format: unknown, text: string) => text;
  expect(describeBuild({ ...result, new: false }, run, plain)).not.toContain("changes ");
  expect(describeBuild(result, run, plain)).toBe(`\
read      1,012 users                          data/users.sqlite
note      left out 2 empty rows, lines 4 and 5
write     10 pages, 1.3 MB (2 linked)          dist/releases/20261121T034000Z-1f6a9c0d2b7e
lookup    by id, display_name                  12 files, 3.4 MB
view      country                              200 values on 1,110 pages, 26 MB (2 linked)
explorer  https://example.com/people/
changes   1,240 put, 3 removed, 22 kB          4 steps in changes.json
warn      1 user: off_chain.liveness_tier outside what was observed
warn      3 users: tokens_do_not_add_up
feed      feed.xml                             1,200 users added, 3 removed
sign      SHA256SUMS.minisig                   key 41D7CC311FDAD50B
gates     1,200 added, 3 removed, 0 changed    within the gates
prune     1 old release
skip      12 invalid users LEFT OUT            1,000 users published; 30 problems, --problems FILE writes them all
note      links led to http://127.0.0.1:8080 until now; they lead to https://example.com/people
done      in 0.41 s                            1f6a9c0d2b7e is current; next: rollcall serve`);
});
