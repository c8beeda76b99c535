/** Links from changes to the explorer, in a real browser. */
import { expect, test } from "vitest";
import type { AnyRecord } from "../../../../src/core/contract/contract.js";
import { recordAddress } from "../../../../src/core/contract/links.js";
import { describeInBrowser } from "../../../support/browser.js";
import { changesIn, diffOf } from "../../../support/diffs.js";
import { STATIONS_CONTRACT, stations } from "../../../support/stations.js";
import { settled, useBrowser } from "./browser.js";

const { added, removed, changed } = changesIn(STATIONS_CONTRACT);
const KEYS = [
  "ST0001",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "#/../?a=b&c",
  "👩‍💻 \u202e",
  "\ud800",
];
const PAGE = "https://weather.example.com/all/";

describeInBrowser("links to records", () => {
  const open = useBrowser();
  const record: AnyRecord = { ...stations(1)[0]?.record, name: "Sonnblick" };
  const diff = (explorer?: string) =>
    diffOf(
      [
        ...KEYS.map((code) => added({ ...record, code })),
        removed({ ...record, code: "GONE01" }),
        changed({ ...record, code: "ST0002" }, { ...record, code: "ST0002", name: "Other" }),
      ],
      { contract: STATIONS_CONTRACT, new: { explorer } },
    );

  test("lead to each record of the new snapshot, in a new page without a referrer", async () => {
    const { page, misdeeds } = await open(diff(PAGE));
    await settled(page);
    const links = page.locator("#list a");
    const told = await links.evaluateAll((all) =>
      all.map((link) => [link.getAttribute("target"), link.getAttribute("rel")]),
    );
    const hrefs = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    const encoded = (key: string) => decodeURIComponent(recordAddress(PAGE, key));
    expect(hrefs.map(decodeURIComponent)).toEqual([...KEYS, "ST0002"].map(encoded));
    expect(new Set(told.map(String))).toEqual(new Set(["_blank,noreferrer"]));
    expect(await links.first().getAttribute("aria-label")).toBe("Look at it: Sonnblick");
    expect(misdeeds).toEqual([]);
  });
});
