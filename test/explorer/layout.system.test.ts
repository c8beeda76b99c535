/** The explorer's layout at three widths, for users and for other contracts. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { contractOf } from "../../src/core/contract/contract.js";
import { quoteName, toSql } from "../../src/core/contract/sql.js";
import { describeInBrowser, useContexts } from "../support/browser.js";
import { scratch } from "../support/files.js";
import { FOREIGN } from "../support/foreign.js";
import { goldenSite } from "../support/golden.js";
import { brokenWords, settledList } from "./browser.js";
import { servePage } from "./hosts.js";

const WIDTHS = [320, 390, 1024, 1600];
const HEIGHT = 900;
/** Milliseconds that each request takes. */
const LATENCY = 400;

describeInBrowser("layout", () => {
  const newPage = useContexts();

  // The names of columns and their order are those of columns.test.ts.
  test.each(FOREIGN.map((foreign) => [foreign] as const))(
    "a table has six columns of one line, and only the table scrolls sideways: %#",
    async ({ contract, config, fill }) => {
      const db = join(scratch(), "source.sqlite");
      const database = new Database(db);
      database.exec(toSql(contractOf(contract)));
      database.exec(fill);
      const table = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().get();
      database.exec(`DELETE FROM ${quoteName(String(table))} WHERE rowid > 500`);
      database.close();
      const { compress, ...given } = config;
      const { url } = await servePage({ db, contract, workers: 0, ...given, pageSize: 50 });
      const page = await newPage();
      await page.goto(url);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await settledList(page);
        expect(await page.locator(".records thead th").count()).toBe(6);
        const heights = await page
          .locator(".records tbody tr")
          .evaluateAll((rows) => rows.map((row) => row.clientHeight));
        expect(Math.max(...heights)).toBeLessThan(40);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(await brokenWords(page)).toEqual([]);
      }
    },
  );

  test("at 320 pixels, the pager is one line", async () => {
    const page = await newPage({ viewport: { width: 320, height: HEIGHT } });
    await page.goto(await goldenSite());
    await settledList(page);
    const parts = page.locator("#pager > *").filter({ visible: true });
    const boxes = await parts.evaluateAll((all) =>
      all
        .map((one) => one.getBoundingClientRect())
        .map(({ top, right, height }) => ({ middle: Math.round((top + height / 2) / 8), right })),
    );
    expect(new Set(boxes.map(({ middle }) => middle)).size).toBe(1);
    expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(320);
  });

  test.each(WIDTHS)("at %i pixels, nothing moves during slow requests", async (width) => {
    const url = await goldenSite();
    const page = await newPage({ viewport: { width, height: HEIGHT } });
    const session = await page.context().newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: LATENCY, downloadThroughput: -1, uploadThroughput: -1 },
    });
    await page.addInitScript(() => {
      const seen = { shift: 0 };
      Object.assign(window, { seen });
      type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
      new PerformanceObserver((list) => {
        for (const shift of list.getEntries() as Shift[]) if (!shift.hadRecentInput) seen.shift += shift.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    const shift = () => page.evaluate("seen.shift");
    await page.goto(url);
    await page.locator("#status").waitFor();
    await page.locator("#status", { hasText: "1 to 50 of 240 users" }).waitFor();
    await page.getByRole("searchbox").fill("person 1");
    await page.locator("#status", { hasText: "1 to 50 of more than 50 users found" }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator("#status", { hasText: "51 to 100 of more than 100 users found" }).waitFor();
    await page.getByRole("searchbox").fill("person 17");
    await page.locator("#status", { hasText: "11 users found, in 240." }).waitFor();
    await page.locator("a.record").first().click();
    await page.locator(".one").waitFor();
    expect(await shift()).toBeLessThan(0.1);
    await page.goto("about:blank");
    await page.goto(`${url}#/00000000-0000-4000-8000-000000000120`);
    await page.locator(".one").waitFor();
    expect(await shift()).toBeLessThan(0.1);
  });
});
