/** Publishing with shards: they put each page once, nothing else, and no link is ever broken. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { type BuildResult, publish } from "../../src/index.js";
import { run, start } from "../support/command.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { eventually } from "../support/until.js";
import { buildUsers } from "./releases.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

const SHARDS = 8;
const PAGES = "dir/api/users/pages/";
const TARGET = `s3://${BUCKET}/dir`;

let folder: string;
let dist: string;
let store: StoreServer;

beforeEach(async () => {
  folder = scratch();
  dist = join(folder, "dist");
  store = await startStore();
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const options = (shard?: number) => ({
  ...{ dist, target: TARGET, endpoint: store.endpoint },
  ...(shard !== undefined && { shard: `${shard}/${SHARDS}` }),
});
const all = [...Array(SHARDS).keys()];
const seen = (method: string) =>
  store.seen.filter((line) => line.startsWith(`${method} `)).map((line) => line.slice(method.length + 1));

const puts = () => seen("PUT").filter((key) => !key.includes("/.rollcall-"));

/** The objects of the bucket, without Rollcall's own. */
const keys = async () => (await store.keys()).filter((key) => !key.includes("/.rollcall-")).sort();
const keysOf = ({ folder }: BuildResult) => [...readTree(folder).keys()].map((path) => `dir/${path}`).sort();

test("eight shards at once, one killed and run again, leave no page for the plain run", {
  timeout: 200_000,
}, async () => {
  const release = await buildUsers(folder, 200, { encodings: ["br", "gzip"] });
  const pages = keysOf(release).filter((key) => key.startsWith(PAGES));
  expect(pages).toHaveLength(20 * 3);
  const env = { ...process.env, ...STORE_ENV, SLURM_ARRAY_TASK_COUNT: "1" };
  const args = ["publish", TARGET, dist, "--endpoint", store.endpoint, "--shard", `auto/${SHARDS}`];
  // Pages 8 to 10 are of one shard: the store accepts two of its files, and never answers the others.
  let taken = 0;
  const isOfKilled = (key: string) => /\/pages\/(8|9|10)\.json/.test(key);
  store.fault = (method, key) => (method === "PUT" && isOfKilled(key) && taken++ >= 2 ? "hang" : undefined);
  const shards = all.map((shard) => start(args, { env: { ...env, SLURM_ARRAY_TASK_ID: `${shard}` } }));
  const killed = shards[3];
  await eventually(() => expect(seen("PUT").filter(isOfKilled)).toHaveLength(9));
  await eventually(async () => expect((await keys()).filter(isOfKilled)).toHaveLength(2));
  killed?.child.kill("SIGKILL");
  const ends = await Promise.all(shards.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual(all.map((shard) => (shard === 3 ? "SIGKILL" : 0)));
  expect(ends[0]?.stdout + (ends[0]?.stderr ?? "")).toMatch(/shard 0\/8 of [0-9a-f]{12}.*\n.*6 new, 0 changed, 0 gone/);
  expect((await keys()).filter((key) => !pages.includes(key))).toEqual([]);
  expect(await keys()).toHaveLength(pages.length - 7);

  store.fault = () => undefined;
  store.seen.length = 0;
  const again = await run([...args, "--json"], { env: { ...env, SLURM_ARRAY_TASK_ID: "3" } });
  expect(JSON.parse(again.stdout)).toMatchObject({ shard: "3/8", added: 7, changed: 0, removed: 0, same: 2 });
  expect(puts()).toHaveLength(7);
  // Only pages, and no file that announces them.
  expect(await keys()).toEqual(pages);

  store.seen.length = 0;
  const plain = await publish(options());
  expect(plain).toMatchObject({ same: pages.length, changed: 0, removed: 0 });
  expect(seen("PUT").filter((key) => key.startsWith(PAGES))).toEqual([]);
  expect(seen("HEAD")).toHaveLength(pages.length);
  expect(await keys()).toEqual(keysOf(release));
});

test("while a release is read, all links work, and shards announce nothing", {
  timeout: 200_000,
}, async () => {
  const old = await buildUsers(folder, plainRows(95).slice(0, 45));
  await publish(options());
  const announced = await store.read("dir/snapshot.json");
  // Five pages become ten, of which the shards have one or two each.
  const release = await buildUsers(folder, plainRows(95));
  const walk = async () => {
    let count = 0;
    for (let page: number | undefined = 1; page !== undefined; count++) {
      const found = await store.read(`${PAGES}${page}.json`);
      expect(found?.text, `page ${page}`).toBeDefined();
      const { next }: { next: string | null } = JSON.parse(found?.text ?? "");
      page = next === null ? undefined : Number(new URL(next).searchParams.get("page"));
    }
    return count;
  };
  // In an order that would replace the last old page before the next one exists; one shard runs twice.
  for (const shard of [3, 3, 4, 0, 1, 2, 7, 5, 6]) {
    await publish(options(shard));
    expect(await walk()).toBe(old.pages);
  }
  expect((await store.read("dir/snapshot.json"))?.text).toBe(announced?.text);
  store.seen.length = 0;
  const result = await publish(options());
  expect(result.before).toBe(release.id);
  expect(seen("PUT").filter((key) => key.startsWith(PAGES))).toEqual([`${PAGES}${old.pages}.json`]);
  expect(await walk()).toBe(release.pages);
  expect(await keys()).toEqual(keysOf(release));
  store.seen.length = 0;
  expect(await publish(options(4))).toMatchObject({ added: 0, changed: 0 });
  expect(puts()).toEqual([]);
  // This shard does not block others.
  await buildUsers(folder, 7);
  await publish(options());
});

test("refuses another release while shards hold the lock; with force it replaces their pages", {
  timeout: 200_000,
}, async () => {
  const release = await buildUsers(folder, 100);
  for (const shard of [0, 7]) await publish(options(shard));
  const other = await buildUsers(folder, plainRows(130).slice(100));
  const held = `is being published to by shards of release ${release.id} since `;
  await expect(publish(options())).rejects.toThrow(held);
  await expect(publish(options(3))).rejects.toThrow(
    `publish release ${release.id} without --shard first, or take over with --force`,
  );
  await publish({ ...options(), force: true });
  expect(await keys()).toEqual(keysOf(other));
});

test("a shard with a damaged page puts nothing", async () => {
  const { folder: release } = await buildUsers(folder, 100);
  writeFileSync(join(release, "api/users/pages/4.json"), "other bytes");
  await expect(publish(options(3))).rejects.toThrow("api/users/pages/4.json does not match its digest");
  expect(seen("PUT")).toEqual([]);
});

test("refuses what a shard cannot do in one line", async () => {
  await buildUsers(folder, 5);
  await expect(publish({ ...options(0), target: join(folder, "site") })).rejects.toThrow(
    `--shard puts pages into a bucket, s3://BUCKET/PREFIX; publish to the folder ${join(folder, "site")} without it.`,
  );
  await expect(publish({ ...options(0), purgeList: join(folder, "purge.txt") })).rejects.toThrow(
    "--shard and --purge-list exclude each other: the run that follows all shards lists every URL.",
  );
  await expect(publish({ ...options(), shard: "8/8" })).rejects.toThrow("Shard 8/8 must be a number from 0");
  expect(store.seen).toEqual([]);
});
