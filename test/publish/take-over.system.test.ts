/** Publishers that are killed while they hold the lock of a bucket or folder, or stopped for long; the next one goes on. */
import { existsSync, lstatSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { openSiteRelease } from "../../src/core/release/site.js";
import { publish } from "../../src/index.js";
import { openBucket } from "../../src/publish/bucket.js";
import { ReleaseFiles } from "../../src/publish/order.js";
import { parseAddress } from "../../src/publish/s3.js";
import { run, start } from "../support/command.js";
import { readTree, scratch } from "../support/files.js";
import { eventually, until } from "../support/until.js";
import { buildUsers, published } from "./releases.js";
import { newSetting, type Setting } from "./setting.js";
import { BUCKET, STORE_ENV } from "./store.js";

const LIST = "dir/.rollcall-published.json";
const NOW = new Date("2026-11-22");
const TOOK = /^took over the lock of process \d+ on \S+ since \S+Z, last renewed 1\d min \d+ s ago$/;

beforeAll(() => {
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const listOf = async ({ store }: Setting) => JSON.parse((await store.read(LIST))?.text ?? "null");

/** Makes the holder that of another machine, as in CI. */
async function moveHolder({ store }: Setting): Promise<void> {
  const list = await listOf({ store } as Setting);
  await store.change(LIST, JSON.stringify({ ...list, holder: { ...list.holder, machine: "build-7" } }));
}

/** Starts a publisher, and holds back its PUT of a page. @returns a function that lets it pass. */
async function startUntilPage(setting: Setting, turn: number) {
  let go = () => {};
  const passing = new Promise<void>((resolve) => {
    go = resolve;
  });
  let isHeld = false;
  setting.store.fault = (method, key) => {
    if (isHeld || method !== "PUT" || !key.endsWith("/pages/2.json")) return undefined;
    isHeld = true;
    return { until: passing };
  };
  const started = start(setting.args(turn), { env: setting.env });
  await until(() => isHeld);
  return { ...started, go };
}

/** The environment of a process on a machine with another clock. */
function withClock(env: NodeJS.ProcessEnv, days: number): NodeJS.ProcessEnv {
  const code = `const { now } = Date; const by = ${days} * 86400000; const Real = Date;
    globalThis.Date = class extends Real { constructor(...given) { super(...(given.length ? given : [now() + by])); } static now() { return now() + by; } };`;
  return { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

test.each([-1, 0, 1])(
  "after a kill on another machine, a run takes over once ten minutes of the store passed, %i days off",
  async (days) => {
    const setting = await newSetting();
    await setting.finish(0);
    const reader = setting.watch();
    const killed = await startUntilPage(setting, 1);
    killed.child.kill("SIGKILL");
    await killed.ended;
    killed.go();
    await moveHolder(setting);
    const env = withClock(setting.env, days);
    setting.store.wait(300_000);
    const refused = await run(setting.args(2), { env });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        / is being published to by process \d+ on build-7 .*, or take over at once with --take-over\.\n$/,
      ),
    });
    setting.store.wait(600_000);
    const { code, stdout } = await run([...setting.args(2).filter((arg) => arg !== "--quiet"), "--json"], { env });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { resumed: true, warnings: [expect.stringMatching(TOOK)] }]);
    await setting.finish(2);
    await reader.stop();
  },
);

test("--take-over takes the lock of a killed run at once, and --force does not", async () => {
  const setting = await newSetting();
  await setting.finish(0);
  const killed = await startUntilPage(setting, 1);
  killed.child.kill("SIGKILL");
  await killed.ended;
  killed.go();
  await moveHolder(setting);
  expect(await run([...setting.args(2), "--force"], { env: setting.env })).toMatchObject({ code: 1 });
  expect(await run([...setting.args(2), "--take-over"], { env: setting.env })).toMatchObject({ code: 0, stderr: "" });
  await setting.finish(2);
});

test("a run that was stopped for long has lost its lock, and changes nothing more", async () => {
  const setting = await newSetting();
  await setting.finish(0);
  const stopped = await startUntilPage(setting, 1);
  stopped.child.kill("SIGSTOP");
  setting.store.wait(600_000);
  expect(await run(setting.args(2), { env: setting.env })).toMatchObject({ code: 0, stderr: "" });
  const from = setting.store.seen.length;
  stopped.go();
  stopped.child.kill("SIGCONT");
  const { code, stderr } = await stopped.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: (The lock of s3:.*was taken over by another run|s3:.*was changed by another run)/);
  expect(setting.store.seen.slice(from).filter((line) => /^(PUT|DELETE)/.test(line))).toEqual([]);
  await setting.finish(2);
});

test("a live run renews its lock with conditions, so that no other takes it over", async () => {
  const setting = await newSetting();
  const files = new ReleaseFiles(await openSiteRelease(setting.releaseOf(0).folder));
  const open = (renewMs: number) =>
    openBucket(
      parseAddress(`s3://${BUCKET}/dir`),
      files,
      { endpoint: setting.store.endpoint, renewMs, checkMs: 0 },
      undefined,
    );
  const target = await open(1);
  await target.lock(NOW);
  for (let turn = 0; turn < 3; turn++) {
    setting.store.wait(300_000);
    const { renewals } = (await listOf(setting)).holder;
    await eventually(async () => expect((await listOf(setting)).holder.renewals).toBeGreaterThan(renewals + 1));
    const other = await open(600_000);
    await expect(other.lock(NOW)).rejects.toThrow("is being published to by");
    await other.close();
  }
  await target.flush();
  await target.unlock();
  expect(await listOf(setting)).toBe(null);
  await target.close();
});

test("in a folder, the lock of a killed run is free, and that of a stopped run is taken over when it is stale", async () => {
  const folder = scratch();
  const site = join(folder, "site");
  const dist = join(folder, "dist");
  const release = await buildUsers(folder, 2000, { pageSize: 2 });
  const holder = join(site, ".rollcall-lock-holder.json");
  const pages = () => {
    const inside = join(site, "api/users/pages");
    return existsSync(inside) ? readdirSync(inside).length : 0;
  };
  const hold = async () => {
    const started = start(["publish", site, dist]);
    const before = pages();
    const isHolder = () => existsSync(holder) && JSON.parse(readFileSync(holder, "utf8")).pid === started.child.pid;
    await until(() => isHolder() && pages() > before);
    started.child.kill("SIGSTOP");
    return started;
  };
  const killed = await hold();
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect(existsSync(holder)).toBe(true);
  const stopped = await hold();
  await expect(publish({ dist, target: site })).rejects.toThrow(
    `is being published to by process ${stopped.child.pid} on`,
  );
  const time = lstatSync(holder).mtimeMs / 1000 - 700;
  utimesSync(holder, time, time);
  expect(await publish({ dist, target: site })).toMatchObject({ warnings: [expect.stringMatching(TOOK)] });
  const before = readTree(site);
  stopped.child.kill("SIGCONT");
  expect(await stopped.ended).toMatchObject({
    code: 1,
    stderr: `error: The lock of ${site} was taken over by another run, which has ended. This run has stopped; run it again.\n`,
  });
  expect(readTree(site)).toEqual(before);
  expect(published(site)).toEqual(readTree(release.folder));
});
