/** Three releases and a bucket that they are published to by the real command, with a reader who follows snapshot.json. */
import { join } from "node:path";
import { expect } from "vitest";
import type { BuildResult } from "../../src/index.js";
import { run } from "../support/command.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { buildShop } from "../support/small-shop.js";
import { until } from "../support/until.js";
import { buildUsers } from "./releases.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

const PUBLISHED = "dir/.rollcall-published.json";

export interface Setting {
  store: StoreServer;
  env: NodeJS.ProcessEnv;
  /** The command that publishes the next release. Releases differ in the number of pages and in all bytes. */
  args(turn: number): string[];
  releaseOf(turn: number): BuildResult;
  /** A complete run without faults, after which the bucket has exactly that release. */
  finish(turn: number): Promise<void>;
  /** Follows snapshot.json: every page that it promises must be there until it changes. */
  watch(): { stop(): Promise<number> };
}

/** @param buildAll builds three releases in a folder */
export async function newSetting(buildAll = buildPlain): Promise<Setting> {
  const folder = scratch();
  const store = await startStore();
  const releases = await buildAll(folder);
  const env = { ...process.env, ...STORE_ENV };
  const releaseOf = (turn: number) => releases[turn % releases.length] as BuildResult;
  const args = (turn: number) => [
    ...["publish", `s3://${BUCKET}/dir`, join(folder, "dist"), "--endpoint", store.endpoint],
    ...["--release", releaseOf(turn).id, "--quiet"],
  ];

  const finish = async (turn: number) => {
    store.fault = () => undefined;
    expect(await run(args(turn), { env })).toEqual({ code: 0, stdout: "", stderr: "" });
    const keys = (await store.keys()).filter((key) => !key.includes("/.rollcall-"));
    const found = await Promise.all(keys.map(async (key) => [key.slice(4), (await store.read(key))?.text] as const));
    const files = [...readTree(releaseOf(turn).folder)];
    // The client decompresses pages.
    const isPlain = ([path]: readonly [string, unknown]) => !path.endsWith(".gz");
    expect(found.map(([path]) => path).sort()).toEqual(files.map(([path]) => path));
    expect(new Map(found.filter(isPlain))).toEqual(new Map(files.filter(isPlain)));
    const { complete, holder } = JSON.parse((await store.read(PUBLISHED))?.text ?? "");
    expect([complete, holder]).toEqual([true, undefined]);
  };
  return { store, env, args, releaseOf, finish, watch: () => watch(store) };
}

async function buildPlain(folder: string): Promise<BuildResult[]> {
  const rows = plainRows(60);
  return [
    await buildUsers(folder, rows, { pageSize: 2, keep: 9 }),
    await buildUsers(folder, rows, { pageSize: 5, keep: 9, compress: ["gzip"] }),
    await buildUsers(folder, rows.slice(30), { pageSize: 2, keep: 9 }),
  ];
}

/** Releases of a site. The second has a listing more. */
export async function buildSite(folder: string): Promise<BuildResult[]> {
  return [
    await buildShop(folder, { customers: 15, orders: 60 }, { pageSize: 4 }),
    await buildShop(folder, { customers: 20, orders: 60, factor: 2, countries: 7 }, { compress: ["gzip"] }),
    await buildShop(folder, { customers: 10, orders: 40, factor: 3 }, { pageSize: 4 }),
  ];
}

/** The pages that a snapshot.json promises. */
function pagesIn(snapshot: string): string[] {
  const { pages, listings = { "api/users": { pages } } } = JSON.parse(snapshot);
  return Object.entries<{ pages: number }>(listings).flatMap(([name, { pages }]) =>
    Array.from({ length: pages }, (_, at) => `${name}/pages/${at + 1}.json`),
  );
}

function watch(store: StoreServer) {
  let isStopped = false;
  const snapshot = async () => (await store.read("dir/snapshot.json"))?.text ?? "";
  const announced = () => store.seen.filter((line) => line === "PUT dir/snapshot.json").length;
  const written = () => store.seen.filter((line) => /^(PUT|DELETE) /.test(line)).length;
  const watching = (async () => {
    let checks = 0;
    for (; !isStopped; checks++) {
      const announcedBefore = announced();
      const writtenBefore = written();
      const before = await snapshot();
      const { id }: { id: string } = JSON.parse(before);
      const missing: string[] = [];
      for (const page of pagesIn(before)) if (!(await store.read(`dir/${page}`))) missing.push(page);
      // Pages are removed once another release is announced; this one may be announced again later.
      if ((await snapshot()) === before && announced() === announcedBefore) expect([id, missing]).toEqual([id, []]);
      // Nothing else changes what a reader finds.
      await until(() => isStopped || written() > writtenBefore);
    }
    return checks;
  })();
  // stop() returns what it found.
  watching.catch(() => {});
  return {
    stop: () => {
      isStopped = true;
      return watching;
    },
  };
}
