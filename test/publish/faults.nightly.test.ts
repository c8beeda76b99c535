/** Publishing over a failing network: the run or the next one completes, and no reader misses a page. */
import { beforeEach, expect, test } from "vitest";
import { run } from "../support/command.js";
import { readTree } from "../support/files.js";
import { seeded } from "../support/random.js";
import { pause } from "../support/time.js";
import type { Fault } from "./proxy.js";
import { buildSite, newSetting, type Setting } from "./setting.js";

const random = seeded();
let setting: Setting;

beforeEach(async () => {
  setting = await newSetting();
});

const faults: [what: string, fault: () => Fault][] = [
  ["connections that are dropped", () => (random.chance(0.15) ? "lose" : undefined)],
  ["answers that get lost", () => (random.chance(0.15) ? "lose answer" : undefined)],
  ["a store that is too busy", () => (random.chance(0.15) ? { status: 503, code: "SlowDown" } : undefined)],
  ["a store that is slow", () => (random.chance(0.5) ? { until: pause(150) } : undefined)],
];

test.each(faults)("recovers from %s", { timeout: 120_000 }, async (_, fault) => {
  await setting.finish(0);
  const reader = setting.watch();
  for (const turn of [1, 2]) {
    setting.store.fault = fault;
    expect(await run(setting.args(turn), { env: setting.env })).toEqual({ code: 0, stdout: "", stderr: "" });
    await setting.finish(turn);
  }
  expect(await reader.stop()).toBeGreaterThan(1);
});

test("a store that disappears ends the run with one line; the next run continues", {
  timeout: 120_000,
}, async () => {
  await setting.finish(0);
  const reader = setting.watch();
  for (const [turn, last] of [
    [1, 5],
    [2, 20],
    [3, 35],
  ] as const) {
    let changes = 0;
    setting.store.fault = (method) => (method !== "GET" && ++changes > last ? "lose" : undefined);
    const { code, stdout, stderr } = await run(setting.args(turn), { env: setting.env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: Cannot publish to .*: the store cannot be reached \(ECONNRESET\); .*\n$/);
    setting.store.seen.length = 0;
    await setting.finish(turn);
    // Completed uploads were not repeated.
    const sent = setting.store.seen.filter((line) => line.startsWith("PUT") && !line.includes("/.rollcall-")).length;
    expect(sent).toBeLessThan(readTree(setting.releaseOf(turn).folder).size);
  }
  expect(await reader.stop()).toBeGreaterThan(1);
});

test("a site recovers from dropped connections, too", { timeout: 120_000 }, async () => {
  setting = await newSetting(buildSite);
  await setting.finish(0);
  const reader = setting.watch();
  for (const turn of [1, 2, 3]) {
    let changes = 0;
    setting.store.fault = (method) => (method !== "GET" && ++changes > 15 * turn ? "lose" : undefined);
    expect(await run(setting.args(turn), { env: setting.env })).toMatchObject({ code: 1 });
    setting.store.fault = () => (random.chance(0.15) ? "lose" : undefined);
    expect(await run(setting.args(turn), { env: setting.env })).toEqual({ code: 0, stdout: "", stderr: "" });
    await setting.finish(turn);
  }
  expect(await reader.stop()).toBeGreaterThan(1);
});

test("times out and retries when a store does not answer", { timeout: 120_000 }, async () => {
  await setting.finish(0);
  let hung = 0;
  setting.store.fault = (method, key) =>
    method === "PUT" && key.endsWith("/1.json") && hung++ === 0 ? "hang" : undefined;
  expect(await run(setting.args(2), { env: setting.env })).toMatchObject({ code: 0 });
  expect(hung).toBe(2);
  await setting.finish(2);
});
