/** The explorer shows hostile texts as text. */
import { expect, test } from "vitest";
import { USERS } from "../../src/core/contract/users.js";
import { addressOf, BEGINNING } from "../../src/explorer/page/address.js";
import { describeInBrowser, useWatched } from "../support/browser.js";
import { plainRows } from "../support/database.js";
import { HOSTILE, INVISIBLE } from "../support/hostile.js";
import { eventually } from "../support/until.js";
import { settledList, shownNames, usePages } from "./browser.js";
import { servePage } from "./hosts.js";

/** SQLite's text has no lone surrogates, and rows no null characters. */
const UNSEEN = INVISIBLE.filter(([text]) => !/[\ud800-\udfff\0]/u.test(text));
const TEXTS = [...HOSTILE, ...UNSEEN.map(([text]) => text)];

const IMAGES = "https://images.example.com";

/** A page whose records have these texts, and these addresses of images. */
async function served(texts: readonly string[], image = "https://evil.example/avatar.png"): Promise<string> {
  const rows = plainRows(texts.length).map((row, at) => {
    const text = texts[at] ?? "";
    const names = { first_name: text, last_name: text, display_name: text, username: text };
    return { ...row, ...names, bio: text, image_url: image };
  });
  return (await servePage({ rows, pageSize: 15 })).url;
}

describeInBrowser("hostile text", () => {
  const open = usePages();
  const withImages = useWatched((asked, url) => asked.startsWith(url) || asked.startsWith(`${IMAGES}/`));

  test("is shown as text in the list, in records and in the search", async () => {
    const { page, misdeeds } = await open(await served(TEXTS));
    await settledList(page);
    const shown = [];
    for (let at = 1; at <= Math.ceil(TEXTS.length / 15); at++) {
      await page.goto(`${page.url().split("#")[0]}#?page=${at}`);
      await eventually(async () => expect(await page.locator("#page").inputValue()).toBe(String(at)));
      shown.push(...(await shownNames(page)));
    }
    expect(new Set(shown)).toEqual(new Set(TEXTS.map((text) => seen(text, /[\n\r\t]/g))));
    for (const text of TEXTS) {
      const box = page.getByRole("searchbox");
      await box.fill(text.slice(0, 30));
      // A search begins a little after the last key.
      const { hash } = new URL(addressOf({ ...BEGINNING, text: await box.inputValue() }), page.url());
      await eventually(() => expect(new URL(page.url()).hash).toBe(hash));
      await settledList(page);
    }
    for (const at of [0, 4, 8, 16]) {
      await page.goto(`${page.url().split("#")[0]}#/00000000-0000-4000-8000-${String(at).padStart(12, "0")}`);
      await page.locator(".one .fields").waitFor();
      const bio = page.locator(".one .fields tr:has(code:text-is('bio')) td").first();
      await eventually(async () => expect(await bio.textContent()).toBe(seen(TEXTS[at] ?? "", /[\r\t]/g)));
    }
    await page.goto(`${page.url().split("#")[0]}#/<img src=x onerror=alert(1)>`);
    await page.getByRole("heading", { name: "No user has this key" }).waitFor();
    // No element or attribute came out of a text.
    expect(await page.locator("img, iframe, base, [onerror], [onload], style").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("becomes a marked link only if it is an http URL", async () => {
    const { page } = await open(await served(["javascript:alert(1)"], "HTTPS://evil.example/a b".replace(" ", "%20")));
    await settledList(page);
    await page.locator("a.record").click();
    const link = page.locator(".one .fields a");
    await link.waitFor();
    expect(await link.count()).toBe(1);
    expect(await link.getAttribute("rel")).toBe("noopener nofollow");
    expect(await link.getAttribute("href")).toBe("HTTPS://evil.example/a%20b");
    expect(await link.textContent()).toBe("HTTPS://evil.example/a%20b (leads to another site)");
  });

  test("images are loaded from the origin that the contract names, and from no other", async () => {
    const urls = [`${IMAGES}/a.svg`, `${IMAGES}.evil.example.com/a.svg`, "https://example.com/a.svg"];
    const rows = plainRows(3).map((row, at) => ({ ...row, image_url: urls[at] ?? null }));
    const image_url = { ...USERS.properties["image_url"], "x-image": IMAGES };
    const contract = { ...USERS, properties: { ...USERS.properties, image_url } };
    const { url } = await servePage({ rows, contract, defaultAvatar: `${IMAGES}/a.svg` });
    const { page, misdeeds } = await withImages(url);
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    await page.route(`${IMAGES}/**`, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
    for (const [at, image] of urls.entries()) {
      await page.goto(`${url}#/00000000-0000-4000-8000-${String(at).padStart(12, "0")}`);
      await page.locator(`.one .fields a[href="${image}"]`).waitFor();
      const images = page.locator(".one .fields img");
      expect(await images.count()).toBe(at === 0 ? 1 : 0);
      if (at > 0) continue;
      const width = () => images.evaluate((shown) => (shown as HTMLImageElement).naturalWidth);
      await eventually(async () => expect(await width()).toBe(9));
    }
    expect(misdeeds).toEqual([]);
  });
});

function seen(text: string, alsoEscaped: RegExp): string {
  const [, shown = text] = UNSEEN.find(([other]) => other === text) ?? [];
  return shown.replace(alsoEscaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
