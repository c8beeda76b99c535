/** Diffs of sites: a line of counts for each listing, then the reports; with --listing, those of one listing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createServer, diff } from "../../../src/index.js";
import { fakeIo, rollcall } from "../../cli/run.js";
import { buildUsers } from "../../publish/releases.js";
import { scratch } from "../../support/files.js";
import { freePort } from "../../support/ports.js";
import { buildShop, SHOP, shopListings } from "../../support/small-shop.js";

let cwd: string;
let ids: [old: string, now: string];

/** The new site has two orders more, other totals of all, and a listing of countries instead of none. */
beforeEach(async () => {
  cwd = scratch();
  const old = await buildShop(cwd, { customers: 5, orders: 15 });
  const now = await buildShop(cwd, { customers: 5, orders: 17, factor: 2, countries: 3 });
  ids = [old.id, now.id];
});

const run = (line: string) => rollcall(`diff ${line}`, fakeIo(cwd));

test("shows a line of counts for each listing, then the reports of those that differ", async () => {
  const { code, stdout, stderr } = await run("");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout.split("\n").slice(0, 7)).toEqual([
    "listing    added  removed  changed",
    "countries      3        0        0  listing added",
    "customers      0        0        0",
    "orders         2        0       15",
    "",
    "==> orders <==",
    expect.stringMatching(/^old {2}release \S+\/orders \([0-9a-f]{12}\) +15 orders, 2 pages$/),
  ]);
  expect(stdout).toContain("  total  15\n");
  expect(stdout).not.toContain("==> customers <==");
  const back = await run(`${ids[1]} ${ids[0]}`);
  expect(back.stdout).toContain("countries      0        3        0  listing removed\n");
  expect(await run("current current")).toMatchObject({ code: 0 });
});

test("writes JSON and Markdown of all listings, and the other formats of one", async () => {
  const json = JSON.parse((await run("--format json")).stdout);
  expect(json).toMatchObject({
    added: { countries: 3 },
    removed: {},
    listings: {
      customers: { added: 0, removed: 0, changed: 0, changes: [] },
      orders: { added: 2, removed: 0, changed: 15 },
    },
  });
  expect(json.listings.orders.changes).toHaveLength(17);
  const { stdout } = await run("--format markdown");
  expect(stdout).toMatch(/^## Rollcall: changes in 2 of 3 listings\n\n\| listing \| added/);
  expect(stdout).toContain("\n| `countries` | 3 | 0 | 0 | listing added |\n");
  expect(stdout).toContain("\n## `orders`\n\n### Rollcall: 2 orders added, 15 changed\n");
  for (const format of ["html", "ndjson"]) {
    expect(await run(`--format ${format}`)).toMatchObject({
      code: 2,
      stderr: `error: --format ${format} shows one listing; name it with --listing: customers, orders.\n`,
    });
    const one = await run(`--format ${format} --listing orders`);
    expect(one).toMatchObject({ code: 1, stderr: "" });
  }
});

test("compares one listing with --listing, and in the library", async () => {
  const { code, stdout } = await run("--listing orders");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^old {2}release \S+\/orders /);
  expect(await run("--listing customers")).toMatchObject({ code: 0 });
  expect(await run("--listing order")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has no listing "order"; did you mean orders\?/),
  });
  expect(await run("--listing countries")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("has no listing"),
  });
  const dist = join(cwd, "dist");
  const result = await diff({ dist, listing: "orders" });
  expect(result).toMatchObject({ added: 2, changed: 15 });
  result.close();
  await expect(diff({ dist })).rejects.toThrow("is a site of several listings; name one of them with listing:");
});

test("gates count all listings, and all records of an added or a removed one", async () => {
  expect(await run("--max-added 3")).toMatchObject({ code: 1, stderr: "" });
  expect(await run("--max-added 2")).toMatchObject({
    code: 3,
    stderr: "gate exceeded: max-added 2: the listing countries was added, with 3 records\n",
  });
  expect(await run("--max-added 1,countries=3 --max-changed 10%")).toMatchObject({
    code: 3,
    stderr:
      "gate exceeded: orders: max-added 1: 2 of 15 orders added (13.333 %)\ngate exceeded: orders: max-changed 10%: 15 of 15 orders changed (100 %)\n",
  });
  expect(await run(`${ids[1]} ${ids[0]} --max-removed 50%`)).toMatchObject({
    code: 3,
    stderr: "gate exceeded: max-removed 50%: the listing countries was removed, with 3 records\n",
  });
  expect(await run("--only total --max-field total=9")).toMatchObject({ code: 3 });
  expect(await run("--only none")).toMatchObject({ code: 2 });
});

test("a listing is added and removed, and counted by gates, if each object has a member of its name", async () => {
  const { countries = {} } = shopListings({ countries: 3 });
  const listings = { ...shopListings(), constructor: { ...countries, table: "countries" } };
  const { id } = await buildShop(cwd, { customers: 5, orders: 15, countries: 3 }, { listings });
  expect(await run(`${ids[0]} ${id} --max-added 2`)).toMatchObject({
    code: 3,
    stderr: "gate exceeded: max-added 2: the listing constructor was added, with 3 records\n",
  });
  expect((await run(`${id} ${ids[0]}`)).stdout).toContain("constructor      0        3        0  listing removed\n");
});

test("gates that name a listing go before those of the config, and those before gates for all", async () => {
  const changed = (limit: string) => ({
    code: 3,
    stderr: `gate exceeded: orders: max-changed ${limit}: 15 of 15 orders changed (100 %)\n`,
  });
  expect(await run("--max-changed 10% --max-changed orders=15")).toMatchObject({ code: 1, stderr: "" });
  expect(await run("--max-changed 15 --max-changed orders=14")).toMatchObject(changed("14"));
  expect(await run(`${ids[1]} ${ids[0]} --max-removed 2,countries=100%`)).toMatchObject({ code: 1, stderr: "" });
  expect(await run("--max-field orders.total=9")).toMatchObject({ code: 3 });
  expect(await run("--max-field total=9,orders.total=15")).toMatchObject({ code: 1, stderr: "" });
  const { orders, ...others } = shopListings({});
  const listings = { ...others, orders: { ...orders, maxChanged: "5%" } };
  writeFileSync(join(cwd, "rollcall.config.json"), JSON.stringify({ listings }));
  expect(await run("")).toMatchObject(changed("5%"));
  expect(await run("--max-changed orders=100%")).toMatchObject({ code: 1, stderr: "" });
  expect(await run("--listing customers --max-field orders.total=9")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("--max-changed order=1")).toMatchObject({
    code: 2,
    stderr: 'error: maxChanged names "order", which is not a listing; did you mean orders?\n',
  });
  expect(await run("dist/current/orders dist/current/orders --max-changed orders=1")).toMatchObject({
    code: 2,
    stderr:
      'error: maxChanged names "orders", but it is for one listing, not for a site of several; give the limit alone: 1.\n',
  });
});

test("refuses to compare a site with one listing", async () => {
  const plain = scratch();
  await buildUsers(plain, 3, { baseUrl: SHOP });
  for (const line of [`${plain}/dist current`, `current ${plain}/dist`, `${plain}/dist current --listing orders`])
    expect(await run(line)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: \S.* is a site of 3 listings, countries, customers, orders, and \S+\/dist is one listing\. Name two sites, or the folder or URL of a listing/,
      ),
    });
  expect(await run(`${plain}/dist ${plain}/dist --listing orders`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is one listing, not a site of several; leave --listing out."),
  });
  // A listing's folder is a release.
  expect(await run("dist/current/orders dist/current/orders")).toMatchObject({ code: 0 });
});

test("a host that fails once is asked again, and one that cannot be reached is said to be so", async () => {
  const host = await createServer({ dist: join(cwd, "dist") });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0 });
  const { fetch } = globalThis;
  let asked = 0;
  vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => {
    return asked++ === 0 ? Promise.resolve(new Response(null, { status: 500 })) : fetch(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await run(`${url} current`)).toMatchObject({ code: 0, stderr: "" });
  const down = `http://127.0.0.1:${await freePort()}`;
  expect((await run(`current ${down}`)).stderr).toMatch(
    /snapshot\.json cannot be reached: the connection was refused;/,
  );
});

test("compares hosts, folders, revisions and a source", async () => {
  const host = await createServer({ dist: join(cwd, "dist") });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0 });
  expect(await run(`${url} current`)).toMatchObject({ code: 0, stderr: "" });
  expect((await run(`${ids[0]} ${url}`)).stdout).toContain("\norders         2        0       15\n");
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  mkdirSync(join(cwd, "kept"));
  execFileSync("cp", ["-r", `${join(cwd, "dist/current")}/.`, join(cwd, "kept")]);
  git("init", "--quiet");
  git("add", "kept");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "one");
  expect(await run("git:HEAD:kept kept")).toMatchObject({ code: 0, stderr: "" });
  writeFileSync(
    join(cwd, "rollcall.config.json"),
    JSON.stringify({ pageSize: 10, listings: shopListings({ countries: 3 }) }),
  );
  expect(await run("current shop.db")).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await run(`${ids[0]} shop.db --listing orders`);
  expect(stdout).toMatch(/\nnew {2}source shop\.db\/orders \(/);
});
