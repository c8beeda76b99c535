/** Shards that are made again, and joins that refuse: each refusal names the shard to make again. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, build, buildShard, InvalidRecordsError } from "rollcall";
import { expect, test } from "vitest";
import { USERS } from "../../../src/core/contract/users.js";
import { start } from "../../support/command.js";
import { plainRows, userId, usersFile, variedUsers, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { until } from "../../support/until.js";

const baseUrl = "https://directory.example.com";
const EVERYTHING = {
  compress: ["br", "gzip"],
  lookup: true,
  explorer: true,
  bulk: true,
  csv: true,
  parquet: true,
  dataPackage: true,
  changes: 3,
  feed: true,
} as const;
test("a second join of the same parts changes nothing", async () => {
  const db = usersFile(variedUsers(2000));
  const options = { db, ...EVERYTHING, baseUrl, dist: scratch() };
  const parts = join(scratch(), "parts");
  for (const shard of ["2/3", "0/3", "1/3"]) await buildShard({ ...options, parts, shard });
  const made = await build({ ...options, join: parts });
  expect(await build({ ...options, join: parts })).toMatchObject({ new: false, id: made.id, folder: made.folder });
});

test("a shard again, at once, with other threads, and where its part is damaged: the same bytes", async () => {
  const db = usersFile(variedUsers(2345));
  const parts = scratch();
  // A row group has 20,000 records, so the middle part would be empty.
  const options = { db, ...EVERYTHING, parquet: false, pageSize: 5, baseUrl, dist: scratch(), parts, shard: "1/3" };
  const [first, ...others] = await Promise.all([0, 2, 3].map((workers) => buildShard({ ...options, workers })));
  const [name = "", ...more] = readdirSync(parts);
  expect(more).toEqual([]);
  const before = join(scratch(), "before");
  cpSync(join(parts, name), before, { recursive: true });
  expect([first, ...others].filter((part) => part?.new)).toHaveLength(1);
  expect((await buildShard(options)).new).toBe(false);
  for (const path of ["records.sha256.pieces", "api/users/pages/300.json", "lookup.pieces", "shard.json"]) {
    appendFileSync(join(parts, name, path), "x");
    expect((await buildShard({ ...options, workers: 2 })).new, path).toBe(true);
    execFileSync("diff", ["-r", before, join(parts, name)]);
  }
  expect(readdirSync(parts)).toEqual([name]);
});

test("what a killed shard has left is removed by the next run of it, or by the join; a live one goes on", async () => {
  const db = usersFile(plainRows(20_000));
  const parts = join(scratch(), "parts");
  const options = { db, pageSize: 5, baseUrl, dist: scratch() };
  const command = (shard: string) => {
    const flags = ["--db", db, "--page-size", "5", "--base-url", baseUrl, "--dist", options.dist];
    return ["build", ...flags, "--parts", parts, "--shard", shard];
  };
  const temporary = () => (existsSync(parts) ? readdirSync(parts).filter((name) => name.startsWith(".")) : []);
  const stopped = async (shard: string) => {
    const started = start(command(shard));
    await until(() => temporary().some((name) => name.startsWith(`.${shard.replace("/", "-of-")}`)));
    started.child.kill("SIGSTOP");
    return started;
  };
  const killed = async (shard: string) => {
    const { child, ended } = await stopped(shard);
    child.kill("SIGKILL");
    await ended;
  };
  await killed("0/2");
  const live = await stopped("1/2");
  await killed("0/2");
  expect(temporary().filter((name) => name.startsWith(".0-of-2")).length).toBeGreaterThan(0);
  await buildShard({ ...options, parts, shard: "0/2" });
  await buildShard({ ...options, parts, shard: "1/2" });
  expect(temporary().every((name) => name.startsWith(".1-of-2"))).toBe(true);
  live.child.kill("SIGCONT");
  expect(await live.ended).toMatchObject({ code: 0 });
  expect(temporary()).toEqual([]);
  await killed("0/3");
  expect(temporary()).not.toEqual([]);
  await build({ ...options, join: parts });
  expect(temporary()).toEqual([]);
});

test("invalid records: each shard refuses its own, and the join says what one machine says", async () => {
  const bad = [5, 1200, 1201];
  const all = plainRows(2000).map((row, number) => (bad.includes(number) ? { ...row, country: `bad${number}` } : row));
  const db = usersFile(all);
  const [parts, dist, folder] = [scratch(), scratch(), scratch()];
  const reports: unknown[] = [];
  for (let number = 0; number < 4; number++) {
    const made = buildShard({ db, baseUrl, dist, parts, shard: `${number}/4` });
    await made.catch((error: unknown) => reports.push(error instanceof InvalidRecordsError && error.problems.records));
  }
  expect(reports).toEqual([1, 2]);
  const problemsOf = async (more: Partial<BuildOptions>, name: string) => {
    const problemsFile = join(folder, name);
    const error: unknown = await build({ db, baseUrl, dist, problems: problemsFile, ...more }).catch(
      (error: unknown) => error,
    );
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { message: error.message, problems: error.problems, file: readFileSync(problemsFile, "utf8") };
  };
  const one = await problemsOf({}, "one");
  // A join leaves out no records.
  const message = one.message.replace(/\.$/, ", in a build without shards.");
  expect(await problemsOf({ join: parts }, "joined")).toEqual({ ...one, message });
});

const REFUSALS: [string, (parts: string, name: (number: number) => string) => void, RegExp][] = [
  ["a gap", (parts, name) => rmSync(join(parts, name(2)), { recursive: true }), /Shard 2\/4 is missing.*--shard 2\/4/],
  ["no part", (parts) => rmSync(parts, { recursive: true }), /no part/],
  [
    "a part with the inputs of another",
    (parts, name) => renameSync(join(parts, name(1)), join(parts, `1-of-4-${"0".repeat(16)}`)),
    /Shard 1\/4 is damaged: its shard.json is that of another part.*--shard 1\/4/,
  ],
  [
    "pages that overlap",
    (parts, name) => edit(join(parts, name(1)), (text) => text.replace(/"pages":\{"first":\d+/, '"pages":{"first":1')),
    /Shard 1\/4 has pages 1 to.*--shard 1\/4/,
  ],
  [
    "a page that is gone",
    (parts, name) => rmSync(join(parts, name(0), "api/users/pages/3.json")),
    /Shard 0\/4 is damaged.*3\.json/,
  ],
  [
    "a page that is cut off",
    (parts, name) => writeFileSync(join(parts, name(0), "api/users/pages/3.json"), "{"),
    /Shard 0\/4 is damaged.*pages\/3\.json is damaged/,
  ],
  [
    "a page with another bit",
    (parts, name) => flip(join(parts, name(0), "api/users/pages/3.json")),
    /Shard 0\/4 is damaged.*pages\/3\.json is damaged.*--shard 0\/4/,
  ],
  [
    "a compressed page with another bit",
    (parts, name) => flip(join(parts, name(3), "api/users/pages/40.json.br")),
    /Shard 3\/4 is damaged.*pages\/40\.json\.br is damaged/,
  ],
  [
    "a list that is damaged",
    (parts, name) => flip(join(parts, name(2), "records.sha256.pieces")),
    /Shard 2\/4 is damaged.*records/,
  ],
  [
    "members that are damaged",
    (parts, name) => flip(join(parts, name(2), "bulk.json.pieces")),
    /Shard 2\/4 is damaged.*bulk/,
  ],
  [
    "terms that are damaged",
    (parts, name) => flip(join(parts, name(1), "lookup.pieces")),
    /Shard 1\/4 is damaged.*lookup/,
  ],
  [
    "digests that are damaged",
    (parts, name) => flip(join(parts, name(1), "digests")),
    /Shard 1\/4 is damaged.*digests/,
  ],
];

test("parts that are damaged or missing are refused, and what was current stays", async () => {
  const db = usersFile(variedUsers(4000));
  // As above.
  const options = { db, ...EVERYTHING, parquet: false, pageSize: 500 };
  const dist = scratch();
  const before = await build({ ...options, lookup: false, explorer: false, baseUrl, dist });
  const whole = join(scratch(), "parts");
  const small = { ...options, pageSize: 100 };
  for (let number = 0; number < 4; number++)
    await buildShard({ ...small, baseUrl, dist, parts: whole, shard: `${number}/4` });
  for (const [what, damage, message] of REFUSALS) {
    const parts = join(scratch(), "parts");
    cpSync(whole, parts, { recursive: true });
    damage(parts, (number) => readdirSync(parts).find((name) => name.startsWith(`${number}-`)) ?? "");
    await expect(build({ ...small, baseUrl, dist, join: parts }), what).rejects.toThrow(message);
    expect(readdirSync(join(dist, "releases")), what).toEqual([before.name]);
    expect(readdirSync(dist), what).not.toContain(".staging");
  }
});

test("parts of another source, contract, setting or number of shards are never mixed", async () => {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), variedUsers(400));
  const other = writeUsers(join(folder, "other.sqlite"), variedUsers(401));
  const make = async (more: Partial<BuildOptions>, ...shards: string[]) => {
    for (const shard of shards) await buildShard({ db, baseUrl, dist: folder, parts, ...more, shard });
  };
  let parts = "";
  for (const [more, what] of [
    [{ db: other }, /does not belong to this build: it is shard 1\/2 of another source/],
    [{ pageSize: 10 }, /does not belong to this build: it is shard 1\/2 of other settings/],
    [{ compress: ["gzip"] }, /does not belong to this build: it is shard 1\/2 of other settings and another version/],
    [
      { contract: { ...USERS, title: "Person" } },
      /does not belong to this build: it is shard 1\/2 of another contract/,
    ],
  ] as [Partial<BuildOptions>, RegExp][]) {
    parts = scratch();
    await make({}, "0/2");
    await make(more, "1/2");
    await expect(build({ db, baseUrl, dist: folder, join: parts })).rejects.toThrow(what);
  }
  parts = scratch();
  await make({}, "0/2", "1/2", "0/3");
  await expect(build({ db, baseUrl, dist: folder, join: parts })).rejects.toThrow(/parts of [23] and of [23] shards/);
});

test("a key that two shards have is invalid in both, as in one build", async () => {
  const all = variedUsers(400);
  const db = join(scratch(), "users.sqlite");
  writeUsers(db, all);
  const source = new Database(db);
  // As a table has it whose key is no key in SQLite.
  source.exec("CREATE TABLE copy AS SELECT * FROM users; DROP TABLE users; ALTER TABLE copy RENAME TO users");
  source.exec("CREATE INDEX by_date ON users (date_joined DESC, id)");
  source.exec(`UPDATE users SET id = '${userId(3)}', username = 'x' WHERE id = '${userId(390)}'`);
  source.close();
  const [dist, parts] = [scratch(), scratch()];
  const options = { db, baseUrl, dist, pageSize: 10 };
  const problemsOf = async (run: Promise<unknown>) => {
    const error: unknown = await run.catch((error: unknown) => error);
    return error instanceof InvalidRecordsError ? error.problems : undefined;
  };
  const found = [];
  for (let number = 0; number < 4; number++)
    found.push(await problemsOf(buildShard({ ...options, parts, workers: 2, shard: `${number}/4` })));
  expect(found.map((problems) => problems?.records)).toEqual([1, undefined, undefined, 1]);
  const joined = await problemsOf(build({ ...options, join: parts }));
  expect(joined).toMatchObject({ records: 2, first: [{ rule: "unique" }, { rule: "unique" }] });
  expect(joined).toEqual(await problemsOf(build(options)));
});

test("what cannot be cut, or joined, is refused before anything is read", async () => {
  const db = usersFile(variedUsers(10), "CREATE VIEW seen AS SELECT * FROM users");
  const options = { db, baseUrl, dist: scratch(), parts: scratch(), shard: "0/2" };
  await expect(buildShard({ ...options, table: "seen" })).rejects.toThrow(/Shards need a table/);
  await expect(buildShard({ ...options, skipInvalid: true })).rejects.toThrow(/exclude each other/);
  await expect(buildShard({ ...options, shard: "2/2" })).rejects.toThrow(
    'shard must be a shard\'s number from 0 and how many there are, such as 0/8 to 7/8, got "2/2".',
  );
  const { parts, shard: _, ...joining } = options;
  await expect(build({ ...joining, skipInvalid: true, join: parts })).rejects.toThrow(/exclude each other/);
});

function edit(part: string, change: (text: string) => string): void {
  const path = join(part, "shard.json");
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

/** Changes one byte in the middle. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
