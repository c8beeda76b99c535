/** A walk through the explorer: three kinds of hosts, with and without a base path, both link styles, pages at the base URL itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import type { LinkStyle } from "../../src/core/contract/links.js";
import { USERS } from "../../src/core/contract/users.js";
import { describeInBrowser } from "../support/browser.js";
import { scratch } from "../support/files.js";
import { goldenRows } from "../support/golden.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";
import { settledList, shownNames, status, usePages } from "./browser.js";
import { PAGE_HOSTS, publishPage } from "./hosts.js";

interface Place {
  path: string;
  links: LinkStyle;
  contract?: ContractFile;
  /** The explorer's path below the base URL with its slash. */
  explorer?: string;
}

const PLACES: Record<string, Place> = {
  "rollcall serve": { path: "", links: "query" },
  nginx: { path: "/people/directory", links: "query" },
  cloudflare: { path: "", links: "path" },
};
const { path: _, ...HERE } = USERS["x-listing"];
const AT_BASE: Place = {
  path: "/people",
  links: "query",
  contract: { ...USERS, "x-listing": HERE },
  explorer: "index.html",
};
const USUAL = PAGE_HOSTS.map((host) => ({ ...host, place: PLACES[host.name], where: host.name }));
const SITES = [
  ...USUAL,
  ...USUAL.slice(0, 1).map((own) => ({ ...own, place: AT_BASE, where: `${own.name}, pages there` })),
];

describeInBrowser("a walk through the page", () => {
  const open = usePages();

  describe.each(SITES.filter(({ needs }) => !isMissing(...needs)))("on $where", ({ name, serve, place = AT_BASE }) => {
    const { explorer = "", contract } = place;

    /** A site that is served, and what moves it to a release with another text in each record. */
    const site = async () => {
      const [dist, port] = [join(scratch(), "dist"), await freePort()];
      const baseUrl = `http://127.0.0.1:${port}${place.path}`;
      const given = { baseUrl, links: place.links, pageSize: 50, compress: ["gzip"] as const, contract };
      const adapt = name === "cloudflare" ? { adapt: ["cloudflare"] } : {};
      const release = await publishPage(dist, { ...given, ...adapt, rows: goldenRows("first") });
      const stop = await serve(dist, release, port);
      const move = async () => {
        const next = await publishPage(dist, { ...given, ...adapt, rows: goldenRows("second") });
        if (name === "rollcall serve") {
          // It takes up what is current by itself, a moment later.
          const id = next.split("-").at(-1);
          await eventually(async () => expect((await (await fetch(`${baseUrl}/snapshot.json`)).json()).id).toBe(id));
          return;
        }
        await stop();
        await serve(dist, next, port);
      };
      return { url: `${baseUrl}/${explorer}`, release, move };
    };

    // nginx maps the same URLs as Rollcall's own host.
    test.runIf(name !== "nginx")("searches, filters, opens, goes back, and reopens every URL", async () => {
      const { url, release } = await site();
      const { page, misdeeds } = await open(url);
      expect(await settledList(page)).toBe("1 to 50 of 240 users");
      expect((await shownNames(page)).slice(6, 9)).toEqual(["Person 6", "Anna Berg", "Person 8"]);
      await expect
        .poll(() => page.locator(".proof").textContent())
        .toMatch(/^Verified by digests: records and facets of snapshot [0-9a-f]{12}\.$/);

      await search(page, "anna", "3 users found, in 240.");
      expect(await shownNames(page)).toEqual(["Anna Berg", "Jörg Annas", "Anna-Lena Öström"]);
      expect(await page.locator(".records mark").allTextContents()).toEqual(["Anna", "Annas", "Anna"]);
      // Not all users are loaded, so there are no counts of what was found.
      expect(await page.locator(".option .number").count()).toBe(0);
      await page.goBack();
      await status(page, "1 to 50 of 240 users");
      expect(await page.locator(".option .number").allTextContents()).toEqual(["180", "60"]);
      await page.goForward();
      await status(page, "3 users found, in 240.");
      await typeAndGoBack(page, "anna-l", "1 to 50 of 240 users");
      expect(await page.getByRole("searchbox").inputValue()).toBe("");
      await page.goForward();
      await status(page, "3 users found, in 240.");
      await page.getByRole("button", { name: /^VERIFIED/ }).click();
      await status(page, "1 user found, in 240.");
      expect(await shownNames(page)).toEqual(["Jörg Annas"]);
      // They are loaded now. The counts of a facet do not depend on its own values.
      expect(await page.locator(".option .number").allTextContents()).toEqual(["2", "1"]);
      expect(new URL(page.url()).hash).toBe("#?q=anna&kyc_status=VERIFIED");

      const figures = page.locator("figure").first().locator("details");
      await figures.locator("summary").click();
      expect(await figures.locator("tbody tr").count()).toBeGreaterThan(0);
      expect(await figures.locator("tbody tr").first().isVisible()).toBe(true);

      await page.getByRole("link", { name: "Jörg Annas" }).click();
      const heading = page.getByRole("heading", { name: "Jörg Annas" });
      await heading.waitFor();
      expect(await heading.evaluate((one) => one === document.activeElement)).toBe(true);
      const key = "00000000-0000-4000-8000-000000000120";
      expect(new URL(page.url()).hash).toBe(`#/${key}`);
      expect(await page.locator(".one .fields tr:has(code:text-is('bio')) td").first().textContent()).toBe("first");
      const digest = await page.locator(".origin code").first().textContent();
      // A host has no file of all digests to lead to.
      expect(await page.locator(".origin a").count()).toBe(1);
      expect(readFileSync(join(release, "records.sha256"), "utf8").split("\n")).toContain(`${digest}  ${key}`);

      const command = (await page.locator(".origin .command").textContent()) ?? "";
      const [, from = "", index = ""] = /^curl -s (?:')?(\S+?)(?:')? \| jq '\.results\[(\d+)\]'$/.exec(command) ?? [];
      const { results } = (await (await fetch(from)).json()) as { results: { id: string }[] };
      expect(results[Number(index)]?.id).toBe(key);
      expect(await page.getByRole("link", { name: "page 3" }).getAttribute("href")).toBe(from);

      await page.getByRole("link", { name: "Next user" }).click();
      await page.getByRole("heading", { name: "Person 121" }).waitFor();
      const previous = page.getByRole("link", { name: "Previous user" });
      await eventually(async () => expect(await previous.getAttribute("href")).toBe(`#/${key}`));
      await page.goBack();
      await heading.waitFor();
      await page.goBack();
      await page.locator(".records").waitFor();
      expect(
        await page.getByRole("link", { name: "Jörg Annas" }).evaluate((one) => one === document.activeElement),
      ).toBe(true);
      await page.reload();
      await status(page, "1 user found, in 240.");
      expect(await page.getByRole("searchbox").inputValue()).toBe("anna");
      await page.goForward();
      await heading.waitFor();

      const { page: other, misdeeds: others } = await open(`${url}#/${key}`);
      await other.getByRole("heading", { name: "Jörg Annas" }).waitFor();
      await other.getByRole("link", { name: "All users" }).click();
      expect(await settledList(other)).toBe("1 to 50 of 240 users");
      await other.getByRole("button", { name: "Last", exact: true }).click();
      await status(other, "201 to 240 of 240 users");
      expect(new URL(other.url()).hash).toBe("#?page=5");
      expect(await shownNames(other)).toContain("\\u202eEve");
      await other.goto(`${url}#?q=person&page=999999`);
      await status(other, "201 to 236 of 236 users found, in 240.");
      expect(new URL(other.url()).hash).toBe("#?q=person&page=5");
      await other.goto(`${url}#?page=5`);
      await status(other, "201 to 240 of 240 users");
      await other.getByRole("button", { name: /^VERIFIED/ }).click();
      await status(other, "1 to 50 of 60 users found, in 240.");
      await other.goto(`${url}#?q=person&kyc_status=NONE`);
      await status(other, "1 to 50 of 177 users found, in 240.");
      await other.goto(`${url}#?q=person&page=999999`);
      await status(other, "201 to 236 of 236 users found, in 240.");
      expect(new URL(other.url()).hash).toBe("#?q=person&page=5");
      expect([...misdeeds, ...others]).toEqual([]);
    });

    // Its host does not matter.
    test.runIf(place === PLACES["rollcall serve"])(
      "keeps its state while offline, and continues by itself",
      async () => {
        const { url } = await site();
        const { page, misdeeds } = await open(url);
        await settledList(page);
        const before = await shownNames(page);
        await page.context().setOffline(true);
        await page.getByRole("searchbox").fill("Annas");
        const word = page.getByText("You are offline. The page shows what was loaded before.");
        await word.waitFor();
        expect(await shownNames(page)).toEqual(before);
        // They are not what the words above find.
        await status(page, "This is still the previous list.");
        await page.getByRole("button", { name: "Try again" }).click();
        await word.waitFor();
        expect(await page.getByRole("searchbox").inputValue()).toBe("Annas");
        await page.context().setOffline(false);
        await status(page, "1 user found, in 240.");
        expect(await shownNames(page)).toEqual(["Jörg Annas"]);
        expect(await word.count()).toBe(0);
        expect(misdeeds).toEqual([]);
      },
    );

    test("reports a newer snapshot, and reads again", async () => {
      const { url, move } = await site();
      const { page, misdeeds } = await open(url);
      await settledList(page);
      await move();
      // A tab that becomes visible again checks at once.
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await page.getByText("A newer snapshot was published.").waitFor();
      // Reading on never mixes records of two snapshots.
      await page.getByRole("button", { name: "Last", exact: true }).click();
      await page.getByText(/^A newer snapshot was published meanwhile/).waitFor();
      await status(page, "201 to 240 of 240 users");
      await page.locator("a.record").first().click();
      await page.locator(".one .fields tr:has(code:text-is('bio')) td", { hasText: "second" }).waitFor();
      await page.reload();
      await page.locator(".one .fields tr:has(code:text-is('bio')) td", { hasText: "second" }).waitFor();
      expect(await page.getByText("A newer snapshot").count()).toBe(0);
      expect(misdeeds).toEqual([]);
    });
  });
});

async function search(page: Page, text: string, found: string): Promise<void> {
  await page.getByRole("searchbox").pressSequentially(text, { delay: 20 });
  await page.waitForURL((url) => url.hash === `#?q=${text}`);
  await status(page, found);
}

/** Goes back before the search for a typed text begins, and lets the time pass at which it would begin. */
async function typeAndGoBack(page: Page, text: string, list: string): Promise<void> {
  await page.clock.install({ time: "2026-01-01" });
  await page.clock.pauseAt("2026-01-02");
  await page.getByRole("searchbox").fill(text);
  await page.goBack();
  await status(page, list);
  await page.clock.runFor("01:00");
  await page.clock.resume();
}
