/** Reports opened in a real browser, from a file. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Diff } from "../../../../src/core/compare/change.js";
import { htmlReport } from "../../../../src/diff/report/html.js";
import { type Opened, useWatched } from "../../../support/browser.js";
import { scratch } from "../../../support/files.js";

export type Open = (diff: Diff, options?: BrowserContextOptions & { exceeded?: string[] }) => Promise<Opened>;

/** Each report is one file, and requests nothing. */
export function useBrowser(): Open {
  const open = useWatched((request, url) => request === url);
  return async (diff, { exceeded = [], ...options } = {}) => {
    const file = join(scratch(), "report.html");
    await pipeline(Readable.from(htmlReport(diff, { exceeded })), createWriteStream(file));
    return open(pathToFileURL(file).href, options);
  };
}

/** The status line, after the list has settled. */
export async function settled(page: Page): Promise<string> {
  await page.locator('#list[aria-busy="false"]').waitFor();
  return (await page.locator("#status").textContent()) ?? "";
}
