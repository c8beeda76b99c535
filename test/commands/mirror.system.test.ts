/** `rollcall mirror` against a real host: requests, output, and a release built from the mirror. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { build, createServer, type MirrorResult, mirror } from "../../src/index.js";
import { plainRows, runSql, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";
import { fakeIo, rollcall } from "./run.js";

const USERS = 300;

/** A host whose listing can be changed by SQL. */
async function listing(options: Partial<Parameters<typeof build>[0]> = {}) {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "source.sqlite"), plainRows(USERS));
  const dist = join(cwd, "dist");
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const publish = (sql = "") => {
    runSql(db, sql);
    return build({ db, dist, baseUrl, changes: 3, ...options });
  };
  await publish();
  const host = await createServer({ folder: dist });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port, host: "127.0.0.1" });
  const change = async (sql: string) => {
    const release = await publish(sql);
    await host.reload();
    return release;
  };
  return { cwd, url, dist, change, file: join(cwd, "mirror.sqlite") };
}

const EDIT = `UPDATE users SET bio = 'new' WHERE id = '${userId(7)}'; DELETE FROM users WHERE id = '${userId(8)}'`;

/** The state that snapshot.json promises. */
function stateOf(dist: string): string {
  return JSON.parse(readFileSync(join(dist, "current/snapshot.json"), "utf8")).state;
}

test("reads everything, then nothing, then changes, and everything if there are no steps", async () => {
  const { cwd, url, dist, change } = await listing({ bulk: true });
  const run = async () => {
    const { code, stdout, stderr } = await rollcall(`mirror ${url} mirror.sqlite --json`, fakeIo(cwd));
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as MirrorResult;
  };
  const first = await run();
  expect(first).toMatchObject({
    via: "bulk",
    count: USERS,
    state: stateOf(dist),
    table: "users",
    file: "mirror.sqlite",
  });
  expect(await run()).toMatchObject({ via: "nothing", count: USERS, requests: 1, from: first.state });
  await change(EDIT);
  const third = { via: "changes", count: USERS - 1, put: 1, removed: 1, from: first.state, state: stateOf(dist) };
  const changed = await run();
  expect(changed).toMatchObject(third);
  expect(changed.requests).toBeLessThanOrEqual(4);
  for (let time = 0; time < 5; time++) await change(`UPDATE users SET bio = '${time}' WHERE id = '${userId(time)}'`);
  expect(await run()).toMatchObject({ via: "bulk", state: stateOf(dist) });
  const db = new Database(join(cwd, "mirror.sqlite"), { readonly: true });
  onTestFinished(() => void db.close());
  expect(db.prepare("SELECT count(*) FROM users WHERE bio IN ('0', '1', '2', '3', '4')").pluck().get()).toBe(5);
});

test.each([
  ["mirror http://127.0.0.1:1 m.sqlite", 1, "http://127.0.0.1:1/snapshot.json"],
  ["mirror nowhere m.sqlite", 2, "url must be a URL like https://directory.example.com"],
  ["mirror http://127.0.0.1:1 m.sqlite --max-age 2d", 2, "give --key"],
  ["mirror http://127.0.0.1:1 m.sqlite --key nothing.pub", 2, "There is no file nothing.pub; --key takes"],
  ["mirror http://127.0.0.1:1 m.sqlite --every never", 2, "--every must be"],
  ["mirror http://127.0.0.1:1 m.sqlite --every 30d", 2, "at most 1d, got"],
  ["mirror http://127.0.0.1:1", 2, "mirror needs file, as in"],
])("%s", async (line, code, why) => {
  const cwd = scratch();
  const ended = await rollcall(line, fakeIo(cwd));
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toContain(why);
  expect(existsSync(join(cwd, "m.sqlite"))).toBe(false);
});

test("with --every, continues during an outage of the host, until stopped", { timeout: 60_000 }, async () => {
  const { cwd, url, dist, change } = await listing();
  const io = fakeIo(cwd);
  const running = rollcall(`mirror ${url} m.sqlite --every 1s --json`, io);
  const lines = (): MirrorResult[] =>
    io.stdout.text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await eventually(() => expect(lines().map(({ via }) => via)).toEqual(["pages", "nothing"]));
  await change(EDIT);
  await eventually(() => expect(lines().at(-1)?.state).toBe(stateOf(dist)));
  expect(lines().filter(({ via }) => via !== "nothing")).toHaveLength(2);
  io.signals.emit("SIGTERM");
  expect(await running).toMatchObject({ code: 0, stderr: "" });
});

test("with --every, errors are warnings, except permanent ones", { timeout: 60_000 }, async () => {
  const { url, file, cwd } = await listing();
  const stop = new AbortController();
  const troubles: string[] = [];
  const onTrouble = ({ message }: Error) => {
    troubles.push(message);
    stop.abort(new Error("enough"));
  };
  const away = mirror({ url: "http://127.0.0.1:1", file, every: "1s" }, { signal: stop.signal, onTrouble });
  await expect(away).rejects.toThrow("enough");
  expect(troubles).toEqual([expect.stringContaining("http://127.0.0.1:1/snapshot.json")]);
  writeFileSync(join(cwd, "mine"), "Dear diary");
  await expect(mirror({ url, file: join(cwd, "mine"), every: "1s" }, { onTrouble })).rejects.toThrow(
    "it was not touched",
  );
});

test("with --key, accepts only signed data", async () => {
  const keys = scratch();
  const [ours, others] = [writeKey(keys, "ours"), writeKey(keys, "others")];
  const { cwd, url, file, dist, change } = await listing({ signKey: ours.secret });
  const refused = await rollcall(`mirror ${url} mirror.sqlite --key ${others.public}`, fakeIo(cwd));
  expect([refused.code, existsSync(file)]).toEqual([1, false]);
  expect(refused.stderr).toMatch(/^error: .*SHA256SUMS/);
  expect(await mirror({ url, file, key: [ours.line], maxAge: "1d" })).toMatchObject({ via: "pages", count: USERS });
  await change(EDIT);
  await expect(mirror({ url, file, key: [others.line] })).rejects.toThrow("SHA256SUMS");
  expect(await mirror({ url, file, key: [others.line, ours.public] })).toMatchObject({
    via: "changes",
    state: stateOf(dist),
  });
});
