/** The lock of a bucket: one of two runs is refused, and the next run follows a killed one. */
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { publish } from "../../src/index.js";
import { BucketLock, type LockOptions } from "../../src/publish/bucket-lock.js";
import { ObjectStore, parseAddress } from "../../src/publish/s3.js";
import { sha256 } from "../../src/release/plain-files.js";
import { run, start } from "../support/command.js";
import { scratch } from "../support/files.js";
import { eventually } from "../support/until.js";
import { newSetting } from "./setting.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

const LOCK = "dir/.rollcall-lock";
const RELEASE = "0123456789ab";
const HELD = `s3://bucket/dir is being published to by process ${process.pid} on ${hostname()} since 2026-11-22T00:00:00.000Z; `;
const LOST = "The lock of s3://bucket/dir was taken over by ";
const NOW = new Date("2026-11-22");

let server: StoreServer;

beforeEach(() => {
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

async function newRun(options: Partial<LockOptions> = {}): Promise<BucketLock> {
  const address = parseAddress(`s3://${BUCKET}/dir`);
  const store = await ObjectStore.open(address, server.endpoint);
  return new BucketLock(store, { name: address.name, release: RELEASE, isShard: false, force: false, ...options });
}

const heldNow = async () => JSON.parse((await server.read(LOCK))?.text ?? "null");
/** Changes the holder of the lock. */
async function claim(changes: object): Promise<void> {
  await server.change(LOCK, JSON.stringify({ ...(await heldNow()), id: "other", ...changes }));
}

describe("on a store with conditional writes", () => {
  beforeEach(async () => {
    server = await startStore();
  });

  test("one of three concurrent runs publishes, and the others are told its process and time", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const runs = [await newRun(), await newRun(), await newRun()];
      const taken = await Promise.allSettled(runs.map((run) => run.take(NOW)));
      const winners = runs.filter((_, at) => taken[at]?.status === "fulfilled");
      expect(winners).toHaveLength(1);
      for (const result of taken) if (result.status === "rejected") expect(result.reason.message).toContain(HELD);
      await winners[0]?.confirm();
      for (const run of runs) await run.release();
      expect(await heldNow()).toBe(null);
    }
  });

  test("the next run may begin after a run, and keeps its own lock", async () => {
    const [first, next] = [await newRun(), await newRun()];
    await first.take(NOW);
    await first.release();
    await next.take(NOW);
    await first.release();
    await next.confirm();
  });

  test("takes over the lock of an ended process, but not one of another system or machine", async () => {
    await (await newRun()).take(NOW);
    // No process has this number.
    const pid = 2 ** 30;
    await claim({ pid, machine: "elsewhere" });
    await expect((await newRun()).take(NOW)).rejects.toThrow(`by process ${pid} on elsewhere since 2026`);
    await claim({ pid, machine: hostname(), system: "another container" });
    await expect((await newRun()).take(NOW)).rejects.toThrow(`by process ${pid} on ${hostname()}`);
    await expect((await newRun()).take(NOW)).rejects.toThrow("if it was killed, take over with --force.");
    const { system } = await mineNow();
    await claim({ pid: process.ppid, system });
    await expect((await newRun()).take(NOW)).rejects.toThrow(`by process ${process.ppid} on`);
    await claim({ pid });
    await (await newRun()).take(NOW);
    // This process does not hold the lock, so an earlier one with the same number did.
    await claim({ pid: process.pid });
    await (await newRun()).take(NOW);
    await expect((await newRun()).take(NOW)).rejects.toThrow(HELD);
  });

  async function mineNow() {
    const before = (await server.read(LOCK))?.text;
    await server.change(LOCK, undefined);
    const run = await newRun();
    await run.take(NOW);
    const mine = await heldNow();
    await run.release();
    await server.change(LOCK, before);
    return mine;
  }

  test("force takes over any lock, and the old holder notices before it announces anything", async () => {
    const first = await newRun();
    await first.take(NOW);
    const second = await newRun({ force: true });
    await second.take(new Date(0));
    await expect(first.confirm()).rejects.toThrow(`${LOST}process ${process.pid} on ${hostname()} since 1970-`);
    await first.release();
    await second.confirm();
    await second.release();
    await expect(second.confirm()).rejects.toThrow(`${LOST}another run, which has ended`);
    await server.change(LOCK, "not of this form");
    await expect((await newRun()).take(NOW)).rejects.toThrow("is being published to by another run; wait");
    await (await newRun({ force: true })).take(NOW);
  });

  test("all shards of a release share the lock, and the run that follows takes it over", async () => {
    const shards = await Promise.all([1, 2, 3].map(() => newRun({ isShard: true })));
    await Promise.all(shards.map((shard) => shard.take(NOW)));
    for (const shard of shards) {
      shard.share();
      await shard.confirm();
      await shard.release();
    }
    const of = `is being published to by shards of release ${RELEASE} since `;
    const other = { release: "ba9876543210" };
    await expect((await newRun(other)).take(NOW)).rejects.toThrow(of);
    await expect((await newRun({ ...other, isShard: true })).take(NOW)).rejects.toThrow(of);
    const late = await newRun({ isShard: true });
    await late.take(NOW);
    const next = await newRun();
    await next.take(NOW);
    await expect(late.confirm()).rejects.toThrow(`${LOST}process ${process.pid}`);
    await expect((await newRun({ isShard: true })).take(NOW)).rejects.toThrow(HELD);
    await next.release();
    expect(await heldNow()).toBe(null);
  });

  test("recognizes its own lock after a lost response", async () => {
    const run = await newRun();
    let lost = 0;
    server.fault = (method) => (method === "PUT" && lost++ === 0 ? "lose answer" : undefined);
    await run.take(NOW);
    expect(lost).toBe(2);
    await run.confirm();
  });

  test("writes without conditions to a store that refuses them", async () => {
    const run = await newRun();
    let puts = 0;
    server.fault = (method) => (method === "PUT" && puts++ === 0 ? { status: 501, code: "NotImplemented" } : undefined);
    await run.take(NOW);
    await run.confirm();
    await run.release();
    expect([puts, await heldNow()]).toEqual([2, null]);
  });
});

test("on a store that ignores conditions, the earlier of two runs notices before it changes anything", async () => {
  server = await startStore({ conditions: false });
  const [earlier, later] = [await newRun(), await newRun()];
  // Both have seen no lock.
  let go = () => {};
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  let puts = 0;
  server.fault = (method) => (method === "PUT" && puts++ === 0 ? { until } : undefined);
  const first = later.take(NOW);
  await eventually(() => expect(puts).toBe(1));
  await earlier.take(NOW);
  go();
  await first;
  await expect(earlier.confirm()).rejects.toThrow(LOST);
  await later.confirm();
});

const BIG = "0123456789abcdef".repeat(400_000);

test.each([
  ["a small file", "late"],
  ["a file that is read as it is sent", BIG],
])("does not replace a version of another run: %s", async (_, text) => {
  server = await startStore();
  const store = await ObjectStore.open(parseAddress(`s3://${BUCKET}/dir`), server.endpoint);
  const from = join(scratch(), "page");
  writeFileSync(from, text);
  const body = text === BIG ? { from, size: text.length, sha256: sha256(text) } : Buffer.from(text);
  const headers = { CacheControl: "no-cache", ContentType: "text/plain" };
  const put = (over?: string) => store.put("page", body, headers, over);
  const before = await store.put("page", Buffer.from("before"), headers);
  expect(await put()).toBe(undefined);
  const next = await store.put("page", Buffer.from("next"), headers, before);
  expect(await put(before)).toBe(undefined);
  expect((await server.read("dir/page"))?.text).toBe("next");
  // An existing object with this digest counts as put.
  const tag = await put(next);
  expect(await put(before)).toBe(tag);
  await server.change("dir/page", undefined);
  expect(await put(tag)).toBe(undefined);
  expect(await server.read("dir/page")).toBe(undefined);
});

test("a run whose lock was taken over stops before it announces; no reader sees both", {
  timeout: 60_000,
}, async () => {
  const setting = await newSetting();
  await setting.finish(0);
  const reader = setting.watch();
  let go = () => {};
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  let isLate = false;
  setting.store.fault = (method, key) => {
    if (isLate || method !== "PUT" || !key.endsWith("/pages/2.json")) return undefined;
    isLate = true;
    return { until };
  };
  const late = run(setting.args(1), { env: setting.env });
  await eventually(() => expect(isLate).toBe(true));
  const refused = await run(setting.args(2), { env: setting.env });
  expect(refused.stderr).toMatch(/^error: s3:.*is being published to by process \d+ on .* since .*--force\.\n$/);
  const forced = await run([...setting.args(2), "--force"], { env: setting.env });
  expect(forced).toMatchObject({ code: 0, stderr: "" });
  go();
  expect((await late).stderr).toMatch(/^error: (s3:.*was changed by another run|The lock of s3:.*was taken over by)/);
  expect(JSON.parse((await setting.store.read("dir/snapshot.json"))?.text ?? "")).toMatchObject({
    id: setting.releaseOf(2).id,
  });
  await setting.finish(2);
  await reader.stop();
});

test("the next run on this machine takes over the lock of a killed run", async () => {
  const setting = await newSetting();
  setting.store.fault = (method, key) => (method === "PUT" && key.includes("/pages/") ? "hang" : undefined);
  const { child, ended } = start(setting.args(0), { env: setting.env });
  await eventually(() => expect(setting.store.seen.some((line) => line.includes("/pages/"))).toBe(true));
  child.kill("SIGKILL");
  await ended;
  expect(JSON.parse((await setting.store.read(LOCK))?.text ?? "")).toMatchObject({ pid: child.pid });
  await setting.finish(0);
  expect(await setting.store.read(LOCK)).toBe(undefined);
});

test("a stopped or failed run removes its lock", async () => {
  const setting = await newSetting();
  const [, target = "", dist = ""] = setting.args(0);
  const stop = new AbortController();
  const options = { target, dist, endpoint: setting.store.endpoint };
  const onProgress = () => stop.abort(new Error("stopped"));
  await expect(publish(options, { onProgress, signal: stop.signal })).rejects.toThrow("stopped");
  expect(await setting.store.read(LOCK)).toBe(undefined);
  setting.store.fault = (method, key) =>
    method === "PUT" && key.includes("/pages/") ? { status: 403, code: "AccessDenied" } : undefined;
  await expect(publish(options)).rejects.toThrow("access is denied");
  expect(await setting.store.read(LOCK)).toBe(undefined);
});
