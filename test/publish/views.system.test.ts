/** Views in a bucket, after `use`, and after `forget`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { type BuildResult, build, publish, verify } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { readTree, scratch } from "../support/files.js";
import { PLACES, places, writePlaces } from "../support/places.js";
import { age } from "./forgetting.js";
import { BUCKET, STORE_ENV, startStore } from "./store.js";

const BASE_URL = "https://data.example.com";

let folder: string;
let dist: string;
beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
});

/** Builds places whose tags are these. */
function buildTags(...tags: string[]): Promise<BuildResult> {
  const db = writePlaces(join(folder, "places.sqlite"), places(40, tags));
  const options = { db, table: "places", contract: PLACES, baseUrl: BASE_URL, dist, pageSize: 10, workers: 0 };
  return build({ ...options, views: ["tag", "-height"] });
}

const urlsOf = (text: string) => text.split("\n").filter(Boolean);

test("a bucket loses the pages of a value that vanished, and they are purged", async () => {
  const store = await startStore();
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  try {
    const purgeList = join(folder, "purge.txt");
    const publishTags = async (...tags: string[]) => {
      const made = await buildTags(...tags);
      await publish({ dist, target: `s3://${BUCKET}/dir`, endpoint: store.endpoint, purgeList });
      const keys = (await store.keys()).filter((key) => !key.includes("/.rollcall-")).map((key) => key.slice(4));
      expect(keys.sort()).toEqual([...readTree(made.folder).keys()].sort());
      return made;
    };
    await publishTags("de", "fr");
    const { folder: release } = await publishTags("de", "it");
    const page = "views/tag/it/pages/2.json";
    expect((await store.read(`dir/${page}`))?.text).toBe(readFileSync(join(release, page), "utf8"));
    expect(await store.read("dir/views/tag/fr/pages/1.json")).toBeUndefined();
    const purged = urlsOf(readFileSync(purgeList, "utf8"));
    for (const url of ["fr/", "fr/?format=api&page=2", "fr/pages/2.json", "it/"])
      expect(purged).toContain(`${BASE_URL}/views/tag/${url}`);
  } finally {
    vi.unstubAllEnvs();
  }
});

test("use makes the views of another release current, and forget names the URLs that only an old one had", async () => {
  const old = await buildTags("de", "fr");
  const next = await buildTags("de", "it");
  expect(await rollcall(`use ${old.id}`, fakeIo(folder))).toMatchObject({ code: 0 });
  expect(readTree(join(dist, "current"))).toEqual(readTree(old.folder));
  expect(await verify({ what: dist })).toMatchObject({ passed: true });
  expect(await rollcall(`use ${next.id}`, fakeIo(folder))).toMatchObject({ code: 0 });
  age(old.folder);
  const { code, stdout } = await rollcall(`forget ${old.id}`, fakeIo(folder));
  expect(code).toBe(0);
  const urls = urlsOf(stdout);
  for (const url of ["fr/", "fr/?format=api&page=2", "fr/pages/2.json"])
    expect(urls).toContain(`${BASE_URL}/views/tag/${url}`);
  // The pages of `de` are the same in both.
  expect(urls.filter((url) => url.includes("/views/tag/de/"))).toEqual([]);
  expect(readdirSync(join(dist, "releases"))).toEqual([next.name]);
  expect(await verify({ what: dist })).toMatchObject({ passed: true });
});
