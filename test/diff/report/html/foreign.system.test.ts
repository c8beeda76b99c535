/** Reports of other contracts: their words, facets and times, and hostile texts. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { contractOf } from "../../../../src/core/contract/contract.js";
import { describeInBrowser } from "../../../support/browser.js";
import { changesIn, diffOf } from "../../../support/diffs.js";
import { STATIONS, stations } from "../../../support/stations.js";
import { HOSTILE_FIELDS, hostileDiff, otherContractDiff, partsDiff, stationsDiff } from "../foreign.js";
import { settled, useBrowser } from "./browser.js";

describeInBrowser("the page of any contract", () => {
  const open = useBrowser();

  test("describes stations by their facet and their time", async () => {
    const { page, misdeeds } = await open(stationsDiff());
    expect(await settled(page)).toBe("1 to 18 of 18 changes");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("18 stations differ");
    expect(await page.locator(".side").first().textContent()).toContain("4,336 stations on 44 pages");
    expect(await titles(page)).toEqual([
      ...["Changes by field", "Moves of country", "Added and removed stations by opened"],
    ]);
    expect(await page.locator("#list thead").textContent()).toBe("KindStationWhat changes");
    const row = page.locator("#list > tbody > tr:has(> .kind)").first();
    expect(await row.locator(".record").textContent()).toBe("Station “20” 🌦");
    expect(await row.locator("li").allTextContents()).toEqual(["country AT", "opened 1956-02-21"]);
    expect(await page.content()).not.toMatch(/\busers?\b/i);
    expect(misdeeds).toEqual([]);
  });

  test("has no flows or times if the contract has none", async () => {
    const { page, misdeeds } = await open(partsDiff());
    await settled(page);
    expect(await titles(page)).toEqual(["Changes by field"]);
    expect(await page.locator(".who").allTextContents()).toEqual(["7", "-3", "12"]);
    expect(await page.locator(".gist").first().locator("li").count()).toBe(0);
    await page.getByRole("searchbox", { name: "Search" }).fill("-3");
    await page.getByRole("status").filter({ hasText: "1 to 1 of 1 found, in 3 changes" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("a facet of very many values is a list of its most frequent moves", async () => {
    const { title, ...file } = STATIONS;
    const contract = contractOf({ ...file, properties: { ...file.properties, name: { ...NAME, "x-facet": true } } });
    const { changed } = changesIn(contract);
    const renamed = stations(150).map(({ record }) => changed(record, { ...record, name: `${record["name"]} <b>` }));
    const { page } = await open(diffOf(renamed, { contract }));
    await settled(page);
    expect(title).toBe("Station");
    expect(await page.locator("#flow1 p").textContent()).toBe(
      "150 stations went from one value to another. Not listed: 50 rarer moves.",
    );
    const table = page.getByRole("group", { name: "Moves of name" }).getByRole("table");
    expect(await table.locator("tbody tr").count()).toBe(100);
    expect(await table.locator("tbody tr").first().textContent()).toMatch(/^"Station .*""Station .* <b>"1$/);
  });

  test("shows changes of the contract first", async () => {
    const { page, misdeeds } = await open(otherContractDiff());
    await settled(page);
    const headings = await page.locator("main").getByRole("heading", { level: 2 }).allTextContents();
    expect(headings).toEqual(["The contract changed", "Changes", "At a glance"]);
    const rows = page.getByRole("group", { name: "The contract changed" }).locator("tbody tr");
    expect((await rows.allTextContents()).map((text) => text.trim()).slice(0, 3)).toEqual([
      ...["field altitude added", "field nickname removed", ' country pattern"^[A-Z]{2}$""^[A-Z]{3}$"'.trim()],
    ]);
    expect(await rows.count()).toBe(12);
    expect(misdeeds).toEqual([]);
  });

  test("shows hostile words and names as text, and finds records by their fields", async () => {
    const { page, misdeeds } = await open(hostileDiff());
    await settled(page);
    await page.getByRole("button", { name: "Open all" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "3 </title><script>alert(1)</script>מפתחות differ",
    );
    expect(await page.locator("#list thead th").nth(1).textContent()).toBe("<b>`x`|\\u202e");
    const shown = Object.values(HOSTILE_FIELDS).map((name) => name.replace(/[\u202e\n]/g, escaped));
    const names = await page.locator("#details-1 .fields th.path").allTextContents();
    expect(names.sort()).toEqual(shown.sort());
    await page.getByRole("combobox", { name: "Field" }).selectOption({ index: 1 });
    await page.getByRole("status").filter({ hasText: "1 to 1 of 1 found, in 3 changes" }).waitFor();
    expect(await page.locator("img, iframe, b, [onerror], [style], link, base").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });
});

const { name: NAME } = STATIONS.properties;

function titles(page: Page): Promise<string[]> {
  return page.locator("figure h3").allTextContents();
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
