/** Opens web pages in a real browser, and records forbidden actions. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { findProgram, needs } from "./needs.js";

/** Chromium without its windows, which takes half of the CPU time. */
export const BROWSER = "chromium-headless-shell";

/** Milliseconds after which a page that does not come says what was waited for: a little less than a test may take. */
const LIMIT = 240_000;

export interface Opened {
  page: Page;
  /** Forbidden actions of the page: other requests, dialogs, errors, policy violations. */
  misdeeds: string[];
}

/** Browser errors for hosts that do not answer, which tests cause. */
const NO_ANSWER = /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED)/;

/** A suite whose tests open pages. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.runIf(needs(BROWSER))(`${name} (needs ${BROWSER})`, tests);
}

export function launchBrowser(args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: findProgram(BROWSER) ?? BROWSER, args });
}

/** One browser for a suite; each page has its own context, which is closed with the test. */
export function useContexts(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(["--no-sandbox"]);
  });
  afterAll(() => browser?.close());
  return async (options) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(LIMIT);
    onTestFinished(() => context.close());
    return context.newPage();
  };
}

/** @param isAllowed whether a page at `url` may make this request. */
export function useWatched(isAllowed: (request: string, url: string) => boolean) {
  const newPage = useContexts();
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
