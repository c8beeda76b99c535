/** `rollcall verify URL` of a host with views: what a host can get wrong about their pages. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRelease } from "../../src/core/release/open.js";
import { build } from "../../src/index.js";
import { verifyHost } from "../../src/verify/url/listing.js";
import { type Front, frontOf } from "../support/front.js";
import { PLACE_VIEWS, PLACES, places, writePlaces } from "../support/places.js";

let host: Front;
let release: string;
beforeAll(async () => {
  const publishAt = async (dist: string, baseUrl: string) => {
    const db = writePlaces(`${dist}/places.sqlite`, places(230));
    const options = { db, table: "places", contract: PLACES, baseUrl, pageSize: 10, workers: 0, views: PLACE_VIEWS };
    release = (await build({ ...options, dist, compress: ["gzip"] })).folder;
  };
  host = await frontOf(publishAt, "/towns", afterAll);
});

/** Verifies the host. @returns the checks that differ, each with the paths of its findings. */
async function differing(sample?: number): Promise<Record<string, string[]>> {
  const against = await openRelease(release);
  const shared = { cacheControl: undefined, workers: 0, concurrency: 4 };
  const { verdict } = await verifyHost({ ...shared, baseUrl: host.baseUrl, sample, against });
  const wrong = verdict.rows.filter(({ outcome }) => outcome === "differs");
  return Object.fromEntries(
    wrong.map(({ name, findings }) => [name, findings.map(({ url = "" }) => url.replace(host.baseUrl, ""))]),
  );
}

const DE = "/towns/views/tag/de/";

test("requests each page of each view in both forms, or a sample of each", async () => {
  host.reset();
  expect(await differing()).toEqual({});
  expect(host.asked).toEqual(expect.arrayContaining([`GET ${DE}?format=api&page=1`, `GET ${DE}pages/1.json`]));
  const all = host.asked.filter((line) => line.includes("/views/"));
  host.reset();
  expect(await differing(2)).toEqual({});
  const some = host.asked.filter((line) => line.includes("/views/"));
  expect(some.length).toBeGreaterThan(0);
  expect(some.length).toBeLessThan(all.length);
});

test.each<[what: string, target: string, other: string | undefined, check: string]>([
  ["is the page of another value", `${DE}?format=api&page=1`, "/towns/views/open/true/pages/1.json", "files"],
  ["is another page of its value", "/towns/views/-height/pages/2.json", "/towns/views/-height/pages/1.json", "files"],
  ["is not found", `${DE}pages/1.json`, undefined, "files"],
])("finds a page of a view that %s", async (_, target, other, check) => {
  host.reset();
  const body =
    other === undefined ? undefined : Buffer.from(await (await fetch(new URL(other, host.baseUrl))).arrayBuffer());
  host.edit((req, reply) => {
    if (req.url !== target || req.method !== "GET") return undefined;
    return body === undefined ? { ...reply, status: 404 } : { ...reply, body };
  });
  const found = await differing();
  expect(found[check]).toEqual([target.replace("/towns", "")]);
});

test("finds a compressed page of a view that is another page, or that has a weak ETag", async () => {
  host.reset();
  const other = Buffer.from(await (await fetch(`${host.baseUrl}/views/tag/DE/pages/1.json`)).arrayBuffer());
  host.edit((req, reply) => {
    if (req.headers["accept-encoding"] !== "gzip" || req.method !== "GET") return undefined;
    if (req.url === `${DE}?format=api&page=1`) return { ...reply, body: gzipSync(other) };
    if (req.url !== "/towns/views/-height/pages/2.json") return undefined;
    const weak = reply.headers.map(([name, value]): [string, string] => [name, name === "ETag" ? `W/${value}` : value]);
    return { ...reply, headers: weak };
  });
  const found = await differing();
  expect(found["gzip"]).toEqual([`${DE.replace("/towns", "")}?format=api&page=1`]);
  expect(found["gzip-tag"]).toEqual(["/views/-height/pages/2.json"]);
});

/** Verifies the host by its own release. */
async function byItself() {
  const { verdict } = await verifyHost({ cacheControl: undefined, workers: 0, concurrency: 4, baseUrl: host.baseUrl });
  const wrong = verdict.rows.filter(({ outcome }) => outcome === "differs");
  const paths = wrong.map(({ name, findings }) => [
    name,
    [...new Set(findings.map(({ url, path = "" }) => url?.replace(host.baseUrl, "") ?? path))],
  ]);
  return { rows: verdict.rows, paths: Object.fromEntries(paths) };
}

test("without a release, reads the host's own lists of values and digests, and checks all records of views", async () => {
  host.reset();
  const { rows, paths } = await byItself();
  expect(paths).toEqual({});
  expect(rows.find(({ name }) => name === "views")).toMatchObject({ outcome: "passed", request: "7 views" });
  expect(host.asked).toEqual(expect.arrayContaining([`GET ${DE}?format=api&page=1`, `GET ${DE}pages/1.json`]));
});

test("without a release, finds a page of another value, and a page that is not there", async () => {
  host.reset();
  const other = await (await fetch(`${host.baseUrl}/views/tag/DE/pages/1.json`)).text();
  host.edit((req, reply) => {
    const target = req.url ?? "";
    if (target.startsWith(`${DE}?`)) return { ...reply, body: Buffer.from(other) };
    return target === "/towns/views/-height/pages/2.json" ? { ...reply, status: 404 } : undefined;
  });
  const { rows, paths } = await byItself();
  expect(paths["files"]).toEqual(["/views/tag/de/?format=api&page=1", "/views/-height/pages/2.json"].sort());
  expect(paths["download"]).toEqual(["/views/tag/de/?format=api&page=1"]);
  expect(rows.find(({ name }) => name === "views")).toMatchObject({ outcome: "skipped" });
});

test("without a release, finds a list of values that was forged, and digests of another release", async () => {
  for (const file of ["/views/tag.json", "/views/tag.sha256"]) {
    host.reset();
    host.edit((req, reply) => {
      const isFile = req.url?.split("?")[0] === `/towns${file}`;
      return isFile ? { ...reply, body: Buffer.from(String(reply.body).replace(/DE/, "DF")) } : undefined;
    });
    const { paths } = await byItself();
    expect([file, paths["files"]]).toEqual([file, [file]]);
    expect([file, paths["download"]?.[0]]).toEqual([file, expect.stringContaining(file)]);
  }
});
