/** What is shown is proved: a changed byte is not shown, and with the publisher's key nothing that is not signed. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { plainRows } from "../support/database.js";
import { scratch } from "../support/files.js";
import { describeWith } from "../support/installed.js";
import { writeKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { settledList, shownNames, usePages } from "./browser.js";
import { PAGE_HOSTS, publishPage } from "./hosts.js";

const [SERVE] = PAGE_HOSTS;

async function served(signKey?: string): Promise<string> {
  const [out, port] = [join(scratch(), "dist"), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const release = await publishPage(out, { baseUrl, rows: plainRows(40), ...(signKey && { signKey }) });
  await SERVE?.serve(out, release, port);
  return `${baseUrl}/`;
}

describeWith("chromium", "proof", (path) => {
  const open = usePages(path);

  test("a byte that was changed on the way is not shown, and what is wrong is said", async () => {
    const { page } = await open(await served());
    await settledList(page);
    let isChanged = true;
    await page.route(/[?&]page=1(?:&|$)/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: isChanged ? text.replace("user7", "user8") : text });
    });
    await page.reload();
    await page.locator(".word.alarm", { hasText: "is not what SHA256SUMS lists" }).waitFor();
    await proofSays(page, /^Not proved: /);
    expect(await shownNames(page)).toEqual([]);
    isChanged = false;
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await settledList(page)).toBe("1 to 15 of 40 users");
    await proofSays(page, /^Proved by digests/);
    expect(await page.locator(".word.alarm").count()).toBe(0);
  });

  test("a damaged SHA256SUMS proves nothing, and once it is whole again the page goes on by itself", async () => {
    const { page } = await open(await served());
    await settledList(page);
    let isDamaged = true;
    await page.route(/SHA256SUMS(?:$|\?)/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: isDamaged ? text.replace(/^./, "x") : text });
    });
    await page.reload();
    await page.locator(".word.alarm details").waitFor();
    await proofSays(page, /^Not proved: /);
    expect(await page.locator("#status").textContent()).toBe("Nothing could be read.");
    isDamaged = false;
    // As the next look at the host does.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await proofSays(page, /^Proved by digests/);
    expect(await settledList(page)).toBe("1 to 15 of 40 users");
  });

  test("the publisher's key is asked for once, kept, and let go of", async () => {
    const folder = scratch();
    const [ours, other] = [writeKey(folder, "ours"), writeKey(folder, "other")];
    const { page, misdeeds } = await open(await served(ours.secret));
    await settledList(page);
    await page.getByText("How it is proved").click();
    const give = async (key: string) => {
      await page.getByLabel("Public key").fill(key);
      await page.getByRole("button", { name: "Check the signature" }).click();
    };
    await give("RWnothing");
    await page.getByText("is no public key of minisign's").waitFor();
    await give(other.line);
    await proofSays(page, /^Not proved: .* is refused, since it is not signed with this key/);
    await give(ours.line);
    await proofSays(page, /^Proved by the signature of key [0-9A-F]{16}: snapshot/);
    await page.reload();
    await proofSays(page, /^Proved by the signature/);
    await page.getByText("How it is proved").click();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await proofSays(page, /^Proved by digests/);
    await page.reload();
    await proofSays(page, /^Proved by digests/);
    expect(misdeeds).toEqual([]);
  });
});

function proofSays(page: Page, what: RegExp): Promise<void> {
  return page.locator(".proof", { hasText: what }).waitFor();
}
