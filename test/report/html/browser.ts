/** Reports opened in a real browser, from a file, with everything watched that a report must not do. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { Diff } from "../../../src/diff/change.js";
import { htmlReport } from "../../../src/report/html.js";
import { scratch } from "../../support/files.js";

interface Opened {
  page: Page;
  /** What the page did that a report never does: requests, dialogs, errors, breaches of its policy. */
  misdeeds: string[];
}

export type Open = (diff: Diff, options?: BrowserContextOptions & { exceeded?: string[] }) => Promise<Opened>;

/** One browser for a suite; each report is a file of its own, in a context of its own. */
export function useBrowser(executablePath: string): Open {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  return async (diff, { exceeded = [], ...options } = {}) => {
    const file = join(scratch(), "report.html");
    await pipeline(Readable.from(htmlReport(diff, { exceeded })), createWriteStream(file));
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const url = pathToFileURL(file).href;
    const misdeeds = await watch(page, url);
    await page.goto(url);
    return { page, misdeeds };
  };
}

async function watch(page: Page, url: string): Promise<string[]> {
  const misdeeds: string[] = [];
  page.on("request", (request) => request.url() !== url && misdeeds.push(`request ${request.url()}`));
  page.on("pageerror", (error) => misdeeds.push(`error ${error.message}`));
  page.on("console", (message) => misdeeds.push(`console ${message.text()}`));
  page.on("dialog", (dialog) => {
    misdeeds.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction("tell", (breach: string) => misdeeds.push(breach));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) => tell("policy " + event.violatedDirective))`,
  );
  return misdeeds;
}

/** The status line, once the list stands still. */
export async function settled(page: Page): Promise<string> {
  await page.locator('#list[aria-busy="false"]').waitFor();
  return (await page.locator("#status").textContent()) ?? "";
}
