/** Using the list of changes in a real browser: search, filters, pages, details, by mouse and keyboard. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "../../../../src/core/contract/users.js";
import { describeInBrowser } from "../../../support/browser.js";
import { added, changed, diffOf, person, removed } from "../../../support/diffs.js";
import { eventually } from "../../../support/until.js";
import { settled, useBrowser } from "./browser.js";
import { manyChanges } from "./samples.js";

const move = (number: number, status: User["kyc_status"], given: Partial<User> = {}) =>
  changed(person(number), person(number, { kyc_status: status, ...given }));

const SMALL = diffOf(
  [
    added(person(1, { display_name: "Zoë Lund", country: "NO" })),
    added(person(2, { display_name: "李小龍" })),
    removed(person(3, { display_name: "", username: "gone" })),
    move(4, "VERIFIED"),
    move(5, "CONFIRMED", { bio: "Likes tea and $(cake)." }),
    changed(person(6, { bio: "" }), person(6, { bio: "Likes tea.", languages: [], country: "FR", referrals_count: 5 })),
  ],
  { unchanged: 94 },
);

describeInBrowser("the list of changes", () => {
  const open = useBrowser();

  test("is a table of all changes, in the order of the diff", async () => {
    const { page, misdeeds } = await open(SMALL);
    expect(await settled(page)).toBe("1 to 6 of 6 changes");
    const rows = page.locator("#list > tbody > tr:has(> .kind)");
    expect(await rows.locator("> .kind").allTextContents()).toEqual([
      ...["Added", "Added", "Removed", "Changed", "Changed", "Changed"],
    ]);
    expect(await rows.locator(".record").allTextContents()).toEqual([
      ...["Zoë Lund", "李小龍", "gone", "Anna Berg", "Anna Berg", "Anna Berg"],
    ]);
    expect(await texts(rows.nth(5).locator("li"))).toEqual([
      ...["bio empty → becomes Likes tea.", "country DE → becomes FR"],
      ...['languages ["DE","EN"] → becomes []', "and 1 more field"],
    ]);
    expect(await texts(rows.nth(0).locator("li"))).toEqual([...["date_joined 2026-11-20", "kyc_status PENDING"]]);
    expect(misdeeds).toEqual([]);
  });

  test("an opened row has every field, old and new side by side, with what differs marked", async () => {
    const { page } = await open(SMALL);
    await settled(page);
    const buttons = page.locator(".record");
    await buttons.nth(4).click();
    await buttons.nth(2).click();
    const changedRows = page.locator("#details-5 .fields tr");
    expect(await changedRows.allTextContents()).toEqual([
      ...["FieldOldNew", "bioLikes tea.Likes tea and $(cake).", "kyc_statusPENDINGCONFIRMED"],
    ]);
    expect(await changedRows.nth(1).locator("mark").allTextContents()).toEqual([" and $(cake)"]);
    const removedRows = page.locator("#details-3 .fields tr");
    expect(await removedRows.count()).toBe(1 + 28);
    expect(await texts(removedRows.filter({ hasText: "username" }))).toEqual(["usernamegone"]);
    await buttons.nth(4).click();
    await expect(page.locator("#details-5").isVisible()).resolves.toBe(false);
  });

  test("searching finds texts in names, ids and values, whatever their case", async () => {
    const { page } = await open(SMALL);
    await settled(page);
    for (const [text, names] of [
      ["zoë", ["Zoë Lund"]],
      ["GONE", ["gone"]],
      ["小", ["李小龍"]],
      ["$(cake)", ["Anna Berg"]],
      ["00000000-0000-4000-8000-000000000003", ["gone"]],
      ["zoe\u0308", ["Zoë Lund"]],
      ["[]^.*+?|\\/-{}", []],
      ["(", ["Anna Berg"]],
      [" tea. ", ["Zoë Lund", "李小龍", "gone", "Anna Berg", "Anna Berg"]],
      ["zebra", []],
    ] as const) {
      await page.getByRole("searchbox", { name: "Search" }).fill(text);
      await eventually(async () => expect(await page.locator(".record").allTextContents()).toEqual(names));
      const found = `1 to ${names.length} of ${names.length} found, in 6 changes`;
      expect(await settled(page)).toBe(names.length === 0 ? "None of 6 changes match." : found);
    }
  });

  test("filters by kind and field, together with a search, and clears all", async () => {
    const { page } = await open(SMALL);
    await settled(page);
    await page.getByRole("combobox", { name: "Field" }).selectOption({ label: "bio (2)" });
    await page.getByRole("status").filter({ hasText: "1 to 2 of 2 found" }).waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("FR");
    await page.getByRole("status").filter({ hasText: "1 to 1 of 1 found" }).waitFor();
    await page.getByRole("checkbox", { name: "Changed" }).uncheck();
    await page.getByRole("status").filter({ hasText: "None of 6 changes match." }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("status").filter({ hasText: "1 to 6 of 6 changes" }).waitFor();
    await page.getByRole("checkbox", { name: "Removed" }).uncheck();
    await page.getByRole("checkbox", { name: "Changed" }).uncheck();
    await page.getByRole("status").filter({ hasText: "1 to 2 of 2 found" }).waitFor();
    expect(await page.locator(".record").allTextContents()).toEqual(["Zoë Lund", "李小龍"]);
  });

  test("pages through the list, to the last page and to a number", async () => {
    const { page } = await open(manyChanges({ added: 60, removed: 60, changed: 100 }));
    expect(await settled(page)).toBe("1 to 50 of 220 changes");
    const pager = page.getByRole("navigation", { name: "Pages of the list" });
    const status = () => page.locator("#status").textContent();
    await pager.getByRole("button", { name: "Next" }).click();
    expect(await status()).toBe("51 to 100 of 220 changes");
    await pager.getByRole("button", { name: "Last" }).click();
    await pager.getByRole("button", { name: "Next" }).press("Enter");
    expect(await status()).toBe("201 to 220 of 220 changes");
    expect(await page.locator(".record").count()).toBe(20);
    expect(await page.locator("#list > tbody > tr").first().getAttribute("aria-rowindex")).toBe("202");
    await pager.getByRole("button", { name: "Previous" }).click();
    expect(await status()).toBe("151 to 200 of 220 changes");
    for (const [typed, said] of [
      ["2", "51 to 100"],
      ["99", "201 to 220"],
      ["x", "201 to 220"],
      ["-4", "1 to 50"],
    ] as const) {
      await pager.getByLabel("Page").fill(typed);
      await pager.getByLabel("Page").press("Enter");
      expect(await status()).toBe(`${said} of 220 changes`);
    }
    expect(await pager.getByLabel("Page").inputValue()).toBe("1");
    await page.getByRole("searchbox", { name: "Search" }).fill("Okafor");
    await page.getByRole("status").filter({ hasText: "found" }).waitFor();
    await pager.waitFor({ state: "hidden" });
  });

  test("opens and closes all rows, also on the next page", async () => {
    const { page } = await open(manyChanges({ added: 60, removed: 0, changed: 0 }));
    await settled(page);
    const all = page.getByRole("button", { name: "Open all on this page" });
    await all.click();
    expect(await page.locator(".fields:visible").count()).toBe(50);
    await page.getByRole("button", { name: "Next" }).click();
    expect(await page.locator(".fields:visible").count()).toBe(10);
    await all.click();
    expect(await page.locator(".fields:visible").count()).toBe(0);
  });

  test("can be used by keyboard only", async () => {
    const { page } = await open(manyChanges({ added: 30, removed: 30, changed: 5 }));
    await settled(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the list of changes");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("NEED_SELFIE_IMAGES");
    await page.getByRole("status").filter({ hasText: "found" }).waitFor();
    for (const key of ["Tab", "Tab", "Space"]) await page.keyboard.press(key);
    expect(await page.getByRole("checkbox", { name: "Added" }).isChecked()).toBe(false);
    // Redrawing the list would lose the focus.
    await settled(page);
    for (const key of ["Tab", "Tab", "Tab", "Tab", "Tab", "Enter"]) await page.keyboard.press(key);
    expect(await page.locator("button:focus").getAttribute("aria-expanded")).toBe("true");
    expect(await page.locator(".fields:visible").count()).toBe(1);
  });

  test("a new search ends a running one", async () => {
    const { page } = await open(manyChanges({ added: 0, removed: 0, changed: 20_000 }));
    await settled(page);
    const searchbox = page.getByRole("searchbox", { name: "Search" });
    for (const text of ["Okafor", "Nowak", "000002000007"]) {
      await searchbox.fill(text);
      await page.locator("[aria-busy=true]").first().waitFor();
    }
    await page.getByRole("status").filter({ hasText: "1 to 1 of 1 found" }).waitFor();
    expect(await settled(page)).toBe("1 to 1 of 1 found, in 20,000 changes");
    expect(await page.locator(".record").count()).toBe(1);
  });
});

/** The text of each element, with white space as displayed. */
async function texts(elements: Locator): Promise<string[]> {
  return (await elements.allTextContents()).map((text) => text.replace(/\s+/g, " "));
}
