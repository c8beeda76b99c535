/** Files of hosts in releases, and listings at every path. */
import { describe, expect, test } from "vitest";
import { TAKEN_NAMES } from "../../src/core/contract/listing-names.js";
import { RELEASE_NAME } from "../../src/core/release/layout.js";
import { FILES_IN_RELEASE, HOSTS } from "../../src/host/hosts.js";
import { adapt } from "../../src/index.js";
import { publish } from "../serve/release.js";
import { scratch } from "../support/files.js";
import { stationsAt } from "../support/stations.js";
import { filesFor } from "./servers.js";

test("no listing can have the path of a host's file", () => {
  const names = [...FILES_IN_RELEASE, RELEASE_NAME];
  expect(names.filter((name) => !TAKEN_NAMES.includes(name))).toEqual([]);
});

test.each(HOSTS)("$name: its files take a listing at its base URL itself, and are of no release", async ({ name }) => {
  const texts = async (shape: { bio: string; count: number }) => {
    const dist = scratch();
    await publish(dist, { contract: stationsAt("/"), links: "path", ...shape });
    const { files } = await adapt({ name: name, dist, root: "/srv/dist" });
    return files.map(({ text }) => text);
  };
  const first = await texts({ bio: "first", count: 5 });
  // CloudFront's function cannot find out how many pages there are.
  if (name !== "cloudfront") expect(await texts({ bio: "second", count: 9 })).toEqual(first);
});

describe.each(["nginx", "apache", "caddy"])("%s", (name) => {
  test("names a folder with blanks", async () => {
    const files = await filesFor(name, await publish(scratch()), { dist: "/srv/my site (1)" });
    expect([...files.values()].join("")).toContain("/srv/my site (1)/");
  });

  test.each(['"', "'", "`", "\\", "$", "%", "{", "}", "[", "*", "?", "\n"])(
    "refuses %j in the path of dist",
    async (odd) => {
      const dist = `/srv/a${odd}b`;
      await expect(filesFor(name, await publish(scratch()), { dist })).rejects.toThrow(
        `The host's configuration cannot hold ${JSON.stringify(odd)}, as in ${JSON.stringify(dist)}.`,
      );
    },
  );
});

test("--adapt allows no host a 304 for another ETag, or other bytes", () => {
  const allowed = HOSTS.flatMap(({ unmetChecks = {} }) => Object.keys(unmetChecks));
  for (const check of ["modified", "same-bytes", "files", "one-snapshot"]) expect(allowed).not.toContain(check);
});
