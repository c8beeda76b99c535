/** The page before its script runs, or without scripts, in a real browser: wide and narrow, light and dark. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import type { AnyRecord } from "../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { findings } from "../support/axe.js";
import { describeInBrowser, useContexts } from "../support/browser.js";
import { person } from "../support/diffs.js";
import { STATIONS_CONTRACT, stations } from "../support/stations.js";
import { hostileCollection, pageOf } from "./collection.js";

const STYLE = readFileSync(new URL("../../lib/explorer/style.css", import.meta.url));
/** axe needs scripts; that of the page is missing then, so that what is looked at is the page before it runs. */
const FOR_AXE = { javaScriptEnabled: true } as const;
/** A browser asks for it when it likes, if at all. */
const ICON = "/below/explorer/icon.svg";
const FILES = ["/below/explorer/style.css", "/below/explorer/app.js"];
const LOOKS = [
  { colorScheme: "light", width: 1600 },
  { colorScheme: "dark", width: 1024 },
  { colorScheme: "light", width: 390 },
  { colorScheme: "dark", width: 390 },
] as const;

const users = (count: number): AnyRecord[] =>
  Array.from({ length: count }, (_, at) => person(at, { referrals_count: (at * at) % 700 }) as unknown as AnyRecord);
const observed = (count: number): AnyRecord[] => stations(count).map(({ record }): AnyRecord => record);

describeInBrowser("without a script", () => {
  const newPage = useContexts();

  /** The page as a host sends it, and what it asked for besides. */
  async function open(text: string, options: BrowserContextOptions = {}): Promise<{ page: Page; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      if (url !== "/below/" && url !== ICON) asked.push(url);
      const [type, body] = url.endsWith(".css") ? ["text/css", STYLE] : ["text/html; charset=utf-8", text];
      if (url.endsWith(".js")) response.writeHead(404).end();
      else response.writeHead(200, { "Content-Type": type }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const page = await newPage({ javaScriptEnabled: false, ...options });
    const { port } = server.address() as AddressInfo;
    page.on("request", (request) => {
      if (new URL(request.url()).port !== String(port)) asked.push(request.url());
    });
    page.on("dialog", (dialog) => {
      asked.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(`http://127.0.0.1:${port}/below/`);
    return { page, asked };
  }

  test.each(LOOKS)("$colorScheme, $width pixels: axe finds nothing, and nothing is cut off", async (look) => {
    const { colorScheme, width } = look;
    for (const text of [await pageOf(USERS_CONTRACT, users(300)), await pageOf(STATIONS_CONTRACT, observed(200))]) {
      const { page, asked } = await open(text, { ...FOR_AXE, colorScheme, viewport: { width, height: 900 } });
      for (const summary of await page.locator("summary").all()) await summary.click();
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(asked).toEqual(FILES);
      await page.close();
    }
  });

  test("hostile text is shown as text", async () => {
    const { contract, records } = hostileCollection();
    const { page, asked } = await open(await pageOf(contract, records));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(contract.listing.words[1]);
    expect(await page.locator(".since").first().textContent()).toContain(`60 ${contract.listing.words[1]}`);
    expect(await page.locator("script, style, meta[http-equiv], iframe, img, base").count()).toBe(3);
    expect(asked).toEqual(["/below/explorer/style.css"]);
    const again = await open(await pageOf(contract, records), FOR_AXE);
    expect(await findings(again.page)).toEqual([]);
    expect(again.asked).toEqual(FILES);
  });

  test.each([1600, 390])("at %i pixels, charts are as wide as their columns need, and have figures", async (width) => {
    const text = await pageOf(STATIONS_CONTRACT, observed(200));
    const { page } = await open(text, { viewport: { width, height: 900 } });
    const columns = await page
      .locator("#times rect")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(columns.length).toBeGreaterThan(1);
    expect(Math.max(...columns.map(({ width }) => width))).toBeLessThanOrEqual(64);
    expect(Math.max(...columns.map(({ right }) => right))).toBeLessThanOrEqual(width);
    const table = page.getByRole("group", { name: "Figures of Stations over time" });
    expect(await table.isVisible()).toBe(false);
    await page.locator("#times summary").click();
    expect(await table.locator("tbody tr").count()).toBe(columns.length);
  });
});
