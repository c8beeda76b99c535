/** `rollcall verify` of steps on disk. */
import { renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { changeBytes, changeChanges, put, readChanges, releases } from "../support/damage.js";
import { scratch } from "../support/files.js";

const release = releases();

/** The row, and the names of others that differ. */
async function verified(folder: string) {
  const { rows } = await verifyRelease({ folder });
  const row = rows.find(({ name }) => name === "changes");
  const differing = rows.filter(({ name, outcome }) => name !== "changes" && outcome === "differs");
  return { row, others: differing.map(({ name }) => name) };
}

const newest = (folder: string) => readChanges(folder).steps[0] ?? { file: "", sha256: "", from: "", to: "" };

test("valid steps pass; without steps, the check is skipped", async () => {
  const folder = await release("steps");
  expect(await verified(folder)).toMatchObject({ row: { request: "2 steps", outcome: "passed" }, others: [] });
  const { row } = await verified(await release("plain"));
  expect(row).toMatchObject({ outcome: "skipped", note: "it has no changes.json" });
  for (const { file } of readChanges(folder).steps) put(folder, file, undefined);
  changeChanges(folder, (changes) => ({ ...changes, steps: [] }));
  expect((await verified(folder)).row).toMatchObject({ request: "0 steps", outcome: "passed" });
});

test("ignores a file behind a link, which another row reports", async () => {
  const folder = await release("steps");
  const { file } = newest(folder);
  const elsewhere = join(scratch(), "step");
  renameSync(join(folder, file), elsewhere);
  symlinkSync(elsewhere, join(folder, file));
  expect(await verified(folder)).toMatchObject({ row: { outcome: "passed" }, others: ["files"] });
});

test("stops unpacking a step that would unpack to ten gigabytes", async () => {
  const folder = await release("steps");
  const found = async () => (await verified(folder)).row?.findings.map(({ found }) => found);
  const megabyte = gzipSync(Buffer.alloc(2 ** 20, "x"));
  changeBytes(folder, () => Buffer.concat(Array.from({ length: 10_240 }, () => megabyte)));
  expect(await found()).toContain("more plain bytes");
  changeBytes(folder, () => gzipSync(Buffer.alloc(30_000_000, "x")));
  expect(await found()).toContain("more plain bytes");
});

test("refuses steps larger than half of the parts", async () => {
  const folder = await release("steps");
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
