/** The tables with bars and the chart in a real browser: proportional, and whole at any width. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "../../../../src/core/contract/users.js";
import { describeInBrowser } from "../../../support/browser.js";
import { added, changed, diffOf, person, removed } from "../../../support/diffs.js";
import { useBrowser } from "./browser.js";
import { manyChanges } from "./samples.js";

const move = (number: number, from: User["kyc_status"], to: User["kyc_status"]) =>
  changed(person(number, { kyc_status: from }), person(number, { kyc_status: to }));

const joined = (day: string): Partial<User> => ({ date_joined: `2026-11-${day}T12:00:00.000000Z` });

const DIFF = diffOf([
  ...[added(person(1, joined("18"))), added(person(2, joined("18"))), added(person(3, joined("20")))],
  removed(person(4, joined("18"))),
  ...[
    move(5, "NONE", "VERIFIED"),
    move(6, "NONE", "VERIFIED"),
    move(7, "NONE", "PENDING"),
    move(8, "CONFIRMED", "VERIFIED"),
  ],
  changed(person(9, { bio: "" }), person(9)),
]);

describeInBrowser("figures", () => {
  const open = useBrowser();

  test("the length of bars is proportional to users", async () => {
    const { page } = await open(DIFF);
    expect(await figures(page, "fields")).toEqual([
      ["kyc_status", "4"],
      ["bio", "1"],
    ]);
    expect(await bars(page, "fields")).toEqual([
      [4, 4],
      [1, 4],
    ]);
  });

  test("moves are a list, most users first", async () => {
    const { page } = await open(DIFF);
    const title = "Moves of kyc_status";
    expect(await page.getByRole("group", { name: title }).getByRole("columnheader").allTextContents()).toEqual([
      ...["From", "To", "Users"],
    ]);
    expect(await figures(page, "flow1")).toEqual([
      ["NONE", "VERIFIED", "2"],
      ["CONFIRMED", "VERIFIED", "1"],
      ["NONE", "PENDING", "1"],
    ]);
    expect(await bars(page, "flow1")).toEqual([
      [2, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test("added records are above the line, removed ones below", async () => {
    const { page } = await open(DIFF);
    expect(await figures(page, "times")).toEqual([
      ["2026-11-18 12:00:00", "2", "1"],
      ["2026-11-20 12:00:00", "1", "0"],
    ]);
    const boxes = (kind: string) =>
      page.locator(`#times rect.${kind}`).evaluateAll((all) =>
        all.map((one) => {
          const { x, top, bottom } = one.getBoundingClientRect();
          return { x, top, bottom };
        }),
      );
    const [first, last] = await boxes("added");
    const [below] = await boxes("removed");
    if (!first || !last || !below) throw new Error("There are three columns");
    expect(first.bottom - first.top).toBeCloseTo(2 * (last.bottom - last.top), 0);
    expect(first.bottom).toBeCloseTo(last.bottom, 0);
    expect(below.top).toBeCloseTo(first.bottom, 0);
    expect(below.x).toBeCloseTo(first.x, 0);
    expect(await page.locator("#times title").allTextContents()).toEqual([
      ...["2026-11-18 12:00:00: 2 added", "2026-11-18 12:00:00: 1 removed", "2026-11-20 12:00:00: 1 added"],
    ]);
    expect(await page.locator("#times .ends span").allTextContents()).toEqual([
      ...["2026-11-18 12:00:00", "up to 2", "2026-11-20 12:00:00"],
    ]);
  });

  test.each([1280, 800, 320])(
    "at %i pixels tables and chart fit, and number and bar of each row are visible",
    async (width) => {
      const many = manyChanges({ added: 90, removed: 80, changed: 900 });
      const { page } = await open(many, { viewport: { width, height: 800 } });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      const outside = await page
        .locator("#fields meter, #fields td, #times svg, #times .ends span")
        .evaluateAll((all) =>
          all
            .map((one) => one.getBoundingClientRect())
            .filter(({ left, right, height }) => left < 0 || right > innerWidth || height === 0),
        );
      expect(outside).toEqual([]);
      const table = page.getByRole("group", { name: "Moves of kyc_status" });
      await table.focus();
      await table.evaluate((one) => one.scrollTo({ left: 10_000, top: 10_000 }));
      expect(await table.locator("meter").last().isVisible()).toBe(true);
    },
  );
});

/** The rows of a figure's table. */
function figures(page: Page, id: string): Promise<string[][]> {
  return page
    .locator(`#${id} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

/** The value of each bar, and of a full one. */
function bars(page: Page, id: string): Promise<number[][]> {
  return page
    .locator(`#${id} meter`)
    .evaluateAll((all) => all.map((one) => ["value", "max"].map((name) => Number(one.getAttribute(name)))));
}
