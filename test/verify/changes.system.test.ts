/** `rollcall verify` of steps on disk. */
import { cpSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/release/release.js";
import {
  type Chain,
  chainIn,
  changeBytes,
  changeChanges,
  linesBetween,
  linesOf,
  put,
  readChanges,
} from "../support/damage.js";
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

test("ignores a file behind a link, which another row reports", async () => {
  const { folder } = copied();
  const { file } = newest(folder);
  const elsewhere = join(scratch(), "step");
  renameSync(join(folder, file), elsewhere);
  symlinkSync(elsewhere, join(folder, file));
  expect(await verified(folder)).toMatchObject({ row: { outcome: "passed" }, others: ["files"] });
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
