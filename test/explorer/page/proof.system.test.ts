/** The explorer shows only verified data, of one snapshot. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.js";
import { plainRows } from "../../support/database.js";
import { goldenSite } from "../../support/golden.js";
import { eventually } from "../../support/until.js";
import { settledList, shownNames, usePages } from "../browser.js";
import { publishPage, servePage } from "../hosts.js";

/** A release of 40 users that is served, and what replaces it by one of 50. */
async function site(pageSize = 100): Promise<{ url: string; replace(): Promise<void> }> {
  const { url, out } = await servePage({ rows: plainRows(40), pageSize });
  const replace = async () => {
    await publishPage(out, { baseUrl: url.slice(0, -1), pageSize, rows: plainRows(50) });
    await eventually(async () => expect((await (await fetch(`${url}snapshot.json`)).json()).count).toBe(50));
  };
  return { url, replace };
}

describeInBrowser("proof", () => {
  const open = usePages();

  test("does not show a changed byte, and says what is wrong", async () => {
    const { page } = await open(await goldenSite());
    await settledList(page);
    let isChanged = true;
    await page.route(/[?&]page=1(?:&|$)/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: isChanged ? text.replace("user7", "user8") : text });
    });
    await page.reload();
    await page.locator(".word.alarm", { hasText: "is not what SHA256SUMS lists" }).waitFor();
    await proofSays(page, /^Not verified: /);
    expect(await shownNames(page)).toEqual([]);
    isChanged = false;
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await settledList(page)).toBe("1 to 50 of 240 users");
    await proofSays(page, /^Verified by digests/);
    expect(await page.locator(".word.alarm").count()).toBe(0);
  });

  test("refuses a damaged SHA256SUMS, and continues once it is correct", async () => {
    const { page } = await open(await goldenSite());
    await settledList(page);
    let isDamaged = true;
    await page.route(/SHA256SUMS(?:$|\?)/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: isDamaged ? text.replace(/^./, "x") : text });
    });
    await page.reload();
    await page.locator(".word.alarm details").waitFor();
    await proofSays(page, /^Not verified: /);
    expect(await page.locator("#status").textContent()).toBe("Nothing could be read.");
    isDamaged = false;
    // As the next look at the host does.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await proofSays(page, /^Verified by digests/);
    expect(await settledList(page)).toBe("1 to 50 of 240 users");
  });

  test("a record that cannot be read leaves the search usable", async () => {
    const { page } = await open(await goldenSite());
    await settledList(page);
    let isDown = true;
    await page.route(/lookup\/keys/, (route) => (isDown ? route.abort() : route.continue()));
    await page.goto(`${page.url().split("#")[0]}#/00000000-0000-4000-8000-000000000120`);
    await page.reload();
    await page.getByText("The host does not answer.").waitFor();
    isDown = false;
    await page.getByRole("searchbox").fill("anna");
    await page.locator("#status", { hasText: "3 users found, in 240." }).waitFor();
    await page.getByRole("link", { name: "Jörg Annas" }).click();
    await page.getByRole("heading", { name: "Jörg Annas" }).waitFor();
    await page.getByRole("link", { name: "Files for programs" }).click();
    await page.locator("#files-title").waitFor();
    expect(new URL(page.url()).hash).toBe("#/00000000-0000-4000-8000-000000000120");
  });

  test("says that the list is missing without its script", async () => {
    const { page } = await open(`${await goldenSite()}snapshot.json`);
    await page.route(/app\.js/, (route) => route.abort());
    await page.goto(new URL(".", page.url()).href);
    await page.getByText("The list is missing if its script").waitFor();
  });

  test("a release replaced between index.html and its script is shown consistently", async () => {
    const { url, replace } = await site();
    const { page } = await open(`${url}snapshot.json`);
    let isReplaced = false;
    await page.route(/app\.js/, async (route) => {
      if (!isReplaced) await replace();
      isReplaced = true;
      await route.continue();
    });
    await page.goto(url);
    await page.locator("#status", { hasText: "50 users" }).waitFor();
    await showsFigures(page, "50 users");
  });

  test("a release replaced while all records are loaded is not mixed with the next", async () => {
    const { url, replace } = await site(10);
    const { page, misdeeds } = await open(url);
    await settledList(page);
    let isReplaced = false;
    await page.route(/[?&]page=3(?:&|$)/, async (route) => {
      if (!isReplaced) await replace();
      isReplaced = true;
      await route.continue();
    });
    await page.goto(`${url}#?sort=id`);
    await page.getByText(/^A newer snapshot was published meanwhile/).waitFor();
    await page.locator("#status", { hasText: "1 to 10 of 50 users" }).waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Save as CSV").click()]);
    expect(readFileSync(await file.path(), "utf8").split("\n")).toHaveLength(52);
    expect(isReplaced).toBe(true);
    expect(misdeeds).toEqual([]);
  });

  test("does not save records of a snapshot that the host no longer has", async () => {
    const { url, replace } = await site(10);
    const { page } = await open(url);
    await settledList(page);
    await replace();
    await page.getByText("Save as CSV").click();
    await page.getByText("A newer snapshot was published meanwhile, so nothing was saved. Save it again.").waitFor();
    await page.locator("#status", { hasText: "1 to 10 of 50 users" }).waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Save as CSV").click()]);
    expect(readFileSync(await file.path(), "utf8").split("\n")).toHaveLength(52);
  });

  test("hides the overview of an outdated index.html", async () => {
    const { url, replace } = await site();
    const stale = await (await fetch(url)).text();
    await replace();
    const { page } = await open(`${url}snapshot.json`);
    let asked = 0;
    await page.route(url, (route) => {
      asked++;
      return route.fulfill({ contentType: "text/html; charset=utf-8", body: stale });
    });
    await page.goto(url);
    await page.getByText("The overview was written for another snapshot").waitFor();
    await page.locator("#status", { hasText: "50 users" }).waitFor();
    expect(await page.locator(".since").allTextContents()).toEqual(["50 users"]);
    expect(await page.locator("figure, .lead, .meanings").count()).toBe(0);
    await proofSays(page, /^Verified by digests: records and facets of snapshot/);
    expect(asked).toBe(2);
  });

  test("hides the overview of a release that was replaced while reading", async () => {
    const { url, replace } = await site();
    const { page } = await open(url);
    await settledList(page);
    await showsFigures(page, "40 users");
    await replace();
    await page.getByRole("searchbox").fill("user7");
    await page.getByText(/^A newer snapshot was published meanwhile/).waitFor();
    await page.getByText("The overview was written for another snapshot").waitFor();
    expect(await page.locator(".since").allTextContents()).toEqual(["50 users"]);
    await page.getByRole("button", { name: "Reload the page" }).first().click();
    await page.locator("figure").first().waitFor();
    await showsFigures(page, "50 users");
  });
});

async function showsFigures(page: Page, heading: string): Promise<void> {
  await page.locator(".since", { hasText: heading }).waitFor();
  expect(await page.locator("figure").count()).toBeGreaterThan(0);
}

function proofSays(page: Page, what: RegExp): Promise<void> {
  return page.locator(".proof", { hasText: what }).waitFor();
}
