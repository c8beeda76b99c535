/** One source makes one release, byte for byte, and has one verdict, by any number of threads or shards. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, type BuildResult, build, buildShard, InvalidRecordsError, verify } from "rollcall";
import { describe, expect, test } from "vitest";
import { run } from "../support/command.js";
import { reseal } from "../support/damage.js";
import { plainRows, runSql, userId, usersFile, variedUsers } from "../support/database.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { draws } from "../support/random.js";
import { STATIONS, stations, writeStations } from "../support/stations.js";

const WORKERS = [0, 1, 3];
/** The first for each change; all of them nightly. */
const SHARDS = [7, 2, 64].slice(0, draws(3));
const ORDER_INDEX = "CREATE INDEX users_order ON users (date_joined DESC, id)";
const BASE = { baseUrl: "https://directory.example.com", pageSize: 7 };
const EVERYTHING = {
  compress: ["br", "gzip"],
  bulk: true,
  csv: true,
  dataPackage: true,
  lookup: true,
  explorer: true,
  changes: 3,
  feed: true,
  signKey: new URL("./signature/test.key", import.meta.url).pathname,
} as const;
const now = () => new Date("2026-11-22T09:30:00Z");

type Source = Pick<BuildOptions, "db" | "contract" | "views">;

const SOURCES: Record<string, { make(): Source; edit: string; pages: string; failed: string }> = {
  "the directory": {
    make: () => ({
      db: usersFile(variedUsers(700), ORDER_INDEX),
      views: { years: { by: "date_joined", part: "year", order: ["-referrals_count"] } },
    }),
    edit: "UPDATE users SET last_name = 'Changed' WHERE rowid % 9 = 0; DELETE FROM users WHERE rowid % 100 = 7",
    pages: "api/users/pages",
    failed: "records",
  },
  "another contract, without an index": {
    make() {
      const rows = stations(500).map(({ row }) => row);
      const db = writeStations(join(scratch(), "stations.sqlite"), rows);
      return { db, contract: STATIONS, views: { sensors: { by: "sensors" } } };
    },
    edit: "UPDATE stations SET name = 'Changed' WHERE rowid % 9 = 0; DELETE FROM stations WHERE rowid % 100 = 7",
    pages: "v1/stations/pages",
    // Only digests of users' pages are made anew.
    failed: "lookup",
  },
};

/** Builds all shards, the last first, by 0, 1 or 2 threads, and joins them. */
async function joined(options: BuildOptions, count: number): Promise<BuildResult> {
  const parts = join(scratch(), "parts");
  for (let number = count - 1; number >= 0; number--)
    await buildShard({ ...options, parts, workers: number % 3, shard: `${number}/${count}` });
  return build({ ...options, join: parts }, { now });
}

const factsOf = ({ id, name, records, pages, bytes, warnings, skipped }: BuildResult) => {
  return { id, name, records, pages, bytes, warnings, skipped };
};

describe.each(Object.entries(SOURCES))("%s, with everything on", (_, { make, edit, pages, failed }) => {
  test("the same release from threads and shards, the same verdict and the same diff", {
    timeout: 600_000,
  }, async () => {
    const source = make();
    const first = scratch();
    const old = await build({ ...source, ...BASE, ...EVERYTHING, dist: first }, { now });
    runSql(String(source.db), edit);
    const options = () => {
      const dist = join(scratch(), "dist");
      cpSync(first, dist, { recursive: true, verbatimSymlinks: true });
      return { ...source, ...BASE, ...EVERYTHING, dist };
    };
    const [alone, ...others] = [
      await build({ ...options(), workers: 0 }, { now }),
      await build({ ...options(), workers: 1 }, { now }),
      await build({ ...options(), workers: 3 }, { now }),
    ];
    for (const count of SHARDS) others.push(await joined(options(), count));
    if (!alone) throw new Error("nothing was built");
    expect(alone.changes?.put).toBeGreaterThan(0);
    checkSums(alone.folder);
    for (const other of others) {
      expect(factsOf(other)).toEqual(factsOf(alone));
      execFileSync("diff", ["-r", alone.folder, other.folder]);
    }

    const compare = (workers: number) => {
      const env = { ...process.env, ROLLCALL_WORKERS: String(workers) };
      return run(["diff", old.folder, alone.folder, "--format", "json"], { env });
    };
    const same = await compare(0);
    expect(same).toMatchObject({ code: 1, stderr: "", stdout: expect.stringMatching(/"changed":[1-9]/) });
    expect(await compare(2)).toEqual(same);

    const check = async (workers: number) => {
      const { passed, rows } = await verify({ what: alone.folder, workers });
      return { passed, rows: rows.map(({ name, outcome, count, findings }) => ({ name, outcome, count, findings })) };
    };
    const whole = await check(0);
    expect(whole.rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
    expect(whole.passed).toBe(true);
    expect(await check(2)).toEqual(whole);

    const words = join(alone.folder, "lookup/words/1.txt");
    writeFileSync(words, readFileSync(words, "utf8").split("\n").toSpliced(5, 1).join("\n"));
    // The last page with a record that changed, far behind what is read first.
    const numbers = readdirSync(join(alone.folder, pages)).filter((name) => name.endsWith(".json"));
    const files = numbers.sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
    const path = files
      .map((name) => join(alone.folder, pages, name))
      .find((file) => readFileSync(file).includes('"Changed"'));
    const page = path ?? "";
    writeFileSync(page, readFileSync(page, "utf8").replace('"Changed"', "5"));
    reseal(alone.folder);
    const damaged = await check(0);
    const names = damaged.rows.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([failed, "lookup"]));
    expect(await check(2)).toEqual(damaged);

    truncateSync(page, 100);
    for (const workers of [0, 2])
      expect(await compare(workers)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/Page \d+ of/),
      });
  });
});

/** The files of a release, or its problems. */
async function outcome(options: BuildOptions, make = (given: BuildOptions) => build(given, { now })) {
  try {
    const { folder, warnings, skipped } = await make(options);
    return { files: readTree(folder), warnings, skipped };
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { problems: error.problems };
  }
}

async function expectSame(db: string, more: Partial<BuildOptions> = {}) {
  const options = () => ({ db, ...BASE, pageSize: 3, dist: scratch(), ...more });
  const alone = await outcome({ ...options(), workers: 0 });
  for (const workers of WORKERS.slice(1)) expect(await outcome({ ...options(), workers })).toEqual(alone);
  return alone;
}

test.each([0, 1, 99])("%i records, by more shards than pages", async (count) => {
  const options = () => ({
    ...{ db, ...BASE, ...EVERYTHING, dist: scratch() },
  });
  const db = usersFile(variedUsers(count));
  const [one, other] = [await build(options(), { now }), await joined(options(), 3)];
  execFileSync("diff", ["-r", one.folder, other.folder]);
});

test("invalid users have the same problems in the same order", async () => {
  const rows = plainRows(60).map((row, at) => ({ ...row, ...(at % 17 === 5 && { country: `x${at}` }) }));
  const invalid = usersFile(rows, ORDER_INDEX);
  const alone = await expectSame(invalid);
  expect(alone).toMatchObject({ problems: { records: 4 } });
  expect(await expectSame(invalid, { skipInvalid: true })).toMatchObject({ skipped: 4 });
  const repeated = usersFile([...plainRows(60), { id: userId(30) }], ORDER_INDEX);
  expect(await expectSame(repeated)).toMatchObject({ problems: { records: 2 } });
});

test("a view and a table without row ids, which one thread reads", async () => {
  const rows = usersFile([]);
  const columns = new Database(rows).prepare("SELECT name FROM pragma_table_info('users')").pluck().all();
  const sql = `CREATE VIEW everyone AS SELECT * FROM users; INSERT INTO bare SELECT * FROM users`;
  const before = `CREATE TABLE bare (${columns.join(", ")}, PRIMARY KEY (id)) WITHOUT ROWID`;
  const db = usersFile(plainRows(10), sql, before);
  const all = await expectSame(db);
  for (const table of ["everyone", "bare"]) expect(await expectSame(db, { table })).toEqual(all);
});
