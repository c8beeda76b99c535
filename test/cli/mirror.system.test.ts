/** `rollcall mirror` against a real host: requests, output, and a release built from the mirror. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { build, createServer, type MirrorResult, mirror } from "../../src/index.js";
import { plainRows, runSql, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
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
  const host = await createServer({ dist });
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
    const { tables, ...rest }: MirrorResult = JSON.parse(stdout);
    expect(tables).toHaveLength(1);
    return { ...rest, ...tables[0] };
  };
  const first = await run();
  expect(first).toMatchObject({
    via: "bulk",
    count: USERS,
    state: stateOf(dist),
    table: "users",
    file: "mirror.sqlite",
  });
  // The first request shows that it is one listing.
  expect(await run()).toMatchObject({ via: "nothing", count: USERS, requests: 2, from: first.state });
  await change(EDIT);
  const third = { via: "changes", count: USERS - 1, put: 1, removed: 1, from: first.state, state: stateOf(dist) };
  const changed = await run();
  expect(changed).toMatchObject(third);
  expect(changed.requests).toBeLessThanOrEqual(5);
  for (let time = 0; time < 5; time++) await change(`UPDATE users SET bio = '${time}' WHERE id = '${userId(time)}'`);
  expect(await run()).toMatchObject({ via: "bulk", state: stateOf(dist) });
  const db = new Database(join(cwd, "mirror.sqlite"), { readonly: true });
  onTestFinished(() => void db.close());
  expect(db.prepare("SELECT count(*) FROM users WHERE bio IN ('0', '1', '2', '3', '4')").pluck().get()).toBe(5);
});

test.each([
  ["mirror http://127.0.0.1:1 m.sqlite", 1, "http://127.0.0.1:1/snapshot.json"],
  ["mirror nowhere m.sqlite", 2, 'Base URL "nowhere" is not an absolute http(s) URL'],
  ["mirror http://127.0.0.1:1 m.sqlite --max-age 2d", 2, "give --key"],
  ["mirror http://127.0.0.1:1 m.sqlite --key nothing.pub", 2, "There is no file nothing.pub; --key takes"],
  ["mirror http://127.0.0.1:1", 2, "missing required argument 'file', as in"],
])("%s", async (line, code, why) => {
  const cwd = scratch();
  const ended = await rollcall(line, fakeIo(cwd));
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toContain(why);
  expect(existsSync(join(cwd, "m.sqlite"))).toBe(false);
});

test("with --key, accepts only signed data", async () => {
  const keys = scratch();
  const [ours, others] = [writeKey(keys, "ours"), writeKey(keys, "others")];
  const { cwd, url, file, dist, change } = await listing({ signKey: ours.secret });
  const refused = await rollcall(`mirror ${url} mirror.sqlite --key ${others.public}`, fakeIo(cwd));
  expect([refused.code, existsSync(file)]).toEqual([1, false]);
  expect(refused.stderr).toMatch(/^error: .*SHA256SUMS/);
  const first = await mirror({ url, file, key: [ours.line], maxAge: "1d" });
  expect(first.tables).toMatchObject([{ via: "pages", count: USERS }]);
  await change(EDIT);
  await expect(mirror({ url, file, key: [others.line] })).rejects.toThrow("SHA256SUMS");
  const next = await mirror({ url, file, key: [others.line, ours.public] });
  expect(next.tables).toMatchObject([{ via: "changes", state: stateOf(dist) }]);
});
