/** Hostile texts: the report only shows them. */
import { expect, test } from "vitest";
import { describeInBrowser } from "../../../support/browser.js";
import { added, changed, diffOf, person } from "../../../support/diffs.js";
import { HOSTILE, INVISIBLE } from "../../../support/hostile.js";
import { settled, useBrowser } from "./browser.js";

describeInBrowser("hostile text", () => {
  const open = useBrowser();

  test("is text in every place that shows it", async () => {
    const everywhere = (text: string) => ({
      ...{ bio: text, first_name: text, last_name: text, display_name: text, username: text },
      image_url: "https://evil.example/avatar.png",
    });
    const diff = diffOf(
      [
        ...HOSTILE.map((text, number) => added(person(number, everywhere(text)))),
        ...HOSTILE.map((text, number) =>
          changed(person(100 + number, { bio: "x" }), person(100 + number, everywhere(text))),
        ),
      ],
      {
        old: { name: HOSTILE.join("\n") },
        new: { name: "</title><script>alert(1)</script>", id: HOSTILE[4] },
      },
    );
    const { page, misdeeds } = await open(diff, { exceeded: [...HOSTILE] });
    await settled(page);
    await page.getByRole("button", { name: "Open all" }).click();
    await page.mouse.move(300, 300);
    expect(await page.locator("#list .record").allTextContents()).toEqual(
      [...HOSTILE, ...HOSTILE].map((text) => text.replace(/[\n\r\t]/g, escaped)),
    );
    const bios = await page
      .locator("#list .fields tr:has(th:text-is('bio'))")
      .locator("td:last-child")
      .allTextContents();
    expect(bios).toEqual([...HOSTILE, ...HOSTILE].map((text) => text.replace(/[\r\t]/g, escaped)));
    expect(await page.locator(".gates li").allTextContents()).toEqual(
      HOSTILE.map((text) => text.replace(/[\n\r\t]/g, escaped)),
    );
    // Only elements and attributes of the report itself: no text became markup.
    expect(await page.locator("img, iframe, a:not(.skip), [onerror], [onload], [style], link, base").count()).toBe(0);
    expect(await page.locator("style").count()).toBe(1);
    expect(await page.locator("script:not([type])").count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  test("that is invisible is shown as an escape, in names, excerpts and whole values", async () => {
    const { page } = await open(
      diffOf(
        INVISIBLE.map(([text], number) => changed(person(number), person(number, { bio: text, display_name: text }))),
      ),
    );
    await settled(page);
    await page.getByRole("button", { name: "Open all" }).click();
    const shown = INVISIBLE.map(([, seen]) => seen);
    expect(await page.locator(".record").allTextContents()).toEqual(shown);
    expect(await page.locator(".gist li:first-child bdi:last-child").allTextContents()).toEqual(shown);
    expect(await page.locator(".fields tr:nth-child(1) td.new").allTextContents()).toEqual(shown);
    expect(await page.locator(".who .escape").first().textContent()).toBe("\\u202e");
  });

  test("in keys is shown as an escape, and blank keys in quotes", async () => {
    const keys = [...INVISIBLE, ["  ", '"  "']] as const;
    const nameless = { display_name: " ", username: "" };
    const { page } = await open(diffOf(keys.map(([id], number) => added({ ...person(number, nameless), id }))));
    await settled(page);
    expect(await page.locator("#list .record").allTextContents()).toEqual(keys.map(([, seen]) => seen));
  });

  test("a bio of a megabyte is shown around the difference, and completely on demand", async () => {
    const [head, tail] = ["a ".repeat(30_000), "b\u202e".repeat(500_000)];
    const { page } = await open(
      diffOf([changed(person(1, { bio: `${head}old${tail}` }), person(1, { bio: `${head}new${tail}` }))]),
    );
    await settled(page);
    await page.locator(".record").click();
    const [old, now] = [page.locator("td.old .value"), page.locator("td.new .value")];
    expect(await old.locator("mark").textContent()).toBe("old");
    expect(await now.locator("mark").textContent()).toBe("new");
    expect(await now.textContent()).toMatch(/^59,800 earlier characters(a )+newb\\u202e.*998,203 further characters$/);
    const length = async () => (await now.textContent())?.length ?? 0;
    const before = await length();
    await now.locator("button.more").last().click();
    expect(await length()).toBeGreaterThan(before + 20_000);
    expect(await page.locator("button:focus").textContent()).toBe("978,203 further characters");
    for (let press = 0; press < 3; press++) await now.locator("button.more").first().click();
    expect(await now.locator("button.more").allTextContents()).toEqual(["978,203 further characters"]);
    expect(await page.locator("td.new .value:focus").count()).toBe(1);
    expect((await now.textContent())?.startsWith(`${head}new`)).toBe(true);
  });
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
