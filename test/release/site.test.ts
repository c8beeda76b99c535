/** A site on disk that was forged or damaged is refused, and the message names the place. */
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { build, verify } from "../../src/index.js";
import { openSite } from "../../src/release/site.js";
import { scratch } from "../support/files.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";

let site: string;
let older: string;

beforeEach(async () => {
  const folder = scratch();
  const db = writeShop(folder);
  const options = { db, baseUrl: "https://shop.example.com", dist: join(folder, "dist"), listings: SHOP, workers: 0 };
  const first = await build(options);
  changeShop(db, "INSERT INTO customers VALUES (7, 'New'); INSERT INTO orders VALUES (251, 7, NULL, 1)");
  const second = await build(options);
  older = join(folder, "older");
  site = join(folder, "site");
  cpSync(first.folder, older, { recursive: true });
  cpSync(second.folder, site, { recursive: true });
});

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(join(site, path), change(readFileSync(join(site, path), "utf8")));
}

function replace(name: string): void {
  rmSync(join(site, name), { recursive: true });
  cpSync(join(older, name), join(site, name), { recursive: true });
}

const FORGED: [string, () => void, RegExp][] = [
  ["a listing of another release", () => replace("orders"), /orders\/snapshot\.json: found other facts/],
  [
    "the SHA256SUMS of another release",
    () => cpSync(join(older, "orders/SHA256SUMS"), join(site, "orders/SHA256SUMS")),
    /orders\//,
  ],
  [
    "the top of another release",
    () => cpSync(join(older, "snapshot.json"), join(site, "snapshot.json")),
    /snapshot\.json/,
  ],
  [
    "another count",
    () => edit("snapshot.json", (text) => text.replace('"count":251', '"count":250')),
    /snapshot\.json/,
  ],
  [
    "another base URL",
    () => edit("snapshot.json", (text) => text.replace("shop.example", "shop2.example")),
    /base URL/,
  ],
  [
    "a listing that is gone",
    () => rmSync(join(site, "products"), { recursive: true }),
    /products\/snapshot\.json: found no release/,
  ],
  ["a listing behind a link", () => moveAway("products"), /products\/snapshot\.json: found a link/],
  [
    "a name that leads out",
    () => edit("snapshot.json", (text) => text.replace('"orders"', '"../older/orders"')),
    // Nothing that Rollcall writes for a site, so it counts as a plain release.
    /contract\.json: found no file/,
  ],
];

function moveAway(name: string): void {
  renameSync(join(site, name), join(site, "..", "moved"));
  symlinkSync(join(site, "..", "moved"), join(site, name));
}

test.each(FORGED)("refuses %s", async (_, forge, message) => {
  await expect(openSite(site)).resolves.toMatchObject({ listings: { length: 4 } });
  forge();
  await expect(openSite(site)).rejects.toThrow(message);
  expect((await verify({ what: site })).passed).toBe(false);
});

test("verify finds a file beside the listings, and a reference to no record", async () => {
  writeFileSync(join(site, "notes.txt"), "");
  const { rows, passed } = await verify({ what: site });
  expect(passed).toBe(false);
  expect(rows.find(({ name }) => name === "site")?.findings.map(({ path }) => path)).toEqual(["notes.txt"]);
  rmSync(join(site, "notes.txt"));
  edit("orders/pages/1.json", (text) => text.replace('"customer_id":2', '"customer_id":9'));
  const row = (await verify({ what: site })).rows.find(({ name }) => name === "references");
  expect(row?.findings[0]).toMatchObject({ path: "orders/pages/1.json", page: 1, found: "customer_id 9" });
});
