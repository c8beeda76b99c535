/** Hosts' files in releases depend on the listing's path, and the administrator's files do not. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapt } from "../../src/hosts/adapt.js";
import { HOSTS } from "../../src/hosts/hosts.js";
import { findDiffering, includedFiles, publishedFiles } from "../../src/hosts/release-files.js";
import { CURRENT, PagePaths } from "../../src/release/layout.js";
import { openRelease } from "../../src/release/open.js";
import { sha256 } from "../../src/release/plain-files.js";
import { build } from "../../src/snapshot/build.js";
import { publish } from "../server/release.js";
import { EXPLORED } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { STATIONS_CONTRACT, stationsAt, writeStations } from "../support/stations.js";
import { filesFor } from "./servers.js";

const INCLUDING = HOSTS.filter(({ included }) => included);

test("some hosts include files of releases", () => {
  expect(INCLUDING.map(({ name }) => name)).toEqual(["nginx", "apache", "caddy"]);
});

test.each(INCLUDING)(
  "$name: the site's file does not know the listing's path, which the included ones do",
  async ({ name }) => {
    const files = await filesFor(name, await publish(scratch(), { contract: STATIONS_CONTRACT }));
    const holding = [...files].filter(([, text]) => /v1\W+stations/.test(text)).map(([path]) => path);
    expect(holding.length).toBeGreaterThan(0);
    for (const path of holding) expect(path.split("/")[0]).toBe(CURRENT);
  },
);

test.each(INCLUDING)("$name: the site's file is the same for a release with an explorer", async ({ name }) => {
  const own = async (others: Record<string, string>) => {
    const files = await filesFor(name, await publish(scratch(), { others }));
    return [...files].filter(([path]) => !path.startsWith(`${CURRENT}/`));
  };
  const plain = await own({});
  // It names the folder that a test's release lies in.
  const strip = (files: [string, string][]) =>
    files.map(([path, text]) => [path, text.replace(/rollcall_\w+/g, "KEY")]);
  expect(plain.length).toBeGreaterThan(0);
  expect(strip(await own(EXPLORED))).toEqual(strip(plain));
});

test.each(INCLUDING)("$name: detects files for another path", async ({ name }) => {
  const release = await openRelease(await publish(scratch(), { contract: STATIONS_CONTRACT }));
  const own = includedFiles({ adapt: [name] }, release);
  const elsewhere = { ...release, sums: { ...release.sums, paths: new PagePaths("/v2/stations/") } };
  const held = { sums: { ...release.sums, others: new Map(own.map(({ path, text }) => [path, sha256(text)])) } };
  expect(findDiffering(held, own)).toBeUndefined();
  expect(findDiffering(held, includedFiles({ adapt: [name] }, elsewhere))).toBeDefined();
});

test("refuses a listing at the path of a host's file", () => {
  const built = { encodings: [], carriesAvatar: false, lookup: false, explorer: false };
  const options = { ...built, baseUrl: "https://example.com", adapt: ["htaccess"] };
  const paths = (path: string) => publishedFiles({ ...options, contract: stationsAt(path) }).map((file) => file.path);
  expect(paths("/v1/405.json/")).toEqual([".htaccess", "405.json"]);
  expect(() => paths("/405.json/stations/")).toThrow(
    "The listing's path /405.json/stations/ begins with 405.json, which is a file of the host in the release. Change x-listing.path of the contract.",
  );
});

describe("a listing at its base URL itself", () => {
  const BY_PATH = "github-pages, gitlab-pages, s3-website, firebase, azure-static-web-apps, gcs";
  const [mapping, byPath] = [HOSTS.filter(({ query }) => query !== "no"), HOSTS.filter(({ query }) => query === "no")];
  const own = { contract: stationsAt("/"), links: "path" } as const;

  test.each(mapping)("is refused for $name, by build and host", async ({ name, title }) => {
    const message = `Rollcall has no files for ${title} and a listing at its base URL itself (x-listing.path is /). Set x-listing.path to a path such as /stations/, use "rollcall serve", or build with --links path for one of ${BY_PATH}.`;
    const dist = scratch();
    await publish(dist, own);
    await expect(adapt(name, { dist })).rejects.toThrow(message);
    const db = writeStations(join(dist, "stations.sqlite"), []);
    const built = build({ db, baseUrl: "https://example.com", dist, contract: own.contract.file, adapt: [name] });
    await expect(built).rejects.toThrow(message);
  });

  test.each(byPath)("is taken by $name, which shows the explorer there", async ({ name }) => {
    const dist = scratch();
    await publish(dist, { ...own, others: EXPLORED });
    const { files } = await adapt(name, { dist });
    for (const { path, text } of files.filter(({ path }) => /firebase|staticwebapp/.test(path)))
      expect(text, path).toMatch(/"(?:source|route)": "\/",\n[\s\S]*?X-Robots-Tag/);
  });
});
