/** `rollcall verify` of steps on disk: each step is compared with both of its states. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeChanges } from "../../src/artifacts/steps.js";
import { verifyRelease } from "../../src/verify/release/release.js";
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
} from "../support/damage.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";

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

test("valid steps pass, with all releases or one; without steps, the check is skipped", async () => {
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

test("a step between wrong states differs if either release exists; without both, only its form is checked", async () => {
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
    // Before the step, user 3 did not exist and user 1 was the same; after it, neither is as the step says.
    expect(ids).toEqual(kept === 0 ? [userId(1)] : [userId(1), userId(3)]);
  }
  expect((await verified(mixed(copied(true)).folder)).row).toMatchObject({ outcome: "passed" });
});

test("ignores a damaged release beside it, and a file behind a link", async () => {
  const { folders, folder } = copied();
  changeLines(folder, 1, (lines) => lines.slice(0, -1));
  const list = join(folders[0] ?? "", "records.sha256");
  const lines = readFileSync(list, "utf8").split("\n");
  expect((await verified(folder)).row).toMatchObject({ outcome: "differs", count: 1 });
  rmSync(join(folders[1] ?? ""), { recursive: true });
  rmSync(list);
  // The step removes this user, so it does not begin at this list.
  writeFileSync(list, lines.filter((line) => !line.endsWith(userId(2))).join("\n"));
  expect((await verified(folder)).row).toMatchObject({ outcome: "passed" });

  const { file } = newest(folder);
  const elsewhere = join(scratch(), "step");
  renameSync(join(folder, file), elsewhere);
  symlinkSync(elsewhere, join(folder, file));
  expect((await verified(folder)).others).toContain("files");
});

test("stops unpacking a step that would unpack to ten gigabytes", async () => {
  const { folder } = copied();
  const found = async () => (await verified(folder)).row?.findings.map(({ found }) => found);
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  changeBytes(folder, () => Buffer.concat(Array.from({ length: 10_240 }, () => megabyte)));
  expect(await found()).toContain(`more than ${2 ** 26} bytes, in line 1`);
  changeBytes(folder, () => gzipSync(Buffer.alloc(30_000_000, "x")));
  expect(await found()).toContain("more plain bytes");
});

test("refuses steps larger than half of the parts", async () => {
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
