/** A site on disk that was forged or damaged is refused, and the message names the place. */
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openRelease } from "../../../src/core/release/open.js";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { describeSite, encodeSiteSnapshot, openSiteRelease } from "../../../src/core/release/site.js";
import { build, verify } from "../../../src/index.js";
import { scratch } from "../../support/files.js";
import { changeShop, SHOP, writeShop } from "../../support/shop.js";

let db: string;
let site: string;
let older: string;

beforeEach(async () => {
  const folder = scratch();
  db = writeShop(folder);
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

const FORGED: [string, () => void | Promise<void>, RegExp][] = [
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
  ["an id of other content", forgeId, /: snapshot\.json: found id 000000000000; expected \w{12}, which its content/],
  [
    "a listing that was published alone",
    takeAlone,
    /orders\/snapshot\.json: found no site; expected the site https:\/\/shop\.example\.com\./,
  ],
  ["a listing behind a link", () => moveAway("products"), /products\/snapshot\.json: found a link/],
  [
    "a name that leads out",
    () => edit("snapshot.json", (text) => text.replace('"orders"', '"../older/orders"')),
    // Nothing that Rollcall writes for a site, so it counts as a plain release.
    /contract\.json: found no file/,
  ],
];

/** Lists the bytes of a file at the top of the site as they are now. */
function listAgain(path: string): void {
  const digest = sha256(readFileSync(join(site, path)));
  edit("SHA256SUMS", (text) => text.replace(new RegExp(`^\\w{64}(?=  ${path}$)`, "m"), digest));
}

function forgeId(): void {
  // The first id in the text is the site's own.
  edit("snapshot.json", (text) => text.replace(/"id":"\w+"/, '"id":"000000000000"'));
  listAgain("snapshot.json");
}

/** Replaces the orders by a release of their own, and makes the files at the top fit. */
async function takeAlone(): Promise<void> {
  const { contract } = SHOP.orders;
  const alone = { db, contract, baseUrl: "https://shop.example.com/orders", dist: join(site, "..", "alone") };
  const { folder } = await build({ ...alone, workers: 0 });
  rmSync(join(site, "orders"), { recursive: true });
  cpSync(folder, join(site, "orders"), { recursive: true });
  const names = ["categories", "customers", "orders", "products"];
  const listings = names.map(async (name) => ({ name, ...(await openRelease(join(site, name))) }));
  const { snapshot } = describeSite("https://shop.example.com", await Promise.all(listings));
  writeFileSync(join(site, "snapshot.json"), encodeSiteSnapshot(snapshot));
  listAgain("orders/SHA256SUMS");
  listAgain("snapshot.json");
}

function moveAway(name: string): void {
  renameSync(join(site, name), join(site, "..", "moved"));
  symlinkSync(join(site, "..", "moved"), join(site, name));
}

test.each(FORGED)("refuses %s", async (_, forge, message) => {
  await expect(openSiteRelease(site)).resolves.toMatchObject({ listings: { length: 4 } });
  await forge();
  await expect(openSiteRelease(site)).rejects.toThrow(message);
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

test("verify names references of a page whose keys are of any type", async () => {
  edit("customers/pages/1.json", (text) => text.replace('"id":2,', '"id":true,').replace('"id":3,', '"id":{},'));
  edit("orders/pages/1.json", (text) =>
    text.replace('"customer_id":4,', '"customer_id":[4],').replaceAll(/"id":\d+/g, '"id":{"toString":1}'),
  );
  const row = (await verify({ what: site })).rows.find(({ name }) => name === "references");
  const found = new Set(row?.findings.map(({ found }) => found));
  expect(found).toEqual(new Set(["customer_id 2", "customer_id 3", "customer_id [4]"]));
});

test("verify does not pass references if it cannot read a page", async () => {
  edit("orders/pages/1.json", () => "x\n");
  const row = (await verify({ what: site })).rows.find(({ name }) => name === "references");
  expect(row).toMatchObject({ outcome: "skipped", note: "1 page could not be read" });
});
