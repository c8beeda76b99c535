/** A bucket behind a network that fails, and runs that are killed: the next one completes, and no reader misses a page. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import type { BuildResult } from "../../src/index.js";
import { run, start } from "../support/command.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import type { Fault } from "./proxy.js";
import { buildUsers } from "./releases.js";
import { BUCKET, CREDENTIALS, type StoreServer, startStore } from "./store.js";

const PUBLISHED = "dir/.rollcall-published.json";
const env = { ...process.env, ...CREDENTIALS, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" };

let folder: string;
let store: StoreServer;
let releases: BuildResult[];

beforeEach(async () => {
  folder = scratch();
  store = await startStore();
  const rows = plainRows(60);
  // Each differs from the one before in the number of pages and in the bytes of all.
  releases = [
    await buildUsers(folder, rows, { pageSize: 2, keep: 9 }),
    await buildUsers(folder, rows, { pageSize: 5, keep: 9, encodings: ["gzip"] }),
    await buildUsers(folder, rows.slice(30), { pageSize: 2, keep: 9 }),
  ];
});

const releaseOf = (turn: number) => releases[turn % releases.length] as BuildResult;
const args = (turn: number) => [
  ...["publish", `s3://${BUCKET}/dir`, join(folder, "dist"), "--endpoint", store.endpoint],
  ...["--release", releaseOf(turn).id, "--quiet"],
];

/** A whole run without faults, after which the bucket holds that release and nothing else. */
async function finish(turn: number): Promise<void> {
  store.fault = () => undefined;
  expect(await run(args(turn), { env })).toEqual({ code: 0, stdout: "", stderr: "" });
  const keys = (await store.keys()).filter((key) => !key.includes("/.rollcall-"));
  const found = await Promise.all(
    keys.map(async (key) => [key.slice(4), (await store.read(key))?.text] as const),
  );
  const files = [...readTree(releaseOf(turn).folder)];
  const isPlain = ([path]: readonly [string, unknown]) => !path.endsWith(".gz");
  expect(found.map(([path]) => path).sort()).toEqual(files.map(([path]) => path));
  expect(new Map(found.filter(isPlain))).toEqual(new Map(files.filter(isPlain)));
  expect(JSON.parse((await store.read(PUBLISHED))?.text ?? "")).toMatchObject({ complete: true });
}

/** Follows snapshot.json over and over: every page that it promises is there, until it says otherwise. */
function watch() {
  let isStopped = false;
  const snapshot = async () => (await store.read("dir/snapshot.json"))?.text;
  const watching = (async () => {
    let checks = 0;
    for (; !isStopped; checks++) {
      const before = (await snapshot()) ?? "";
      const { id, pages }: { id: string; pages: number } = JSON.parse(before);
      const missing: number[] = [];
      for (let page = 1; page <= pages; page++)
        if (!(await store.read(`dir/api/users/pages/${page}.json`))) missing.push(page);
      if ((await snapshot()) === before) expect([id, missing]).toEqual([id, []]);
    }
    return checks;
  })();
  return {
    stop: () => {
      isStopped = true;
      return watching;
    },
  };
}

const faults: [what: string, fault: () => Fault][] = [
  ["connections that are dropped", () => (Math.random() < 0.15 ? "lose" : undefined)],
  ["answers that get lost", () => (Math.random() < 0.15 ? "lose answer" : undefined)],
  ["a store that is too busy", () => (Math.random() < 0.15 ? { status: 503, code: "SlowDown" } : undefined)],
  ["a store that is slow", () => (Math.random() < 0.5 ? "slow" : undefined)],
];

test.each(faults)("%s are outlasted", { timeout: 120_000 }, async (_, fault) => {
  await finish(0);
  const reader = watch();
  for (const turn of [1, 2]) {
    store.fault = fault;
    expect(await run(args(turn), { env })).toEqual({ code: 0, stdout: "", stderr: "" });
    await finish(turn);
  }
  expect(await reader.stop()).toBeGreaterThan(1);
});

test("a store that goes away in the middle ends the run in one line; the next one goes on", {
  timeout: 120_000,
}, async () => {
  await finish(0);
  const reader = watch();
  for (const [turn, last] of [
    [1, 5],
    [2, 20],
    [3, 35],
  ] as const) {
    let changes = 0;
    store.fault = (method) => (method !== "GET" && ++changes > last ? "lose" : undefined);
    const { code, stdout, stderr } = await run(args(turn), { env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: Cannot publish to .*: the store cannot be reached \(ECONNRESET\); .*\n$/);
    store.seen.length = 0;
    await finish(turn);
    // What had got through was not sent again.
    const sent = store.seen.filter((line) => line.startsWith("PUT") && !line.includes("/.rollcall-")).length;
    expect(sent).toBeLessThan(readTree(releaseOf(turn).folder).size);
  }
  expect(await reader.stop()).toBeGreaterThan(1);
});

test("runs that are killed at any moment", { timeout: 200_000 }, async () => {
  await finish(0);
  const reader = watch();
  let killed = 0;
  for (let turn = 1; turn <= 12; turn++) {
    store.fault = () => (Math.random() < 0.05 ? "slow" : undefined);
    const from = store.seen.length;
    const changes = 1 + Math.floor(Math.random() * 50);
    const { child, ended } = start(args(turn), { env });
    const over = ended.then(() => true);
    const count = () => store.seen.slice(from).filter((line) => /^(PUT|DELETE)/.test(line)).length;
    while (count() < changes && !(await Promise.race([sleep(1), over])));
    child.kill("SIGKILL");
    const { code, stderr } = await ended;
    expect(stderr).toBe("");
    if (code === "SIGKILL") killed++;
    if (turn % 4 === 0) await finish(turn + (turn % 8 === 0 ? 1 : 0));
  }
  for (const turn of [0, 1, 2]) await finish(turn);
  expect(killed).toBeGreaterThan(5);
  expect(await reader.stop()).toBeGreaterThan(5);
});

test("a store that does not answer is given up and asked again", { timeout: 120_000 }, async () => {
  await finish(0);
  let hung = 0;
  store.fault = (method, key) =>
    method === "PUT" && key.endsWith("/1.json") && hung++ === 0 ? "hang" : undefined;
  expect(await run(args(2), { env })).toMatchObject({ code: 0 });
  expect(hung).toBe(2);
  await finish(2);
});
