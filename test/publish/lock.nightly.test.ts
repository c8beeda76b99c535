/** The lock in a bucket's list on a real store: one of concurrent runs gets it, and no version of another run is replaced. */
import { hostname } from "node:os";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openSiteRelease } from "../../src/core/release/site.js";
import { publish } from "../../src/index.js";
import { openBucket } from "../../src/publish/bucket.js";
import { ReleaseFiles } from "../../src/publish/order.js";
import { openStore, parseAddress } from "../../src/publish/s3.js";
import { writeRelease } from "../serve/release.js";
import { run } from "../support/command.js";
import { scratch } from "../support/files.js";
import { eventually } from "../support/until.js";
import { newSetting, type Setting } from "./setting.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

const LIST = "dir/.rollcall-published.json";
const HELD = `s3://bucket/dir is being published to by process ${process.pid} on ${hostname()} since 2026-11-22T00:00:00.000Z; `;
const LOST = "The lock of s3://bucket/dir was taken over by ";
const NOW = new Date("2026-11-22");

let server: StoreServer;

beforeEach(() => {
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

let files: ReleaseFiles;
beforeEach(async () => {
  files = new ReleaseFiles(await openSiteRelease(await writeRelease(scratch())));
});

const address = parseAddress(`s3://${BUCKET}/dir`);
const newRun = (options: object = {}) =>
  openBucket(address, files, { endpoint: server.endpoint, checkMs: 0, ...options }, undefined);
const listNow = async () => JSON.parse((await server.read(LIST))?.text ?? "null");

describe("on a store with conditional writes", () => {
  beforeEach(async () => {
    server = await startStore();
  });

  test("one of three concurrent runs publishes, and the others are told its process and time", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const runs = [await newRun(), await newRun(), await newRun()];
      const taken = await Promise.allSettled(runs.map((run) => run.lock(NOW)));
      const winners = runs.filter((_, at) => taken[at]?.status === "fulfilled");
      expect(winners).toHaveLength(1);
      for (const result of taken) if (result.status === "rejected") expect(result.reason.message).toContain(HELD);
      await winners[0]?.flush();
      for (const run of runs) await run.unlock();
      expect(await listNow()).toBe(null);
    }
  });

  test("a run whose lock was taken over changes no other object, also when an attempt is repeated", async () => {
    const first = await newRun();
    await first.lock(NOW);
    await server.change("dir/old", "of the new holder");
    let take = async () => {};
    const until = new Promise<void>((resolve) => {
      take = async () => {
        await (await newRun({ takeOver: true })).lock(NOW);
        resolve();
      };
    });
    let attempts = 0;
    let isTaken = false;
    server.fault = (method) => {
      if (method === "DELETE" && attempts++ === 0) return { status: 503, code: "SlowDown" };
      if (method === "DELETE" || attempts === 0 || isTaken) return undefined;
      // The first check after the refusal waits until another run has the lock.
      isTaken = true;
      void take();
      return { until };
    };
    const removed = first.remove("old");
    await expect(removed).rejects.toThrow(LOST);
    await expect(first.remove("old")).rejects.toThrow(LOST);
    expect([attempts, (await server.read("dir/old"))?.text]).toEqual([1, "of the new holder"]);
  });

  test("recognizes its own lock after a lost response", async () => {
    const run = await newRun();
    let lost = 0;
    server.fault = (method) => (method === "PUT" && lost++ === 0 ? "lose answer" : undefined);
    await run.lock(NOW);
    expect(lost).toBe(2);
    await run.flush();
  });

  test("writes without conditions to a store that refuses them", async () => {
    const run = await newRun();
    let puts = 0;
    server.fault = (method) => (method === "PUT" && puts++ === 0 ? { status: 501, code: "NotImplemented" } : undefined);
    await run.lock(NOW);
    await run.flush();
    await run.unlock();
    expect([puts, await listNow()]).toEqual([2, null]);
  });
});

test("on a store that ignores conditions, the earlier of two runs notices before it changes anything", async () => {
  server = await startStore({ conditions: false });
  const earlier = await newRun();
  const later = await newRun();
  // Both have seen no lock.
  let go = () => {};
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  let puts = 0;
  server.fault = (method) => (method === "PUT" && puts++ === 0 ? { until } : undefined);
  const first = later.lock(NOW);
  await eventually(() => expect(puts).toBe(1));
  await earlier.lock(NOW);
  go();
  await first;
  await expect(earlier.flush()).rejects.toThrow(LOST);
  await later.flush();
});

test("does not replace a version of another run", async () => {
  server = await startStore();
  const store = await openStore(address, server.endpoint);
  const headers = { CacheControl: "no-cache", ContentType: "text/plain" };
  const put = (over?: string) => store.put("page", Buffer.from("late"), headers, over);
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
  expect(refused.stderr).toMatch(/^error: s3:.*is being published to by process \d+ on .* since .*--take-over\.\n$/);
  const takenOver = await run([...setting.args(2), "--take-over"], { env: setting.env });
  expect(takenOver).toMatchObject({ code: 0, stderr: "" });
  go();
  expect((await late).stderr).toMatch(/^error: (s3:.*was changed by another run|The lock of s3:.*was taken over by)/);
  expect(JSON.parse((await setting.store.read("dir/snapshot.json"))?.text ?? "")).toMatchObject({
    id: setting.releaseOf(2).id,
  });
  await setting.finish(2);
  await reader.stop();
});

const holderOf = async ({ store }: Setting) => JSON.parse((await store.read(LIST))?.text ?? "").holder;

test("a stopped or failed run ends its lock", async () => {
  const setting = await newSetting();
  const [, target = "", dist = ""] = setting.args(0);
  const stop = new AbortController();
  const options = { target, dist, endpoint: setting.store.endpoint };
  const onProgress = () => stop.abort(new Error("stopped"));
  await expect(publish(options, { onProgress, signal: stop.signal })).rejects.toThrow("stopped");
  expect(await holderOf(setting)).toBe(undefined);
  setting.store.fault = (method, key) =>
    method === "PUT" && key.includes("/pages/") ? { status: 403, code: "AccessDenied" } : undefined;
  await expect(publish(options)).rejects.toThrow("access is denied");
  expect(await holderOf(setting)).toBe(undefined);
});
