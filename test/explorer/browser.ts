/** The explorer opened in a real browser. */
import type { Page } from "playwright-core";
import { useWatched } from "../support/browser.js";

/** It requests nothing outside the base URL. */
export const usePages = () => useWatched((request, url) => request.startsWith(new URL(".", url).href));

/** The status line, once the table stands still. */
export async function settledList(page: Page): Promise<string> {
  const table = page.locator('.records[aria-busy="false"]');
  await table.waitFor({ state: "attached" });
  // It fades in when it is no longer busy.
  await table.evaluate((one) => Promise.allSettled(one.getAnimations().map(({ finished }) => finished)));
  return (await page.locator("#status").textContent()) ?? "";
}

/** Waits for a status line that has this text. */
export function status(page: Page, text: string): Promise<void> {
  return page.locator("#status", { hasText: text }).waitFor();
}

/** What stands in the first column of the table: each record's name. */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator(".records a.record").allTextContents();
}

/** Words of the table that stand in several lines, though they have places to break at, or are short. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.locator(".records").evaluate((table) => {
    const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    while (texts.nextNode()) {
      const text = texts.currentNode.textContent ?? "";
      for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]{1,24}(?![\p{L}\p{N}])/gu)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        const isWhole = !/[\p{L}\p{N}]$/u.test(text.slice(0, index));
        if (isWhole && new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
          broken.push(word);
      }
    }
    return broken;
  });
}
