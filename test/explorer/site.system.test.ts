/** The overview at the top of a site, and links between the explorers of its listings, in a real browser. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { build, createServer } from "../../src/index.js";
import { findings } from "../support/axe.js";
import { describeInBrowser } from "../support/browser.js";
import { scratch } from "../support/files.js";
import { HOSTILE } from "../support/hostile.js";
import { freePort } from "../support/ports.js";
import { SHOP, writeShop } from "../support/shop.js";
import { eventually } from "../support/until.js";
import { settledList, usePages } from "./browser.js";

/** The orders below a name with a slash. A customer is a facet of them. */
const ORDERS: ContractFile = {
  ...SHOP.orders.contract,
  properties: {
    ...SHOP.orders.contract.properties,
    customer_id: { type: "integer", "x-references": "customers", "x-facet": true },
  },
};

/** Customers that are known by their names. */
const CUSTOMERS: ContractFile = {
  ...SHOP.customers.contract,
  "x-listing": { ...SHOP.customers.contract["x-listing"], label: "name" },
};

interface Shop {
  /** The title and description of the categories. */
  texts?: { title: string; description: string };
  /** Whether customers are known by their names. */
  isNamed?: boolean;
  /** Whether orders have views by their customers and agents, which are no facets then. */
  isViewed?: boolean;
  /** SQL for more rows. */
  more?: string;
}

/** Serves the shop with an explorer until the test ends. */
async function serveShop({ texts, isNamed = false, isViewed = false, more = "" }: Shop = {}): Promise<string> {
  const folder = scratch();
  const dist = join(folder, "dist");
  const port = await freePort();
  const { orders, categories, ...others } = SHOP;
  const { contract } = categories;
  const named = { ...contract, "x-listing": { ...contract["x-listing"], ...texts } };
  const listings = {
    ...others,
    categories: { contract: named },
    ...(isNamed && { customers: { contract: CUSTOMERS } }),
    "v1/orders": {
      ...(isViewed ? { contract: SHOP.orders.contract, views: ["customer_id", "agent_id"] } : { contract: ORDERS }),
      table: "orders",
    },
  };
  await build({
    db: writeShop(folder, more),
    dist,
    baseUrl: `http://127.0.0.1:${port}/shop`,
    explorer: true,
    listings,
  });
  const server = await createServer({ dist });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port, host: "127.0.0.1" });
  return `${url}/`;
}

const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const;

describeInBrowser("a site", () => {
  const open = usePages();

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
    const { page, misdeeds } = await open(await serveShop({ texts: { title: text, description: text } }));
    await page.getByText("250 orders").waitFor();
    expect(await page.locator("script, img, iframe, style, form").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("a reference shows the name of its record, and is chosen by it", async () => {
    const name = `<b>"Eve"\u202e ${"x".repeat(5000)}`;
    const more = `UPDATE customers SET name = '${name}' WHERE id = 3; UPDATE customers SET name = 'ليلى' WHERE id = 4`;
    const url = await serveShop({ isNamed: true, more });
    const { page, misdeeds } = await open(`${url}v1/orders/index.html`);
    const ofSite = () => misdeeds.filter((line) => !line.startsWith(`request ${url}`));
    await settledList(page);
    const toCustomer = (key: number) => page.locator(`td a[href="../../customers/index.html#/${key}"]`).first();
    expect(await toCustomer(2).textContent()).toBe("Customer 2");
    expect(await toCustomer(2).getAttribute("title")).toBe("2");
    expect(await toCustomer(3).textContent()).toMatch(/^<b>"Eve"\\u202e x+…$/);
    expect(await toCustomer(4).textContent()).toBe("ليلى");
    expect(await findings(page)).toEqual([]);
    // A facet, and a reference that is not one.
    await page.getByRole("button", { name: /^Customer 2/ }).click();
    await page.locator("#status", { hasText: "42 orders found, in 250." }).waitFor();
    await page.getByRole("button", { name: "Customer ID: Customer 2" }).click();
    await page.getByLabel("Agent ID, by name or key").fill("customer 1");
    await page.getByLabel("Agent ID, by name or key").press("Enter");
    await page.locator("#status", { hasText: "125 orders found, in 250." }).waitFor();
    expect(new URL(page.url()).hash).toBe("#?agent_id=1");
    await page.getByRole("button", { name: "Agent ID: Customer 1" }).waitFor();
    // The column is sorted by what it shows: that of key 4 is the last name, between keys 2 and 6.
    const byName = page.getByRole("columnheader", { name: "Customer ID" }).getByRole("button");
    await byName.click();
    await eventually(async () => expect(await page.locator("tbody td a").first().textContent()).toBe("Customer 2"));
    await byName.click();
    await eventually(async () => expect(await page.locator("tbody td a").first().textContent()).toBe("ليلى"));
    await page.goto(`${url}v1/orders/index.html#/7`);
    const value = page.locator(".one td", { has: page.locator('a[href="../../customers/index.html#/2"]') });
    await eventually(async () => expect(await value.textContent()).toBe("Customer 2 2"));
    expect(ofSite()).toEqual([]);
  });

  test("names that are not what was published are not shown, and keys of lost records stay", async () => {
    const url = await serveShop({ isNamed: true });
    const { page } = await open(url);
    let labels = '{"labels":[[2,"Mallory"]],"version":1}\n';
    await page.route("**/customers/labels.json*", (route) => route.fulfill({ body: labels }));
    await page.goto(`${url}v1/orders/index.html`);
    await page.getByText("The names of customers are not what was published, so keys are shown.").waitFor();
    expect(await settledList(page)).toBe("1 to 100 of 250 orders");
    expect(await page.locator('td a[href="../../customers/index.html#/2"]').first().textContent()).toBe("2");
    expect(await page.getByText("Mallory").count()).toBe(0);
    // Once the host sends what was published, the next list has names.
    labels = await (await fetch(`${url}customers/labels.json`)).text();
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator("#status", { hasText: "101 to 200 of 250 orders" }).waitFor();
    expect(await page.locator('td a[href="../../customers/index.html#/2"]').first().textContent()).toBe("Customer 2");
    expect(await page.getByText("The names of customers").count()).toBe(0);
  });

  test("a record of a larger listing is named on the page of the record that refers to it", async () => {
    const more = `WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
      INSERT INTO customers SELECT i, 'Customer ' || i FROM n;`;
    const url = await serveShop({ isNamed: true, more });
    const { page, misdeeds } = await open(`${url}v1/orders/index.html`);
    await settledList(page);
    expect(await page.locator('td a[href="../../customers/index.html#/2"]').first().textContent()).toBe("2");
    await page.goto(`${url}v1/orders/index.html#/7`);
    const value = page.locator(".one td", { has: page.locator('a[href="../../customers/index.html#/2"]') });
    await eventually(async () => expect(await value.textContent()).toBe("Customer 2 2"));
    expect(misdeeds.filter((line) => !line.startsWith(`request ${url}`))).toEqual([]);
  });

  test("a record has the number of those that refer to it, by views, and leads to them", async () => {
    const more = `WITH RECURSIVE n(i) AS (SELECT 251 UNION ALL SELECT i + 1 FROM n WHERE i < 20250)
      INSERT INTO orders SELECT i, 1 + i % 6, NULL, 1 FROM n;`;
    const url = await serveShop({ isViewed: true, more });
    const { page, misdeeds } = await open(`${url}customers/index.html#/1`);
    const referring = page.getByRole("region", { name: "What refers to it" });
    const texts = [
      "Orders of this customer, by agent_id of v1/orders (125)",
      "Orders of this customer, by customer_id of v1/orders (3,375)",
    ];
    await eventually(async () => expect(await referring.getByRole("link").allTextContents()).toEqual(texts));
    expect(await findings(page)).toEqual([]);
    await referring.getByRole("link", { name: "agent_id" }).click();
    expect(await settledList(page)).toBe("1 to 100 of 125 orders found, in 20,250.");
    expect(page.url()).toBe(`${url}v1/orders/index.html#?agent_id=1`);
    // A value of a view is chosen by its text.
    const input = page.getByLabel("Customer ID, by name or key");
    await input.fill("2");
    await input.press("Enter");
    await page.locator("#status", { hasText: /^\d+ orders found, in 20,250\.$/ }).waitFor();
    expect(await page.locator(".chosen button").allTextContents()).toHaveLength(2);
    expect(misdeeds.filter((line) => !line.startsWith(`request ${url}`))).toEqual([]);
    // Numbers that are not what was published are not shown.
    await page.route(/views\/customer_id\.json/, (route) => route.fulfill({ body: "{}" }));
    await page.goto(`${url}customers/index.html#/2`);
    const why = "The view customer_id of v1/orders is not what was published, so its numbers are not shown.";
    await page.getByText(why).waitFor();
    expect(await referring.getByRole("link").allTextContents()).toEqual([
      "Orders of this customer, by agent_id of v1/orders (0)",
      "Orders of this customer, by customer_id of v1/orders",
    ]);
  });

  test("more than 20 listings are filtered", async () => {
    const folder = scratch();
    const port = await freePort();
    const names = Array.from({ length: 21 }, (_, at) => `t${at + 1}`);
    const listings = Object.fromEntries(
      names.map((name) => [name, { contract: SHOP.customers.contract, table: "customers" }]),
    );
    const dist = join(folder, "dist");
    const baseUrl = `http://127.0.0.1:${port}`;
    await build({ db: writeShop(folder), dist, baseUrl, explorer: true, title: "Tables", listings });
    const server = await createServer({ dist });
    onTestFinished(() => server.close());
    const { page, misdeeds } = await open(`${(await server.listen({ port, host: "127.0.0.1" })).url}/`);
    await page.getByRole("heading", { name: "Tables", level: 1 }).waitFor();
    const shown = () => page.locator("#listings dt:visible").allTextContents();
    expect(await shown()).toEqual(names);
    await page.getByLabel("Filter listings").fill("t2");
    await page.getByText("3 of 21 listings").waitFor();
    expect(await shown()).toEqual(["t2", "t20", "t21"]);
    expect(await findings(page)).toEqual([]);
    await page.getByLabel("Filter listings").fill("");
    await eventually(async () => expect(await shown()).toEqual(names));
    expect(misdeeds).toEqual([]);
  });

  test("a reference leads to its record, and a record to those that refer to it", async () => {
    const url = await serveShop();
    const { page, misdeeds } = await open(`${url}v1/orders/index.html#/7`);
    await page.locator(".one").getByRole("link", { name: "2", exact: true }).click();
    await page.getByRole("heading", { name: "Customer 2" }).or(page.locator("#record-title")).first().waitFor();
    expect(page.url()).toBe(`${url}customers/index.html#/2`);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("link", { name: "Orders of this customer" }).click();
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
