/** Real mirrors killed at random moments: the file holds the state before or the one after, and never anything else. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { build, createServer } from "../../src/index.js";
import { run, start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { sha256 } from "./filled.js";

const KILLS = 40;
const USERS = 900;

test(`after each of ${KILLS} kills, and at every moment between`, { timeout: 900_000 }, async () => {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "source.sqlite"), plainRows(USERS));
  const out = join(cwd, "dist");
  const source = new Database(db);
  const publish = () => build({ db, out, baseUrl: "http://127.0.0.1", changes: 2, workers: 0, keep: 0 });
  const state = (): string => JSON.parse(readFileSync(join(out, "current/snapshot.json"), "utf8")).state;
  await publish();
  const host = await createServer({ folder: out });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  const file = join(cwd, "mirror.sqlite");
  const args = ["mirror", url, file, "--quiet"];

  const random = seeded();
  const began = performance.now();
  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  let whole = performance.now() - began;
  const reader = watch(file);
  const ends = new Map<number | string, number>();
  const outcomes = { before: 0, after: 0 };
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = held(file);
    // By steps most of the time, and where it is too far behind, by everything.
    for (let times = random.chance(0.2) ? 3 : 1; times > 0; times--) {
      source.prepare("UPDATE users SET bio = ? WHERE rowid % 3 = ?").run(`${kill} ${times}`, random.below(3));
      await publish();
    }
    await host.reload();
    const { child, ended } = start(args);
    await Promise.race([sleep(whole * (0.3 + random.next() * 0.8)), ended]);
    child.kill("SIGKILL");
    const { code, stderr } = await ended;
    expect(stderr).toBe("");
    ends.set(code, (ends.get(code) ?? 0) + 1);
    whole *= code === 0 ? 0.95 : 1.03;
    const after = held(file);
    expect([before, state()]).toContain(after);
    outcomes[after === before ? "before" : "after"]++;
  }
  const looks = await reader.stop();
  expect([...ends.keys()].sort()).toEqual([0, "SIGKILL"]);
  expect(Math.min(outcomes.before, outcomes.after)).toBeGreaterThan(KILLS / 10);
  expect(looks).toBeGreaterThan(KILLS);

  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(held(file)).toBe(state());
  const again = await build({ db: file, out: join(cwd, "again"), baseUrl: "http://127.0.0.1" });
  expect(readTree(join(again.folder, "api"))).toEqual(readTree(join(out, "current/api")));
  // A reader that may not write leaves the log; nothing that was made aside is left.
  expect(readdirSync(cwd).filter((name) => name.startsWith("mirror.sqlite.rollcall"))).toEqual([]);
  source.close();
});

test("a first run that is killed leaves no file, or a mirror", { timeout: 300_000 }, async () => {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "source.sqlite"), plainRows(USERS));
  const out = join(cwd, "dist");
  await build({ db, out, baseUrl: "http://127.0.0.1" });
  const host = await createServer({ folder: out });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  const random = seeded();
  let whole = 0;
  for (let kill = 0; kill < 8; kill++) {
    const file = join(cwd, `${kill}.sqlite`);
    const began = performance.now();
    const { child, ended } = start(["mirror", url, file, "--quiet"]);
    await Promise.race([kill === 0 ? ended : sleep(whole * (0.3 + random.next() * 0.7)), ended]);
    child.kill("SIGKILL");
    await ended;
    if (kill === 0) whole = performance.now() - began;
    if (existsSync(file)) expect([undefined, held(join(cwd, "0.sqlite"))]).toContain(held(file));
    expect(await run(["mirror", url, file, "--quiet"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(held(file)).toBe(held(join(cwd, "0.sqlite")));
  }
});

/** The state that a mirror says it holds, which is the one that it does hold; undefined for one that was never filled. */
function held(file: string): string | undefined {
  const db = new Database(file, { readonly: true });
  try {
    return db.transaction(() => {
      const state = db.prepare<[], string>("SELECT state FROM rollcall_mirror").pluck().get();
      if (state === undefined) return undefined;
      const lines = db.prepare<[], string>("SELECT digest || '  ' || key FROM rollcall_records ORDER BY place");
      const made = lines.pluck().all();
      expect(sha256(made.map((line) => `${line}\n`).join(""))).toBe(state);
      // A third of the users changes at once, so that a mixture of two states would show.
      const bios = "SELECT count(DISTINCT bio) FROM users GROUP BY CAST(substr(username, 5) AS INTEGER) % 3";
      expect(db.prepare(bios).pluck().all()).toEqual([1, 1, 1]);
      expect(db.prepare("SELECT count(*) FROM users").pluck().get()).toBe(made.length);
      return state;
    })();
  } finally {
    db.close();
  }
}

/** Looks at the mirror again and again, as its readers do. */
function watch(file: string) {
  let isStopped = false;
  const watching = (async () => {
    let looks = 0;
    for (; !isStopped; looks++) {
      held(file);
      await sleep(20);
    }
    return looks;
  })();
  return {
    stop: () => {
      isStopped = true;
      return watching;
    },
  };
}
