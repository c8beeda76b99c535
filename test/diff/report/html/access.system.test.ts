/** Accessibility of the report: axe checks WCAG 2.2 AA, light and dark, wide and narrow. */
import { expect, test } from "vitest";
import { findings } from "../../../support/axe.js";
import { describeInBrowser } from "../../../support/browser.js";
import { changed, diffOf, person } from "../../../support/diffs.js";
import { settled, useBrowser } from "./browser.js";
import { manyChanges } from "./samples.js";

const SCHEMES = ["light", "dark"] as const;
const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 800 },
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 360 },
] as const;
const LONG = "x".repeat(50_000);

const everything = () => ({
  ...manyChanges({ added: 30, removed: 10, changed: 65 }, 9000),
  new: { ...diffOf([]).new, baseUrl: "https://people.example.org", explorer: "https://people.example.org/" },
});
const hardValues = diffOf([
  changed(person(1, { bio: "" }), person(1, { bio: `\u202e${LONG}` })),
  changed(person(3, { bio: "" }), person(3, { bio: "line\n".repeat(100) })),
  changed(person(2, { bio: "some words" }), person(2, { bio: "other words", languages: [] })),
]);

describeInBrowser("accessibility", () => {
  const open = useBrowser();

  test.each(LOOKS)("$colorScheme, $width pixels: axe finds nothing", async ({ colorScheme, width }) => {
    const { page } = await open(everything(), {
      ...{ colorScheme, viewport: { width, height: 800 }, exceeded: ["More changed than allowed."] },
    });
    await settled(page);
    // A short page of the list, since axe takes long for large ones.
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    for (const summary of await page.locator("summary").all()) await summary.click();
    for (const user of [0, 1]) await page.locator(".record").nth(user).click();
    expect(await page.locator(".record").count()).toBe(5);
    expect(await findings(page)).toEqual([]);
    // No element is wider than the screen.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  test.each(SCHEMES)("%s: including marks, escapes, empty and long values", async (colorScheme) => {
    const { page } = await open(hardValues, { colorScheme });
    await settled(page);
    await page.getByRole("button", { name: "Open all" }).click();
    expect(await findings(page)).toEqual([]);
  });

  test("axe works: it finds a control without a name", async () => {
    const { page } = await open(hardValues);
    await settled(page);
    await page.locator("#path").evaluate((select) => select.removeAttribute("id"));
    expect(await findings(page)).toEqual([expect.stringMatching(/^select-name: <select/)]);
  });

  test("announces results to screen readers in a live region", async () => {
    const { page } = await open(everything());
    await settled(page);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const status = document.querySelector('[role="status"]');
      if (status) new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
    });
    await page.getByRole("searchbox", { name: "Search" }).fill("Adeyemi");
    await page.getByRole("status").filter({ hasText: "found" }).waitFor();
    const said: string[] = await page.evaluate("said");
    expect(new Set(said)).toEqual(new Set([expect.stringMatching(/^1 to \d+ of \d+ found, in 105 changes$/)]));
  });

  test.each([
    ["reduce", "0s"],
    ["no-preference", "0.12s"],
  ] as const)("motion: %s", async (reducedMotion, duration) => {
    const { page } = await open(everything(), { reducedMotion });
    await settled(page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll("*")].flatMap((one) =>
        ["", "::before"].map((pseudo) => getComputedStyle(one, pseudo).transitionDuration),
      ),
    );
    expect(new Set(moving)).toEqual(new Set(["0s", duration]));
  });

  test("outlines the focused element, which the pager does not hide", async () => {
    const { page } = await open(everything(), { viewport: { width: 1000, height: 600 } });
    await settled(page);
    await page.locator("#open-all").focus();
    for (let row = 0; row < 20; row++) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      expect(await focused.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("solid");
      const [box, pager] = [await focused.boundingBox(), await page.locator("#pager").boundingBox()];
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(pager?.y ?? 0);
    }
  });
});
