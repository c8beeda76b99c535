/** `rollcall verify` on disk: each step is held against both of its ends, and all that can be wrong with it is found and said. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeChanges } from "../../src/changes/steps.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import type { Finding } from "../../src/verify/verdict.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";
import { SEED, seeded } from "../support/random.js";
import {
  type Chain,
  chainIn,
  changeBytes,
  changeChanges,
  changeLines,
  linesBetween,
  linesOf,
  put,
  putStep,
  readChanges,
} from "./steps.js";

const place = mkdtempSync(join(tmpdir(), "rollcall-steps-"));
let made: Chain;

beforeAll(async () => {
  made = await chainIn(place);
});
afterAll(() => rmSync(place, { recursive: true }));

/** A copy of all releases, or of the last one alone. */
function copied(isAlone = false): Chain {
  const dist = dirname(dirname(made.folder));
  const place = join(scratch(), "dist");
  cpSync(dist, place, { recursive: true, verbatimSymlinks: true });
  const folders = made.folders.map((folder) => folder.replace(dist, place));
  const folder = folders.at(-1) ?? "";
  if (isAlone) for (const other of folders) if (other !== folder) rmSync(other, { recursive: true });
  return { folders, folder };
}

/** The row, and the names of others that differ. */
async function verified(folder: string) {
  const { rows } = await verifyRelease({ folder });
  const row = rows.find(({ name }) => name === "changes");
  const differing = rows.filter(({ name, outcome }) => name !== "changes" && outcome === "differs");
  return { row, others: differing.map(({ name }) => name) };
}

const newest = (folder: string) => readChanges(folder).steps[0] ?? { file: "", sha256: "", from: "", to: "" };

test("right steps pass, with all their ends or with the release alone; a release without any is not asked", async () => {
  for (const isAlone of [false, true])
    expect(await verified(copied(isAlone).folder)).toMatchObject({
      row: { request: "2 steps", outcome: "passed" },
      others: [],
    });
  const [first, second, third] = made.folders;
  expect((await verified(first ?? "")).row).toMatchObject({ outcome: "skipped", note: "it has no changes.json" });
  const lines = readChanges(made.folder).steps.map((step) => linesOf(made.folder, step));
  expect(lines).toEqual([linesBetween(second, third), linesBetween(first, second)]);

  const { folder } = copied();
  for (const { file } of readChanges(folder).steps) put(folder, file, undefined);
  changeChanges(folder, (changes) => ({ ...changes, steps: [] }));
  expect((await verified(folder)).row).toMatchObject({ request: "0 steps", outcome: "passed" });
});

type Damage = [what: string, make: (folder: string) => void, finding: Partial<Finding> | RegExp];

const swapped = ([one = "", other = "", ...more]: string[]) => [other, one, ...more];
/** A line that puts a user as the first release has it. */
function putLine(folder: string, number: number): string {
  const first = join(dirname(folder), readdirSync(dirname(folder)).sort()[0] ?? "");
  const line = readFileSync(join(first, "api/users/pages/1.json"), "utf8")
    .split("\n")
    .find((text) => text.includes(userId(number)));
  return `{"put":${line?.replace(/,$/, "")}}`;
}
const last = (lines: string[]) => lines.slice(0, -1);

/** Of the newest step, whose lines put user 1 and user 3. */
const DAMAGES: Damage[] = [
  ["cut", (folder) => changeBytes(folder, (bytes) => bytes.subarray(0, -20)), /is not gzip to its end \(Z_BUF_ERROR\)/],
  ["empty", (folder) => changeBytes(folder, () => Buffer.alloc(0)), /is not gzip to its end/],
  ["no gzip", (folder) => changeBytes(folder, () => Buffer.from("<!doctype html>")), /\(Z_DATA_ERROR\)/],
  [
    "with zeros behind its gzip",
    (folder) => changeBytes(folder, (bytes) => Buffer.concat([bytes, Buffer.alloc(99)])),
    { found: "a file that has 99 bytes behind its gzip", expected: "one whole gzip" },
  ],
  [
    "with two lines in each other's place",
    (folder) => changeLines(folder, 0, swapped),
    { found: `${userId(1)} after ${userId(3)}, in line 2`, expected: "each key once, in their order" },
  ],
  [
    "with a line twice",
    (folder) => changeLines(folder, 0, ([one = "", ...more]) => [one, one, ...more]),
    { found: `${userId(1)} after ${userId(1)}, in line 2` },
  ],
  [
    "without its last line",
    (folder) => changeLines(folder, 0, last),
    { id: userId(3), found: "no line", expected: `what differs of ${userId(3)}` },
  ],
  [
    "with a remove of nobody",
    (folder) => changeLines(folder, 0, (lines) => [...lines, `{"remove":"${userId(500)}"}`]),
    { id: userId(500), found: "a remove", expected: "none, since there was no such record before" },
  ],
  [
    "without the line that removes",
    (folder) => changeLines(folder, 1, (lines) => lines.filter((line) => line.startsWith('{"put"'))),
    { found: "no line", expected: `what differs of ${userId(2)}, or of ${userId(4)}` },
  ],
  [
    "with a remove of a record that is still there",
    (folder) => changeLines(folder, 0, ([one = ""]) => [one, `{"remove":"${userId(3)}"}`]),
    { id: userId(3), found: "a remove", expected: "none, since the record is there afterwards" },
  ],
  [
    "with a put of a record that is the same before",
    (folder) => changeLines(folder, 0, (lines) => [...lines, putLine(folder, 4)]),
    { id: userId(4), found: "a put", expected: "none, since the record was the same before" },
  ],
  [
    "with a put of a record that is gone",
    (folder) =>
      changeLines(folder, 1, (lines) => lines.map((line) => line.replace(/^{"remove".*$/, putLine(folder, 2)))),
    { id: userId(2), expected: "a remove, since the record is gone afterwards" },
  ],
  [
    "with another record",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replace("edited", "edit"))),
    { id: userId(3), expected: expect.stringMatching(/^the record of [0-9a-f]{32}$/) },
  ],
  [
    "with a record that is not valid",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replace('"user3"', "3"))),
    { id: userId(3), found: "username 3" },
  ],
  [
    "with a record that is not canonical",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replace('"edited"', '"\\u0065dited"'))),
    { id: userId(3), expected: "keys sorted, no white space, each character in its shortest form" },
  ],
  [
    "with more on a line than a record",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replace(/}$/, ',"of":1}'))),
    { expected: "one record as JSON in UTF-8" },
  ],
  [
    "with a line that does something else",
    (folder) => changeLines(folder, 0, (lines) => [...lines, '{"rename":"a"}']),
    { found: '"{\\"rename\\":\\"a\\"}", in line 3', expected: '{"put":a record} or {"remove":a key}' },
  ],
  [
    "with a key that is none",
    (folder) => changeLines(folder, 0, (lines) => [...lines, '{"remove":7}']),
    { found: '"7", in line 3', expected: "a key of text, as JSON" },
  ],
  [
    "with a key in another form",
    (folder) => changeLines(folder, 0, (lines) => [...lines, `{"remove": "${userId(4)}"}`]),
    { expected: "a key of text, as JSON" },
  ],
  ["with an empty line", (folder) => changeLines(folder, 0, (lines) => [...lines, ""]), { found: '"", in line 3' }],
  [
    "without the last newline",
    (folder) => {
      const { state, steps } = readChanges(folder);
      const [step, ...older] = steps;
      if (!step) throw new Error("There is no step");
      const own = putStep(folder, step, linesOf(folder, step).join("\n"));
      put(folder, "changes.json", encodeChanges({ state, steps: [own, ...older] }));
    },
    { found: "no newline at its end, in line 2" },
  ],
  [
    "counted wrongly",
    (folder) =>
      changeChanges(folder, (changes) => ({ ...changes, steps: changes.steps.map((step) => ({ ...step, put: 1 })) })),
    { found: "2 lines that put and 0 that remove", expected: "1 and 0, as in changes.json" },
  ],
  [
    "of another digest",
    (folder) =>
      changeChanges(folder, ({ state, steps: [step, ...older] }) => ({
        state,
        steps: [{ ...step, sha256: "0".repeat(64) }, ...older],
      })),
    { expected: `${"0".repeat(64)}, as in changes.json` },
  ],
  [
    "of another size",
    (folder) =>
      changeChanges(folder, ({ state, steps: [step, ...older] }) => ({
        state,
        steps: [{ ...step, bytes: 3 }, ...older],
      })),
    { expected: "3, as in changes.json" },
  ],
  ["missing", (folder) => put(folder, newest(folder).file, undefined), { found: "no such file", expected: "a step" }],
];

test.each(DAMAGES)("a step that is %s", async (_, make, expected) => {
  const { folder } = copied();
  const { file } = newest(folder);
  make(folder);
  const { row, others } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs" });
  const finding = expected instanceof RegExp ? { path: file, found: expect.stringMatching(expected) } : expected;
  expect(row?.findings).toContainEqual(expect.objectContaining({ check: "changes", ...finding }));
  expect(others).toEqual([]);
});

const FORMS: Damage[] = [
  ["none", (folder) => put(folder, "changes.json", "[]\n"), /^a file that does not fit/],
  ["empty", (folder) => put(folder, "changes.json", ""), /^a file that is not JSON/],
  ["missing", (folder) => put(folder, "changes.json", undefined), /^a file that is no file to read/],
  [
    "of another form",
    (folder) => put(folder, "changes.json", `${readFileSync(join(folder, "changes.json"))}`.replace(":", ": ")),
    { expected: "keys sorted, no white space, one final newline" },
  ],
  [
    "that leads out of the release",
    (folder) =>
      put(
        folder,
        "changes.json",
        `${readFileSync(join(folder, "changes.json"))}`.replace(newest(folder).file, "../../etc/passwd"),
      ),
    /steps\.0\.file that does not fit/,
  ],
  [
    "of another state",
    (folder) => changeChanges(folder, ({ steps: [, older] }) => ({ state: older?.to, steps: [older] })),
    { found: expect.stringMatching(/^state /), expected: expect.stringMatching(/, the digest of records.sha256$/) },
  ],
  [
    "with fewer steps than there are files",
    (folder) => changeChanges(folder, ({ state, steps: [step] }) => ({ state, steps: [step] })),
    { found: "a file", expected: "none, since changes.json has no such step" },
  ],
];

test.each(FORMS)("a changes.json that is %s", async (_, make, expected) => {
  const { folder } = copied();
  make(folder);
  const { row } = await verified(folder);
  expect(row).toMatchObject({ outcome: "differs" });
  const finding = expected instanceof RegExp ? { found: expect.stringMatching(expected) } : expected;
  expect(row?.findings).toContainEqual(expect.objectContaining(finding));
});

test("a step between other states than it says: either end shows it, and without both its form alone is known", async () => {
  const mixed = (chain: Chain) => {
    const { state, steps } = readChanges(chain.folder);
    const [step, older] = steps;
    if (!step || !older) throw new Error("There are no two steps");
    // The older step has the lines of the newer.
    const wrong = putStep(
      chain.folder,
      older,
      linesOf(chain.folder, step)
        .map((line) => `${line}\n`)
        .join(""),
    );
    put(chain.folder, "changes.json", encodeChanges({ state, steps: [step, wrong] }));
    return chain;
  };
  const both = mixed(copied());
  expect((await verified(both.folder)).row).toMatchObject({ outcome: "differs" });
  for (const kept of [0, 1]) {
    const { folders, folder } = mixed(copied());
    rmSync(folders[1 - kept] ?? "", { recursive: true });
    const ids = (await verified(folder)).row?.findings.map(({ id }) => id);
    // Before it, there was no user 3 and user 1 was as it is put; after it, neither is what is put.
    expect(ids).toEqual(kept === 0 ? [userId(1)] : [userId(1), userId(3)]);
  }
  expect((await verified(mixed(copied(true)).folder)).row).toMatchObject({ outcome: "passed" });
});

test("a release beside it that is damaged is no end, and neither is a file behind a link", async () => {
  const { folders, folder } = copied();
  changeLines(folder, 1, last);
  const list = join(folders[0] ?? "", "records.sha256");
  const lines = readFileSync(list, "utf8").split("\n");
  expect((await verified(folder)).row).toMatchObject({ outcome: "differs", count: 1 });
  rmSync(join(folders[1] ?? ""), { recursive: true });
  rmSync(list);
  // The step removes this user, so that it would not lead from this list.
  writeFileSync(list, lines.filter((line) => !line.endsWith(userId(2))).join("\n"));
  expect((await verified(folder)).row).toMatchObject({ outcome: "passed" });

  const { file } = newest(folder);
  const elsewhere = join(scratch(), "step");
  renameSync(join(folder, file), elsewhere);
  symlinkSync(elsewhere, join(folder, file));
  expect((await verified(folder)).others).toContain("files");
});

test("a step that would unpack to ten gigabytes is not unpacked, which would take longer than a test may", async () => {
  const { folder } = copied();
  const found = async () => (await verified(folder)).row?.findings.map(({ found }) => found);
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  changeBytes(folder, () => Buffer.concat(Array.from({ length: 10_240 }, () => megabyte)));
  expect(await found()).toContain(`more than ${2 ** 26} bytes, in line 1`);
  changeBytes(folder, () => gzipSync(Buffer.alloc(30_000_000, "x")));
  expect(await found()).toContain("more plain bytes");
});

test("steps of more than half of what there is are too many", async () => {
  const { folder } = copied();
  const pages = [1, 2, 3, 4].map((page) => statSync(join(folder, `api/users/pages/${page}.json`)).size);
  const all = pages.reduce((sum, size) => sum + size, 0);
  const claim = async (sum: number) => {
    changeChanges(folder, ({ state, steps: [step, older] }) => ({
      state,
      steps: [{ ...step, bytes: sum - (older?.bytes ?? 0) }, older],
    }));
    const { row } = await verified(folder);
    return row?.findings.filter(({ path }) => path === "changes.json");
  };
  const half = Math.floor(all / 2);
  expect(await claim(half)).toEqual([]);
  const found = { found: `steps of ${half + 1} bytes`, expected: `at most half of ${all}` };
  expect(await claim(half + 1)).toMatchObject([found]);
});

function unpacked(bytes: Buffer): string | undefined {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return undefined;
  }
}

test("any byte that is flipped is found", async () => {
  const { folder } = copied();
  const seed = SEED;
  const random = seeded(seed);
  const paths = ["changes.json", ...readChanges(folder).steps.map(({ file }) => file)];
  const files = paths.map((path) => [path, readFileSync(join(folder, path))] as const);
  for (let round = 0; round < 40; round++) {
    const [path, whole] = random.of(files);
    const bytes = Buffer.from(whole);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    writeFileSync(join(folder, path), bytes);
    const { row, others } = await verified(folder);
    expect(others, `seed ${seed}: ${path}, byte ${at}`).toContain("digests");
    // Nobody else knows where the oldest step begins, and in a gzip there are bits that say nothing of what is in it.
    const isTold = path !== "changes.json" && unpacked(bytes) !== unpacked(whole);
    if (isTold) expect(row?.outcome, `seed ${seed}: ${path}, byte ${at}`).toBe("differs");
    writeFileSync(join(folder, path), whole);
  }
});
