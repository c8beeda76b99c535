/** Hosts that serve only by path give pages and files of any listing the headers that each can set. */
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publish } from "../server/release.js";
import { EXPLORED } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { stationsAt } from "../support/stations.js";
import { BY_PATH, filesFor, serveWith } from "./servers.js";

const BASE = "/people/directory";
const SHAPE = { links: "path", contract: stationsAt("/~v1.0-b/"), others: EXPLORED } as const;
const PAGE = "~v1.0-b/pages/2.json";

const CACHED = { "content-type": "application/json", "cache-control": "public, max-age=60" };
const UNCACHED = { "content-type": "application/json", "cache-control": "no-cache" };

const PAGE_FOR_PEOPLE = {
  ...{ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
  ...{ "content-security-policy": "frame-ancestors 'none'", "x-robots-tag": "noindex" },
};

const firebase = BY_PATH.find(({ name }) => name === "firebase");
assert(firebase);

test.skipIf(isMissing(...firebase.needs))("Firebase, in its own server", async () => {
  const [folder, port] = [scratch(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}${BASE}`;
  const release = await publish(join(folder, "dist"), { ...SHAPE, baseUrl });
  await serveWith(firebase, { release, folder, port });
  for (const [path, headers] of [
    [PAGE, CACHED],
    ["contract.json", CACHED],
    ["snapshot.json", UNCACHED],
    ["lookup/index.json", CACHED],
    ["lookup/words/12.txt", { ...CACHED, "content-type": "text/plain; charset=utf-8" }],
    ["explorer/facets/1.txt", { ...CACHED, "content-type": "text/plain; charset=utf-8" }],
    ["explorer/summary.json", UNCACHED],
    ["", PAGE_FOR_PEOPLE],
    ["index.html", PAGE_FOR_PEOPLE],
  ] as const) {
    const answer = await fetch(`${baseUrl}/${path}`);
    const file = path === "" ? "index.html" : path;
    expect([answer.status, await answer.text()]).toEqual([200, readFileSync(join(release, file), "utf8")]);
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
  }
});

test("Azure's routes name the pages and files below the base URL's path", async () => {
  const release = await publish(scratch(), { ...SHAPE, baseUrl: `https://example.com${BASE}` });
  const text = (await filesFor("azure-static-web-apps", release)).get("staticwebapp.config.json") ?? "";
  const { routes }: { routes: { route: string; headers: Record<string, string> }[] } = JSON.parse(text);
  const json = { "Content-Type": "application/json", "Cache-Control": "public, max-age=60" };
  expect(routes).toContainEqual({ route: `${BASE}/~v1.0-b/pages/*`, headers: json });
  expect(routes).toContainEqual({ route: `${BASE}/contract.json`, headers: json });
  const lines = { ...json, "Content-Type": "text/plain; charset=utf-8" };
  expect(routes).toContainEqual({ route: `${BASE}/lookup/words/*`, headers: lines });
  const pages = routes.filter(({ headers }) => headers["X-Robots-Tag"] === "noindex").map(({ route }) => route);
  expect(pages.sort()).toEqual([`${BASE}/`, `${BASE}/index.html`]);
});
