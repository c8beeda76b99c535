/** Columns, order, filters, ranges, links and downloads of the list, in a real browser. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { findings } from "../support/axe.js";
import { describeInBrowser } from "../support/browser.js";
import { contractWith } from "../support/contracts.js";
import { scratch } from "../support/files.js";
import { eventually } from "../support/until.js";
import { settledList, shownNames, status, usePages } from "./browser.js";
import { servePage } from "./hosts.js";

const FIELDS = {
  id: { type: "integer" },
  customer: { type: "string" },
  status: { type: "string", "x-facet": true },
  ordered_on: { type: "string", format: "date" },
  total: { type: "number" },
  site: { type: ["string", "null"], format: "uri" },
  note: { type: "string" },
  weight: { type: "integer" },
} as const;
const ORDERS = contractWith(["order", "orders"], FIELDS, {
  path: "/orders/",
  label: "customer",
  title: "Orders of the shop",
});

/** Orders with a customer, a day and a total that fall as the key rises. */
function orders(count: number): string {
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      id: at + 1,
      customer: `Customer ${at + 1}`,
      status: ["new", "paid", "sent"][at % 3],
      ordered_on: `2024-${String(12 - (at % 12)).padStart(2, "0")}-15`,
      total: (count - at) / 2,
      site: at % 2 === 0 ? `https://track.example/${at + 1}` : null,
      note: ['=1+"1"', "two\nlines"][at] ?? "none",
      weight: at % 7,
    }),
  );
  const file = join(scratch(), "orders.ndjson");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

describeInBrowser("the list", () => {
  const open = usePages();

  async function openOrders(count = 120) {
    const { url } = await servePage({ db: orders(count), contract: ORDERS, pageSize: 20 });
    const opened = await open(url);
    await settledList(opened.page);
    return { ...opened, url };
  }

  test("is sorted by a column, both ways, and back; the focus stays", async () => {
    const { page, misdeeds } = await openOrders();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Orders of the shop");
    const total = page.getByRole("columnheader", { name: "Total" });
    await total.getByRole("button").click();
    await eventually(async () => expect((await shownNames(page))[0]).toBe("Customer 120"));
    expect(await total.getAttribute("aria-sort")).toBe("ascending");
    expect(hashOf(page)).toBe("#?sort=total");
    await total.getByRole("button").press("Enter");
    await eventually(async () => expect((await shownNames(page))[0]).toBe("Customer 1"));
    expect(await total.getAttribute("aria-sort")).toBe("descending");
    expect(await total.getByRole("button").evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Last", exact: true }).click();
    await status(page, "101 to 120 of 120 orders");
    expect((await shownNames(page)).at(-1)).toBe("Customer 120");
    expect(hashOf(page)).toBe("#?page=6&desc=total");
    await total.getByRole("button").click();
    await status(page, "1 to 20 of 120 orders");
    expect(hashOf(page)).toBe("#?");
    expect(misdeeds).toEqual([]);
  });

  test("has columns that are chosen, in the URL", async () => {
    const { page, misdeeds, url } = await openOrders();
    const shown = () => page.locator(".records thead th").allTextContents();
    expect(await shown()).toEqual(["ID", "Customer", "Status", "Ordered on", "Total", "Note"]);
    expect(await page.getByText("two lines", { exact: true }).count()).toBe(1);
    await page.getByText("Columns").click();
    await page.getByRole("checkbox", { name: "Weight" }).check();
    await page.getByRole("checkbox", { name: "Note" }).uncheck();
    await eventually(async () =>
      expect(await shown()).toEqual(["ID", "Customer", "Status", "Ordered on", "Total", "Weight"]),
    );
    const hash = hashOf(page);
    expect(hash).toBe("#?column=id&column=customer&column=status&column=ordered_on&column=total&column=weight");
    expect(await findings(page)).toEqual([]);
    await page.goto("about:blank");
    await page.goto(url + hash);
    await settledList(page);
    expect((await shown()).at(-1)).toBe("Weight");
    await page.goto(`${url}#?column=nothing`);
    await eventually(async () => expect(hashOf(page)).toBe("#?"));
    expect(misdeeds).toEqual([]);
  });

  test("has a menu that filters columns, and chooses all or none, in one history entry", async () => {
    const { page, misdeeds } = await openOrders();
    const shown = () => page.locator(".records thead th").allTextContents();
    await page.getByText("Columns").click();
    await page.getByRole("button", { name: "None" }).click();
    await eventually(async () => expect(await shown()).toEqual(["Customer"]));
    await page.getByRole("searchbox", { name: "Filter columns" }).fill("or");
    expect(await page.locator(".menu label:visible").allTextContents()).toEqual([" Ordered on"]);
    await page.getByRole("button", { name: "All" }).click();
    await eventually(async () => expect(await shown()).toEqual(["Customer", "Ordered on"]));
    await page.getByRole("searchbox", { name: "Filter columns" }).fill("");
    await page.getByRole("button", { name: "All" }).click();
    const all = ["ID", "Customer", "Status", "Ordered on", "Total", "Site", "Note", "Weight"];
    await eventually(async () => expect(await shown()).toEqual(all));
    await page.getByRole("checkbox", { name: "Site" }).uncheck();
    await eventually(async () => expect(await shown()).toEqual(all.filter((name) => name !== "Site")));
    expect(await findings(page)).toEqual([]);
    await page.goBack();
    await eventually(async () => expect(await shown()).toHaveLength(6));
    expect(hashOf(page)).toBe("");
    // Another visit of the menu is another entry.
    await page.getByRole("checkbox", { name: "Weight" }).check();
    await eventually(async () => expect(await shown()).toHaveLength(7));
    await page.goBack();
    await eventually(async () => expect(await shown()).toHaveLength(6));
    expect(misdeeds).toEqual([]);
  });

  test("is filtered by several values and ranges, which the counts follow", async () => {
    const { page, misdeeds } = await openOrders();
    const counts = () => page.locator(".option .number").allTextContents();
    expect(await counts()).toEqual(["40", "40", "40"]);
    await page.getByRole("button", { name: /^new/ }).click();
    await status(page, "1 to 20 of 40 orders found, in 120.");
    await page.getByRole("button", { name: /^paid/ }).click();
    await status(page, "1 to 20 of 80 orders found, in 120.");
    await page.getByLabel("Total, from").fill("59");
    await page.getByLabel("Total, from").press("Enter");
    await status(page, "2 orders found, in 120.");
    expect(await counts()).toEqual(["1", "1", "1"]);
    expect(hashOf(page)).toBe("#?status=new&status=paid&from.total=59");
    await page.getByLabel("Ordered on, to").fill("2024-11-30");
    await page.getByLabel("Ordered on, to").blur();
    await status(page, "1 order found, in 120.");
    expect(await shownNames(page)).toEqual(["Customer 2"]);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Total: from 59" }).click();
    await status(page, "1 to 20 of 70 orders found, in 120.");
    expect(await page.getByLabel("Total, from").inputValue()).toBe("");
    await page.goBack();
    await status(page, "1 order found, in 120.");
    await page.getByRole("searchbox").fill("customer 3");
    await status(page, "No order meets all conditions.");
    expect(misdeeds).toEqual([]);
  });

  test("draws what is found above each range, with a table for screen readers", async () => {
    const { page, misdeeds } = await openOrders();
    const found = async (name: string) => {
      const counts = await page.getByRole("table", { name }).locator("tbody td").allTextContents();
      return counts.reduce((sum, count) => sum + Number(count), 0);
    };
    await eventually(async () => expect(await found("Total: number found by value")).toBe(120));
    expect(await page.locator(".histogram rect").count()).toBeGreaterThan(9);
    await page.getByRole("button", { name: /^new/ }).click();
    await eventually(async () => expect(await found("Total: number found by value")).toBe(40));
    await page.getByText("Sum 1,230, mean 30.75").waitFor();
    expect(await findings(page)).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  test("searches one field of texts, keeps its head in view, and copies its link", async () => {
    const { page, misdeeds, url } = await openOrders();
    await page.getByLabel("Search in").selectOption("in note");
    await page.getByRole("searchbox", { name: /^Search/ }).fill("lin");
    await status(page, "1 order found, in 120.");
    expect(await page.locator(".why").textContent()).toBe("Note: two lines");
    expect(hashOf(page)).toBe("#?q=lin&in=note");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${url}#?q=lin&in=note`);
    await page.getByRole("searchbox", { name: /^Search/ }).fill("");
    await status(page, "1 to 20 of 120 orders");
    await page.setViewportSize({ width: 1280, height: 400 });
    const box = page.locator(".table");
    await box.evaluate((one) => one.scrollTo(0, one.scrollHeight));
    const tops = [box, page.locator(".records thead th").first()].map((one) =>
      one.evaluate((part) => Math.round(part.getBoundingClientRect().top)),
    );
    expect(await tops[1]).toBe(await tops[0]);
    // Other rows are seen from the first one on.
    await page.getByRole("button", { name: "Next" }).click();
    await status(page, "21 to 40 of 120 orders");
    expect(await box.evaluate((one) => one.scrollTop)).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("is printed without controls, with all columns", async () => {
    const { page } = await openOrders();
    await page.emulateMedia({ media: "print" });
    for (const hidden of [".search", ".choices", ".column-menu", "#pager", ".skip"])
      expect(await page.locator(hidden).isVisible()).toBe(false);
    await page.setViewportSize({ width: 700, height: 1000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(700);
  });

  test("keeps what does not apply in the address, and says why", async () => {
    const { page, misdeeds, url } = await openOrders();
    const hash = "#?note=none&status=new&from.ordered_on=2021&sort=datejoined";
    await page.goto(url + hash);
    await status(page, "1 to 20 of 40 orders found, in 120.");
    const said = [
      "note none, since note is not a facet",
      "ordered on from 2021, since 2021 is not a day such as 2021-02-01",
      "order by datejoined, since there is no field datejoined",
    ];
    await page.getByText(`Not applied: ${said.join("; ")}.`).waitFor();
    expect(hashOf(page)).toBe(hash);
    expect(await findings(page)).toEqual([]);
    // What applies can be changed without losing the rest.
    await page.getByRole("button", { name: "Status: new" }).click();
    await status(page, "1 to 20 of 120 orders");
    expect(hashOf(page)).toBe("#?note=none&from.ordered_on=2021&sort=datejoined");
    await page.getByRole("button", { name: "Remove from the address" }).click();
    await eventually(async () => expect(hashOf(page)).toBe("#?"));
    expect(await page.getByText("Not applied").count()).toBe(0);
    await page.goBack();
    await page.getByText("Not applied").waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("links web addresses, and each record to its page as JSON", async () => {
    const { page, misdeeds, url } = await openOrders();
    await page.goto(`${url}#?column=customer&column=site`);
    const link = page.locator('.records a[href="https://track.example/1"]');
    await link.waitFor();
    expect(await link.getAttribute("rel")).toBe("noopener nofollow");
    // Texts for screen readers are within the table that scrolls.
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.getByRole("link", { name: "Customer 3" }).click();
    const json = page.getByRole("link", { name: "JSON page 1" });
    const response = await fetch((await json.getAttribute("href")) ?? "");
    expect((await response.json()).results[2].customer).toBe("Customer 3");
    expect(misdeeds).toEqual([]);
  });

  test("saves what was found as CSV, with the chosen columns or all", async () => {
    const { page, misdeeds, url } = await openOrders();
    const save = async () => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Save as CSV").click()]);
      expect(file.suggestedFilename()).toBe("orders.csv");
      const text = readFileSync(await file.path(), "utf8");
      expect(text.startsWith("\ufeff")).toBe(true);
      return text.slice(1).split("\n");
    };
    const all = await save();
    // The header, 120 orders, one of them in two lines, and the end.
    expect(all).toHaveLength(123);
    expect(all[0]).toBe("id,customer,status,ordered_on,total,site,note,weight");
    // Spreadsheets would run a formula.
    expect(all[1]).toBe(`1,Customer 1,new,2024-12-15,60,https://track.example/1,"'=1+""1""",0`);
    await page.goto(`${url}#?status=paid&from.total=59&column=id&column=total`);
    await status(page, "1 order found, in 120.");
    expect(await save()).toEqual(["id,total", "2,59.5", ""]);
    expect(misdeeds).toEqual([]);
  });

  test("shows the progress of loading, and continues after an error", async () => {
    const { page, url } = await openOrders();
    let isBroken = true;
    await page.route(/[?&]page=4(?:&|$)/, (route) => (isBroken ? route.fulfill({ status: 404 }) : route.continue()));
    await page.goto(`${url}#?desc=id`);
    await page.getByText("The host does not have the requested data.").waitFor();
    isBroken = false;
    let asked = 0;
    await page.route(/[?&]page=[1-6](?:&|$)/, async (route) => {
      asked++;
      await page.getByRole("progressbar").waitFor();
      await route.fallback();
    });
    await page.getByRole("button", { name: "Try again" }).click();
    await status(page, "1 to 20 of 120 orders");
    expect((await shownNames(page))[0]).toBe("Customer 120");
    // Pages that were read are not read again.
    expect(asked).toBeLessThan(6);
    expect(await page.getByRole("progressbar").count()).toBe(0);
  });

  test("of more records than are loaded has no order or ranges, but several values", async () => {
    const { url } = await servePage({ db: orders(20_001), contract: ORDERS, pageSize: 1000, workers: 0 });
    const { page, misdeeds } = await open(`${url}#?status=new&status=paid&desc=id&from.total=5`);
    await status(page, "1 to 1,000 of more than 1,000 orders found, in 20,001.");
    expect(hashOf(page)).toBe("#?status=new&status=paid&desc=id&from.total=5");
    const why =
      "total from 5, since ranges need at most 20,000 records; order by ID, since sorting needs at most 20,000 records";
    await page.getByText(`Not applied: ${why}.`).waitFor();
    expect((await shownNames(page)).slice(0, 3)).toEqual(["Customer 1", "Customer 2", "Customer 4"]);
    await page.getByRole("button", { name: "Next" }).click();
    await status(page, "1,001 to 2,000 of more than 2,000 orders found, in 20,001.");
    expect((await shownNames(page))[0]).toBe("Customer 1501");
    expect(await page.locator("#pages").textContent()).toBe("of more");
    expect(await page.getByRole("button", { name: "Last" }).getAttribute("aria-disabled")).toBe("true");
    await page.getByText("need all records in this page: at most 20,000.").waitFor();
    expect(await page.locator(".sort, .range").count()).toBe(0);
    const requests = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    expect(requests.filter((request) => request.includes("views"))).toEqual([]);
    expect(await page.getByText("Save as CSV").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Remove from the address" }).click();
    await eventually(async () => expect(hashOf(page)).toBe("#?page=2&status=new&status=paid"));
    expect(await page.getByText("Not applied").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });
});

function hashOf(page: Page): string {
  return new URL(page.url()).hash;
}
