/** Hosts answer for pages of views as Rollcall's own server does, by the rules that they have for any release. */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { fetchReply } from "../support/front.js";
import { isMissing } from "../support/installed.js";
import { PLACE_VIEWS, PLACES, places, writePlaces } from "../support/places.js";
import { freePort } from "../support/ports.js";
import { answerOf } from "./cloudfront.js";
import { COMMON_SERVERS, filesFor, serveWith } from "./servers.js";

const TAGS = ["de", "DE", "pages", "a b", "v1.2", null];

async function built(base: string, port: number) {
  const folder = scratch();
  // Apache runs as another user.
  chmodSync(folder, 0o755);
  const db = writePlaces(join(folder, "places.sqlite"), places(240, TAGS));
  const baseUrl = `http://127.0.0.1:${port}${base}`;
  const options = { db, table: "places", contract: PLACES, baseUrl, dist: join(folder, "dist"), pageSize: 10 };
  return build({ ...options, workers: 0, views: PLACE_VIEWS, compress: ["gzip"] });
}

/** Targets below the base URL, and the file of the release that answers; undefined for 404. */
const TARGETS: readonly (readonly [target: string, path: string | undefined])[] = [
  ["views/tag/de/", "views/tag/de/pages/1.json"],
  ["views/tag/DE/?page=2", "views/tag/DE/pages/2.json"],
  ["views/tag/DE/?format=api&page=4", "views/tag/DE/pages/4.json"],
  ["views/tag/DE/pages/2.json", "views/tag/DE/pages/2.json"],
  ["views/tag/pages/", "views/tag/pages/pages/1.json"],
  ["views/tag/pages/pages/3.json", "views/tag/pages/pages/3.json"],
  ["views/tag/a~20b/?page=1", "views/tag/a~20b/pages/1.json"],
  ["views/tag/v1.2/?page=", "views/tag/v1.2/pages/1.json"],
  ["views/tag/~null/", "views/tag/~null/pages/1.json"],
  ["views/kind-highest/lake/", "views/kind-highest/lake/pages/1.json"],
  ["views/-height/?page=24", "views/-height/pages/24.json"],
  ["views/-height/pages/3.json", "views/-height/pages/3.json"],
  ["places/?page=2", "places/pages/2.json"],
  ["views.json", "views.json"],
  ["views/tag.json", "views/tag.json"],
  ["views/tag.sha256", "views/tag.sha256"],
  ["views/tag/DE/?page=5", undefined],
  ["views/tag/DE/?page=0", undefined],
  ["views/tag/fr/", undefined],
  ["views/nothing/", undefined],
  ["views/tag/", undefined],
];

test.for(COMMON_SERVERS.filter(({ links }) => links !== "path"))("$name", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  const [folder, port] = [scratch(), await freePort()];
  const base = "/data";
  const { folder: release } = await built(base, port);
  await serveWith(server, { release, folder, port });
  for (const [target, path] of TARGETS) {
    const url = `${base}/${target}`;
    const { status, body, headers } = await fetchReply(`${port}`, { method: "GET", url, headers: {} });
    const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    expect([target, status]).toEqual([target, path === undefined ? 404 : 200]);
    const isView = /^views\/.*\/|\?/.test(target);
    if (path === undefined) expect(JSON.parse(String(body)).detail).toMatch(/^(?:Invalid page|Not found)\.$/);
    else {
      expect(String(body), target).toBe(readFileSync(join(release, path), "utf8"));
      const type = target.endsWith(".sha256") ? "text/plain; charset=utf-8" : "application/json";
      expect([target, header("content-type")]).toEqual([target, type]);
      expect([target, header("cache-control")]).toEqual([target, isView ? "public, max-age=60" : "no-cache"]);
    }
  }
});

test("the CloudFront function leads to files of the bucket", async () => {
  const { folder } = await built("", 80);
  const text = (await filesFor("cloudfront", folder)).get("rollcall-function.js") ?? "";
  for (const [target, path] of TARGETS) {
    const [uri = "", query = ""] = `/${target}`.split("?");
    const { uri: found, statusCode } = answerOf(text, "GET", uri, query);
    if (path !== undefined) expect([target, found]).toEqual([target, `/${path}`]);
    // The bucket answers for values and pages that do not exist.
    else expect(found === undefined ? statusCode : 404).toBe(404);
  }
});
