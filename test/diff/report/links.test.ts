/** Reports link to records in the explorer, for any key and base URL. */
import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import { recordAddress } from "../../../src/core/contract/links.js";
import { htmlReport } from "../../../src/diff/report/html.js";
import { markdownReport } from "../../../src/diff/report/markdown.js";
import { changesIn, diffOf } from "../../support/diffs.js";
import { STATIONS_CONTRACT, stations } from "../../support/stations.js";
import { collect } from "./collect.js";

const { added, removed, changed } = changesIn(STATIONS_CONTRACT);
const [{ record } = { record: {} }] = stations(1);

/** A station of each kind of change, with this key. */
function keyed(code: string, explorer: string | undefined) {
  const changes = [
    added({ ...record, code }),
    removed({ ...record, code: `${code}-` }),
    changed({ ...record, code }, { ...record, code, name: "Other" }),
  ];
  return diffOf(changes, { contract: STATIONS_CONTRACT, new: { explorer } });
}

const PAGE = "https://weather.example.com/all/";

const HARD = [
  "ST0001",
  "a b|c`d\\e",
  "<script>alert(1)</script>",
  "](https://evil.example) [x](<javascript:alert(1)>)",
  "\"'>{}()*!#?&%2F/../..",
  "line\nbreak\r\ttab\u0000",
  "\u202eevil",
  "日本語 👩‍💻",
  "half \ud800 pair",
];

test("a URL contains any key, safely encoded", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (key) => {
      const address = recordAddress(PAGE, key);
      const [, escaped = ""] = /^https:\/\/weather\.example\.com\/all\/#\/([\w.~%-]*)$/.exec(address) ?? [];
      expect(decodeURIComponent(escaped)).toBe(key.replace(/\p{Surrogate}/gu, "\ufffd"));
    }),
  );
  expect(recordAddress(PAGE, -7)).toBe(`${PAGE}#/-7`);
});

/** The targets of all links that a renderer finds. */
function linksOf(markdown: string): string[] {
  const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousProtocol: true };
  const shown = micromark(markdown.replace(/<\/?(?:details|summary)>/g, ""), options);
  return [...shown.matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
}

test.each(HARD)("Markdown links added and changed records only: %j", async (key) => {
  const address = recordAddress(PAGE, key);
  expect(linksOf(await collect(markdownReport(keyed(key, PAGE))))).toEqual([address, address]);
});

test("a URL with any base URL breaks no cell and no link", async () => {
  const odd = "https://weather.example.com/a|b(c)'d*f/";
  const address = recordAddress(odd.replace("|", "%7C"), "ST0001");
  expect(linksOf(await collect(markdownReport(keyed("ST0001", odd))))).toEqual([address, address]);
});

test.each([undefined, "javascript:alert(1)", "//evil.example/", "not a URL"])(
  "has no links without an explorer: %s",
  async (explorer) => {
    expect(linksOf(await collect(markdownReport(keyed("ST0001", explorer))))).toEqual([]);
    expect(await collect(htmlReport(keyed("ST0001", explorer), {}))).not.toContain('"explorer"');
  },
);

test("an unpublished side has no links, and says when it will", async () => {
  const said = "The explorer shows these stations once published.";
  const reports = async (diff: ReturnType<typeof keyed>) =>
    [await collect(markdownReport(diff)), await collect(htmlReport(diff, {}))] as const;
  const diff = keyed("ST0001", PAGE);
  const source = { ...diff, new: { ...diff.new, isSource: true } };
  const local = ["http://127.0.0.1:8080/", "http://localhost/x/", "http://[::1]:80/"].map((url) =>
    keyed("ST0001", url),
  );
  for (const unpublished of [source, ...local]) {
    const [markdown, page] = await reports(unpublished);
    expect([linksOf(markdown), markdown.includes(said)]).toEqual([[], true]);
    expect(page).toContain(said);
    expect(page).not.toContain('"explorer"');
  }
  for (const report of await reports(diff)) expect(report).not.toContain(said);
});

test("shows up to 20 changes before tables and charts, more of them after", async () => {
  const order = async (count: number) => {
    const { changed } = changesIn(STATIONS_CONTRACT);
    const changes = stations(count).map(({ record }) => changed(record, { ...record, country: "XX" }));
    const diff = diffOf(changes, { contract: STATIONS_CONTRACT });
    const [markdown, page] = [await collect(markdownReport(diff)), await collect(htmlReport(diff, {}))];
    return [
      markdown.indexOf("<details>") < markdown.indexOf("field changed"),
      page.indexOf('id="changes"') < page.indexOf('class="figures"'),
    ];
  };
  expect(await order(20)).toEqual([true, true]);
  expect(await order(21)).toEqual([false, false]);
});

test("does not link a key that is too long", async () => {
  const markdown = await collect(markdownReport(keyed("x".repeat(3000), PAGE)));
  expect(linksOf(markdown)).toEqual([]);
  expect(markdown).toContain("1 station added");
});
