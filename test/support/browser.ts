/** Pages opened in a real browser, with everything watched that a page of Rollcall must not do. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";

export interface Opened {
  page: Page;
  /** What the page did that it never does: other requests, dialogs, errors, breaches of its policy. */
  misdeeds: string[];
}

/** What the browser says of hosts that do not answer, which tests make happen. */
const NO_ANSWER = /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED)/;

/** One browser for a suite; each page has a context of its own, which is closed with the test. */
export function useContexts(executablePath: string): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());
  return async (options) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    return context.newPage();
  };
}

/** @param isAllowed whether a page at `url` may make this request. */
export function useWatched(executablePath: string, isAllowed: (request: string, url: string) => boolean) {
  const newPage = useContexts(executablePath);
  return async (url: string, options?: BrowserContextOptions): Promise<Opened> => {
    const page = await newPage(options);
    const misdeeds: string[] = [];
    page.on("request", (request) => isAllowed(request.url(), url) || misdeeds.push(`request ${request.url()}`));
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
