/** Views in the explorer of a listing that has too many records to load, in a real browser. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { number } from "../../src/core/print/numbers.js";
import { addressOf, BEGINNING, type Chosen } from "../../src/explorer/page/address.js";
import { build, createServer } from "../../src/index.js";
import { findings } from "../support/axe.js";
import { describeInBrowser } from "../support/browser.js";
import { PLACE_VIEWS, PLACES, type Place, places, writePlaces } from "../support/places.js";
import { freePort } from "../support/ports.js";
import { eventually } from "../support/until.js";
import { settledList, shownNames, status, usePages } from "./browser.js";

const SIZE = 200;
const TAGS = ["<script>alert(1)</script>", "a/b", "..", "~null", null, "", "東京", "%41", "x".repeat(300)];

/** 24,000 places, of which 21,000 are castles and 3,000 ruins. */
const ROWS: readonly Place[] = places(24_000, TAGS).map((row, at) => ({
  ...row,
  kind: at % 8 === 7 ? "ruin" : "castle",
}));
const castles = ROWS.filter(({ kind }) => kind === "castle");
const ruins = ROWS.filter(({ kind }) => kind === "ruin");
const VIEWS = { ...PLACE_VIEWS, kind: { by: "kind" } };

describeInBrowser("views", () => {
  const open = usePages();
  let url = "";
  let folder = "";
  let stop: (() => Promise<void>) | undefined;

  /** Publishes places at the URL. */
  const publish = async (rows: readonly Place[]) => {
    const db = writePlaces(join(folder, "places.sqlite"), rows);
    const options = { db, table: "places", contract: PLACES, dist: join(folder, "dist"), pageSize: SIZE };
    await build({ ...options, baseUrl: url.slice(0, -1), explorer: true, views: VIEWS, workers: 0 });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rollcall-views-"));
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    await publish(ROWS);
    const server = await createServer({ dist: join(folder, "dist") });
    stop = () => server.close();
    await server.listen({ port, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await stop?.();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a place of the list. @returns the page, and the paths that it requests from then on. */
  const openAt = async (hash: string) => {
    const { page, misdeeds } = await open(`${url}index.html${hash}`);
    const asked: string[] = [];
    await settledList(page);
    page.on("request", (request) => {
      const target = request.url().slice(url.length - 1);
      // The browser requests the icon whenever it likes.
      if (!target.endsWith("icon.svg")) asked.push(target);
    });
    return { page, misdeeds, asked };
  };

  test("one value of many records is read page by page, with its number", async () => {
    const { page, misdeeds, asked } = await openAt("");
    await page.getByRole("button", { name: /^castle/ }).click();
    await status(page, "1 to 200 of 21,000 places found, in 24,000.");
    expect(await idsOf(page)).toEqual(castles.slice(0, SIZE).map(({ id }) => id));
    expect(asked).toEqual(["/views/kind.json", "/views/kind.sha256", "/views/kind/castle/?format=api&page=1"]);
    await page.getByRole("button", { name: "Last", exact: true }).click();
    await status(page, "20,801 to 21,000 of 21,000 places found, in 24,000.");
    expect(await page.locator("#pages").textContent()).toBe("of 105");
    expect(asked.slice(3)).toEqual(["/views/kind/castle/?format=api&page=105"]);
    expect(hashOf(page)).toBe("#?page=105&kind=castle");
    expect(misdeeds).toEqual([]);
    // The address restores it.
    const again = await openAt(hashOf(page));
    await status(again.page, "20,801 to 21,000 of 21,000 places found, in 24,000.");
    expect(await idsOf(again.page)).toEqual(await idsOf(page));
  });

  test("one value of fewer records is loaded, sorted, limited, counted, drawn and saved", async () => {
    const { page, misdeeds, asked } = await openAt("#?kind=ruin&column=id&column=height&column=opened");
    await status(page, "1 to 200 of 3,000 places found, in 24,000.");
    const isOpen = page.getByRole("group", { name: "Is open" });
    expect(await isOpen.getByRole("button").allTextContents()).toEqual(["false 2,000", "true 1,000"]);
    const counted = page.getByRole("table", { name: "Height: number found by value" }).locator("tbody td");
    const high = ruins.filter(({ height }) => height !== null && height >= 49);
    await eventually(async () => expect(sumOf(await counted.allTextContents())).toBe(ruins.length - noHeight(ruins)));
    await page.getByRole("columnheader", { name: "Height" }).getByRole("button").click();
    await eventually(async () => expect(await idsOf(page)).toEqual(byHeight(ruins, 1).slice(0, SIZE)));
    await page.getByLabel("Height, from").fill("49");
    await page.getByLabel("Height, from").press("Enter");
    await status(page, `${high.length} places found, in 24,000.`);
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Save as CSV").click()]);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(1 + high.length);
    expect(hashOf(page)).toBe("#?kind=ruin&from.height=49&sort=height&column=height&column=id&column=opened");
    expect(asked).toEqual([]);
    expect(await findings(page)).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  test("a heading sorts by the order of a view, of all records and of a value", async () => {
    const { page, misdeeds, asked } = await openAt("#?column=id&column=height&column=kind");
    expect(await page.locator(".sort").allTextContents()).toEqual(["Height"]);
    const heading = page.getByRole("columnheader", { name: "Height" });
    await heading.getByRole("button").press("Enter");
    await eventually(async () => expect(await heading.getAttribute("aria-sort")).toBe("descending"));
    expect(await settledList(page)).toBe("1 to 200 of 24,000 places");
    expect(await heading.getByRole("button").evaluate((one) => one === document.activeElement)).toBe(true);
    const highest = byHeight(ROWS, -1);
    expect(await idsOf(page)).toEqual(highest.slice(0, SIZE));
    await page.getByRole("button", { name: "Next" }).click();
    await status(page, "201 to 400 of 24,000 places");
    expect(await idsOf(page)).toEqual(highest.slice(SIZE, 2 * SIZE));
    expect(asked).toEqual([
      "/views/-height.sha256",
      "/views/-height/?format=api&page=1",
      "/views/-height/?format=api&page=2",
    ]);
    expect(hashOf(page)).toBe("#?page=2&desc=height&column=height&column=id&column=kind");
    // Within a value, its own view has the order.
    await page.getByRole("button", { name: /^castle/ }).click();
    await status(page, "1 to 200 of 21,000 places found, in 24,000.");
    expect(asked.at(-1)).toBe("/views/kind-highest/castle/?format=api&page=1");
    expect(new Set(await page.locator(".records td:last-child").allTextContents())).toEqual(new Set(["castle"]));
    await heading.getByRole("button").click();
    await eventually(async () => expect(await heading.getAttribute("aria-sort")).toBe(null));
    await settledList(page);
    expect(asked.at(-1)).toBe("/views/kind/castle/?format=api&page=1");
    expect(misdeeds).toEqual([]);
  });

  test("says what does not apply, and for which values it would", async () => {
    const { page, misdeeds } = await openAt("#?größe=1&größe=2&from.height=5&sort=height");
    const few = "at most 20,000 records, such as those of one value of kind, is open, größe, tag or topics";
    const said = [
      "größe 1 or 2, since one value of größe can be chosen, and with other conditions only if it has at most 20,000 records",
      `height from 5, since ranges need ${few}`,
      `order by height, since sorting other than by height descending needs ${few}`,
    ];
    await page.getByText(`Not applied: ${said.join("; ")}.`).waitFor();
    await status(page, "1 to 200 of 24,000 places");
    expect(await page.locator(".choices > .rest").textContent()).toContain(
      "Sorting other than by height descending, ranges",
    );
    await page.goto(`${url}index.html#?größe=1&from.height=5&sort=height`);
    await status(page, "places found, in 24,000.");
    expect(await page.getByText("Not applied").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("hard values, nulls, booleans and items of lists are found", async () => {
    const { page, misdeeds } = await openAt("");
    const find = async (field: string, value: Chosen, fits: (place: Place) => boolean) => {
      await page.goto(`${url}index.html${addressOf({ ...BEGINNING, where: new Map([[field, [value]]]) })}`);
      const ids = ROWS.filter(fits).map(({ id }) => id);
      await eventually(async () => expect(await idsOf(page)).toEqual(ids.slice(0, SIZE)));
      expect(await settledList(page)).toBe(`1 to 200 of ${number(ids.length)} places found, in 24,000.`);
    };
    for (const tag of TAGS) await find("tag", tag, (place) => place.tag === tag);
    await find("is_open", true, (place) => place.is_open);
    await find("größe", 0, (place) => place.größe === 0);
    await find("topics", "a/b", ({ topics }) => topics.includes("a/b"));
    for (const hash of ["#?tag=none", "#?tag=0", "#?kind=lake", "#?größe=%220%22"]) {
      await page.goto(`${url}index.html${hash}`);
      await status(page, "No place meets all conditions.");
    }
    expect(misdeeds).toEqual([]);
  });

  test("a value of a view that is no facet is chosen by its text, with the keyboard", async () => {
    const { page, misdeeds, asked } = await openAt("");
    const input = page.getByLabel("Größe, one value");
    await input.focus();
    const listed = page.locator(`#${await input.getAttribute("list")} option`);
    await eventually(async () => expect(await listed.count()).toBe(12));
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    const message = () => input.evaluate((one) => (one as HTMLInputElement).validationMessage);
    await eventually(async () => expect(await message()).toBe("Give a whole number."));
    await input.fill("7");
    await page.keyboard.press("Enter");
    await status(page, "1 to 200 of 2,000 places found, in 24,000.");
    await page.getByLabel("Tag, one value").fill("none");
    await page.getByLabel("Tag, one value").press("Enter");
    const both = ROWS.filter(({ größe, tag }) => größe === 7 && tag === null);
    await status(page, `${number(both.length)} places found, in 24,000.`);
    expect(hashOf(page)).toBe("#?größe=7&tag=null");
    expect(await findings(page)).toEqual([]);
    expect(asked.filter((one) => one.startsWith("/places/"))).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  const castlePage = /views\/kind\/castle\/.*page=1(?:&|$)/;
  test.each<[string, RegExp, (text: string) => string | Promise<string>]>([
    ["a changed byte", castlePage, (text) => text.replace('"id":2', '"id":9')],
    ["the page of another value", castlePage, async () => (await fetch(`${url}views/kind/ruin/`)).text()],
    ["an index without the value", /views\/kind\.json/, (text) => text.replace(/\["castle",\d+\],/, "")],
    ["other digests", /views\/kind\.sha256/, (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))],
    ["another list of views", /views\.json/, (text) => text.replace('"by":"kind"', '"by":"tag"')],
  ])("%s is not shown, and said", async (_, pattern, change) => {
    const { page } = await open(`${url}snapshot.json`);
    let isChanged = true;
    await page.route(pattern, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: isChanged ? await change(text) : text });
    });
    await page.goto(`${url}index.html#?kind=castle`);
    await page.locator(".word.alarm", { hasText: "The host sent data that was not published" }).waitFor();
    await page.locator(".proof", { hasText: "Not verified: " }).waitFor();
    expect(await shownNames(page)).toEqual([]);
    isChanged = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await status(page, "1 to 200 of 21,000 places found, in 24,000.");
    expect(await page.locator(".word.alarm").count()).toBe(0);
  });

  test("views of two releases are not mixed", async () => {
    const { page, misdeeds } = await openAt("#?kind=castle");
    let isReplaced = false;
    await page.route(/views\/kind\/ruin\/.*page=5(?:&|$)/, async (route) => {
      if (!isReplaced) await publish(ROWS.slice(8));
      isReplaced = true;
      const current = async () => (await fetch(`${url}snapshot.json`)).json();
      await eventually(async () => expect((await current()).count).toBe(23_992));
      await route.continue();
    });
    await page.goto(`${url}index.html#?kind=ruin&desc=id`);
    await page.getByText(/^A newer snapshot was published meanwhile/).waitFor();
    await status(page, "1 to 200 of 2,999 places found, in 23,992.");
    expect(await idsOf(page)).toEqual(
      ruins
        .slice(-SIZE)
        .map(({ id }) => id)
        .reverse(),
    );
    expect(misdeeds).toEqual([]);
  });
});

function hashOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash);
}

/** What stands in the first column: the key of each record. */
async function idsOf(page: Page): Promise<number[]> {
  return (await shownNames(page)).map(Number);
}

/** The keys of places by their height, those without one last. @param sign -1 for the highest first */
function byHeight(rows: readonly Place[], sign: 1 | -1): number[] {
  const last = Number.POSITIVE_INFINITY;
  const heightOf = ({ height }: Place) => (height === null ? last : sign * height);
  // Not a difference, since that of two infinities is no number.
  const sorted = rows.toSorted(
    (one, other) => Number(heightOf(one) > heightOf(other)) - Number(heightOf(one) < heightOf(other)),
  );
  return sorted.map(({ id }) => id);
}

function noHeight(rows: readonly Place[]): number {
  return rows.filter(({ height }) => height === null).length;
}

function sumOf(counts: readonly string[]): number {
  return counts.reduce((sum, count) => sum + Number(count.replaceAll(",", "")), 0);
}
