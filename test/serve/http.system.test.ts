/** Each row of the tables of docs/reference/http.md, as literals: `verify` compares hosts with this server, so nothing else shows its faults. */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createListingServer, type Server } from "../../src/serve/serve.js";
import { stationsAt } from "../support/stations.js";
import { publish } from "./release.js";
import { ask, serving } from "./running.js";

const STEP = "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz";
const PART = "0123456789";
const CACHED = "public, max-age=60";
const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
const HTML_TYPE = "text/html; charset=utf-8";
const LISTING = "/people/api/users/";

/** The headers of every response but `snapshot-id`. */
const EVERY = {
  allow: "GET, HEAD, OPTIONS",
  vary: "Accept, Accept-Encoding",
  link: '</people/openapi.json>; rel="service-desc"',
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Link, Snapshot-Id",
  "x-content-type-options": "nosniff",
};

const OTHERS = {
  "avatar.svg": "<svg/>",
  "openapi.json": "{}",
  "bulk.json": '{"bulk":1}',
  "changes.json": '{"changes":1}',
  "bulk/1.ndjson.gz": PART,
  [STEP]: "step",
  "records.csv.gz": "csv",
  "records.parquet": "parquet",
  "datapackage.json": "{}",
  "feed.xml": "<feed/>",
  "lookup/index.json": '{"lookup":1}',
  "lookup/keys/1.txt": "key",
  "lookup/words/1.txt": "word",
  "explorer/facets/1.txt": "facet",
  "explorer/app.js": "//",
  "explorer/style.css": "a{}",
  "explorer/summary.json": '{"summary":1}',
  "index.html": "<!doctype html>",
};

let server: Server;
let port: number;
let id: string;

beforeAll(async () => {
  const dist = mkdtempSync(join(tmpdir(), "rollcall-test-"));
  await publish(dist, { baseUrl: "https://example.com/people", encodings: ["br", "gzip"], others: OTHERS });
  writeFileSync(join(dist, "current/SHA256SUMS.minisig"), "signature");
  server = await createListingServer({ dist });
  port = Number(new URL((await server.listen({ port: 0 })).url).port);
  id = realpathSync(join(dist, "current")).slice(-12);
  return async () => {
    await server.close();
    rmSync(dist, { recursive: true });
  };
});

const tagOf = (body: string | Buffer) => `"${createHash("sha256").update(body).digest("hex")}"`;

/** The status, the headers that the contract is about, and the body. */
async function answered(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await ask(port, path, { method, headers });
  const { date: _, connection: _connection, "keep-alive": _kept, ...own } = answer.headers;
  return { status: answer.status, headers: own as IncomingHttpHeaders, body: String(answer.body), bytes: answer.body };
}

const ofPage = { ...EVERY, "content-type": JSON_TYPE, "cache-control": CACHED };
const ofError = { ...EVERY, "content-type": JSON_TYPE, "cache-control": "no-store" };

describe("requests", () => {
  test.each<[path: string, page: number, headers?: Record<string, string>]>([
    [LISTING, 1],
    [`${LISTING}?page=`, 1],
    [`${LISTING}?page=1`, 1],
    [`${LISTING}?format=api&page=3`, 3],
    [`${LISTING}?format=csv&page=2&page_size=1&x=%00`, 2, { Accept: "text/html" }],
    [`${LISTING}pages/2.json`, 2],
    [`${LISTING}?page=2`, 2, { Range: "bytes=0-9" }],
    [`${LISTING}?page=2`, 2, { "If-None-Match": `"${"0".repeat(64)}"`, "If-Match": '"x"' }],
  ])("%s is page %i", async (path, page, headers) => {
    const { status, headers: own, body, bytes } = await answered(path, headers);
    expect(status).toBe(200);
    const length = `${bytes.length}`;
    expect(own).toEqual({ ...ofPage, "snapshot-id": id, etag: tagOf(bytes), "content-length": length });
    const { count, next, previous, results } = JSON.parse(body);
    const link = (to: number) => `https://example.com/people/api/users/?format=api&page=${to}`;
    expect({ count, next, previous, results: results.length }).toEqual({
      count: 5,
      next: page === 3 ? null : link(page + 1),
      previous: page === 1 ? null : link(page - 1),
      results: page === 3 ? 1 : 2,
    });
    const head = await answered(path, headers, "HEAD");
    expect({ ...head, bytes }).toEqual({ status, headers: own, body: "", bytes });
    for (const tag of [tagOf(bytes), `W/${tagOf(bytes)}`, `"x", ${tagOf(bytes)}`, "*"]) {
      const again = await answered(path, { ...headers, "If-None-Match": tag });
      expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: "" });
      expect(again.headers).toEqual({ ...ofPage, "snapshot-id": id, etag: tagOf(bytes) });
    }
  });

  test.each([
    ...["0", "01", "+1", "abc", "%", "%00", "1.0", "4", "999999999", "1000000000", "2&page=2", "&page="].map(
      (page) => [`${LISTING}?page=${page}`, '{"detail":"Invalid page."}'] as const,
    ),
    [`${LISTING}pages/4.json`, '{"detail":"Invalid page."}'] as const,
    ...[`${LISTING}nothing`, "/people/.release", "/people/records.sha256", "/api/users/", "/", "/people/explorer/"].map(
      (path) => [path, '{"detail":"Not found."}'] as const,
    ),
  ])("%s is 404 %s", async (path, body) => {
    const { bytes: _, ...answer } = await answered(path);
    const headers = { ...ofError, "snapshot-id": id, "content-length": `${body.length}` };
    expect(answer).toEqual({ status: 404, headers, body });
  });

  test.each([
    ["/people/api/users", "/people/api/users/"],
    ["/people/api/users?format=api&page=2", "/people/api/users/?format=api&page=2"],
    ["/people", "/people/"],
    ["/people?x=1", "/people/?x=1"],
  ])("%s is 301 to %s, whatever Host says", async (path, location) => {
    const headers = { ...EVERY, "snapshot-id": id, "cache-control": CACHED, location, "content-length": "0" };
    for (const Host of ["example.com", "evil.example"])
      expect(await answered(path, { Host })).toMatchObject({ status: 301, headers, body: "" });
    expect(Object.keys((await answered(path)).headers).sort()).toEqual(Object.keys(headers).sort());
  });

  test("OPTIONS is 204", async () => {
    const { status, headers, body } = await answered(LISTING, {}, "OPTIONS");
    expect({ status, body }).toEqual({ status: 204, body: "" });
    expect(headers).toEqual({
      ...EVERY,
      "snapshot-id": id,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "*",
      "access-control-max-age": "86400",
    });
  });

  test.each([LISTING, "/people/snapshot.json", "/people/", "/nothing"])("POST %s is 405", async (path) => {
    const { status, headers, body } = await answered(path, {}, "POST");
    expect({ status, body }).toEqual({ status: 405, body: '{"detail":"Method not allowed."}' });
    expect(headers).toEqual({ ...ofError, "snapshot-id": id, "content-length": "32" });
  });
});

describe("headers", () => {
  test("each encoding has its own ETag, and says what it is", async () => {
    const tags = new Set<string | undefined>();
    for (const coding of ["br", "gzip"]) {
      const { headers, bytes } = await answered(LISTING, { "Accept-Encoding": coding });
      const own = { "content-encoding": coding, etag: tagOf(bytes), "content-length": `${bytes.length}` };
      expect(headers).toEqual({ ...ofPage, "snapshot-id": id, ...own });
      tags.add(headers.etag);
    }
    tags.add((await answered(LISTING, { "Accept-Encoding": "gzip;q=0, br;q=0" })).headers.etag);
    expect(tags.size).toBe(3);
    const preferred = await answered(LISTING, { "Accept-Encoding": "br;q=0.1, gzip" });
    expect(preferred.headers["content-encoding"]).toBe("gzip");
  });

  test("without compressed pages, Vary is Accept; the publisher chooses Cache-Control, but not of errors", async () => {
    const { port } = await serving({ others: { "avatar.svg": "<svg/>" } }, { cacheControl: "public, max-age=5" });
    const headersOf = async (path: string) => (await ask(port, path)).headers;
    expect(await headersOf("/api/users/")).toMatchObject({ vary: "Accept", "cache-control": "public, max-age=5" });
    expect(await headersOf("/avatar.svg")).toMatchObject({ vary: "Accept", "cache-control": "public, max-age=5" });
    expect(await headersOf("/snapshot.json")).toMatchObject({ vary: "Accept", "cache-control": "no-cache" });
    expect(await headersOf("/nothing")).toMatchObject({ vary: "Accept", "cache-control": "no-store" });
    expect(await headersOf("/api/users/")).not.toHaveProperty("link");
  });
});

const RANGES = { "accept-ranges": "bytes" };
const OF_INDEX = { "content-security-policy": "frame-ancestors 'none'", "x-robots-tag": "noindex" };

describe("other files", () => {
  test.each<[path: string, type: string, caching: string, more?: Record<string, string>]>([
    ["snapshot.json", JSON_TYPE, "no-cache"],
    ["SHA256SUMS", TEXT_TYPE, "no-cache"],
    ["SHA256SUMS.minisig", TEXT_TYPE, "no-cache"],
    ["bulk.json", JSON_TYPE, "no-cache"],
    ["datapackage.json", JSON_TYPE, "no-cache"],
    ["feed.xml", "application/atom+xml; charset=utf-8", "no-cache"],
    ["changes.json", JSON_TYPE, "no-cache"],
    ["contract.json", JSON_TYPE, CACHED],
    ["openapi.json", JSON_TYPE, CACHED],
    ["avatar.svg", "image/svg+xml", CACHED],
    ["lookup/index.json", JSON_TYPE, CACHED],
    ["lookup/keys/1.txt", TEXT_TYPE, CACHED],
    ["lookup/words/1.txt", TEXT_TYPE, CACHED],
    ["explorer/facets/1.txt", TEXT_TYPE, CACHED],
    ["explorer/app.js", "text/javascript; charset=utf-8", "no-cache"],
    ["explorer/style.css", "text/css; charset=utf-8", "no-cache"],
    ["explorer/summary.json", JSON_TYPE, "no-cache"],
    ["bulk/1.ndjson.gz", "application/gzip", CACHED, RANGES],
    [STEP, "application/gzip", CACHED, RANGES],
    ["records.csv.gz", "application/gzip", CACHED, RANGES],
    ["records.parquet", "application/vnd.apache.parquet", CACHED, RANGES],
    ["index.html", HTML_TYPE, "no-cache", OF_INDEX],
    ["", HTML_TYPE, "no-cache", OF_INDEX],
    ["?x=1", HTML_TYPE, "no-cache", OF_INDEX],
    ["?page=2", HTML_TYPE, "no-cache", OF_INDEX],
  ])("/%s is %s, %s", async (path, type, caching, more = {}) => {
    const { status, headers, body, bytes } = await answered(`/people/${path}`, { "Accept-Encoding": "gzip, br" });
    const own = {
      ...EVERY,
      "snapshot-id": id,
      "content-type": type,
      "cache-control": caching,
      etag: tagOf(bytes),
      ...more,
    };
    expect({ status, headers }).toEqual({ status: 200, headers: { ...own, "content-length": `${bytes.length}` } });
    const known = (OTHERS as Record<string, string>)[type === HTML_TYPE ? "index.html" : path];
    if (known !== undefined) expect(body).toBe(known);
    expect(await answered(`/people/${path}`, { "If-None-Match": tagOf(bytes) })).toMatchObject({
      status: 304,
      body: "",
    });
    const again = await answered(`/people/${path}`, { "If-None-Match": tagOf(bytes) });
    expect(again.headers).toEqual({ ...own, ...more });
  });

  test.each<[headers: Record<string, string>, status: number, range: string | undefined, body: string]>([
    [{ Range: "bytes=1-3" }, 206, "bytes 1-3/10", "123"],
    [{ Range: "bytes=1-3", "If-Range": tagOf(PART) }, 206, "bytes 1-3/10", "123"],
    [{ Range: "bytes=1-3", "If-Range": '"x"' }, 200, undefined, PART],
    [{ Range: "bytes=0-0" }, 206, "bytes 0-0/10", "0"],
    [{ Range: "bytes=10-" }, 416, "bytes */10", '{"detail":"Range not satisfiable."}'],
  ])("a part for %j is %i", async (headers, status, range, body) => {
    const answer = await answered("/people/bulk/1.ndjson.gz", headers);
    const ofPart = {
      ...{ ...EVERY, ...RANGES, "content-type": "application/gzip" },
      ...{ "cache-control": CACHED, etag: tagOf(PART) },
    };
    expect(answer).toMatchObject({ status, body });
    expect(answer.headers).toEqual({
      ...(status === 416 ? ofError : ofPart),
      "snapshot-id": id,
      "content-length": `${body.length}`,
      ...(range !== undefined && { "content-range": range }),
    });
  });

  test("a file that is not a part is whole for a range", async () => {
    const { status, body } = await answered("/people/bulk.json", { Range: "bytes=0-1" });
    expect({ status, body }).toEqual({ status: 200, body: '{"bulk":1}' });
  });

  test("with the path /, the base URL is page 1, and without its slash 301 to it", async () => {
    const others = { "index.html": "<!doctype html>" };
    const { port } = await serving({ contract: stationsAt("/"), baseUrl: "https://example.com/people", others });
    expect((await ask(port, "/people/")).headers["content-type"]).toBe(JSON_TYPE);
    expect(await ask(port, "/people")).toMatchObject({ status: 301, headers: { location: "/people/" } });
    expect((await ask(port, "/people/index.html")).body.toString()).toBe("<!doctype html>");
  });

  test("without an explorer, the base URL is 404, with and without its slash", async () => {
    const { port } = await serving({ baseUrl: "https://example.com/people" });
    for (const path of ["/people/", "/people", "/people/index.html"])
      expect(await ask(port, path)).toMatchObject({ status: 404, body: Buffer.from('{"detail":"Not found."}') });
  });
});
