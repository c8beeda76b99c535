/** The plots in a real browser: proportional bars and ribbons, in both themes, at any width. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "../../../src/contract/users.js";
import { added, changed, diffOf, person, removed } from "../../support/diffs.js";
import { describeWith } from "../../support/installed.js";
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

describeWith("chromium", "plots", (path) => {
  const open = useBrowser(path);

  test("the length of bars is proportional to users", async () => {
    const { page } = await open(DIFF);
    expect(await figures(page, "fields")).toEqual([
      ["kyc_status", "4"],
      ["bio", "1"],
    ]);
    const [most, least] = await widths(page, "#fields .w520 rect.changed");
    expect([most, least]).toEqual([520, 130]);
  });

  test("the width of ribbons is proportional to users, and they connect their statuses", async () => {
    const { page } = await open(DIFF);
    expect(await figures(page, "flow1")).toEqual([
      ...[
        ["NONE", "VERIFIED", "2"],
        ["CONFIRMED", "VERIFIED", "1"],
        ["NONE", "PENDING", "1"],
      ],
    ]);
    const ribbons = page.locator("#flow1 .w520 .ribbon");
    const drawn = await ribbons.evaluateAll((all) =>
      all.map((one) => [one.querySelector("title")?.textContent, Number(one.getAttribute("stroke-width"))]),
    );
    expect(drawn).toEqual([
      ["NONE to PENDING: 1", 28],
      ["NONE to VERIFIED: 2", 56],
      ["CONFIRMED to VERIFIED: 1", 28],
    ]);
    const texts = await page.locator("#flow1 .w520 text").allTextContents();
    expect(texts).toEqual(["NONE", "3", "CONFIRMED", "1", "PENDING", "1", "VERIFIED", "3"]);
  });

  test("more than five moves are a table of statuses, with totals", async () => {
    const { page } = await open({
      ...DIFF,
      flow: [
        { field: "kyc_status", from: "NONE", to: "VERIFIED", count: 2500 },
        { field: "kyc_status", from: "PENDING", to: "VERIFIED", count: 100 },
        { field: "kyc_status", from: "NONE", to: "PENDING", count: 26 },
        { field: "kyc_status", from: "NONE", to: "JUST_JOIN", count: 3 },
        { field: "kyc_status", from: "VERIFIED", to: "PENDING", count: 2 },
        { field: "kyc_status", from: "NEED_P2P_VERIFICATION", to: "VERIFIED", count: 1 },
      ],
    });
    expect(await page.locator("#flow1 svg").count()).toBe(0);
    const table = page.getByRole("group", { name: "Moves of kyc_status" }).getByRole("table");
    expect(await table.getByRole("columnheader").allTextContents()).toEqual([
      ...["From, to", "JUST_JOIN", "PENDING", "VERIFIED", "All"],
    ]);
    const rows = await table
      .getByRole("row")
      .evaluateAll((all) => all.slice(1).map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(rows).toEqual([
      ["NONE", "3", "26", "2,500", "2,529"],
      ["NEED_P2P_VERIFICATION", "", "", "1", "1"],
      ["PENDING", "", "", "100", "100"],
      ["VERIFIED", "", "2", "", "2"],
      ["All", "3", "28", "2,601", "2,632"],
    ]);
    expect(await table.getByRole("rowheader").count()).toBe(5);
    const strengths = await table
      .locator("tbody td[class*=strength]")
      .evaluateAll((all) =>
        all.map((cell) => [cell.textContent, cell.className.slice(-1)]).filter(([text]) => text !== ""),
      );
    expect(Object.fromEntries(strengths)).toEqual({ 3: "1", 26: "1", "2,500": "5", 1: "1", 100: "1", 2: "1" });
  });

  test.each([
    [1280, true],
    [360, false],
  ])("at %i pixels the table fits, or scrolls and keeps the names of its rows", async (width, isWhole) => {
    const diff = manyChanges({ added: 0, removed: 0, changed: 9000 });
    const { page } = await open(diff, { viewport: { width, height: 800 } });
    const matrix = page.locator(".matrix");
    expect(await matrix.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(isWhole);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await matrix.focus();
    const left = () =>
      matrix
        .locator("tbody th")
        .first()
        .evaluate((one) => one.getBoundingClientRect().left);
    const before = await left();
    await matrix.evaluate((one) => one.scrollTo({ left: 10_000 }));
    expect(await left()).toBe(before);
    expect(await matrix.locator("thead th").last().isVisible()).toBe(true);
  });

  test("added records are above the line, removed ones below", async () => {
    const { page } = await open(DIFF);
    expect(await figures(page, "times")).toEqual([
      ["2026-11-18 12:00:00", "2", "1"],
      ["2026-11-20 12:00:00", "1", "0"],
    ]);
    const bar = async (kind: string, number: number) => {
      const drawn = page.locator(`#times .w1080 rect.${kind}`).nth(number);
      const [x, y, height] = await drawn.evaluate((one) =>
        ["x", "y", "height"].map((name) => Number(one.getAttribute(name))),
      );
      return { x, top: y ?? 0, bottom: (y ?? 0) + (height ?? 0) };
    };
    const [first, last, below] = [await bar("added", 0), await bar("added", 1), await bar("removed", 0)];
    const zero = Number(await page.locator("#times .w1080 .zero").getAttribute("y1"));
    expect(first.bottom - first.top).toBeCloseTo(2 * (last.bottom - last.top), 0);
    expect(first.bottom).toBeCloseTo(zero, 0);
    expect(below.top).toBeCloseTo(zero, 0);
    expect(below.x).toBe(first.x);
  });

  test.each([
    [1280, ["w520", "w520", "w1080"]],
    [800, ["w340", "w340", "w520"]],
    [360, ["w340", "w340", "w340"]],
  ])("at %i pixels one drawing of each plot is visible, with all of its text", async (width, shown) => {
    const many = manyChanges({ added: 90, removed: 80, changed: 900 });
    const { page } = await open({ ...many, flow: many.flow.slice(0, 5) }, { viewport: { width, height: 800 } });
    const drawings = page.locator("figure > svg:visible");
    expect(await drawings.evaluateAll((all) => all.map((one) => one.getAttribute("class")))).toEqual(shown);
    const cut = await drawings.evaluateAll((all) =>
      all.flatMap((drawing) => {
        const frame = drawing.getBoundingClientRect();
        const isCut = (text: Element) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1;
        };
        return [...drawing.querySelectorAll("text")].filter(isCut).map((text) => text.textContent);
      }),
    );
    expect(cut).toEqual([]);
  });
});

/** The rows of a plot's table. */
function figures(page: Page, id: string): Promise<string[][]> {
  return page
    .locator(`#${id} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

function widths(page: Page, selector: string): Promise<number[]> {
  return page.locator(selector).evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
}
