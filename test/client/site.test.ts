/** A site that is opened stays with one snapshot: its listings are read as of one point in time, or not at all. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryStore, ListingError, openListing, openSite, type SiteOptions } from "../../src/client/index.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { build } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";

const BASE = "https://shop.example.com";

let db: string;
let dist: string;
/** The release that the host serves. */
let served: string;
/** Replaces the bytes of a path. */
let altered: Map<string, string>;

beforeEach(async () => {
  const folder = scratch();
  dist = join(folder, "dist");
  db = writeShop(folder);
  altered = new Map();
  served = await publish();
});

async function publish(signKey?: string): Promise<string> {
  const { folder } = await build({ db, baseUrl: BASE, dist, listings: SHOP, workers: 0, signKey });
  return folder;
}

const fetchFile: typeof fetch = async (input) => {
  const url = new URL(String(input));
  const path = url.pathname.slice(1);
  const page = url.searchParams.get("page");
  const file = path.endsWith("/") ? `${path}pages/${page}.json` : path;
  try {
    return new Response(altered.get(file) ?? readFileSync(join(served, file)));
  } catch {
    return new Response("Not found", { status: 404 });
  }
};

const open = (options: SiteOptions = {}) => openSite(BASE, { fetch: fetchFile, pausesMs: [1], ...options });

async function codeOf(wait: Promise<unknown>): Promise<unknown> {
  const error: unknown = await wait.catch((error: unknown) => error);
  if (!(error instanceof ListingError)) throw error;
  return error.code;
}

async function all<R>(walk: AsyncIterable<R>): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

test("it names its listings, and reads them", async () => {
  const site = open();
  expect(site.proof).toBeUndefined();
  const listings = await site.listings();
  expect(listings.map(({ name, count }) => [name, count])).toEqual([
    ["categories", 4],
    ["customers", 6],
    ["orders", 250],
    ["products", 10],
  ]);
  expect(site.proof).toBe("digests");
  const orders = site.listing<{ id: number }>("orders");
  expect(await orders.snapshot()).toMatchObject({ id: listings[2]?.id, site: BASE });
  expect((await all(orders.records())).map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, at) => at + 1));
  expect(await all(orders.records({ via: "bulk" }))).toHaveLength(250);
  await site.requireCurrent();
});

describe("after a change of the site", () => {
  test("a listing of another snapshot is refused, also in a walk that may begin again", async () => {
    const site = open();
    await site.listings();
    const before = site.listing("categories");
    await before.snapshot();
    changeShop(db, "INSERT INTO customers VALUES (7, 'New')");
    served = await publish();
    expect(await codeOf(site.requireCurrent())).toBe("changed");
    expect(await codeOf(site.listing("customers").snapshot())).toBe("changed");
    expect(await codeOf(all(site.listing("customers").records({ restart: true })))).toBe("changed");
    // Unchanged files are of both snapshots.
    expect(await all(before.records())).toHaveLength(4);
    expect(await all(open().listing("customers").records())).toHaveLength(7);
  });

  test("a walk of the old listing ends with an error, and reads nothing of the new one", async () => {
    const site = open({ concurrency: 1 });
    await site.listings();
    const walk = site.listing<{ total: number }>("orders").records({ restart: true });
    expect((await walk.next()).value?.total).toBe(0.25);
    changeShop(db, "UPDATE orders SET total = 1000");
    served = await publish();
    const found: number[] = [];
    const rest = (async () => {
      for await (const { total } of walk) found.push(total);
    })();
    expect(await codeOf(rest)).toBe("changed");
    expect(found).not.toContain(1000);
  });

  test("a copy of a listing is of the site's snapshot, or stays as it was", async () => {
    const store = createMemoryStore<{ id: number }>();
    const sync = (site = open()) => site.listing<{ id: number }>("orders").sync(store);
    await sync();
    const first = store.held();
    changeShop(db, "DELETE FROM orders WHERE id = 1");
    served = await publish();
    const site = open();
    await site.listings();
    changeShop(db, "DELETE FROM orders WHERE id = 2");
    served = await publish();
    expect(await codeOf(sync(site))).toBe("changed");
    expect(store.held()).toEqual(first);
    expect(await sync()).toMatchObject({ via: "changes", removed: 2 });
    const asked: string[] = [];
    const again = open({
      fetch(input) {
        asked.push(String(input));
        return fetchFile(input);
      },
    });
    expect(await sync(again)).toMatchObject({ via: "nothing" });
    expect(asked).toEqual([`${BASE}/snapshot.json`, `${BASE}/SHA256SUMS`]);
  });

  test("a listing that was dropped is of another snapshot, and one that is missing is not", async () => {
    const site = open();
    await site.listings();
    const { products: _, ...listings } = SHOP;
    const { folder } = await build({ db, baseUrl: BASE, dist, listings, workers: 0 });
    served = folder;
    expect(await codeOf(site.listing("products").snapshot())).toBe("changed");
    const other = open({
      fetch: async (input, init) => {
        const isMissing = String(input).endsWith("orders/snapshot.json");
        return isMissing ? new Response(null, { status: 404 }) : fetchFile(input, init);
      },
    });
    expect(await codeOf(other.listing("orders").snapshot())).toBe("unproved");
  });

  test("a cache that shows an old SHA256SUMS once is passed", async () => {
    const site = open({
      fetch: async (input, init) => {
        const isCached = String(input).endsWith("customers/SHA256SUMS");
        return isCached ? new Response("old\n") : fetchFile(input, init);
      },
    });
    expect(await all(site.listing("customers").records())).toHaveLength(6);
  });
});

describe("what is not a site as it was published", () => {
  test("a changed file at the top", async () => {
    const text = readFileSync(join(served, "snapshot.json"), "utf8");
    altered.set("snapshot.json", text.replace('"count":250', '"count":251'));
    expect(await codeOf(open().listings())).toBe("mismatch");
    for (const [from, to] of [
      ['"count":250', '"count":-1'],
      ['"orders"', '"../orders"'],
    ] as const) {
      altered.set("snapshot.json", text.replace(from, to));
      expect(await codeOf(open().listings())).toBe("malformed");
    }
  });

  test("a top that lists no listings, or a listing without the digest of its SHA256SUMS", async () => {
    const text = readFileSync(join(served, "snapshot.json"), "utf8");
    const sums = readFileSync(join(served, "SHA256SUMS"), "utf8");
    const none = text.replace(/"listings":.*/, '"listings":{}}');
    altered.set("snapshot.json", none);
    altered.set("SHA256SUMS", `${sha256(none)}  snapshot.json\n`);
    await expect(open().listings()).rejects.toThrow("is malformed: expected listings, received []");
    altered.clear();
    altered.set("SHA256SUMS", sums.replace(/^.*orders\/SHA256SUMS\n/m, ""));
    await expect(open().listing("customers").snapshot()).rejects.toThrow(
      `${BASE}/SHA256SUMS is malformed: expected orders/SHA256SUMS`,
    );
    altered.set("SHA256SUMS", sums.replace(/^(.*)orders\/SHA256SUMS\n/m, "$&$1constructor/SHA256SUMS\n"));
    expect(await codeOf(open().listing("constructor").snapshot())).toBe("usage");
  });

  test("a forged page, with a SHA256SUMS of its listing that fits", async () => {
    const path = "customers/pages/1.json";
    const page = readFileSync(join(served, path), "utf8");
    const sums = readFileSync(join(served, "customers/SHA256SUMS"), "utf8");
    const forged = page.replace("Customer 1", "Nobody");
    altered.set(path, forged);
    altered.set("customers/SHA256SUMS", sums.replace(sha256(page), sha256(forged)));
    const customers = openListing<{ name: string }>(`${BASE}/customers`, { fetch: fetchFile, pausesMs: [1] });
    expect((await all(customers.records()))[0]?.name).toBe("Nobody");
    expect(await codeOf(all(open().listing("customers").records()))).toBe("changed");
  });

  test("a listing that the site does not list", async () => {
    for (const name of ["none", "orders/", "orders/pages", "", "../x", "orders?x", "//evil.example.com"])
      expect(await codeOf((async () => open().listing(name).snapshot())()), name).toBe("usage");
    await expect(open().listing("none").snapshot()).rejects.toThrow(
      'is not a listing of the site: expected categories, customers, orders, products, received "none"',
    );
  });

  test("a listing, and options that read without verification", async () => {
    const one = openSite(`${BASE}/orders`, { fetch: fetchFile });
    await expect(one.listings()).rejects.toThrow("is not of a site: use openListing");
    const unproved = { unproved: true } as SiteOptions;
    expect(() => open(unproved)).toThrow("has no option unproved");
    expect(() => open({ publicKey: undefined as unknown as string })).toThrow(ListingError);
    await expect(openListing(BASE, { fetch: fetchFile }).snapshot()).rejects.toThrow(
      `${BASE}/snapshot.json is of a site: use openSite.`,
    );
  });
});

test("with a key, the top and each listing must be signed by it", async () => {
  const folder = scratch();
  const ours = writeKey(folder, "ours");
  const publicKey = ours.line;
  expect(await codeOf(open({ publicKey }).listings())).toBe("signature");
  served = await publish(ours.secret);
  const site = open({ publicKey });
  expect(await site.listings()).toHaveLength(4);
  expect(site.proof).toBe("signature");
  const orders = site.listing("orders");
  await orders.snapshot();
  expect(orders.proof).toBe("signature");
  expect(await codeOf(open({ publicKey: writeKey(folder, "theirs").line }).listings())).toBe("signature");
  altered.set("orders/SHA256SUMS.minisig", readFileSync(join(served, "customers/SHA256SUMS.minisig"), "utf8"));
  expect(await codeOf(site.listing("orders").snapshot())).toBe("signature");
  expect(await codeOf(open({ publicKey }).listing("orders").snapshot())).toBe("signature");
});

test("with a key, a listing that another key signed is named, and the others are read", async () => {
  const folder = scratch();
  const ours = writeKey(folder, "ours");
  served = await publish(writeKey(folder, "theirs").secret);
  altered.set("orders/SHA256SUMS.minisig", readFileSync(join(served, "orders/SHA256SUMS.minisig"), "utf8"));
  served = await publish(ours.secret);
  const site = open({ publicKey: ours.line });
  await expect(site.listing("orders").snapshot()).rejects.toMatchObject({
    code: "signature",
    message: expect.stringContaining(`${BASE}/orders/SHA256SUMS.minisig`),
  });
  expect(await all(site.listing("customers").records())).toHaveLength(6);
});
