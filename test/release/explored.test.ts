/** Releases of the same records with and without a look-up and a page for people: other files, other ids, and nothing that a reader of records sees. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  type BuildOptions,
  type BuildResult,
  diff,
  listReleases,
  openRelease,
  useRelease,
  verify,
} from "../../src/index.js";
import { unlistedFiles } from "../../src/release/layout.js";
import { buildUsers } from "../publish/releases.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";

const KINDS: Partial<BuildOptions>[] = [{}, { lookup: true }, { explorer: true }];

let folder: string;
let dist: string;
let built: BuildResult[];

beforeEach(async () => {
  folder = scratch();
  dist = join(folder, "dist");
  built = [];
  for (const options of KINDS) built.push(await buildUsers(folder, 25, options));
});

test("each is a release of its own, whose id stands for every file of it, and SHA256SUMS lists all", async () => {
  expect(new Set(built.map(({ id }) => id)).size).toBe(KINDS.length);
  for (const release of built) {
    const { sums } = await openRelease(release.folder);
    const listed = [...sums.pages.files(sums.paths), ...sums.others].map(([path]) => path);
    expect([...listed, ...unlistedFiles({ isSigned: false })].sort()).toEqual([...readTree(release.folder).keys()]);
    expect(await verify({ what: release.folder })).toMatchObject({ passed: true });
  }
  // With the explorer comes the lookup of before, byte for byte.
  const [, lookup = new Map(), explorer = new Map()] = built.map((release) => readTree(release.folder));
  for (const [path, text] of lookup) if (path.startsWith("lookup/")) expect(explorer.get(path)).toBe(text);
});

test("they are listed with their sizes, and diff finds no record that differs between any two", async () => {
  const listed = await listReleases(dist);
  expect(listed.map(({ id, records }) => [id, records])).toEqual(built.map(({ id }) => [id, 25]).reverse());
  const bytes = listed.map((release) => release.bytes);
  expect(bytes).toEqual(bytes.toSorted((one, other) => other - one));
  for (const old of built)
    for (const now of built) {
      const found = await diff({
        dist,
        old: old.id,
        new: now.id,
        gates: { maxChanged: "0", maxAdded: "0", maxRemoved: "0" },
      });
      expect(found).toMatchObject({ added: 0, removed: 0, changed: 0, unchanged: 25, exceeded: [] });
      found.close();
    }
});

test("a gate lets them pass, and records that change are changed with a look-up as without", async () => {
  const gates = { maxChanged: "1", maxAdded: "0", maxRemoved: "0" };
  const changed = plainRows(25).map((row, at) => (at === 3 ? { ...row, display_name: "Anna" } : row));
  const one = await buildUsers(folder, changed, { explorer: true, gates });
  expect((await listReleases(dist)).find(({ current }) => current)?.id).toBe(one.id);
  const most = plainRows(25).map((row) => ({ ...row, display_name: "Anna" }));
  await expect(buildUsers(folder, most, { explorer: true, gates })).rejects.toThrow("max-changed");
});

test("use goes back and forth, and reads every byte of them first", async () => {
  const [plain, , explorer] = built;
  if (!plain || !explorer) throw new Error("There are no releases");
  const use = async (word: string) => (await useRelease(dist, word)).now.id;
  expect(await use(plain.id)).toBe(plain.id);
  expect(await use("previous")).toBe(explorer.id);
  await use(plain.id);
  for (const path of ["lookup/words/1.txt", "explorer/app.js", "index.html"]) {
    const file = join(explorer.folder, path);
    const bytes = readFileSync(file);
    // It may be one file with another release's.
    rmSync(file);
    writeFileSync(file, `${bytes}x`);
    await expect(use(explorer.id)).rejects.toThrow(path);
    writeFileSync(file, bytes);
  }
  expect(await use(explorer.id)).toBe(explorer.id);
});
