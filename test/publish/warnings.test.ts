/** What publish warns of: links that lead to private addresses, and limits of hosts. */
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSiteRelease } from "../../src/core/release/site.js";
import { isPrivate, warningsOf } from "../../src/publish/warnings.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { publish as release, type Shape } from "../serve/release.js";
import { scratch } from "../support/files.js";
import { buildUsers } from "./releases.js";

test.each([
  "127.0.0.1",
  "[::1]:8080",
  "localhost:8080",
  "stations.localhost",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "169.254.1.1",
  "[fc00::1]",
  "[fe80::1]",
  "[::ffff:10.0.0.1]",
  "0x7f.1",
])("%s is a private address", (host) => {
  expect(isPrivate(`http://${host}/x`)).toBe(true);
});

test.each([
  "directory.example.com",
  "localhost.example.com",
  "10.example.com",
  "11.0.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "[::2]",
  "[fbff::1]",
  "[fe00::1]",
  "[fec0::1]",
  "[::ffff:1.1.1.1]",
])("%s is not", (host) => {
  expect(isPrivate(`http://${host}/x`)).toBe(false);
});

test("a text that is not a URL is not private", () => {
  expect(isPrivate("no URL")).toBe(false);
});

test("links to a private address are a warning, and the release is published", async () => {
  const cwd = scratch();
  await buildUsers(cwd, 5, { baseUrl: "http://192.168.1.7:8080/x" });
  const { code, stderr } = await rollcall("publish site", fakeIo(cwd));
  expect(code).toBe(0);
  expect(stderr).toContain(
    "\nwarn      links lead to http://192.168.1.7:8080/x, which other networks cannot reach; build with a public --base-url\n",
  );
  expect(JSON.parse((await rollcall("publish site --json", fakeIo(cwd))).stdout).warnings).toHaveLength(1);
});

async function warned(shape: Shape, target: { target: string; endpoint?: string }) {
  const dist = scratch();
  const folder = await release(dist, shape);
  truncateSync(join(folder, "records.sha256"), 6_000_000_000);
  return warningsOf(await openSiteRelease(folder), { dist, ...target });
}

test("limits are those of the hosts that a release was built for, and of S3 for a bucket", async () => {
  const pages = { others: { ".nojekyll": "" } };
  expect(await warned({}, { target: "site" }), "an unknown host").toEqual([]);
  expect(await warned(pages, { target: "site" })).toEqual([
    expect.stringMatching(
      /^release [0-9a-f]{12} has a file of 6 GB, records\.sha256, and GitHub Pages allows 104\.9 MB; 6 GB in all, and GitHub Pages allows 1 GB \(docs\.github\.com\/.*\); try another --page-size/,
    ),
  ]);
  const bucket = "s3://bucket/dir";
  expect(await warned({}, { target: bucket })).toEqual([
    expect.stringContaining("has a file of 6 GB, records.sha256, and S3 website allows 5 GB"),
  ]);
  expect(await warned({}, { target: bucket, endpoint: "https://s3.example.com" })).toEqual([]);
});
