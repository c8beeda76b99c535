/** Mirrors of a site: a table for each listing, all as of one snapshot of the site. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { type MirrorResult, mirror } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";
import { shopListings } from "../support/small-shop.js";
import { held } from "./filled.js";
import { SMALL, shop, statesIn } from "./hosted-shop.js";

function ask(file: string, sql: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
}

const summary = ({ tables, dropped }: MirrorResult) => [
  ...tables.map(({ table, via, count }) => `${table}: ${count} by ${via}`),
  ...dropped.map((name) => `${name} dropped`),
];

test("a table for each listing is made, kept, changed by steps, added and dropped", async () => {
  const { cwd, url, change, file } = await shop();
  expect(summary(await mirror({ url, file }))).toEqual(["customers: 5 by pages", "orders: 25 by pages"]);
  expect(held(file)).toBe(statesIn(cwd));

  const same = await mirror({ url, file });
  expect(summary(same)).toEqual(["customers: 5 by nothing", "orders: 25 by nothing"]);
  expect(same.requests).toBe(2);

  await change({ customers: 6, orders: 25, countries: 3 });
  expect(summary(await mirror({ url, file }))).toEqual([
    "countries: 3 by pages",
    "customers: 6 by changes",
    // Their customers have changed.
    "orders: 25 by changes",
  ]);
  expect(held(file)).toBe(statesIn(cwd));
  expect(ask(file, "SELECT count(*) FROM orders JOIN customers ON customers.id = orders.customer")).toBe(25);

  await change(SMALL);
  expect(summary(await mirror({ url, file }))).toEqual([
    "customers: 5 by changes",
    "orders: 25 by changes",
    "countries dropped",
  ]);
  expect(held(file)).toBe(statesIn(cwd));
  expect(ask(file, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%countries%'")).toBe(0);
});

test("the command names each table", async () => {
  const { cwd, url, change } = await shop();
  await change({ ...SMALL, countries: 3 });
  await rollcall(`mirror ${url} shop.sqlite`, fakeIo(cwd));
  await change({ ...SMALL, orders: 26 });
  const { code, stdout, stderr } = await rollcall(`mirror ${url} shop.sqlite`, fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  const lines = stderr.replace(/in \d.* requests, .*/, "in 1 s").split("\n");
  expect(lines.map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
    `mirror | shop.sqlite | of ${url}`,
    "table | customers | 5 customers, no changes",
    "table | orders | 26 orders, 1 put, 0 removed",
    "drop | countries | no longer a listing of the site",
    "done | in 1 s",
    "",
  ]);
});

test("a listing with a reserved name has a table of another name, and the site is mirrored", async () => {
  const { customers, orders } = shopListings({});
  const listings = {
    customers: customers ?? {},
    rollcall_orders: { ...orders, table: "orders" },
    Sqlite_stat: { ...customers, table: "customers" },
  };
  const { cwd, url, change } = await shop({ listings });
  for (const orders of [25, 26]) {
    await change({ ...SMALL, orders });
    const { code, stderr } = await rollcall(`mirror ${url} shop.sqlite`, fakeIo(cwd));
    expect(code, stderr).toBe(0);
    const lines = stderr.split("\n").map((line) => line.trim().replace(/ {2,}/g, " | "));
    const why = "since names that begin with sqlite_ or rollcall_ are reserved";
    expect(lines).toContain(`note | in a mirror, the listing Sqlite_stat is the table _Sqlite_stat, ${why}`);
    expect(lines).toContain(`note | in a mirror, the listing rollcall_orders is the table _rollcall_orders, ${why}`);
    expect(lines.filter((line) => line.startsWith("note"))).toHaveLength(2);
    expect(ask(join(cwd, "shop.sqlite"), "SELECT count(*) FROM _rollcall_orders")).toBe(orders);
  }
});

test("the listings of one snapshot are read, if the site switches between two of them", async () => {
  const { cwd, url, change, file } = await shop();
  await change({ ...SMALL, countries: 3 });
  const [, first] = (await mirror({ url, file })).tables;
  await change({ customers: 6, orders: 25, factor: 2 });
  let switches = 0;
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>) => {
    // The customers were read.
    if (String(given[0]).endsWith("/orders/snapshot.json") && switches++ === 0)
      await change({ customers: 7, orders: 25, factor: 3 });
    return fetch(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const result = await mirror({ url, file });
  expect(summary(result)).toEqual(["customers: 7 by changes", "orders: 25 by changes", "countries dropped"]);
  // Of both attempts.
  expect(result.tables[0]).toMatchObject({ from: first?.state, put: 2, removed: 0 });
  expect(held(file)).toBe(statesIn(cwd));
});

test("a site that drops a listing while it is read is read again", async () => {
  const { cwd, url, change, file } = await shop();
  await change({ ...SMALL, countries: 3 });
  const { fetch } = globalThis;
  let switches = 0;
  vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>) => {
    if (String(given[0]).endsWith("/countries/snapshot.json") && switches++ === 0) await change(SMALL);
    return fetch(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(summary(await mirror({ url, file }))).toEqual(["customers: 5 by pages", "orders: 25 by pages"]);
  expect(switches).toBe(1);
  expect(held(file)).toBe(statesIn(cwd));
});

test("a site that switches all the time leaves the mirror as it was", async () => {
  const { url, change, file } = await shop();
  await mirror({ url, file });
  const before = held(file);
  await change({ customers: 6, orders: 25, factor: 2 });
  const { fetch } = globalThis;
  let factor = 2;
  vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>) => {
    if (String(given[0]).endsWith("/orders/snapshot.json"))
      await change({ customers: 5, orders: 25, factor: ++factor });
    return fetch(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(mirror({ url, file })).rejects.toThrow(
    /orders\/snapshot.json is of another snapshot; open the site again. Run this again when nothing is being deployed/,
  );
  expect(factor).toBeGreaterThan(9);
  expect(held(file)).toBe(before);
});

test("a failure in one listing changes no table, and a first run leaves no file", async () => {
  const { cwd, url, change, file } = await shop();
  const { fetch } = globalThis;
  const fail = () =>
    vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>) =>
      String(given[0]).includes("/orders/contract.json") ? new Response("{}") : fetch(...given),
    );
  onTestFinished(() => void vi.unstubAllGlobals());
  fail();
  await expect(mirror({ url, file })).rejects.toThrow("orders/contract.json");
  expect(existsSync(file)).toBe(false);
  vi.unstubAllGlobals();
  await mirror({ url, file });
  const before = held(file);
  await change({ customers: 6, orders: 26 });
  fail();
  await expect(mirror({ url, file })).rejects.toThrow("orders/contract.json");
  expect(held(file)).toBe(before);
  vi.unstubAllGlobals();
  await mirror({ url, file });
  expect(held(file)).toBe(statesIn(cwd));
});

test("with a key, the site must be signed by it", async () => {
  const keys = scratch();
  const [ours, others] = [writeKey(keys, "ours"), writeKey(keys, "others")];
  const { url, file } = await shop({ signKey: ours.secret });
  await expect(mirror({ url, file, key: [others.line] })).rejects.toThrow("The mirror accepts only a release");
  expect(existsSync(file)).toBe(false);
  expect(summary(await mirror({ url, file, key: [ours.line] }))).toEqual([
    "customers: 5 by pages",
    "orders: 25 by pages",
  ]);
  expect((await mirror({ url, file, key: [ours.line] })).requests).toBe(3);
});

test("tables of other programs, and mirrors of other sites and listings, are not touched", async () => {
  const { cwd, url, change, file } = await shop();
  await mirror({ url, file });
  const db = new Database(file);
  db.exec("CREATE TABLE countries (mine); INSERT INTO countries VALUES (1)");
  db.close();
  const before = held(file);
  await change({ ...SMALL, orders: 26, countries: 2 });
  await expect(mirror({ url, file })).rejects.toThrow(`${file} has a table or view "countries" of another program`);
  expect([held(file), ask(file, "SELECT mine FROM countries")]).toEqual([before, 1]);

  const orders = join(cwd, "orders.sqlite");
  expect(summary(await mirror({ url: `${url}/orders`, file: orders }))).toEqual(["orders: 26 by pages"]);
  await expect(mirror({ url, file: orders })).rejects.toThrow(
    `${orders} is a mirror of one listing, and ${url} is a site of listings countries, customers, orders; name another file.`,
  );
  await expect(mirror({ url: `${url}/orders`, file })).rejects.toThrow(
    `${file} is a mirror of a site, and ${url}/orders is one listing; name another file.`,
  );

  const other = await shop({ listings: { customers: shopListings()["customers"] ?? {} } });
  await expect(mirror({ url: other.url, file })).rejects.toThrow(
    `${file} is a mirror of ${url}, which has a listing orders; name another file.`,
  );
  expect(held(file)).toBe(before);
});

test("a listing that replaces the site is refused, and so is a site that replaces a listing", async () => {
  const cwd = scratch();
  const listing = { listings: undefined, contract: shopListings()["customers"]?.contract, force: true };
  const { url, change, file } = await shop();
  const one = join(cwd, "one.sqlite");
  await mirror({ url, file });
  const before = held(file);
  await change(SMALL, listing);
  await expect(mirror({ url, file })).rejects.toThrow(`${file} is a mirror of a site, and ${url} is one listing;`);
  expect(held(file)).toBe(before);
  await mirror({ url, file: one });
  await change(SMALL, { force: true });
  await expect(mirror({ url, file: one })).rejects.toThrow(
    `${one} is a mirror of one listing, and ${url} is a site of listings customers, orders; name another file.`,
  );
  expect(summary(await mirror({ url, file }))).toEqual(["customers: 5 by nothing", "orders: 25 by nothing"]);
});
