/** Markdown in a real renderer that allows HTML: text of records stays text. */
import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import type { Diff } from "../../../src/core/compare/change.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { USERS_CONTRACT, type User } from "../../../src/core/contract/users.js";
import { excerpts, joined } from "../../../src/diff/report/excerpt.js";
import { markdownReport } from "../../../src/diff/report/markdown.js";
import { wordingOf } from "../../../src/diff/report/model.js";
import { added, anyDiff, changed, changesIn, diffOf, longDiff, person, removed } from "../../support/diffs.js";
import { draws } from "../../support/random.js";
import { STATIONS, STATIONS_CONTRACT, stations } from "../../support/stations.js";
import { collect } from "./collect.js";
import { hostileDiff as hostileContractDiff } from "./foreign.js";

const USERS = wordingOf(USERS_CONTRACT);

function render(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
}

const PIECES = [
  ..."`|\\*_~<>[]()!&#@$:-+=\n\r\t ",
  "``",
  "\\|",
  "\\`",
  "\n\n",
  " | --- | --- |\n",
  "@octocat",
  "@team/all",
  "#123",
  "GH-7",
  "0123456789abcdef0123456789abcdef01234567",
  "https://evil.example/?a=b",
  "www.evil.example",
  "mail@evil.example",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "</details>",
  "</code>",
  "<!-- ",
  "-->",
  "![x](https://evil.example/x.png)",
  "[x](javascript:alert(1))",
  "[x]: y",
  "[^1]",
  "**bold**",
  "~~gone~~",
  "&lt;b&gt;",
  "&#64;octocat",
  "- [x] ",
  "```\n",
  "$`x`$",
  ":tada:",
  "\u2028",
  "\u202e",
  "é",
  "😀",
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((parts) => parts.join(""));
const given: fc.Arbitrary<Partial<User>> = fc.record({
  bio: hostile,
  display_name: hostile,
  first_name: hostile,
  username: hostile,
  circles: fc.array(hostile, { maxLength: 3 }),
  image_url: hostile.map((text) => `https://img.example.com/${text.replace(/[\s\p{Cc}]/gu, "")}`),
});
const hostileDiff: fc.Arbitrary<Diff> = fc
  .record({ users: fc.array(fc.tuple(given, given), { maxLength: 3 }), name: hostile, baseUrl: hostile })
  .map(({ users, name, baseUrl }) =>
    diffOf(
      [
        ...users.map(([user], number) => added(person(number, user))),
        ...users.map(([, user], number) => removed(person(10 + number, user))),
        ...users.map(([old, now], number) => changed(person(20 + number, old), person(20 + number, now))),
      ],
      { old: { name, baseUrl }, new: { name: "users.sqlite" } },
    ),
  );

const ELEMENTS = [
  ...["h3", "p", "strong", "ul", "li", "details", "summary", "code", "br"],
  ...["table", "thead", "tbody", "tr", "th", "td"],
].flatMap((name) => [`<${name}>`, `</${name}>`]);
const EXPECTED = new Set([...ELEMENTS, '<td align="right">', '<th align="right">']);

/** The report's own words. */
const WORDS = new Set(
  `Rollcall: no changes old new user users added removed changed unchanged snapshot pages field joined Gate exceeded
   Settings: base URL page size links → , is are more not shown here; shows every one.`.split(/\s+/),
);

/** The texts of code spans, in order. */
function spans(html: string): string[] {
  return [...html.matchAll(/<code>(.*?)<\/code>/gs)].map(([, text = ""]) => decode(text));
}

function decode(html: string): string {
  const characters: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
  return html.replace(/&(lt|gt|quot|amp);/g, (entity) => characters[entity] ?? entity);
}

function expectHarmless(html: string, ...contracts: string[]): void {
  expect((html.match(/<[^>]*>/g) ?? []).filter((tag) => !EXPECTED.has(tag))).toEqual([]);
  const outside = html.replace(/<code>.*?<\/code>/gs, " ").replace(/<[^>]*>/g, " ");
  const words = outside.split(/\s+/).filter((word) => word !== "" && !/^\d{1,3}(,\d{3})*,?$/.test(word));
  const known = new Set([...WORDS, ...contracts]);
  expect(words.filter((word) => !known.has(word) && !known.has(word.replace(/,$/, "")))).toEqual([]);
}

test("hostile text stays text, each in its own cell", async () => {
  await fc.assert(
    fc.asyncProperty(hostileDiff, fc.array(hostile, { maxLength: 2 }), async (diff, exceeded) => {
      const html = render(await collect(markdownReport(diff, { exceeded })));
      expectHarmless(html);
      const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) => row);
      const cells = rows.map((row) => row.match(/<t[dh]/g)?.length);
      const fields = [...diff.fields.values()].reduce((sum, count) => sum + count, 0);
      expect(cells.filter((count) => count === 4).length).toBe(5 + (diff.changed && 1) + fields);
      expect(cells.filter((count) => count === 3).length).toBe(
        (diff.added && 1) + diff.added + (diff.removed && 1) + diff.removed,
      );
    }),
    { numRuns: draws(200) },
  );
});

test("readers see the excerpts, in order", async () => {
  await fc.assert(
    fc.asyncProperty(given, given, async (old, now) => {
      const change = changed(person(1, old), person(1, now));
      if (change.kind !== "changed") throw new Error("unreachable");
      const html = render(await collect(markdownReport(diffOf([change]))));
      const seen = spans(html.slice(html.indexOf("<details>"), html.lastIndexOf("</details>")));
      const said = change.fields.flatMap((field) => [field.path, ...excerpts(field, USERS).map(joined)]);
      const marks = (text: string) => text.replaceAll("\\u0060", "`").replaceAll("\\u007c", "|");
      expect(seen.slice(-said.length || seen.length).map(marks)).toEqual(said.map(marks));
    }),
    { numRuns: draws(150) },
  );
});

test("hostile words, fields, keys and conditions of a contract stay text", async () => {
  const expectQuiet = async (diff: Diff, ...words: string[]) => {
    const text = "opened contract condition listing The key instead of so all old records count as new ones as".split(
      " ",
    );
    // Words of letters only are not in code spans.
    const plain = words.filter((word) => /^[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)*$/u.test(word));
    expectHarmless(render(await collect(markdownReport(diff))), ...text, ...plain.flatMap((word) => word.split(" ")));
  };
  await expectQuiet(hostileContractDiff());
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (one, many, name) => {
      const { "x-listing": listing, ...file } = STATIONS;
      const { country, ...others } = file.properties;
      const path = `x${name}`;
      const contract = contractOf({
        ...file,
        "x-listing": { ...listing, words: [one, many], order: ["-opened", "code"], label: path },
        properties: { ...others, [path]: { ...country, type: "string" } },
        "x-observed": [{ name, sql: one }],
      });
      const { added, changed } = changesIn(contract);
      const [first, second] = stations(2).map(({ record }) => ({ ...record, [path]: one }));
      const changes = [added({ ...first }), changed({ ...second }, { ...second, [path]: `${many}.` })];
      await expectQuiet(diffOf(changes, { old: { contract: STATIONS_CONTRACT }, new: { contract } }), one, many);
    }),
    { numRuns: draws(100) },
  );
});

test("any text is harmless", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => expectHarmless(render(await collect(markdownReport(diff))))),
    { numRuns: 50 },
  );
});

test("the renderer shows text that is not harmless", () => {
  for (const text of ["<b>", "@x | y", "https://evil.example", "![x](y)", "`a`b`"])
    expect(() => expectHarmless(render(`| old |\n| --- |\n| ${text} |\n`)), text).toThrow();
});

const worst = "|`".repeat(1000);
const longest = (kind: "added" | "removed" | "changed", text: string) => (number: number) => {
  const [user, later] = [person(number, { display_name: text }), person(number, { bio: text, username: text })];
  return kind === "changed" ? changed(user, later) : { kind, id: user.id, record: user };
};

test.each([
  ["added", "x"],
  ["removed", worst],
  ["changed", "x"],
  ["changed", worst],
] as const)("100,000 users %s: writes at most 65,000 characters, and counts what is omitted", async (kind, text) => {
  let read = 0;
  const diff = longDiff(100_000, longest(kind, text), () => read++);
  const markdown = await collect(markdownReport(diff));
  expect(markdown.length).toBeLessThanOrEqual(65_000);
  expect(markdown.length).toBeGreaterThan(60_000);
  expect(read).toBeLessThan(2000);
  const shown = markdown.match(/`[0-9a-f-]{36}`/g)?.length ?? 0;
  const left = new RegExp(`^([\\d,]+) more ${kind} users are not shown here`, "m").exec(markdown)?.[1];
  expect(Number(left?.replaceAll(",", ""))).toBe(100_000 - shown);
  expectHarmless(render(markdown));
});

test("shares the space between kinds", async () => {
  const users = Array.from({ length: 3000 }, (_, number) => person(number));
  const few = [removed(person(5000)), changed(person(5001), person(5001, { country: "FR" }))];
  const markdown = await collect(markdownReport(diffOf([...users.map(added), ...few])));
  expect(markdown.length).toBeLessThanOrEqual(65_000);
  expect(markdown.length).toBeGreaterThan(64_000);
  for (const change of few) expect(markdown).toContain(change.id);
});

test.each([
  [0, "2 added users are not shown here; `rollcall diff --all` shows every one."],
  [1, "1 more added user is not shown here; `rollcall diff --all` shows every one."],
])("limits each kind to %i", async (limit, note) => {
  const diff = diffOf([added(person(1)), added(person(2))]);
  const markdown = await collect(markdownReport(diff, { limit }));
  expect(markdown).toContain(`\n${note}\n`);
  expect(markdown.match(/<details>/g)?.length ?? 0).toBe(limit);
});

test("leaves room for changes beside very long names, settings and gates", async () => {
  const long = { name: worst, baseUrl: worst };
  const diff = diffOf([added(person(1))], { old: long, new: { ...long, baseUrl: `x${worst}` } });
  const exceeded = Array.from({ length: 100 }, () => worst);
  const markdown = await collect(markdownReport(diff, { exceeded }));
  expect(markdown.length).toBeLessThanOrEqual(65_000);
  expect(markdown).toContain(person(1).id);
});
