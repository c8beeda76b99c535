/** The overview at the top of a site, and links between the explorers of its listings, in a real browser. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { build, createServer } from "../../src/index.js";
import { findings } from "../support/axe.js";
import { scratch } from "../support/files.js";
import { HOSTILE } from "../support/hostile.js";
import { describeWith } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { SHOP, writeShop } from "../support/shop.js";
import { settledList, usePages } from "./browser.js";

/** The orders below a name with a slash. A customer is a facet of them. */
const ORDERS: ContractFile = {
  ...SHOP.orders.contract,
  properties: {
    ...SHOP.orders.contract.properties,
    customer_id: { type: "integer", "x-references": "customers", "x-facet": true },
  },
};

/** Serves the shop with an explorer until the test ends. @param texts the title and description of the categories */
async function serveShop(texts?: { title: string; description: string }): Promise<string> {
  const folder = scratch();
  const dist = join(folder, "dist");
  const port = await freePort();
  const { orders, categories, ...others } = SHOP;
  const { contract } = categories;
  const named = { ...contract, "x-listing": { ...contract["x-listing"], ...texts } };
  const listings = {
    ...others,
    categories: { contract: named },
    "v1/orders": { contract: ORDERS, table: "orders" },
  };
  await build({ db: writeShop(folder), dist, baseUrl: `http://127.0.0.1:${port}/shop`, explorer: true, listings });
  const server = await createServer({ dist });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port, host: "127.0.0.1" });
  return `${url}/`;
}

const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const;

describeWith("chromium", "a site", (path) => {
  const open = usePages(path);

  test.each(LOOKS)("$colorScheme, $width pixels: axe finds nothing in the overview", async ({ colorScheme, width }) => {
    const { page, misdeeds } = await open(await serveShop(), { colorScheme, viewport: { width, height: 800 } });
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.getByText("250 orders").waitFor();
    await page.getByText("category_id refers to categories").waitFor();
    expect(await page.locator("script").count()).toBe(0);
    // The style of the explorer is there.
    const background = colorScheme === "dark" ? "rgb(20, 23, 26)" : "rgb(251, 251, 250)";
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(background);
    await page.getByRole("link", { name: "v1/orders" }).first().click();
    expect(await settledList(page)).toBe("1 to 100 of 250 orders");
    expect(misdeeds).toEqual([]);
  });

  test("texts of a contract do not become markup", async () => {
    // Texts of a contract have one line.
    const text = HOSTILE.filter((text) => /^[ -~]+$/.test(text)).join(" ");
    expect(text).toContain("<script>");
    const { page, misdeeds } = await open(await serveShop({ title: text, description: text }));
    await page.getByText("250 orders").waitFor();
    expect(await page.locator("script, img, iframe, style, form").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("a reference leads to its record, and a record to those that refer to it", async () => {
    const url = await serveShop();
    const { page, misdeeds } = await open(`${url}v1/orders/index.html#/7`);
    await page.locator(".one").getByRole("link", { name: "2", exact: true }).click();
    await page.getByRole("heading", { name: "Customer 2" }).or(page.locator("#record-title")).first().waitFor();
    expect(page.url()).toBe(`${url}customers/index.html#/2`);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("link", { name: "Orders with this customer_id" }).click();
    expect(await settledList(page)).toBe("42 orders found, in 250.");
    expect(page.url()).toBe(`${url}v1/orders/index.html#?customer_id=2`);
    await page.locator('td a[href="../../customers/index.html#/2"]').first().click();
    await page.locator(".one").waitFor();
    expect(page.url()).toBe(`${url}customers/index.html#/2`);
    // A listing may refer to itself.
    await page.goto(`${url}categories/index.html#/3`);
    await page.locator(".one").getByRole("link", { name: "2", exact: true }).click();
    await page.locator("#record-title", { hasText: "2" }).waitFor();
    expect(misdeeds.filter((line) => !line.startsWith(`request ${url}`))).toEqual([]);
  });
});
