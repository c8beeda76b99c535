/** Accessibility of the explorer: checked by axe, wide and narrow, light and dark, and used by keyboard only. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { USERS } from "../../src/core/contract/users.js";
import { findings } from "../support/axe.js";
import { describeInBrowser } from "../support/browser.js";
import { plainRows } from "../support/database.js";
import { scratch } from "../support/files.js";
import { goldenSite } from "../support/golden.js";
import { eventually } from "../support/until.js";
import { settledList, usePages } from "./browser.js";
import { servePage } from "./hosts.js";

const LOOKS = [
  { colorScheme: "light", width: 1600 },
  { colorScheme: "dark", width: 1024 },
  { colorScheme: "dark", width: 320 },
  // A screen of 1,280 pixels at 200 %.
  { colorScheme: "light", width: 640 },
] as const;

describeInBrowser("accessibility", () => {
  const open = usePages();

  test.each(LOOKS)("$colorScheme, $width pixels: axe finds nothing", async ({ colorScheme, width }) => {
    // Few records on a page, since axe takes long for many elements.
    const { page, misdeeds } = await open(await goldenSite(5), { colorScheme, viewport: { width, height: 800 } });
    await settledList(page);
    await fits(page, width);
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    await page.locator("#search").fill("an");
    await page.locator("#status", { hasText: "found" }).waitFor();
    await page.locator(".option:visible").first().click();
    await page.locator(".chosen button").waitFor();
    await settledList(page);
    expect(await findings(page)).toEqual([]);
    await fits(page, width);
    await page.locator("a.record").first().click();
    await page.locator(".one").waitFor();
    expect(await findings(page)).toEqual([]);
    await fits(page, width);
    await page.goto(`${page.url().split("#")[0]}#/none`);
    await page.getByRole("heading", { name: "No user has this key" }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  test.each([0, 1])("%i records: axe finds nothing, and the page shows their number", async (count) => {
    const { page, misdeeds } = await open((await servePage({ rows: plainRows(count) })).url);
    expect(await settledList(page)).toBe(count === 1 ? "1 user" : "0 users");
    expect(await findings(page)).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  test("the keyboard finds a record, opens it, reads it and returns to the list", async () => {
    const { page } = await open(await goldenSite());
    await settledList(page);
    await tabTo(page, "#search");
    await page.keyboard.type("person 3");
    await page.locator("#status", { hasText: "11 users found" }).waitFor();
    await tabTo(page, "a.record >> nth=1");
    await page.keyboard.press("Enter");
    await page.locator("#record-title:focus").waitFor();
    await tabTo(page, ".origin a");
    await page.keyboard.press("/");
    await page.locator("#search:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#status", { hasText: "1 to 50 of 240 users" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator("#record-title").waitFor();
    await page.goBack();
    await page.locator("a.record >> nth=1").and(page.locator(":focus")).waitFor();
  });

  test("the skip link moves the focus to the list, and does not change it", async () => {
    const { page, misdeeds } = await open(`${await goldenSite()}#?q=person+3`);
    await page.locator("#status", { hasText: "11 users found" }).waitFor();
    await tabTo(page, ".skip");
    await page
      .locator("a.record")
      .first()
      .evaluate((one) => one.setAttribute("data-kept", ""));
    await page.keyboard.press("Enter");
    await page.locator("#main:focus").waitFor();
    await eventually(() => expect(new URL(page.url()).hash).toBe("#?q=person+3"));
    expect(await settledList(page)).toBe("11 users found, in 240.");
    expect(await page.locator("[data-kept]").count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  test("names and facet values of many characters without a space do not widen the page", async () => {
    const contract = join(scratch(), "contract.json");
    const { properties } = USERS;
    const faceted = { ...USERS, properties: { ...properties, bio: { ...properties["bio"], "x-facet": true } } };
    writeFileSync(contract, JSON.stringify(faceted));
    const names = ["x".repeat(20_000), "y".repeat(50), "Anna"];
    const rows = plainRows(4).map((row, at) => ({
      ...row,
      bio: at % 2 === 0 ? "x".repeat(300) : "short",
      display_name: names[at] ?? "",
    }));
    const { page } = await open((await servePage({ rows, contract })).url, { viewport: { width: 1280, height: 800 } });
    await settledList(page);
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    await page.getByRole("button", { name: /^x{300}/ }).click();
    await page.locator(".chosen button").waitFor();
    await settledList(page);
    for (const width of [1280, 1024, 640, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await fits(page, width);
      // No box cuts off what is in it.
      const cut = await page
        .locator("#explorer button:visible, .results")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length);
      expect(cut).toBe(0);
    }
  });

  test("a live region announces results once they are shown", async () => {
    const { page } = await open(await goldenSite());
    await settledList(page);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const status = document.querySelector("#status");
      if (status) new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
    });
    await page.getByRole("searchbox").fill("person 39");
    await page.locator("#status", { hasText: "1 user found" }).waitFor();
    expect(await page.evaluate("said")).toEqual(["1 user found, in 240."]);
    expect(await page.locator("#status").getAttribute("role")).toBe("status");
  });
});

/** Nothing is wider than the screen. */
async function fits(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
}

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const wanted = page.locator(selector);
  for (let press = 0; press < 200; press++) {
    if (await wanted.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}
