/** The page for people opened in a real browser, with everything watched that it must not do. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";

interface OpenedPage {
  page: Page;
  /** Requests that leave the base URL, dialogs, errors, breaches of its policy. */
  misdeeds: string[];
}

export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<OpenedPage>;

/** What the browser says of hosts that do not answer, which tests make happen. */
const NO_ANSWER = /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED)/;

/** One browser for a suite; each page has a context of its own. */
export function usePages(executablePath: string): OpenPage {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  return async (url, options) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const base = new URL(".", url).href;
    const misdeeds: string[] = [];
    page.on("request", (request) => request.url().startsWith(base) || misdeeds.push(`request ${request.url()}`));
    page.on("pageerror", (error) => misdeeds.push(`error ${error.message}`));
    page.on("console", (message) => NO_ANSWER.test(message.text()) || misdeeds.push(`console ${message.text()}`));
    page.on("dialog", (dialog) => {
      misdeeds.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.exposeFunction("tell", (breach: string) => misdeeds.push(breach));
    await page.addInitScript(
      `addEventListener("securitypolicyviolation", (event) => tell("policy " + event.violatedDirective))`,
    );
    await page.goto(url);
    return { page, misdeeds };
  };
}

/** The status line, once the table stands still. */
export async function settledList(page: Page): Promise<string> {
  await page.locator('.records[aria-busy="false"]').waitFor({ state: "attached" });
  return (await page.locator("#status").textContent()) ?? "";
}

/** What stands in the first column of the table: each record's name. */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator(".records a.record").allTextContents();
}
