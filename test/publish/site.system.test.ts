/** Publishing a site: all listings in one run, with the files at the top last. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { type PublishOptions, publish, verify } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { readTree, scratch } from "../support/files.js";
import { buildShop, SHOP } from "../support/small-shop.js";
import { age } from "./forgetting.js";
import { buildUsers, published } from "./releases.js";
import { BUCKET, STORE_ENV, startStore } from "./store.js";

let folder: string;
let dist: string;
let target: string;

beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
  target = join(folder, "site");
});

const publishShop = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist, target, ...options }, effects);
const read = (path: string) => (existsSync(join(target, path)) ? readFileSync(join(target, path), "utf8") : undefined);

async function stepsOf(): Promise<string[]> {
  const steps: string[] = [];
  await publishShop({ dryRun: true }, { onStep: (kind: string, path: string) => steps.push(`${kind} ${path}`) });
  return steps;
}

test("puts all files, then each listing's announcing files, and the top last", async () => {
  const first = await buildShop(folder, { customers: 15, orders: 25 }, { explorer: true });
  expect(await publishShop()).toMatchObject({ id: first.id, before: null, changed: 0, removed: 0 });
  expect(published(target)).toEqual(readTree(first.folder));
  expect(await verify({ what: target })).toMatchObject({ passed: true });
  expect(await publishShop()).toMatchObject({ added: 0, changed: 0, removed: 0 });
  const second = await buildShop(folder, { customers: 15, orders: 31, factor: 2 }, { explorer: true });
  const steps = await stepsOf();
  // Customers did not change.
  expect(steps.filter((step) => step.includes("customers/"))).toEqual([]);
  expect(steps).toContain("add orders/pages/4.json");
  const last = steps.slice(steps.indexOf("change orders/explorer/summary.json"));
  expect(last.slice(0, 6)).toEqual([
    "change orders/explorer/summary.json",
    "change orders/SHA256SUMS",
    "change orders/snapshot.json",
    "change orders/index.html",
    "change SHA256SUMS",
    "change snapshot.json",
  ]);
  expect(await publishShop()).toMatchObject({ id: second.id, before: first.id });
  expect(published(target)).toEqual(readTree(second.folder));
});

test("wherever a run ends, the next one completes it, and all that the top names is there", async () => {
  const before = await buildShop(folder, { customers: 12, orders: 25, countries: 3 }, { compress: ["gzip"] });
  const after = await buildShop(folder, { customers: 15, orders: 15, factor: 2 }, { compress: ["gzip"] });
  const found = new Set<string>();
  for (let last = 1, isDone = false; !isDone; last++) {
    await publishShop({ release: before.id });
    const onProgress = ({ files }: { files: number }) => {
      if (files >= last) throw new Error("The run ends here");
    };
    isDone = await publishShop({ release: after.id }, { onProgress }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe("The run ends here");
        return false;
      },
    );
    const top = JSON.parse(read("snapshot.json") ?? "");
    for (const [name, { pages }] of Object.entries<{ pages: number }>(top.listings))
      for (let page = 1; page <= pages; page++) expect(read(`${name}/pages/${page}.json`), name).toBeDefined();
    if (top.id === after.id)
      for (const name of Object.keys(top.listings)) {
        const sums = read(`${name}/SHA256SUMS`) ?? "";
        expect(sums).toContain(`${sha256(read(`${name}/snapshot.json`) ?? "")}  snapshot.json\n`);
        expect(read("SHA256SUMS")).toContain(`${sha256(sums)}  ${name}/SHA256SUMS\n`);
      }
    // The pages of a removed listing are there as long as its snapshot.json.
    if (read("countries/snapshot.json")) expect(read("countries/pages/1.json")).toBeDefined();
    found.add(`${top.id === after.id ? "new" : "old"} top, ${existsSync(join(target, "countries")) ? 3 : 2} listings`);
    expect(await publishShop({ release: after.id })).toMatchObject({ resumed: !isDone });
    expect(published(target)).toEqual(readTree(after.folder));
  }
  expect(found).toEqual(new Set(["old top, 3 listings", "new top, 3 listings", "new top, 2 listings"]));
  expect(existsSync(join(target, "countries"))).toBe(false);
});

test("lists the URLs of each listing and of the top to purge", async () => {
  await buildShop(folder, { customers: 5, orders: 15, countries: 1 });
  await publishShop();
  await buildShop(folder, { customers: 5, orders: 16 });
  const purgeList = join(folder, "purge.txt");
  await publishShop({ purgeList });
  const urls = readFileSync(purgeList, "utf8").trimEnd().split("\n");
  expect(new Set(urls).size).toBe(urls.length);
  const paths = urls.map((url) => url.slice(SHOP.length));
  expect(paths).toEqual(
    expect.arrayContaining([
      "/orders/?format=api&page=2",
      "/orders/pages/2.json",
      "/orders/snapshot.json",
      "/countries/",
      "/countries/pages/1.json",
      "/countries/contract.json",
      "/SHA256SUMS",
      "/snapshot.json",
    ]),
  );
  expect(paths.filter((path) => path.startsWith("/customers/"))).toEqual([]);
});

test("is told apart from a plain release and from another site", async () => {
  await buildShop(folder, { customers: 5, orders: 15 });
  await publishShop();
  const before = readTree(target);
  const other = scratch();
  await buildShop(other, { customers: 5, orders: 15 }, { baseUrl: "https://other.example.com" });
  await expect(publishShop({ dist: join(other, "dist") })).rejects.toThrow(
    /site holds another release, the site https:\/\/shop\.example\.com \(release [0-9a-f]{12}, 20 records\), and this one is the site https:\/\/other\.example\.com\. Publish to another target, or replace that release with --force\.$/,
  );
  const plain = scratch();
  const users = await buildUsers(plain, 5, { baseUrl: SHOP });
  await expect(publishShop({ dist: join(plain, "dist") })).rejects.toThrow(
    "the site https://shop.example.com (release",
  );
  expect(readTree(target)).toEqual(before);
  // A run that replaces it is completed without --force.
  const onProgress = ({ files }: { files: number }) => {
    if (files === 3) throw new Error("The run ends here");
  };
  await expect(publishShop({ dist: join(plain, "dist"), force: true }, { onProgress })).rejects.toThrow("ends here");
  await publishShop({ dist: join(plain, "dist") });
  expect(published(target)).toEqual(readTree(users.folder));
  await expect(publishShop()).rejects.toThrow("holds another release, the listing https://shop.example.com/api/users/");
});

test("refuses a damaged listing before anything changes", async () => {
  const { folder: release } = await buildShop(folder, { customers: 5, orders: 15 });
  const page = join(release, "orders/pages/2.json");
  writeFileSync(page, readFileSync(page, "utf8").replace("15", "16"));
  await expect(publishShop()).rejects.toThrow("is damaged: orders/pages/2.json does not match its digest.");
  expect(existsSync(target)).toBe(false);
});

test("in a bucket, puts only what differs, with the headers of each listing's files", async () => {
  const store = await startStore();
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  const bucket = { target: `s3://${BUCKET}/dir`, endpoint: store.endpoint };
  const puts = () => store.seen.filter((line) => /^(?:PUT|DELETE)/.test(line) && !line.includes(".rollcall-"));
  await buildShop(folder, { customers: 5, orders: 15 });
  await publishShop(bucket);
  store.seen.length = 0;
  expect(await publishShop(bucket)).toMatchObject({ added: 0, changed: 0, removed: 0 });
  expect(puts()).toEqual([]);
  expect(store.seen.filter((line) => line.startsWith("HEAD"))).toEqual([]);
  expect((await store.read("dir/orders/snapshot.json"))?.headers.get("cache-control")).toBe("no-cache");
  expect((await store.read("dir/orders/pages/1.json"))?.headers.get("cache-control")).toBe("public, max-age=60");
  const second = await buildShop(folder, { customers: 5, orders: 16 });
  store.seen.length = 0;
  await publishShop(bucket);
  expect(puts().slice(-4)).toEqual([
    "PUT dir/orders/SHA256SUMS",
    "PUT dir/orders/snapshot.json",
    "PUT dir/SHA256SUMS",
    "PUT dir/snapshot.json",
  ]);
  const keys = (await store.keys()).filter((key) => !key.includes(".rollcall-"));
  expect(keys.sort()).toEqual([...readTree(second.folder).keys()].map((path) => `dir/${path}`).sort());
  vi.unstubAllEnvs();
});

test("forget lists the URLs that only the old release had, over all listings and the top", async () => {
  const old = await buildShop(folder, { customers: 5, orders: 25, countries: 1 });
  await buildShop(folder, { customers: 5, orders: 15 });
  age(old.folder);
  const { code, stdout } = await rollcall(`forget ${old.id}`, fakeIo(folder));
  expect(code).toBe(0);
  const paths = stdout
    .trimEnd()
    .split("\n")
    .map((url) => url.slice(SHOP.length));
  expect(paths).toEqual(
    expect.arrayContaining(["/orders/pages/3.json", "/countries/", "/countries/pages/1.json", "/snapshot.json"]),
  );
  expect(paths.filter((path) => path.startsWith("/customers/") || path === "/orders/pages/1.json")).toEqual([
    "/orders/pages/1.json",
  ]);
  expect(existsSync(old.folder)).toBe(false);
});
