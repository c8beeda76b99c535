/** A target whose listing moves to another path: new pages come first, and the old ones go last. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Contract } from "../../src/contract/contract.js";
import { type PublishOptions, publish } from "../../src/index.js";
import { switchTo, writeRelease } from "../server/release.js";
import { readTree, scratch } from "../support/files.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";
import { published } from "./releases.js";

let dist: string;
let site: string;

beforeEach(() => {
  dist = scratch();
  site = join(scratch(), "site");
});

/** A current release of five records on three pages: of users unless there is a contract. */
async function release(contract?: Contract): Promise<string> {
  const folder = await writeRelease(dist, { encodings: ["gzip"], ...(contract && { contract }) });
  await switchTo(dist, folder);
  return folder;
}

const publishSite = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist, target: site, ...options }, effects);
const owned = () => JSON.parse(readFileSync(join(site, ".rollcall-published.json"), "utf8"));

test("a run that ends at any moment leaves all pages of what snapshot.json says, and the next one completes it", async () => {
  const users = await release();
  const stations = await release(STATIONS_CONTRACT);
  const [before, after] = [readTree(users), readTree(stations)];
  const pagesOf = (tree: ReadonlyMap<string, string>) => [...tree].filter(([path]) => path.includes("/pages/"));
  const idOf = (tree: ReadonlyMap<string, string>) => JSON.parse(tree.get("snapshot.json") ?? "{}").id;
  let ended = 0;
  for (let last = 1; ; last++) {
    await publishSite({ release: idOf(before), force: true });
    expect(published(site)).toEqual(before);
    const stop = new AbortController();
    const onProgress = ({ files }: { files: number }) => files >= last && stop.abort();
    const run = publishSite({ release: idOf(after) }, { onProgress, signal: stop.signal });
    if (
      await run.then(
        () => true,
        () => false,
      )
    )
      break;
    ended++;
    const found = readTree(site);
    const said = [before, after].find((tree) => tree.get("snapshot.json") === found.get("snapshot.json"));
    expect(said).toBeDefined();
    for (const [path, text] of pagesOf(said ?? new Map())) expect(found.get(path), `${path} after ${last}`).toBe(text);
    await publishSite({ release: idOf(after) });
    expect(published(site)).toEqual(after);
    expect(existsSync(join(site, "api"))).toBe(false);
    expect(owned()).not.toHaveProperty("former");
  }
  expect(ended).toBeGreaterThan(8);
});

test("a third path after a run that was cut short leaves nothing of either", async () => {
  await release();
  await publishSite();
  await release(STATIONS_CONTRACT);
  const stop = new AbortController();
  const onProgress = ({ files }: { files: number }) => files >= 4 && stop.abort();
  await expect(publishSite({}, { onProgress, signal: stop.signal })).rejects.toThrow();
  expect(owned()).toMatchObject({
    complete: false,
    path: "/v1/stations/",
    former: [{ path: "/api/users/", pages: 3 }],
  });
  const third = await release(stationsAt("/v2/stations/"));
  await publishSite();
  expect(published(site)).toEqual(readTree(third));
  expect([existsSync(join(site, "api")), existsSync(join(site, "v1"))]).toEqual([false, false]);
});

test.each(["/../up/", "/a/../../up/", "//host/", "/a//b/", "/.git/", "/a", "a/", "/.rollcall-x/"])(
  "a target's own list with the path %s is refused",
  async (path) => {
    await release(STATIONS_CONTRACT);
    await publishSite();
    const file = join(site, ".rollcall-published.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("/v1/stations/", path));
    await expect(publishSite()).rejects.toThrow("is not of the form that Rollcall writes");
  },
);
