/** The explorer shows only verified data and, with a public key, only signed data. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { plainRows } from "../support/database.js";
import { scratch } from "../support/files.js";
import { goldenSite } from "../support/golden.js";
import { describeWith } from "../support/installed.js";
import { writeKey } from "../support/minisign.js";
import { eventually } from "../support/until.js";
import { settledList, shownNames, usePages } from "./browser.js";
import { publishPage, servePage } from "./hosts.js";

/** A release of 40 users that is served, and what replaces it by one of 50. */
async function site(signKey?: string): Promise<{ url: string; replace(): Promise<void> }> {
  const signed = signKey ? { signKey } : {};
  const { url, out } = await servePage({ ...signed, rows: plainRows(40) });
  const replace = async () => {
    await publishPage(out, { baseUrl: url.slice(0, -1), ...signed, rows: plainRows(50) });
    await eventually(async () => expect((await (await fetch(`${url}snapshot.json`)).json()).count).toBe(50));
  };
  return { url, replace };
}

describeWith("chromium", "proof", (path) => {
  const open = usePages(path);

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
    expect(await settledList(page)).toBe("1 to 15 of 240 users");
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
    expect(await settledList(page)).toBe("1 to 15 of 240 users");
  });

  test("the publisher's key is stored, and can be removed", async () => {
    const folder = scratch();
    const [ours, other] = [writeKey(folder, "ours"), writeKey(folder, "other")];
    const { page, misdeeds } = await open((await site(ours.secret)).url);
    await settledList(page);
    await page.getByText("How it is verified").click();
    const give = async (key: string) => {
      await page.getByLabel("Public key").fill(key);
      await page.getByRole("button", { name: "Check the signature" }).click();
    };
    await give("RWnothing");
    await page.getByText("is not a minisign public key").waitFor();
    await give(other.line);
    await proofSays(page, /^Not verified: .* not signed with this key/);
    await showsNothing(page);
    await give(ours.line);
    await proofSays(page, /^Verified by the signature of key [0-9A-F]{16}: records and facets of snapshot/);
    expect((await shownNames(page)).length).toBe(15);
    await showsFigures(page, "40 users");
    await give(other.line);
    await proofSays(page, /^Not verified: /);
    // The key is asked for before anything is shown.
    await page.reload();
    await proofSays(page, /^Not verified: /);
    await showsNothing(page);
    await page.getByText("How it is verified").click();
    await give(ours.line);
    await page.reload();
    await proofSays(page, /^Verified by the signature/);
    await page.getByText("How it is verified").click();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await proofSays(page, /^Verified by digests/);
    await page.reload();
    await proofSays(page, /^Verified by digests/);
    expect(misdeeds).toEqual([]);
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
    await page.locator("#status", { hasText: "1 to 15 of 50 users" }).waitFor();
    await showsFigures(page, "50 users");
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
    await page.locator("#status", { hasText: "1 to 15 of 50 users" }).waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("50 users");
    expect(await page.locator("figure, .since, .lead, .meanings").count()).toBe(0);
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
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("50 users");
    await page.getByRole("button", { name: "Reload the page" }).first().click();
    await page.locator("figure").first().waitFor();
    await showsFigures(page, "50 users");
  });
});

async function showsFigures(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  expect(await page.locator("figure").count()).toBeGreaterThan(0);
}

async function showsNothing(page: Page): Promise<void> {
  expect(await shownNames(page)).toEqual([]);
  expect(await page.locator("figure, .option, .since").count()).toBe(0);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Users");
}

function proofSays(page: Page, what: RegExp): Promise<void> {
  return page.locator(".proof", { hasText: what }).waitFor();
}
