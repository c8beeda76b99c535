/** `rollcall verify` on disk: what records are found by is proved against pages, and all that can be wrong with it is found and said. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/release/release.js";
import type { Finding } from "../../src/verify/verdict.js";
import { plainRows, type Row, userId } from "../support/database.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { edit, page, plainRelease, reseal } from "./damage.js";

const KEYS = "lookup/keys/1.txt";
const WORDS = "lookup/words/1.txt";
const INDEX = "lookup/index.json";

const NAMES = ["Anna Keller", "Anna Maria Ott", "Björn Keller", "Çelik", "李雷", "Straße 7", "Zoë 👍"];
const named = (names: readonly string[]): Row[] =>
  plainRows(7).map((row, at) => ({ ...row, display_name: names[at] ?? null }));
const lookupRelease = (names: readonly string[] = NAMES) => plainRelease({ lookup: true, encodings: [] }, named(names));

/** The row, and the names of others that differ. */
async function verified(folder: string, workers?: number) {
  const { rows } = await verifyRelease({ folder, workers });
  const row = rows.find(({ name }) => name === "lookup");
  const others = rows.filter(({ name, outcome }) => name !== "lookup" && outcome === "differs").map(({ name }) => name);
  return { row, others };
}

const linesOf = (folder: string, path: string) => readFileSync(join(folder, path), "utf8").split("\n").slice(0, -1);
const writeLines = (folder: string, path: string, lines: readonly string[]) =>
  writeFileSync(join(folder, path), lines.map((line) => `${line}\n`).join(""));
/** The place of the line of a term. */
const lineOf = (lines: readonly string[], term: string) => lines.findIndex((line) => line.startsWith(`${term}\t`));

test("whoever waits is told of records, and then of each file that is made again", async () => {
  const seen: unknown[] = [];
  await verifyRelease({ folder: await lookupRelease(), onProgress: (done) => seen.push(done) });
  const files = [0, 1, 2, 3].map((files) => ({ files, total: 3 }));
  expect(seen.slice(-4)).toEqual(files);
  expect(seen.slice(0, -4)).toContainEqual(expect.objectContaining({ records: 7, total: 7 }));
});

test("a release that has a look-up passes; one that has none is not asked for any", async () => {
  expect(await verified(await lookupRelease())).toMatchObject({
    row: { request: "3 files", outcome: "passed" },
    others: [],
  });
  expect((await verified(await plainRelease())).row).toMatchObject({ outcome: "skipped", note: `it has no ${INDEX}` });
});

test("an empty release has one, too", async () => {
  const folder = await plainRelease({ lookup: true }, []);
  expect(await verified(folder)).toMatchObject({ row: { outcome: "passed" }, others: [] });
});

type Damage = [what: string, make: (folder: string) => void, finding: Partial<Finding>];

const changeLines = (path: string, change: (lines: string[]) => readonly string[]) => (folder: string) =>
  writeLines(folder, path, change(linesOf(folder, path)));

const DAMAGES: Damage[] = [
  [
    "a word is missing",
    changeLines(WORDS, (lines) => lines.toSpliced(lineOf(lines, "keller"), 1)),
    { path: WORDS, expected: '"keller" before it' },
  ],
  [
    "a word is made up",
    changeLines(WORDS, (lines) => lines.toSpliced(lineOf(lines, "keller"), 0, "evil\tg")),
    { path: WORDS, found: expect.stringMatching(/^"evil" in line \d+$/), expected: 'none there, but "keller"' },
  ],
  [
    "a word is made up behind all others",
    (folder) => appendFileSync(join(folder, WORDS), "\u{10fffe}\tg\n"),
    { path: WORDS, expected: "an end before it" },
  ],
  [
    "the last word is missing",
    changeLines(WORDS, (lines) => lines.slice(0, -1)),
    { path: WORDS, found: expect.stringMatching(/^an end before line \d+$/) },
  ],
  [
    "two lines stand in each other's place",
    changeLines(WORDS, ([one = "", other = "", ...more]) => [other, one, ...more]),
    { path: WORDS, found: expect.stringMatching(/ in line 1$/), expected: expect.stringMatching(/ before it$/) },
  ],
  [
    "a record stands under another one's word",
    // Anna Keller and Björn Keller are records 1 and 3: "gC" becomes "gD".
    changeLines(WORDS, (lines) => lines.map((line) => line.replace("keller\tgi", "keller\tgj"))),
    { path: WORDS, found: expect.stringMatching(/^"keller" in line \d+: record 4$/), expected: "record 3" },
  ],
  [
    "a record is missing under a word",
    changeLines(WORDS, (lines) => lines.map((line) => line.replace("keller\tgi", "keller\tg"))),
    { path: WORDS, found: expect.stringMatching(/^"keller" in line \d+: no more records$/), expected: "record 3" },
  ],
  [
    "a record more stands under a word",
    changeLines(WORDS, (lines) => lines.map((line) => line.replace("keller\tgi", "keller\tgii"))),
    { path: WORDS, found: expect.stringMatching(/^"keller" in line \d+: record 5$/), expected: "no more records" },
  ],
  [
    "a mark is another one",
    changeLines(WORDS, (lines) => lines.map((line) => line.replace("keller\tgi", "keller\t~gi"))),
    {
      path: WORDS,
      found: expect.stringMatching(/^the only one that begins with "keller" in line \d+$/),
      expected: '"keller"',
    },
  ],
  [
    "a key is that of no record",
    changeLines(KEYS, ([first = "", ...more]) => [first.replace(/^./, "!"), ...more]),
    { path: KEYS, found: expect.stringContaining('"!'), expected: expect.stringMatching(/^none there, but /) },
  ],
  ["a file is cut", (folder) => truncateSync(join(folder, WORDS), 30), { path: WORDS }],
  ["a file is empty", (folder) => truncateSync(join(folder, KEYS), 0), { path: KEYS, found: "an end before line 1" }],
  [
    "a file is no text",
    (folder) => writeFileSync(join(folder, KEYS), Buffer.alloc(100, 0xff)),
    { path: KEYS, found: expect.stringMatching(/^in line 1: /) },
  ],
  [
    "a file has megabytes behind it",
    (folder) => truncateSync(join(folder, KEYS), 2 ** 26),
    { path: KEYS, expected: "an end before it" },
  ],
  [
    "a file is missing",
    (folder) => rmSync(join(folder, KEYS)),
    { path: KEYS, found: "no such file", expected: "a sorted file" },
  ],
  [
    "a file is one too many",
    (folder) => writeFileSync(join(folder, "lookup/words/2.txt"), "zz\tg\n"),
    { path: "lookup/words/2.txt", found: "a file", expected: "none, since the records make no such file" },
  ],
  [
    "a file of another name lies there",
    (folder) => writeFileSync(join(folder, "lookup/notes.txt"), ""),
    { path: "lookup/notes.txt", found: "a file" },
  ],
  [
    "index.json is missing",
    (folder) => rmSync(join(folder, INDEX)),
    { path: INDEX, found: "no such file", expected: "what says where each sorted file begins" },
  ],
  [
    "index.json says that a file begins elsewhere",
    (folder) => edit(folder, INDEX, (text) => text.replace('"words":["7', '"words":["8')),
    { path: INDEX, found: 'words.0 "8"', expected: '"7"' },
  ],
  [
    "index.json names a file that is not there",
    (folder) => edit(folder, INDEX, (text) => text.replace('"words":[', '"words":["",')),
    { path: INDEX, found: 'words.0 ""', expected: '"7"' },
  ],
  [
    "index.json names other fields",
    (folder) => edit(folder, INDEX, (text) => text.replace('["display_name"]', '["bio"]')),
    { path: INDEX, found: expect.stringMatching(/^fields\.\d+\.0 "bio"$/), expected: '"display_name"' },
  ],
  [
    "index.json has another form",
    (folder) => edit(folder, INDEX, (text) => text.replace('"version":', '"version": ')),
    { path: INDEX, found: "another form", expected: "keys sorted, no white space, one final newline" },
  ],
  [
    "index.json is none",
    (folder) => writeFileSync(join(folder, INDEX), "<!doctype html>\n"),
    { path: INDEX, found: expect.stringMatching(/^in line 1: /) },
  ],
  [
    "index.json is deep",
    (folder) => writeFileSync(join(folder, INDEX), `${"[".repeat(50_000)}${"]".repeat(50_000)}\n`),
    { path: INDEX },
  ],
];

test.each(DAMAGES)("%s", async (_, make, finding) => {
  const folder = await lookupRelease();
  make(folder);
  reseal(folder);
  const { row, others } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs", count: 1, findings: [{ check: "lookup", ...finding }] });
  // All other checks are content, unless openapi.json describes what is not there.
  expect(others.filter((name) => name !== "description")).toEqual([]);
});

test("the look-up of another release, or an index.json of before", async () => {
  const [one, other] = [await lookupRelease(), await lookupRelease(NAMES.map((name) => `${name} Jr`))];
  const stale = readFileSync(join(other, INDEX));
  rmSync(join(one, "lookup"), { recursive: true });
  renameSync(join(other, "lookup"), join(one, "lookup"));
  reseal(one);
  const foreign = await verified(one);
  expect(foreign.row).toMatchObject({
    outcome: "differs",
    findings: expect.arrayContaining([expect.objectContaining({ path: WORDS })]),
  });
  expect(foreign.others).toEqual([]);

  const third = await lookupRelease(NAMES.map((name) => `0 ${name}`));
  writeFileSync(join(third, INDEX), stale);
  reseal(third);
  expect((await verified(third)).row).toMatchObject({
    count: 1,
    findings: [{ path: INDEX, found: 'words.0 "7"', expected: '"0"' }],
  });
});

test("a look-up of another version is not compared, and the row says so", async () => {
  const folder = await lookupRelease();
  edit(folder, INDEX, (text) => text.replace('"version":2', '"version":3'));
  truncateSync(join(folder, WORDS), 0);
  reseal(folder);
  expect((await verified(folder)).row).toMatchObject({
    outcome: "skipped",
    note: "another version of Rollcall wrote it",
  });
});

test("where pages are not as they should be, they make nothing to compare with, and other rows say what is wrong", async () => {
  const folder = await lookupRelease();
  writeFileSync(join(folder, page(2)), "nothing\n");
  reseal(folder);
  const { row, others } = await verified(folder);
  expect(row).toMatchObject({ outcome: "skipped", note: "the pages that it is made of are not as they should be" });
  expect(others).toContain("pages");

  const changed = await lookupRelease();
  edit(changed, page(1), (text) => text.replace(userId(0), userId(0).replace(/^./, "F")));
  reseal(changed);
  expect((await verified(changed)).row?.outcome).not.toBe("passed");
});

test("a file that is a link or a folder is not followed", async () => {
  const folder = await lookupRelease();
  const elsewhere = join(scratch(), "words");
  renameSync(join(folder, WORDS), elsewhere);
  symlinkSync(elsewhere, join(folder, WORDS));
  rmSync(join(folder, KEYS));
  mkdirSync(join(folder, KEYS));
  const { row, others } = await verified(folder);
  expect(others).toContain("files");
  expect(row).toMatchObject({ outcome: "differs", findings: [{ path: KEYS, found: "no such file" }] });
});

test("any byte of it that is flipped is found", async () => {
  const folder = await lookupRelease();
  const random = seeded(20_261_122);
  const files = [KEYS, WORDS, INDEX].map((path) => [path, readFileSync(join(folder, path))] as const);
  for (let round = 0; round < 60; round++) {
    const [path, whole] = random.of(files);
    const bytes = Buffer.from(whole);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    writeFileSync(join(folder, path), bytes);
    const { row, others } = await verified(folder);
    expect(others, `${path}, byte ${at}`).toContain("digests");
    // What is said to be of another version is not compared.
    if (row?.outcome !== "skipped") expect(row, `${path}, byte ${at}`).toMatchObject({ outcome: "differs", count: 1 });
    writeFileSync(join(folder, path), whole);
  }
});
