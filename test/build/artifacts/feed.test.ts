/** feed.xml: an Atom feed of what the last releases changed, which each build continues from that of the current release. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser, type Element as XmlElement } from "@xmldom/xmldom";
import { parseAtomFeed } from "feedsmith";
import { beforeEach, describe, expect, test } from "vitest";
import { tellRelease } from "../../../src/build/artifacts/feed/entry.js";
import { encodeFeed, type Feed, parseFeed } from "../../../src/build/artifacts/feed/file.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { type BuildOptions, build, buildShard, GateError, useRelease, verify } from "../../../src/index.js";
import { forgetReleases } from "../../../src/publish/forget.js";
import { contractWith } from "../../support/contracts.js";
import { reseal } from "../../support/damage.js";
import { runSql } from "../../support/database.js";
import { diffOf } from "../../support/diffs.js";
import { readTree, scratch } from "../../support/files.js";
import { SHOP, writeShop } from "../../support/shop.js";

const baseUrl = "https://items.example.com/list";
const integer = { type: "integer" } as const;
const text = { type: "string" } as const;
const ITEMS = contractWith(["item", "items"], { id: integer, name: text }, { label: "name", title: "Items & more" });

let dist: string;
let db: string;
let days: number;

beforeEach(() => {
  const folder = scratch();
  dist = join(folder, "dist");
  db = join(folder, "items.sqlite");
  days = 0;
  runSql(db, "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items VALUES (1, 'One'), (2, 'Two')");
});

/** Each build is a day after the one before. */
const now = () => new Date(Date.UTC(2026, 0, 1 + days));

async function buildItems(more: Partial<BuildOptions> = {}) {
  days++;
  return build({ db, dist, baseUrl, contract: ITEMS, feed: true, workers: 0, ...more }, { now });
}

const current = () => realpathSync(join(dist, "current"));
const feedText = (folder = current()) => readFileSync(join(folder, "feed.xml"), "utf8");
const write = (folder: string, path: string, bytes: string) => {
  rmSync(join(folder, path));
  writeFileSync(join(folder, path), bytes);
};

interface Element {
  name: string;
  children: Element[];
  text: string;
  attributes: Record<string, string>;
}

/** Parses XML strictly: throws for anything that is not well-formed. */
function parseXml(source: string): Element {
  expect(source).toMatch(/^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u);
  const onError = (_: string, message: string) => {
    // The feed has these characters in place of others.
    if (!message.startsWith("Unicode replacement character")) throw new Error(message);
  };
  const { documentElement } = new DOMParser({ onError }).parseFromString(source, "application/xml");
  return elementOf(documentElement as XmlElement);
}

function elementOf(node: XmlElement): Element {
  expect(node.namespaceURI).toBe("http://www.w3.org/2005/Atom");
  const children = [...node.childNodes].filter(({ nodeType }) => nodeType === node.ELEMENT_NODE);
  return {
    name: node.localName ?? "",
    children: children.map((child) => elementOf(child as XmlElement)),
    text: node.textContent ?? "",
    attributes: Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])),
  };
}

/** Checks each MUST of RFC 4287, sections 4.1.1 and 4.1.2, as far as feed.xml has such elements. */
function checkAtom(source: string): void {
  const feed = parseXml(source);
  expect(feed.name).toBe("feed");
  const named = ({ children }: Element, name: string) => children.filter((child) => child.name === name);
  const entries = named(feed, "entry");
  for (const element of [feed, ...entries]) {
    for (const name of ["id", "title", "updated"]) expect(named(element, name), name).toHaveLength(1);
    for (const name of ["generator", "icon", "logo", "rights", "subtitle", "content", "published", "summary", "source"])
      expect(named(element, name).length, name).toBeLessThanOrEqual(1);
    for (const { text } of named(element, "id")) expect(URL.canParse(text), text).toBe(true);
    for (const { text } of named(element, "updated"))
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
    const links = named(element, "link").map(({ attributes }) => attributes);
    for (const { href = "" } of links) expect(URL.canParse(href), href).toBe(true);
    const alternates = links.filter(({ rel = "alternate" }) => rel === "alternate");
    expect(new Set(alternates.map(({ type, hreflang }) => `${type} ${hreflang}`)).size).toBe(alternates.length);
    if (element !== feed) expect(named(element, "content").length + alternates.length).toBeGreaterThan(0);
    for (const { attributes } of named(element, "content")) expect(["text", "html"]).toContain(attributes["type"]);
  }
  // An author of the feed is that of entries without one.
  expect(named(feed, "author").length).toBeGreaterThan(0);
  for (const author of named(feed, "author")) expect(named(author, "name")).toHaveLength(1);
  const ids = [feed, ...entries].flatMap((element) => named(element, "id").map(({ text }) => text));
  expect(new Set(ids).size).toBe(ids.length);
  expect(named(feed, "link").filter(({ attributes }) => attributes["rel"] === "self")).toHaveLength(1);
}

/** The entries of a valid feed, as a feed reader has them. */
function read(source = feedText()) {
  checkAtom(source);
  expect(Buffer.byteLength(source)).toBeLessThanOrEqual(1_000_000);
  expect(parseFeed(source)).not.toHaveProperty("why");
  const { entries = [], ...feed } = parseAtomFeed(source);
  const textOf = (part: { value?: string } | undefined) => part?.value ?? "";
  const shown = entries.map(({ id = "", title, updated, links = [], content }) => {
    return { id, title: textOf(title), updated, link: links[0]?.href, content: textOf(content) };
  });
  return { ...feed, title: textOf(feed.title), entries: shown };
}

const titles = () => read().entries.map(({ title }) => title);

async function expectVerified(): Promise<void> {
  const { rows, listings, passed } = await verify({ dist, workers: 0 });
  expect(passed, JSON.stringify({ rows, listings }, null, 1)).toBe(true);
  expect(rows.find(({ name }) => name === "feed")).toMatchObject({ outcome: "passed" });
}

describe("a build", () => {
  test("writes one entry, and keeps those of the current release", async () => {
    expect(await buildItems()).toMatchObject({ feed: { entry: "First release, 2 items", notes: [] } });
    const [first] = read().entries;
    runSql(db, "INSERT INTO items VALUES (3, 'Three'), (4, 'Four'); DELETE FROM items WHERE id = 1");
    await buildItems();
    runSql(db, "UPDATE items SET name = 'Zwei' WHERE id = 2");
    const { id } = await buildItems();
    const { entries, links, ...feed } = read();
    expect(feed).toMatchObject({ title: "Items & more at items.example.com", id: `${baseUrl}/feed.xml` });
    expect(links?.map(({ rel, href }) => [rel, href])).toEqual([["self", `${baseUrl}/feed.xml`]]);
    expect(entries.map(({ title }) => title)).toEqual([
      "1 item changed",
      "2 items added, 1 removed",
      "First release, 2 items",
    ]);
    expect(entries.map(({ content }) => content)).toEqual([
      `<p>1 item changed: Zwei</p><p>Snapshot ${id}: 3 items</p>`,
      expect.stringContaining("<p>2 items added: Three, Four</p><p>1 item removed: One</p><p>Snapshot "),
      expect.stringMatching(/^<p>Snapshot [0-9a-f]{12}: 2 items<\/p>$/),
    ]);
    expect(entries.map(({ updated }) => updated)).toEqual([
      "2026-01-04T00:00:00Z",
      "2026-01-03T00:00:00Z",
      "2026-01-02T00:00:00Z",
    ]);
    expect(entries[2]).toEqual(first);
    await expectVerified();
  });

  test("of the same records and contract writes no entry", async () => {
    const { name } = await buildItems();
    const before = feedText();
    expect(await buildItems()).toMatchObject({ new: false, name });
    expect(await buildItems({ pageSize: 1 })).toMatchObject({ new: true, feed: { entry: undefined } });
    expect(feedText()).toBe(before);
    await expectVerified();
  });

  test("without --feed has neither the file nor a link to it, and other bytes nowhere", async () => {
    const without = await buildItems({ feed: false, explorer: true });
    const plain = readTree(current());
    await buildItems({ explorer: true });
    const fed = readTree(current());
    const differing = [...fed.keys()].filter((path) => plain.get(path) !== fed.get(path));
    expect(differing).toEqual(["SHA256SUMS", "feed.xml", "index.html", "openapi.json"]);
    expect([...fed.keys()].filter((path) => !plain.has(path))).toEqual(["feed.xml"]);
    expect(fed.get("index.html")).toContain(
      '<link rel="alternate" type="application/atom+xml" title="Changes" href="feed.xml">',
    );
    expect(plain.get("index.html")).not.toContain("feed.xml");
    // The feed decides neither the id nor what a build without it returns to.
    expect(await buildItems({ feed: false, explorer: true })).toMatchObject({ new: false, name: without.name });
    // And where there was none, it begins.
    expect(await buildItems({ explorer: true })).toMatchObject({ id: without.id, new: false });
    expect(titles()).toEqual(["Feed begins, 2 items"]);
  });

  test("keeps at most 20 entries", async () => {
    for (let at = 0; at < 23; at++) {
      runSql(db, `INSERT INTO items VALUES (${10 + at}, 'Item ${at}')`);
      await buildItems();
    }
    const { entries } = read();
    expect(entries).toHaveLength(20);
    expect(entries[0]?.content).toContain("Item 22");
    expect(entries[19]?.content).toContain("Item 3<");
    await expectVerified();
  });

  test("names at most ten records of each kind, first in published order", async () => {
    await buildItems();
    runSql(
      db,
      "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 1203) INSERT INTO items SELECT i, 'N' || i FROM n",
    );
    await buildItems();
    expect(read().entries[0]?.content).toContain(
      "<p>1,201 items added: N3, N4, N5, N6, N7, N8, N9, N10, N11, N12 and 1,191 more</p>",
    );
  });

  test("links records that are in the explorer, and no others", async () => {
    await buildItems({ explorer: true });
    runSql(
      db,
      "DELETE FROM items WHERE id = 1; INSERT INTO items VALUES (3, 'Three'); UPDATE items SET name = 'B' WHERE id = 2",
    );
    await buildItems({ explorer: true });
    const { entries, links } = read();
    const page = `${baseUrl}/index.html`;
    expect(links?.map(({ rel, href }) => [rel, href])).toContainEqual(["alternate", page]);
    expect(entries[0]).toMatchObject({
      link: page,
      content: expect.stringContaining(
        `<p>1 item added: <a href="${page}#/3">Three</a></p><p>1 item removed: One</p><p>1 item changed: <a href="${page}#/2">B</a></p>`,
      ),
    });
    expect(readFileSync(join(current(), "index.html"), "utf8")).toContain("feed.xml");
  });

  test("that goes back to older data says so in a new entry with an id of its own", async () => {
    const first = await buildItems();
    runSql(db, "INSERT INTO items VALUES (3, 'Three')");
    await buildItems();
    runSql(db, "DELETE FROM items WHERE id = 3");
    expect(await buildItems()).toMatchObject({ id: first.id, new: true });
    expect(titles()).toEqual(["1 item removed", "1 item added", "First release, 2 items"]);
  });

  test("at the same second, or before, has a time after the entry before", async () => {
    const at = (time: string, name: string) => {
      runSql(db, `INSERT INTO items (name) VALUES ('${name}')`);
      return build({ db, dist, baseUrl, contract: ITEMS, feed: true, workers: 0 }, { now: () => new Date(time) });
    };
    for (const name of ["a", "b"]) await at("2026-01-05T00:00:00.900Z", name);
    await at("2026-01-04T00:00:00Z", "c");
    await at("2026-01-06T00:00:00Z", "d");
    expect(read().entries.map(({ updated }) => updated)).toEqual([
      "2026-01-06T00:00:00Z",
      "2026-01-05T00:00:02Z",
      "2026-01-05T00:00:01Z",
      "2026-01-05T00:00:00Z",
    ]);
  });

  test("says that the contract changed, and counts changes of the fields that both have", async () => {
    await buildItems();
    runSql(db, "ALTER TABLE items ADD COLUMN size INTEGER DEFAULT 7; UPDATE items SET name = 'Zwei' WHERE id = 2");
    const { properties, ...more } = contractWith(
      ["item", "items"],
      { id: integer, name: { ...text, title: "Name" }, size: integer },
      { label: "name" },
    );
    await buildItems({ contract: { ...more, properties } });
    const [entry] = read().entries;
    expect(entry?.title).toBe("1 item changed, contract changed");
    expect(entry?.content).toContain("<p>The contract changed. Fields added: size. Fields changed: name.</p>");
    await buildItems({ contract: { ...more, properties, description: "An item." } });
    expect(titles()[0]).toBe("contract changed");
    await expectVerified();
  });

  test("takes a key of another type, and another key", async () => {
    await buildItems();
    runSql(db, "ALTER TABLE items ADD COLUMN code TEXT; UPDATE items SET code = 'c' || id");
    const asText = contractWith(
      ["item", "items"],
      { id: { ...text, "x-column": "code" }, name: text },
      { label: "name" },
    );
    await buildItems({ contract: asText });
    expect(titles()[0]).toBe("2 items added, 2 removed, contract changed");
    const byCode = contractWith(["item", "items"], { code: text, name: text }, { label: "name", key: "code" });
    await buildItems({ contract: byCode });
    const [entry] = read().entries;
    expect(entry?.title).toBe("2 items added, 2 removed, contract changed");
    expect(entry?.content).toContain(
      "The contract changed. The key is another field. Fields added: code. Fields removed: id.",
    );
    await expectVerified();
  });

  test("leaves out invalid records as the pages do", async () => {
    await buildItems({ skipInvalid: true });
    runSql(db, "INSERT INTO items VALUES (3, NULL), (4, 'Four')");
    await buildItems({ skipInvalid: true });
    expect(read().entries[0]?.content).toContain("<p>1 item added: Four</p>");
    await expectVerified();
  });

  test("with gates compares once, and a gate that is exceeded leaves the feed", async () => {
    await buildItems();
    const before = feedText();
    runSql(db, "INSERT INTO items VALUES (3, 'Three'), (4, 'Four')");
    const gated = { maxAdded: "1", changes: 2 };
    await expect(buildItems(gated)).rejects.toThrow(GateError);
    expect(feedText()).toBe(before);
    // The same release is not made again.
    const made = readdirSync(join(dist, "releases"));
    await expect(buildItems(gated)).rejects.toThrow("max-added 1: 2 of 2 items added");
    expect(readdirSync(join(dist, "releases"))).toEqual(made);
    const { gates, changes, feed } = await buildItems({ maxAdded: "2", changes: 2 });
    expect({ gates, feed }).toMatchObject({
      gates: { added: 2, removed: 0, changed: 0 },
      feed: { entry: "2 items added" },
    });
    expect(changes).toMatchObject({ put: 2 });
  });

  test("of shards writes the bytes of one machine", async () => {
    const options = { db, baseUrl, contract: ITEMS, feed: true, explorer: true, pageSize: 1, workers: 0 };
    const parts = join(dist, "../parts");
    const first = now();
    await build({ ...options, dist }, { now: () => first });
    const other = join(dist, "../other");
    await build({ ...options, dist: other }, { now: () => first });
    runSql(db, "INSERT INTO items VALUES (3, 'Three'), (4, 'Four')");
    days++;
    for (const shard of ["0/2", "1/2"]) await buildShard({ ...options, shard, parts });
    await build({ ...options, dist, join: parts }, { now });
    await build({ ...options, dist: other }, { now });
    expect(titles()).toEqual(["2 items added", "First release, 2 items"]);
    expect(readTree(current())).toEqual(readTree(join(other, "current")));
  });
});

describe("names", () => {
  const odd = [
    "<script>alert(1)</script>",
    "]]> & &amp; \"quoted\" 'single'",
    "a\u0000b\u0001c\u001fd\u007fe\ufffef\uffff",
    `${"😀".repeat(100)}`,
    "x".repeat(100_000),
    "line\r\nbreak\ttab\u2028separator",
    "\u202egnp.exe",
    "क्‍ष  👩‍👩‍👧 می‌خواهم",
  ];

  test("are escaped and cut, whatever they are", async () => {
    const contract = contractWith(["item", "items"], { id: integer, name: text }, { label: "name" });
    const source = join(dist, "../odd.ndjson");
    const rows = (names: readonly string[]) => names.map((name, id) => `${JSON.stringify({ id, name })}\n`).join("");
    writeFileSync(source, rows(["first"]));
    await buildItems({ db: source, contract, explorer: true });
    writeFileSync(source, rows(["first", ...odd]));
    await buildItems({ db: source, contract, explorer: true });
    const [entry] = read().entries;
    const shown = [...(entry?.content ?? "").matchAll(/<a href="[^"]*">([^<]*)<\/a>/g)].map(([, name]) => name);
    expect(shown).toEqual([
      "&lt;script&gt;alert(1)&lt;/script&gt;",
      "]]&gt; &amp; &amp;amp; &quot;quoted&quot; &#39;single&#39;",
      "a\ufffdb\ufffdc\ufffdd\\u007fe\ufffdf\ufffd",
      `${"😀".repeat(79)}…`,
      `${"x".repeat(79)}…`,
      "line break tab separator",
      "\\u202egnp.exe",
      "क्‍ष 👩‍👩‍👧 می‌خواهم",
    ]);
    await expectVerified();
  });

  test("that are blank or long keys are shown without a link", async () => {
    const contract = contractWith(["item", "items"], { id: text });
    const source = join(dist, "../keys.ndjson");
    const rows = (ids: readonly string[]) => ids.map((id) => `${JSON.stringify({ id })}\n`).join("");
    writeFileSync(source, rows(["a"]));
    await buildItems({ db: source, contract, explorer: true });
    writeFileSync(source, rows(["a", " ", "k".repeat(600)]));
    await buildItems({ db: source, contract, explorer: true });
    expect(read().entries[0]?.content).toContain(
      `: <a href="${baseUrl}/index.html#/%20">&quot; &quot;</a>, ${"k".repeat(79)}…</p>`,
    );
  });

  test("of the longest kind keep the feed below 1 MB", () => {
    const names = Array.from({ length: 10 }, () => ({ name: "&".repeat(80), url: `${baseUrl}/${"x".repeat(400)}` }));
    const diff = { ...diffOf([]), added: 12, removed: 10, changed: 1_000_000 };
    const news = { diff, names: { added: names, removed: names, changed: names }, hasOtherContract: true };
    const listings = Array.from({ length: 100 }, (_, at) => {
      return { name: `${"n".repeat(190)}-${at}`, settings: { contract: contractOf(ITEMS) }, facts: { count: 9 }, news };
    });
    const told = tellRelease({ id: "0".repeat(12), listings, previous: undefined, beginning: undefined });
    expect(told.title).toMatch(
      /^n+-0: 12 items added, 10 removed, 1,000,000 changed, contract changed; .*; 97 more listings$/,
    );
    // The first listing has names, and all have their counts.
    expect(told.content.match(/<p>12 items added: /g)).toHaveLength(1);
    expect(told.content.match(/<p>12 items added, 10 removed/g)).toHaveLength(99);
    const entries = Array.from({ length: 20 }, (_, at) => {
      return { ...told, digest: "0".repeat(16), page: undefined, updated: `2026-01-${40 - at}T00:00:00Z` };
    });
    const kept = encodeFeed({ title: "Shop", baseUrl, author: "x", page: undefined, entries }).match(/<entry>/g) ?? [];
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(20);
    const whole = encodeFeed({ title: "Shop", baseUrl, author: "x", page: undefined, entries });
    expect(Buffer.byteLength(whole)).toBeGreaterThan(800_000);
    expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(1_000_000);
  });
});

describe("entries are lost, which the build says, and the feed begins anew", () => {
  const made = async (more: Partial<BuildOptions> = {}) => {
    await buildItems(more);
    runSql(db, "INSERT INTO items VALUES (3, 'Three')");
    await buildItems(more);
    expect(titles()).toHaveLength(2);
  };

  test("after a feed that was damaged, also if nothing else changed", async () => {
    await made();
    write(current(), "feed.xml", feedText().replace("Three", "Drei"));
    const why = "feed.xml begins anew, without earlier entries: that of the last release is damaged";
    const again = await buildItems();
    expect(again).toMatchObject({ new: true, notes: [why] });
    expect(titles()).toEqual(["Feed begins, 3 items"]);
    write(current(), "feed.xml", "");
    runSql(db, "INSERT INTO items VALUES (4, 'Four')");
    expect(await buildItems()).toMatchObject({ notes: [why] });
    expect(titles()).toEqual(["1 item added"]);
    await expectVerified();
  });

  test.each([
    [
      "with another form",
      (feed: string) => feed.replace("</entry>", "</entry> "),
      "has another form than Rollcall writes",
    ],
    ["without entries", (feed: string) => feed.replace(/<entry>.*<\/entry>\n/s, ""), "has no entry"],
    ["that is not a feed", () => "{}", "does not begin as a feed of Rollcall does"],
    [
      "of another listing",
      (feed: string) => feed.replaceAll("items.example.com", "x.example"),
      "is of https://x.example/list",
    ],
  ])("after one %s that its release lists", async (_, change, why) => {
    await made();
    write(current(), "feed.xml", change(feedText()));
    reseal(current());
    runSql(db, "INSERT INTO items VALUES (4, 'Four')");
    expect(await buildItems()).toMatchObject({
      notes: [`feed.xml begins anew, without earlier entries: that of the last release ${why}`],
    });
    expect(titles()).toEqual(["1 item added"]);
  });

  test("at another base URL", async () => {
    await made();
    const moved = { baseUrl: "https://new.example.com", force: true };
    expect(await buildItems(moved)).toMatchObject({
      notes: [`feed.xml begins anew, without earlier entries: they are about ${baseUrl}/`],
    });
    expect(titles()).toEqual(["First release, 3 items"]);
    expect(read().entries[0]?.id).toMatch(/^https:\/\/new\.example\.com\/feed\.xml#/);
    await expectVerified();
  });

  test("after a contract that had more fields, and the new entry has none of their values", async () => {
    await made();
    runSql(db, "DELETE FROM items WHERE id = 3");
    const contract = contractWith(["item", "items"], { id: integer });
    expect(await buildItems({ contract })).toMatchObject({
      notes: ["feed.xml begins anew, without earlier entries: they may have values of name, no longer in the contract"],
    });
    const [entry, ...others] = read().entries;
    expect(others).toEqual([]);
    expect(entry?.title).toBe("1 item removed, contract changed");
    expect(entry?.content).toContain("<p>1 item removed: 3</p>");
    await expectVerified();
  });

  test("after a contract whose key is no longer published, and removed records have no names", async () => {
    await made();
    const contract = contractWith(["item", "items"], { name: text }, { key: "name", label: "name" });
    expect(await buildItems({ contract })).toMatchObject({
      notes: ["feed.xml begins anew, without earlier entries: they may have values of id, no longer in the contract"],
    });
    expect(read().entries[0]?.content).toContain(
      "<p>3 items added: One, Three, Two</p><p>3 items removed</p><p>The contract changed.",
    );
  });

  test("after a broken release", async () => {
    await made();
    rmSync(join(current(), "SHA256SUMS"));
    expect(await buildItems()).toMatchObject({
      notes: ["feed.xml begins anew, without earlier entries: the last release is broken"],
    });
    expect(titles()).toEqual(["Feed begins, 3 items"]);
  });
});

test("a damaged page of the last release does not stop a build, and the entry says that it does not compare", async () => {
  await buildItems();
  runSql(db, "UPDATE items SET name = 'Zwei' WHERE id = 2");
  const damaged = join(current(), "pages/1.json");
  write(current(), "pages/1.json", "{}");
  expect(await buildItems()).toMatchObject({
    notes: [`feed.xml does not say what changed: ${damaged} does not match its digest`],
  });
  expect(titles()).toEqual(["2 items, not compared with the last release, which is damaged", "First release, 2 items"]);
  // Gates refuse such a release, as without a feed.
  runSql(db, "UPDATE items SET name = 'Dos' WHERE id = 2");
  write(current(), "pages/1.json", "{}");
  await expect(buildItems({ maxChanged: "5", changes: 3 })).rejects.toThrow("Page 1 of current");
});

test("a build after `use` and `forget` continues the feed of the current release", async () => {
  const { id } = await buildItems();
  runSql(db, "INSERT INTO items VALUES (3, 'Three')");
  const second = await buildItems();
  days++;
  await useRelease(dist, id, { now });
  expect(titles()).toEqual(["First release, 2 items"]);
  runSql(db, "INSERT INTO items VALUES (4, 'Four')");
  await buildItems();
  expect(titles()).toEqual(["2 items added", "First release, 2 items"]);
  days++;
  const effects = { now, cwd: ".", onCleared: () => {}, confirm: async () => {} };
  await forgetReleases(dist, ["others"], effects);
  expect(existsSync(second.folder)).toBe(false);
  runSql(db, "DELETE FROM items WHERE id = 1");
  await buildItems();
  expect(titles()).toEqual(["1 item removed", "2 items added", "First release, 2 items"]);
  // Without the feed once, no name is left.
  await buildItems({ feed: false });
  await buildItems();
  expect(titles()).toEqual(["Feed begins, 3 items"]);
});

describe("a site", () => {
  const buildShop = (more: Partial<BuildOptions> = {}) =>
    buildItems({ contract: undefined, listings: SHOP, title: "Shop", explorer: true, ...more });

  beforeEach(() => {
    db = writeShop(join(dist, ".."));
  });

  test("has one feed at its top, whose entries name the listings", async () => {
    await buildShop();
    runSql(
      db,
      "INSERT INTO customers VALUES (7, 'New'); DELETE FROM orders WHERE id > 248; INSERT INTO products VALUES (11, 'P', 1)",
    );
    await buildShop();
    const { title, entries, links } = read();
    expect(title).toBe("Shop at items.example.com");
    expect(links?.map(({ href }) => href)).toContain(`${baseUrl}/`);
    expect(entries.map(({ title }) => title)).toEqual([
      "customers: 1 customer added; orders: 2 orders removed; products: 1 product added",
      "First release, categories: 4 categories; customers: 6 customers; orders: 250 orders; 1 more listing",
    ]);
    expect(entries[0]?.content).toContain(
      `<h3>customers</h3><p>1 customer added: <a href="${baseUrl}/customers/index.html#/7">7</a></p><h3>orders</h3><p>2 orders removed: 249, 250</p>`,
    );
    expect(existsSync(join(current(), "orders/feed.xml"))).toBe(false);
    for (const [page, href] of [
      ["index.html", "feed.xml"],
      ["orders/index.html", "../feed.xml"],
    ] as const)
      expect(readFileSync(join(current(), page), "utf8")).toContain(
        `type="application/atom+xml" title="Changes" href="${href}">`,
      );
    const api = JSON.parse(readFileSync(join(current(), "openapi.json"), "utf8"));
    expect(api.paths["/feed.xml"].get.operationId).toBe("getFeed");
    expect(Object.keys(api.paths).filter((path) => path.includes("feed"))).toEqual(["/feed.xml"]);
    expect(await buildShop()).toMatchObject({ new: false });
    await expectVerified();
  });

  test("begins anew when a listing has fewer fields", async () => {
    await buildShop();
    const customers = { contract: contractWith(["customer", "customers"], { id: integer }) };
    expect(await buildShop({ listings: { ...SHOP, customers } })).toMatchObject({
      notes: [
        "feed.xml begins anew, without earlier entries: they may have values of customers.name, no longer in the contract",
      ],
    });
    expect(titles()).toEqual(["customers: contract changed"]);
  });

  test("says which listings were added, removed and renamed", async () => {
    const { categories, customers, orders, products } = SHOP;
    await buildShop({ listings: { categories, customers, orders } });
    await buildShop();
    const contract = { ...customers.contract, "x-listing": { ...customers.contract["x-listing"] } };
    const named = (to: string) => JSON.parse(JSON.stringify(orders.contract).replaceAll('"customers"', `"${to}"`));
    const clients = { contract, table: "customers" };
    const renamed = { ...orders, contract: named("clients") };
    renamed.contract["x-listing"].words = ["order", "orders"];
    await buildShop({ listings: { categories, clients, orders: renamed, products } });
    expect(titles()).toEqual([
      "clients: new listing of 6 customers; orders: contract changed; customers: listing of 6 customers removed",
      "products: new listing of 10 products",
      "First release, categories: 4 categories; customers: 6 customers; orders: 250 orders",
    ]);
    await expectVerified();
  });
});

test("any feed can be read again, and nothing else", () => {
  const feed: Feed = {
    title: "A & B",
    baseUrl,
    author: "<x>",
    page: undefined,
    entries: [
      {
        title: "2",
        updated: "2026-01-02T00:00:00Z",
        digest: "0".repeat(16),
        page: `${baseUrl}/`,
        content: "<p>a &amp; b</p>",
      },
      { title: "1", updated: "2026-01-01T00:00:00Z", digest: "1".repeat(16), page: undefined, content: "" },
    ],
  };
  const whole = encodeFeed(feed);
  expect(parseFeed(whole)).toEqual(feed);
  const changes: [string, string, string][] = [
    ["2026-01-02T", "2026-01-01T", "has an entry of 2026-01-01T00:00:00Z after one that is not newer"],
    ["2026-01-02T", "2026-02-31T", "has an entry with the time 2026-02-31T00:00:00Z, which does not exist"],
    ["&lt;p&gt;", "<p>", "has another form than Rollcall writes"],
    ["0000</id>", "0001</id>", ""],
    ["<generator>Rollcall", "<generator>Other", "has another form than Rollcall writes"],
    ['encoding="utf-8"', 'encoding="latin1"', "has another form than Rollcall writes"],
    ["<updated>2026", "<updated>2027", "has another form than Rollcall writes"],
  ];
  for (const [from, to, why] of changes) {
    const changed = from === "2026-01-02T" ? whole.replaceAll(from, to) : whole.replace(from, to);
    expect(changed).not.toBe(whole);
    if (why === "") expect(parseFeed(changed)).not.toHaveProperty("why");
    else expect(parseFeed(changed), from).toEqual({ why });
  }
  const entry = (at: number) => ({
    ...(feed.entries[1] as Feed["entries"][number]),
    updated: `2025-01-${String(31 - at).padStart(2, "0")}T00:00:00Z`,
  });
  const many = Array.from({ length: 25 }, (_, at) => entry(at));
  const twenty = encodeFeed({ ...feed, entries: many });
  expect(parseFeed(twenty)).toMatchObject({ entries: many.slice(0, 20) });
  const [last = ""] = /<entry>.*?<\/entry>\n(?=<\/feed>)/s.exec(twenty)?.[0].match(/<entry>(?:(?!<entry>).)*$/s) ?? [];
  const more = twenty.replace("</feed>", `${last.replaceAll("2025", "2024")}</feed>`);
  expect(parseFeed(more)).toEqual({ why: "has 21 entries; at most 20 are allowed" });
});

test("verify reports a feed of another form, of another listing, or about other records", async () => {
  await buildItems();
  const intact = feedText();
  const findings = async (change: (feed: string) => string) => {
    write(current(), "feed.xml", change(intact));
    reseal(current());
    const { rows } = await verify({ dist, workers: 0 });
    return rows.find(({ name }) => name === "feed")?.findings.map(({ path, found }) => [path, found]);
  };
  const file = "feed.xml";
  expect(await findings((feed) => feed)).toEqual([]);
  expect(await findings((feed) => `${feed} `)).toEqual([[file, "a file that has another form than Rollcall writes"]]);
  expect(await findings((feed) => feed.replaceAll("items.example.com", "x.example"))).toEqual([
    [file, "the feed of https://x.example/list"],
  ]);
  expect(await findings((feed) => feed.replace(/-[0-9a-f]{16}</, `-${"0".repeat(16)}<`))).toEqual([
    [file, `a newest entry about ${"0".repeat(16)}`],
  ]);
});

test("the end of an entry's id can be made from SHA256SUMS", async () => {
  await buildItems();
  const sums = readFileSync(join(current(), "SHA256SUMS"), "utf8");
  const lines = sums.split("\n").filter((line) => /(?:contract\.json|records\.sha256)$/.test(line));
  const digest = createHash("sha256")
    .update(
      lines
        .sort()
        .map((line) => `${line}\n`)
        .join(""),
    )
    .digest("hex");
  expect(read().entries[0]?.id).toBe(`${baseUrl}/feed.xml#2026-01-02T00:00:00Z-${digest.slice(0, 16)}`);
});
