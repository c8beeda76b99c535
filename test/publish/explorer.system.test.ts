/** Sorted files and the page for people, published: nobody is given a page whose script or data is not there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type PublishOptions, publish, verify } from "../../src/index.js";
import { sha256 } from "../../src/release/plain-files.js";
import { publish as publishRelease, switchTo, writeRelease } from "../server/release.js";
import { readTree, scratch } from "../support/files.js";
import { buildUsers, published } from "./releases.js";

const LOOKUP = ["lookup/keys/1.txt", "lookup/words/1.txt", "lookup/words/2.txt", "lookup/index.json"];
const ASSETS = ["explorer/app.js", "explorer/style.css"];
const DATA = ["explorer/facets/1.txt", "explorer/summary.json"];
const PAGE = "index.html";
const BASE = "https://directory.example.com";

let folder: string;
let dist: string;
let site: string;

beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
  site = join(folder, "site");
});

const publishSite = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist, target: site, ...options }, effects);

/** Files of these names, whose bytes differ between two of them. */
const filesOf = (paths: readonly string[], text = "1") =>
  Object.fromEntries(paths.map((path) => [path, `${path} ${text}\n`]));

const WITH = (text = "1") => ({ bio: text, others: filesOf([...LOOKUP, ...ASSETS, ...DATA, PAGE], text) });

const read = (path: string) => (existsSync(join(site, path)) ? readFileSync(join(site, path)) : undefined);

/** Whether SHA256SUMS lists these very bytes. */
const isListed = (path: string) => `${read("SHA256SUMS")}`.includes(`${sha256(read(path) ?? "none")}  ${path}\n`);

/** Ends a run after each of its changes in turn, and tells what is there then; the next run completes it. */
async function interrupted(before: string, after: string, look: () => void): Promise<void> {
  for (let last = 1, isDone = false; !isDone; last++) {
    await switchTo(dist, before);
    await publishSite();
    await switchTo(dist, after);
    const onProgress = ({ files }: { files: number }) => {
      if (files >= last) throw new Error("The run ends here");
    };
    isDone = await publishSite({}, { onProgress }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe("The run ends here");
        return false;
      },
    );
    look();
    await publishSite();
    expect(published(site)).toEqual(readTree(after));
  }
}

test("a copy of a real release is one, page by page and word by word, and so is the next one in its place", async () => {
  for (const users of [25, 40]) {
    const release = await buildUsers(folder, users, { explorer: true });
    await publishSite();
    expect(published(site)).toEqual(readTree(release.folder));
    const { rows } = await verify({ what: site });
    expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
    for (const name of ["lookup", "explorer"])
      expect(rows.find((row) => row.name === name)).toMatchObject({ outcome: "passed" });
  }
});

test("wherever the first run with a page ends, that page has its script and its data, proved", async () => {
  const before = await writeRelease(dist, { bio: "0" });
  const after = await writeRelease(dist, WITH());
  const seen = new Set<boolean>();
  await interrupted(before, after, () => {
    const isThere = read(PAGE) !== undefined;
    seen.add(isThere);
    if (isThere) for (const path of [...LOOKUP, ...ASSETS, ...DATA, PAGE]) expect(isListed(path), path).toBe(true);
  });
  expect(seen).toEqual(new Set([false, true]));
});

test("wherever a run from one page to the next ends, no file is missing, and sorted files are those that are listed or seen not to be", async () => {
  const [before, after] = [await writeRelease(dist, WITH("1")), await writeRelease(dist, WITH("2"))];
  const idOf = (release: string) => JSON.parse(readFileSync(join(release, "snapshot.json"), "utf8")).id;
  const seen = new Set<string>();
  await interrupted(before, after, () => {
    for (const path of [...LOOKUP, ...ASSETS, ...DATA, PAGE]) expect(read(path), path).toBeDefined();
    const isNew = JSON.parse(`${read("snapshot.json")}`).id === idOf(after);
    if (isNew) for (const path of [...LOOKUP, ...ASSETS, ...DATA]) expect(isListed(path), path).toBe(true);
    seen.add(`${isNew ? "new" : "old"} snapshot, ${`${read(PAGE)}`.includes("2") ? "new" : "old"} page`);
  });
  expect(seen).toEqual(new Set(["old snapshot, old page", "new snapshot, old page", "new snapshot, new page"]));
});

test("where the page goes, it goes before what it is made of", async () => {
  const before = await writeRelease(dist, WITH());
  const after = await writeRelease(dist, { bio: "0" });
  const seen = new Set<boolean>();
  await interrupted(before, after, () => {
    const isThere = read(PAGE) !== undefined;
    seen.add(isThere);
    if (isThere) for (const path of [...LOOKUP, ...ASSETS, ...DATA]) expect(read(path), path).toBeDefined();
  });
  expect(seen).toEqual(new Set([true, false]));
  for (const gone of ["lookup", "explorer", PAGE]) expect(existsSync(join(site, gone))).toBe(false);
});

test("a purge list has the page by both of its names, sorted files, and what is gone", async () => {
  const purgeList = join(folder, "purge.txt");
  const listed = () =>
    readFileSync(purgeList, "utf8")
      .split("\n")
      .filter((url) => !url.includes("/api/"));
  const urls = (...paths: string[]) => paths.map((path) => `${BASE}/${path}`).sort();
  await publishRelease(dist, WITH());
  await publishSite({ purgeList });
  const own = [...LOOKUP, ...ASSETS, ...DATA, PAGE, ""];
  expect(listed().sort()).toEqual([
    "",
    ...urls(...own, "SHA256SUMS", "contract.json", "records.sha256", "snapshot.json"),
  ]);

  const other = WITH();
  await publishRelease(dist, { ...other, others: { ...other.others, "lookup/words/2.txt": "other\n" } });
  await publishSite({ purgeList });
  expect(listed().sort()).toEqual(["", ...urls("lookup/words/2.txt", "SHA256SUMS")]);

  await publishRelease(dist, { bio: "1" });
  await publishSite({ purgeList });
  expect(listed().sort()).toEqual(["", ...urls(...own, "SHA256SUMS")]);
});
