/** A hundred thousand changes: the page opens soon, answers searches, and never stops answering its reader. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeWith } from "../../support/installed.js";
import { settled, useBrowser } from "./browser.js";
import { manyChanges } from "./samples.js";

/** Milliseconds, many times what an idle machine takes: others work on this one at the same time. */
const PATIENCE = { open: 20_000, search: 10_000, freeze: 1500 };

describeWith("chromium", "a hundred thousand changes", (path) => {
  const open = useBrowser(path);

  test("open, answer a search and a filter in time, and never freeze", async () => {
    const { page, misdeeds } = await open(manyChanges({ added: 10_000, removed: 5_000, changed: 85_000 }, 900_000));
    expect(await settled(page)).toBe("1 to 50 of 100,000 changes");
    const opened = await page.evaluate(() => performance.now());
    expect(opened).toBeLessThan(PATIENCE.open);
    await watchFreezes(page);

    const searchbox = page.getByRole("searchbox", { name: "Search" });
    const status = page.getByRole("status");
    for (const [text, said] of [
      ["nobody has this", "None of 100,000 changes match."],
      // The last one of all, so that every change has been looked at.
      ["000002084999", "1 to 1 of 1 found"],
      ["Okafor", "found, in 100,000 changes"],
    ] as const) {
      await searchbox.fill(text);
      await status.filter({ hasText: said }).waitFor({ timeout: PATIENCE.search });
    }
    await searchbox.fill("");
    await page.getByRole("combobox", { name: "Field" }).selectOption("bio");
    await status.filter({ hasText: "found, in 100,000 changes" }).waitFor({ timeout: PATIENCE.search });
    await page.getByRole("button", { name: "Last" }).click();
    expect(await longestFreeze(page)).toBeLessThan(PATIENCE.freeze);
    expect(misdeeds).toEqual([]);
  }, 120_000);

  test("a search that another one overtakes is given up", async () => {
    const { page } = await open(manyChanges({ added: 0, removed: 0, changed: 20_000 }));
    await settled(page);
    const searchbox = page.getByRole("searchbox", { name: "Search" });
    for (const text of ["Okafor", "Nowak", "000002000007"]) {
      await searchbox.fill(text);
      await page.waitForTimeout(200);
    }
    await page.getByRole("status").filter({ hasText: "1 to 1 of 1 found" }).waitFor();
    expect(await settled(page)).toBe("1 to 1 of 1 found, in 20,000 changes");
    expect(await page.locator(".user").count()).toBe(1);
  });
});

/** From here on the page notes how late each of its timers comes. */
async function watchFreezes(page: Page): Promise<void> {
  await page.evaluate(() => {
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      const { dataset } = document.documentElement;
      dataset["freeze"] = String(Math.max(Number(dataset["freeze"] ?? 0), now - last));
      last = now;
    }, 10);
  });
}

/** Milliseconds. */
async function longestFreeze(page: Page): Promise<number> {
  const noted = await page.evaluate(() => document.documentElement.dataset["freeze"]);
  expect(noted).toBeDefined();
  return Number(noted);
}
