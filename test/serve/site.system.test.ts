/** A site of several listings: each is answered as a release of its own, and the top as itself, also while releases switch. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build } from "../../src/index.js";
import { createListingServer } from "../../src/serve/serve.js";
import { scratch } from "../support/files.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";

async function serveShop() {
  const folder = scratch();
  const db = writeShop(folder);
  const dist = join(folder, "dist");
  const options = { db, baseUrl: "http://127.0.0.1:1", dist, listings: SHOP, workers: 0 };
  const rebuild = () => build({ ...options, explorer: true });
  const { id } = await rebuild();
  const server = await createListingServer({ dist });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0, host: "127.0.0.1" });
  return { db, dist, id, url, server, rebuild };
}

test("every file of a listing and of the top is answered with its own id", async () => {
  const { dist, id, url } = await serveShop();
  const top = JSON.parse(readFileSync(join(dist, "current/snapshot.json"), "utf8"));
  const ids = new Map([["", id], ...Object.keys(SHOP).map((name) => [`${name}/`, top.listings[name].id] as const)]);
  for (const [folder, own] of ids)
    for (const name of ["snapshot.json", "openapi.json", "SHA256SUMS", "index.html"]) {
      const response = await fetch(`${url}/${folder}${name}`);
      const body = await response.text();
      expect([response.status, response.headers.get("snapshot-id")], folder + name).toEqual([200, own]);
      expect(body).toBe(readFileSync(join(dist, "current", folder, name), "utf8"));
    }
  for (const [target, file] of [
    ["orders/", "orders/pages/1.json"],
    ["orders/?page=3", "orders/pages/3.json"],
    ["products/pages/2.json", "products/pages/2.json"],
    ["", "index.html"],
  ] as const) {
    const response = await fetch(`${url}/${target}`);
    expect(await response.text(), target).toBe(readFileSync(join(dist, "current", file), "utf8"));
  }
});

test("what is not there is 404, and a listing without its slash leads to it", async () => {
  const { url } = await serveShop();
  for (const target of [
    "pages/1.json",
    "?page=1x",
    "orders/?page=9",
    "order/",
    "orderss/",
    "orders/records.sha256",
    "nothing/snapshot.json",
  ]) {
    const { status } = await fetch(`${url}/${target}`);
    expect([target, status]).toEqual([target, target === "?page=1x" ? 200 : 404]);
  }
  const moved = await fetch(`${url}/orders?page=2`, { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/orders/?page=2"]);
});

test("a switch changes all listings at once, and leaves the id of those that did not change", async () => {
  const { db, url, server, rebuild } = await serveShop();
  const idOf = async (name: string) => (await fetch(`${url}/${name}/?page=1`)).headers.get("snapshot-id");
  const before = { orders: await idOf("orders"), products: await idOf("products") };
  changeShop(db, "INSERT INTO customers VALUES (7, 'New'); INSERT INTO orders VALUES (251, 7, NULL, 1)");
  const { id } = await rebuild();
  await server.reload();
  expect(server.site.id).toBe(id);
  expect(await idOf("products")).toBe(before.products);
  expect(await idOf("orders")).not.toBe(before.orders);
  const top = (await (await fetch(`${url}/snapshot.json`)).json()) as { listings: Record<string, { id: string }> };
  expect(top.listings["orders"]?.id).toBe(await idOf("orders"));
});
