/** The threads of a build: started once, and used for all of its listings. */
import { join } from "node:path";
import { build, buildShard, verify } from "rollcall";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { SHOP, writeShop } from "../support/shop.js";

let started = 0;
const count = () => {
  started += 1;
};

beforeEach(() => {
  started = 0;
  process.on("worker", count);
});

afterEach(() => {
  process.off("worker", count);
});

test.each([0, 1, 2])("a build of four listings with %i workers starts as many threads", async (workers) => {
  const folder = scratch();
  const dist = join(folder, "dist");
  const options = { db: writeShop(folder), baseUrl: "https://shop.example.com", listings: SHOP, workers };
  await build({ ...options, dist });
  expect(started).toBe(workers);
  expect((await verify({ dist, workers: 0 })).passed).toBe(true);
  await buildShard({ ...options, dist: join(folder, "other"), shard: "0/2", parts: join(folder, "parts") });
  expect(started).toBe(2 * workers);
});
