/** The CloudFront function in a bare VM. */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Contract } from "../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { openRelease, type Release } from "../../src/core/release/open.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { openSiteRelease } from "../../src/core/release/site.js";
import { FUNCTION_LIMIT } from "../../src/host/cloudfront.js";
import { build } from "../../src/index.js";
import { publish } from "../serve/release.js";
import { EXPLORED } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { SHOP, writeShop } from "../support/shop.js";
import { stationsAt } from "../support/stations.js";
import { answerOf } from "./cloudfront.js";
import { filesFor } from "./servers.js";

const BASE = "/people/directory";
const STATIONS = stationsAt("/~v1.0-b/");

/** The path of the step from a state to the next one. */
function step(at: number): string {
  const state = (number: number) => sha256(`${number}`).slice(0, 12);
  return `changes/${state(at)}-${state(at + 1)}.ndjson.gz`;
}

async function released(contract: Contract): Promise<Release> {
  const hidden = { "_worker.js": "", ".assetsignore": "", ".htaccess": "", "405.json": "", "vercel.json": "" };
  const steps = { [step(0)]: "gzip", [step(1)]: "gzip" };
  const files = { "avatar.svg": "<svg/>", "openapi.json": "{}", "bulk/1.ndjson.gz": "gzip" };
  const others = { ...files, ...steps, ...hidden, ...EXPLORED };
  return openRelease(await publish(scratch(), { baseUrl: `https://example.com${BASE}`, others, contract }));
}

type Question = [method: string, path: string, query: string, status: number, what: string];

/** Method, path and query -> status, and the file of the release or the detail of the error. */
function questions(path: string): Question[] {
  const [listing, page] = [BASE + path, (number: number) => `${path.slice(1)}pages/${number}.json`];
  return [
    ["GET", listing, "", 200, page(1)],
    ["GET", listing, "page=2", 200, page(2)],
    ["HEAD", listing, "format=api&page=3", 200, page(3)],
    ["GET", listing, "page=", 200, page(1)],
    ["GET", listing, "page=4", 404, "Invalid page."],
    ["GET", listing, "page=0", 404, "Invalid page."],
    ["GET", listing, "page=01", 404, "Invalid page."],
    ["GET", listing, "page=+1", 404, "Invalid page."],
    ["GET", listing, "page=%zz", 404, "Invalid page."],
    ["GET", listing, "page=../../../snapshot", 404, "Invalid page."],
    ["GET", `${listing}pages/2.json`, "", 200, page(2)],
    ["GET", `${listing}pages/9.json`, "", 404, "Invalid page."],
    ["GET", `${BASE}/avatar.svg`, "", 200, "avatar.svg"],
    ["GET", `${BASE}/snapshot.json`, "", 200, "snapshot.json"],
    ["GET", `${BASE}/bulk/1.ndjson.gz`, "", 200, "bulk/1.ndjson.gz"],
    ["GET", `${BASE}/bulk/1.ndjson`, "", 404, "Not found."],
    ["GET", `${BASE}/${step(1)}`, "", 200, step(1)],
    ["GET", `${BASE}/`, "", 200, "index.html"],
    ["HEAD", `${BASE}/`, "q=1", 200, "index.html"],
    ["GET", `${BASE}/index.html`, "", 200, "index.html"],
    ["GET", BASE, "a=1", 301, `${BASE}/?a=1`],
    ["GET", `${BASE}/explorer/app.js`, "", 200, "explorer/app.js"],
    ["GET", `${BASE}/explorer/facets/1.txt`, "", 200, "explorer/facets/1.txt"],
    ["GET", `${BASE}/lookup/words/12.txt`, "", 200, "lookup/words/12.txt"],
    ["GET", `${BASE}/lookup/keys/0.txt`, "", 404, "Not found."],
    ["GET", `${BASE}/lookup/keys/01.txt`, "", 404, "Not found."],
    ["GET", `${BASE}/lookup/keys/1.txt/`, "", 404, "Not found."],
    ["GET", `${BASE}/lookup/keys/`, "", 404, "Not found."],
    ["GET", `${BASE}/explorer/`, "", 404, "Not found."],
    ["GET", `${BASE}/${step(1)}x`, "", 404, "Not found."],
    ["GET", `${BASE}/records.sha256`, "", 404, "Not found."],
    ...[".release", "_worker.js", ".assetsignore", ".htaccess", "405.json", "vercel.json"].map(
      (name): Question => ["GET", `${BASE}/${name}`, "", 404, "Not found."],
    ),
    ["GET", `${BASE}/constructor`, "", 404, "Not found."],
    ["GET", path, "", 404, "Not found."],
    ["GET", listing.slice(0, -1), "page=2", 301, `${listing}?page=2`],
    ["OPTIONS", listing, "page=2", 204, ""],
    ["POST", listing, "page=2", 405, "Method not allowed."],
    ["DELETE", "/", "", 405, "Method not allowed."],
  ];
}

const ASKED: Question[] = [
  ...questions(STATIONS.listing.path),
  ["GET", `${BASE}/contract.json`, "", 200, "contract.json"],
  ["GET", `${BASE}${USERS_CONTRACT.listing.path}`, "page=1", 404, "Not found."],
];

const ALWAYS = {
  ...{ allow: "GET, HEAD, OPTIONS", vary: "Accept", "access-control-allow-origin": "*" },
  link: `<${BASE}/openapi.json>; rel="service-desc"`,
  "access-control-expose-headers": "ETag, Link, Snapshot-Id",
};

test("the CloudFront function is within its limit for the longest path", async () => {
  const { folder } = await released(stationsAt(`/${"a".repeat(198)}/`));
  const text = (await filesFor("cloudfront", folder)).get("rollcall-function.js") ?? "";
  expect(Buffer.byteLength(text)).toBeLessThan(FUNCTION_LIMIT - 1_000);
});

test("the CloudFront function", async () => {
  const release = await released(STATIONS);
  const text = (await filesFor("cloudfront", release.folder)).get("rollcall-function.js") ?? "";
  for (const [method, uri, query, status, what] of ASKED) {
    const reply = answerOf(text, method, uri, query);
    const request = `${method} ${uri}?${query}`;
    if (status === 200) {
      expect(reply, request).toMatchObject({ uri: `/${what}`, querystring: {}, method });
      continue;
    }
    const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, { value }]) => [name, value]));
    expect(reply.statusCode, request).toBe(status);
    expect(headers, request).toMatchObject({ ...ALWAYS, "snapshot-id": release.snapshot.id });
    if (status === 301) expect(headers["location"]).toBe(what);
    if (status >= 400) expect(JSON.parse(reply.body?.data ?? ""), request).toEqual({ detail: what });
    if (status >= 400) expect(headers["cache-control"], request).toBe("no-store");
  }
});

test("the CloudFront function of a site answers for each listing, with the listing's own id", async () => {
  const folder = scratch();
  const options = { db: writeShop(folder), dist: join(folder, "dist"), listings: SHOP, workers: 0 };
  const built = await build({ ...options, baseUrl: "https://example.com/shop" });
  const { id, listings } = await openSiteRelease(built.folder);
  const ids = new Map(listings.map(({ name, release }) => [name, release.snapshot.id]));
  const text = (await filesFor("cloudfront", built.folder)).get("rollcall-function.js") ?? "";
  const asked: [path: string, query: string, answer: object][] = [
    ["/shop/orders/", "page=2", { uri: "/orders/pages/2.json" }],
    ["/shop/orders/", "page=4", { statusCode: 404, id: ids.get("orders"), detail: "Invalid page." }],
    ["/shop/products/pages/4.json", "", { uri: "/products/pages/4.json" }],
    ["/shop/orders/bulk/1.ndjson.gz", "", { uri: "/orders/bulk/1.ndjson.gz" }],
    ["/shop/products/bulk.json", "", { statusCode: 404, id: ids.get("products"), detail: "Not found." }],
    ["/shop/categories/contract.json", "", { uri: "/categories/contract.json" }],
    ["/shop/orders", "a=1", { statusCode: 301, id: ids.get("orders"), location: "/shop/orders/?a=1" }],
    ["/shop", "", { statusCode: 301, id, location: "/shop/" }],
    ["/shop/snapshot.json", "", { uri: "/snapshot.json" }],
    ["/shop/", "page=1", { statusCode: 404, id, detail: "Not found." }],
    ["/shop/pages/1.json", "", { statusCode: 404, id, detail: "Not found." }],
    ["/shop/ordersx/", "", { statusCode: 404, id, detail: "Not found." }],
    ["/orders/", "", { statusCode: 404, id, detail: "Not found." }],
  ];
  for (const [path, query, answer] of asked) {
    const { uri, statusCode, headers, body } = answerOf(text, "GET", path, query);
    const { detail } = JSON.parse(body?.data ?? "{}");
    const found = { uri, statusCode, id: headers["snapshot-id"]?.value, location: headers["location"]?.value, detail };
    expect(found, `${path}?${query}`).toEqual({
      ...Object.fromEntries(Object.keys(found).map((key) => [key, undefined])),
      ...answer,
    });
  }
});

test("a site whose CloudFront function would be too large is refused", async () => {
  const folder = scratch();
  const { customers } = SHOP;
  const names = Array.from({ length: 12 }, (_, at) => [`customers-${at}`, { ...customers, table: "customers" }]);
  const options = { db: writeShop(folder), dist: join(folder, "dist"), workers: 0 };
  const built = await build({ ...options, baseUrl: "https://example.com", listings: Object.fromEntries(names) });
  await expect(filesFor("cloudfront", built.folder)).rejects.toThrow(
    /^The function for 12 listings has [\d,]+ bytes, and CloudFront allows 10,240\. Publish fewer listings in a site, or choose another host \("rollcall host" lists them\)\.$/,
  );
});
