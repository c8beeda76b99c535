/** Publishing a release with views: their pages come before what lists them, and those of a value that vanished are removed. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TARGET_LOCK } from "../../src/core/release/layout.js";
import { build, publish, verify } from "../../src/index.js";
import { readTree, scratch } from "../support/files.js";
import { PLACES, type Place, places, writePlaces } from "../support/places.js";
import { published } from "./releases.js";

const BASE_URL = "https://data.example.com";

test("a folder has all pages of views, and those of a value that vanished are removed and purged", async () => {
  const folder = scratch();
  const [dist, target, purgeList] = ["dist", "site", "purge.txt"].map((name) => join(folder, name));
  const publishRows = async (rows: readonly Place[]) => {
    const db = writePlaces(join(folder, "places.sqlite"), rows);
    const options = { db, table: "places", contract: PLACES, baseUrl: BASE_URL, dist: dist ?? "", pageSize: 10 };
    const made = await build({ ...options, workers: 0, views: ["tag", "-height"] });
    const paths: string[] = [];
    const onStep = (_kind: string, path: string) => void paths.push(path);
    await publish({ dist, target: target ?? "", dryRun: true }, { onStep });
    await publish({ dist, target: target ?? "", purgeList });
    expect(published(target ?? "")).toEqual(readTree(made.folder));
    return paths;
  };
  const first = await publishRows(places(40, ["de", "fr"]));
  const lists = first.findIndex((path) => /^views\/[^/]+$|^views\.json$/.test(path));
  expect(first.findLastIndex((path) => /^views\/.+\/pages\//.test(path))).toBeLessThan(lists);
  expect(first.indexOf("views.json")).toBeLessThan(first.indexOf("SHA256SUMS"));
  const second = await publishRows(places(40, ["de", "it"]));
  expect(second).toEqual(expect.arrayContaining(["views/tag/fr/pages/1.json", "views/tag/it/pages/1.json"]));
  const purged = readFileSync(purgeList ?? "", "utf8").split("\n");
  for (const url of ["fr/", "fr/?format=api&page=2", "fr/pages/2.json", "it/"])
    expect(purged).toContain(`${BASE_URL}/views/tag/${url}`);
  expect(await verify({ what: target })).toMatchObject({ passed: true });
});

test("values that differ only by case are refused if the target's file system ignores case", async () => {
  const folder = scratch();
  const db = writePlaces(join(folder, "places.sqlite"), places(40, ["de", "DE", "fr"]));
  const options = { db, table: "places", contract: PLACES, baseUrl: BASE_URL, pageSize: 10, workers: 0 };
  const [dist, target] = [join(folder, "dist"), join(folder, "site")];
  await build({ ...options, dist, views: ["kind", "tag"] });
  mkdirSync(target);
  // Finds the lock by another name, as a file system that ignores case does.
  symlinkSync(TARGET_LOCK, join(target, TARGET_LOCK.toUpperCase()));
  await expect(publish({ dist, target })).rejects.toMatchObject({
    exitCode: 1,
    message: `views.tag has the values DE and de, which differ only by case, and the file system of ${target} ignores case. Publish to one that does not, or make the values alike.`,
  });
  expect(readdirSync(target)).toEqual([TARGET_LOCK.toUpperCase()]);
  const site = join(folder, "dist-of-site");
  const { path: _, ...listing } = PLACES["x-listing"];
  const listings = { places: { table: "places", contract: { ...PLACES, "x-listing": listing }, views: ["tag"] } };
  await build({ db, baseUrl: BASE_URL, dist: site, listings, workers: 0 });
  await expect(publish({ dist: site, target })).rejects.toThrow(
    /^listings\.places\.views\.tag has the values DE and de/,
  );
  await build({ ...options, dist, views: ["kind"] });
  expect(await publish({ dist, target })).toMatchObject({ before: null });
});
