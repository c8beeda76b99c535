/** The explorer opened in a real browser. */
import type { Page } from "playwright-core";
import { useWatched } from "../support/browser.js";

/** It requests nothing outside the base URL. */
export const usePages = (executablePath: string) =>
  useWatched(executablePath, (request, url) => request.startsWith(new URL(".", url).href));

/** The status line, once the table stands still. */
export async function settledList(page: Page): Promise<string> {
  await page.locator('.records[aria-busy="false"]').waitFor({ state: "attached" });
  return (await page.locator("#status").textContent()) ?? "";
}

/** What stands in the first column of the table: each record's name. */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator(".records a.record").allTextContents();
}
