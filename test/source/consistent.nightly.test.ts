/** Every release shows one point in time, although another process never stops writing to the source. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { type BuildResult, build, type Page } from "rollcall";
import { afterEach, expect, test } from "vitest";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { pause } from "../support/time.js";
import { ledger, NEWEST, OLDEST, readLedger } from "./ledger.js";
import type { Report } from "./writer.js";

const USERS = 1500;
const REFERRALS = 7;
const BUILDS = 24;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let writer: ChildProcess | undefined;

afterEach(() => {
  if (writer?.exitCode === null) writer.kill("SIGKILL");
});

const WAYS = ["wal", "delete"].flatMap((mode) => [0, 2].map((workers) => ({ mode, workers })));

test.each(WAYS)(
  "journal_mode $mode, $workers workers: no release breaks what every commit keeps",
  { timeout: 300_000 },
  async ({ mode, workers }) => {
    const folder = scratch();
    const db = createSource(join(folder, "users.sqlite"), mode);
    writer = await startWriter(db);

    const seen: number[] = [];
    let overtaken = 0;
    let together = 0;
    for (let i = 0; i < BUILDS; i++) {
      // With skipInvalid users are read twice, and both readings must agree.
      const result = await build({
        db,
        baseUrl: "https://directory.example.com",
        dist: join(folder, "dist"),
        pageSize: 50,
        keep: 0,
        skipInvalid: i % 2 === 1,
        workers,
      });
      if (result.workers === workers) together++;
      const commitNow = lastCommit(db);
      const commit = expectWhole(result);
      if (commitNow > commit) overtaken++;
      seen.push(commit);
    }
    const report = await stopWriter(writer);

    expect(together, "builds by as many threads as were asked for").toBeGreaterThan(BUILDS / 2);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size, "releases of different commits").toBeGreaterThan(BUILDS / 2);
    expect(report.commits, "commits").toBeGreaterThan(BUILDS);
    if (mode === "wal") {
      // Readers and the writer never wait for each other.
      expect(report.refused).toBe(0);
      expect(overtaken, "builds during which there were commits").toBeGreaterThan(BUILDS / 2);
    } else {
      expect(report.refused, "commits that a build held up").toBeGreaterThan(0);
    }
  },
);

/** Checks a release against what the writer keeps true. @returns the commit that it shows. */
function expectWhole({ folder, records, pages }: BuildResult): number {
  const envelopes = Array.from({ length: pages }, (_, i): Page => {
    return JSON.parse(readFileSync(join(folder, `api/users/pages/${i + 1}.json`), "utf8"));
  });
  const results = envelopes.flatMap((page) => page.results);
  expect(results.reduce((sum, user) => sum + user.referrals_count, 0)).toBe(USERS * REFERRALS);
  expect(new Set(envelopes.map(({ count }) => count))).toEqual(new Set([results.length]));
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
  expect(records).toBe(results.length);

  const [newest, oldest] = [results.at(0), results.at(-1)];
  expect([newest?.id, oldest?.id]).toEqual([NEWEST, OLDEST]);
  expect(newest?.bio).toBe(oldest?.bio);
  const { commit, count } = readLedger(newest?.bio ?? "");
  expect(count).toBe(results.length);
  return commit;
}

/** Many users who share their moment with others, and one at each end of the order. */
function createSource(file: string, mode: string): string {
  const rows = plainRows(USERS).map((row, number) => ({
    ...row,
    referrals_count: REFERRALS,
    bio: `bio ${number}`,
  }));
  writeUsers(
    file,
    rows,
    `UPDATE users SET date_joined = '2026-06-01T00:00:00.000000Z', bio = '${ledger(0, USERS)}' WHERE id = '${NEWEST}';
     UPDATE users SET date_joined = '2020-01-01T00:00:00.000000Z', bio = '${ledger(0, USERS)}' WHERE id = '${OLDEST}';
     CREATE INDEX users_in_order ON users (date_joined DESC, id);
     CREATE UNIQUE INDEX users_by_id ON users (id);
     PRAGMA journal_mode = ${mode};`,
  );
  return file;
}

/** Starts the writer as a process of its own. @returns it after its first commit. */
async function startWriter(db: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("writer.ts", import.meta.url)), [db], {
    cwd: ROOT,
    execArgv: ["--import", "tsx"],
  });
  while (lastCommit(db) === 0) {
    expect(child.exitCode).toBe(null);
    await pause(20);
  }
  return child;
}

async function stopWriter(child: ChildProcess): Promise<Report> {
  const answer = once(child, "message");
  const exit = once(child, "exit");
  child.send("stop");
  const [report] = await answer;
  await exit;
  return report;
}

function lastCommit(file: string): number {
  const db = new Database(file, { readonly: true });
  const bio = db.prepare("SELECT bio FROM users WHERE id = ?").pluck().get(OLDEST);
  db.close();
  return readLedger(String(bio)).commit;
}
