/** `rollcall verify` on disk: what the page for people shows is proved against pages, and it leads nowhere but into its release. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/release/release.js";
import type { Finding } from "../../src/verify/verdict.js";
import { plainRows } from "../support/database.js";
import { seeded } from "../support/random.js";
import { edit, plainRelease, reseal } from "./damage.js";

const PAGE = "index.html";
const SUMMARY = "explorer/summary.json";
const FACETS = "explorer/facets/1.txt";
const SCRIPT = "explorer/app.js";
const INDEX = "lookup/index.json";

const rows = plainRows(7).map((row, at) => ({
  ...row,
  display_name: `Anna ${at}`,
  kyc_status: at > 2 ? "VERIFIED" : "NONE",
}));
const explorerRelease = (options = {}) => plainRelease({ explorer: true, encodings: [], ...options }, rows);

/** The row, and the names of others that differ. */
async function verified(folder: string) {
  const { rows } = await verifyRelease({ folder });
  const row = rows.find(({ name }) => name === "explorer");
  const others = rows
    .filter(({ name, outcome }) => name !== "explorer" && outcome === "differs")
    .map(({ name }) => name);
  return { row, others, lookup: rows.find(({ name }) => name === "lookup") };
}

test("a release that has a page for people passes; one that has none is not asked for any", async () => {
  for (const options of [{}, { bulk: true }, { links: "path" }] as const)
    expect(await verified(await explorerRelease(options))).toMatchObject({
      row: { request: expect.stringMatching(/^\d files$/), outcome: "passed" },
      lookup: { outcome: "passed" },
      others: [],
    });
  const plain = await plainRelease({ lookup: true });
  expect((await verified(plain)).row).toMatchObject({ outcome: "skipped", note: `it has no ${SUMMARY}` });
});

test("an empty release has one, too", async () => {
  expect(await verified(await plainRelease({ explorer: true }, []))).toMatchObject({
    row: { outcome: "passed" },
    others: [],
  });
});

type Damage = [what: string, make: (folder: string) => void, finding: Partial<Finding>];

const change = (path: string, from: string | RegExp, to: string) => (folder: string) =>
  edit(folder, path, (text) => text.replace(from, to));

const DAMAGES: Damage[] = [
  [
    "it counts other records",
    change(SUMMARY, '"count":7,"facets"', '"count":8,"facets"'),
    { path: SUMMARY, found: "count 8", expected: "7" },
  ],
  [
    "a value is counted wrong",
    change(SUMMARY, '"count":4,"value":"VERIFIED"', '"count":3,"value":"VERIFIED"'),
    { path: SUMMARY, found: expect.stringMatching(/^facets\.\d+\.values\.0\.count 3$/), expected: "4" },
  ],
  [
    "a value is made up",
    change(SUMMARY, '"value":"VERIFIED"', '"value":"EVIL"'),
    { path: SUMMARY, found: expect.stringMatching(/^facets\.\d+\.values\.0\.value "EVIL"$/), expected: '"VERIFIED"' },
  ],
  [
    "summary.json is missing",
    (folder) => rmSync(join(folder, SUMMARY)),
    { path: SUMMARY, found: "no such file", expected: "what says where each sorted file begins" },
  ],
  [
    "a value's record is another one",
    (folder) => edit(folder, FACETS, (text) => text.replace(/^(kyc_status="NONE"\t)(.)/m, (_, term) => `${term}h`)),
    { path: FACETS, found: expect.stringMatching(/^"kyc_status=.*" in line \d+: record 2$/), expected: "record 1" },
  ],
  ["a sorted file is cut", (folder) => truncateSync(join(folder, FACETS), 12), { path: FACETS }],
  [
    "a sorted file is missing",
    (folder) => rmSync(join(folder, FACETS)),
    { path: FACETS, found: "no such file", expected: "a sorted file" },
  ],
  [
    "a file is one too many",
    (folder) => writeFileSync(join(folder, "explorer/facets/2.txt"), "z\tg\n"),
    { path: "explorer/facets/2.txt", found: "a file", expected: "none, since the records make no such file" },
  ],
  [
    "index.html is missing",
    (folder) => rmSync(join(folder, PAGE)),
    { path: PAGE, expected: `one, since there is ${SUMMARY}` },
  ],
  [
    "its script is missing",
    (folder) => rmSync(join(folder, SCRIPT)),
    { path: PAGE, found: `<script src="${SCRIPT}">`, expected: "a file that the release has" },
  ],
  [
    "it has no policy",
    change(PAGE, /<meta http-equiv="Content-Security-Policy"[^>]*>/, ""),
    { path: PAGE, found: "no policy", expected: expect.stringContaining("default-src 'none'") },
  ],
  [
    "its policy allows more",
    change(PAGE, /script-src &#39;self&#39;/, "script-src 'unsafe-inline'"),
    { path: PAGE, found: expect.stringContaining("unsafe-inline") },
  ],
  [
    "it has a second policy",
    change(PAGE, "<title>", `<meta HTTP-EQUIV=content-security-policy content="default-src *"><title>`),
    { path: PAGE, found: expect.stringContaining("default-src *") },
  ],
  [
    "its script is from elsewhere",
    change(PAGE, `src="${SCRIPT}"`, 'src="https://evil.example/app.js"'),
    {
      path: PAGE,
      found: '<script src="https://evil.example/app.js">',
      expected: "a relative URL of a file of the release",
    },
  ],
  [
    "its script is that of another path",
    change(PAGE, `src="${SCRIPT}"`, "SRC='/other/app.js'"),
    { path: PAGE, found: '<script src="/other/app.js">' },
  ],
  [
    "its script has two sources, of which browsers take the first",
    change(PAGE, `src="${SCRIPT}"`, `src="https://evil.example/app.js" src="${SCRIPT}"`),
    { path: PAGE, found: '<script src="https://evil.example/app.js">' },
  ],
  [
    "it goes to another host by itself",
    change(PAGE, "<title>", '<meta http-equiv=Refresh content="0;url=https://evil.example/"><title>'),
    { path: PAGE, found: '<meta http-equiv="refresh">', expected: "a page that stays where it is" },
  ],
  [
    "it leads to another host",
    change(PAGE, "<main ", "<a href=//evil.example>x</a><main "),
    { path: PAGE, found: '<a href="//evil.example">' },
  ],
  [
    "it leads to a script",
    change(PAGE, "<main ", '<a href="java&#115;cript:alert(1)">x</a><main '),
    { path: PAGE, expected: "a relative URL of a file of the release" },
  ],
  [
    "it leads out of the release",
    change(PAGE, "<main ", '<a href="a/../../secret">x</a><main '),
    { path: PAGE, found: '<a href="a/../../secret">' },
  ],
  [
    "it leads to what the release has not",
    change(PAGE, "<main ", '<a href="./nothing.json">x</a><main '),
    { path: PAGE, found: '<a href="./nothing.json">', expected: "a file that the release has" },
  ],
  [
    "it has an open tag",
    (folder) => edit(folder, PAGE, (text) => `${text}${'<a "'.repeat(100_000)}`),
    { path: PAGE, found: "a tag that is not closed, or has a < in it" },
  ],
  [
    "its last tag is megabytes of a name that nothing ends",
    (folder) => edit(folder, PAGE, (text) => `${text}<${"a".repeat(2 ** 22)}`),
    { path: PAGE, found: "a tag that is not closed, or has a < in it" },
  ],
  [
    "a tag has megabytes of what is no attribute, and of empty quotes, which cannot always be read",
    change(PAGE, "<main ", `<a ${"x".repeat(2 ** 22)} ${'""'.repeat(2 ** 22)} href=//evil.example>x</a><main `),
    { path: PAGE, found: expect.stringMatching(/^(?:<a href="\/\/evil\.example">|a tag of millions of characters)$/) },
  ],
];

test.each(DAMAGES)("%s", async (_, make, finding) => {
  const folder = await explorerRelease();
  make(folder);
  reseal(folder);
  const { row, others } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs", count: 1, findings: [{ check: "explorer", ...finding }] });
  // All other checks are content, unless openapi.json describes what is not there.
  expect(others.filter((name) => name !== "description")).toEqual([]);
});

test("without a look-up, which it works by", async () => {
  const folder = await explorerRelease();
  rmSync(join(folder, "lookup"), { recursive: true });
  reseal(folder);
  const { row, lookup } = await verified(folder);
  expect(row?.findings).toContainEqual(
    expect.objectContaining({ path: INDEX, found: "no such file", expected: `one, since there is ${SUMMARY}` }),
  );
  expect(lookup).toMatchObject({ outcome: "skipped" });
});

test("an index.html alone", async () => {
  const folder = await plainRelease();
  writeFileSync(join(folder, PAGE), "<!doctype html>\n");
  reseal(folder);
  const { row } = await verified(folder);
  expect(row?.findings.map(({ path }) => path)).toEqual(expect.arrayContaining([SUMMARY, INDEX]));
});

test("what another version writes is no difference, but noted: it may show what it likes", async () => {
  const more = "explorer/more.js";
  const adding = (folder: string) => writeFileSync(join(folder, more), "\n");
  for (const make of [change(PAGE, "<h1>", "<h1>About "), change(SCRIPT, /^/, "\n"), adding]) {
    const folder = await explorerRelease();
    make(folder);
    reseal(folder);
    const note = expect.stringMatching(
      /^not as this version of Rollcall writes it: (?:index\.html|explorer\/(?:app|more)\.js)$/,
    );
    expect((await verified(folder)).row).toMatchObject({ outcome: "noted", note });
  }
});

test("any byte of it that is flipped is found", async () => {
  const folder = await explorerRelease();
  const random = seeded(20_261_124);
  const files = [PAGE, SUMMARY, FACETS, SCRIPT].map((path) => [path, readFileSync(join(folder, path))] as const);
  for (let round = 0; round < 60; round++) {
    const [path, whole] = random.of(files);
    const bytes = Buffer.from(whole);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    writeFileSync(join(folder, path), bytes);
    const { row, others } = await verified(folder);
    expect(others, `${path}, byte ${at}`).toContain("digests");
    expect(["differs", "noted", "skipped"], `${path}, byte ${at}`).toContain(row?.outcome);
    if (path === FACETS) expect(row, `${path}, byte ${at}`).toMatchObject({ outcome: "differs" });
    writeFileSync(join(folder, path), whole);
  }
});
