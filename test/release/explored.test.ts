import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type BuildOptions, type BuildResult, diff, openRelease, verify } from "../../src/index.js";
import { unlistedFiles } from "../../src/release/layout.js";
import { buildUsers } from "../publish/releases.js";
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

test("each is a release of its own with the same id, and SHA256SUMS lists all", async () => {
  expect(new Set(built.map(({ id }) => id)).size).toBe(1);
  expect(new Set(built.map(({ name }) => name)).size).toBe(KINDS.length);
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

test("diff finds no record that differs between any two", async () => {
  const none = { maxChanged: "0", maxAdded: "0", maxRemoved: "0" };
  for (const { name } of built.slice(1)) {
    const found = await diff({ dist, old: built[0]?.name ?? "", new: name, gates: none });
    expect(found).toMatchObject({ added: 0, removed: 0, changed: 0, unchanged: 25, exceeded: [] });
    found.close();
  }
});
