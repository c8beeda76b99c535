/** A report of 100,000 changes opens, searches, and stays responsive meanwhile. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../../support/browser.js";
import { settled, useBrowser } from "./browser.js";
import { manyChanges } from "./samples.js";

/** Minimum states of the progress bar that another task sees during a search. */
const STATES = 5;

describeInBrowser("a hundred thousand changes", () => {
  const open = useBrowser();

  test("open, search and filter without a freeze", async () => {
    const { page, misdeeds } = await open(manyChanges({ added: 10_000, removed: 5_000, changed: 85_000 }, 900_000));
    expect(await settled(page)).toBe("1 to 50 of 100,000 changes");
    await noteProgress(page);

    const searchbox = page.getByRole("searchbox", { name: "Search" });
    const status = page.getByRole("status");
    for (const [text, said] of [
      ["nobody has this", "None of 100,000 changes match."],
      // The very last change, so that every change is searched.
      ["000002084999", "1 to 1 of 1 found"],
      ["Okafor", "1 to 50 of"],
    ] as const) {
      const before = await statesSeen(page);
      await searchbox.fill(text);
      await status.filter({ hasText: said }).waitFor();
      expect((await statesSeen(page)) - before).toBeGreaterThan(STATES);
    }
    await searchbox.fill("");
    await page.getByRole("combobox", { name: "Field" }).selectOption('"bio"');
    await status.filter({ hasText: "found, in 100,000 changes" }).waitFor();
    await page.getByRole("button", { name: "Last" }).click();
    expect(misdeeds).toEqual([]);
  });
});

/** A separate task counts the states of the progress bar. */
async function noteProgress(page: Page): Promise<void> {
  await page.evaluate(() => {
    const bar = document.querySelector("progress");
    let [last, seen] = [0, 0];
    // Runs between messages, like the search: a timer could miss states.
    const { port1, port2 } = new MessageChannel();
    const look = () => {
      if (bar && !bar.hidden && bar.value !== last) {
        last = bar.value;
        seen += 1;
        document.documentElement.dataset["seen"] = String(seen);
      }
      port2.postMessage(undefined);
    };
    port1.onmessage = look;
    look();
  });
}

async function statesSeen(page: Page): Promise<number> {
  return Number(await page.evaluate(() => document.documentElement.dataset["seen"] ?? 0));
}
