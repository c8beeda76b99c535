/** Contract part 2, as tables over a server on a real socket. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createListingServer, type Server } from "../../src/serve/serve.js";
import { releaseOf } from "../support/served.js";
import { publish } from "./release.js";
import { type Answer, ask, closed, open, received, sendAndClose, serving } from "./running.js";

const COMMON = {
  allow: "GET, HEAD, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Link, Snapshot-Id",
  "x-content-type-options": "nosniff",
  link: '</openapi.json>; rel="service-desc"',
};

let port: number;
let id: string;
let server: Server;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-test-"));
  await publish(folder, { others: { "openapi.json": "{}" } });
  server = await createListingServer({ dist: folder });
  port = Number(new URL((await server.listen({ port: 0 })).url).port);
  id = releaseOf(server).snapshot.id;
  return async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
});

function expectError(answer: Answer, status: number, detail: string): void {
  const { "content-length": length, ...headers } = answer.headers;
  expect({ status: answer.status, body: answer.body.toString() }).toEqual({
    status,
    body: JSON.stringify({ detail }),
  });
  expect(headers).toMatchObject({
    ...COMMON,
    "snapshot-id": id,
    "content-type": "application/json",
    "cache-control": "no-store",
  });
  expect(length).toBe(`${answer.body.length}`);
}

describe("the listing", () => {
  test.each([
    ["/api/users/?format=api&page=2", 2],
    ["/api/users/?page=3", 3],
    ["/api/users/", 1],
    ["/api/users/?", 1],
    ["/api/users/?page=", 1],
    ["/api/users/?page", 1],
    ["/api/users/?page=%32", 2],
    ["/api/users/?p%61ge=2", 2],
    ["/api/users/?Page=2", 1],
    ["/api/users/?format=csv&page=2&page_size=1&x=%00%ff", 2],
    ["/api/users/?a=b?page=3", 1],
    ["http://some.other.host/api/users/?page=2", 2],
    ["/api/users/pages/2.json", 2],
    ["/api/users/pages/2.json?page=3", 2],
  ])("%s is page %i", async (path, page) => {
    const { status, headers, body } = await ask(port, path, { headers: { Accept: "text/html" } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...COMMON,
      "snapshot-id": id,
      "content-type": "application/json",
      "cache-control": "public, max-age=60",
      etag: `"${releaseOf(server).sums.pages.get(page, "identity")}"`,
      "content-length": `${body.length}`,
    });
    const { previous, next, count, results } = JSON.parse(body.toString());
    const link = (to: number) => `https://directory.example.com/api/users/?format=api&page=${to}`;
    expect({ previous, next, count, length: results.length }).toEqual({
      previous: page === 1 ? null : link(page - 1),
      next: page === 3 ? null : link(page + 1),
      count: 5,
      length: page === 3 ? 1 : 2,
    });
  });

  const none =
    "0 -1 01 +1 %2B1 %201 1%20 1.0 1e0 0x1 abc ٣ %D9%A3 %EF%BC%91 4 999999999 1000000000 NaN null 1,2 1;2 %00";
  test.each(`${none} 99999999999999999999 1%00 1%0d%0a ..%2f1 1/ 1#x last`.split(" "))(
    "page %s is not a page",
    async (page) => {
      const raw = [...page].every((character) => character < "\x7f");
      if (raw) expectError(await ask(port, `/api/users/?format=api&page=${page}`), 404, "Invalid page.");
      else
        expect(
          await sendAndClose(
            port,
            `GET /api/users/?page=${Buffer.from(page).toString("latin1")} HTTP/1.1\r\nHost: a\r\n\r\n`,
          ),
        ).toMatch(/^HTTP\/1.1 400 /);
    },
  );

  test.each(["page=1&page=2", "page=1&page=1", "page=1&page=", "page=&page=", "page=1&p%61ge=1"])(
    "%s is ambiguous",
    async (query) => expectError(await ask(port, `/api/users/?${query}`), 404, "Invalid page."),
  );

  test.each(["0", "01", "4", "abc", "1.0", "%31", "", "-1", "1e0"])("pages/%s.json is not a page", async (page) =>
    expectError(await ask(port, `/api/users/pages/${page}.json`), 404, "Invalid page."),
  );
});

describe("other paths", () => {
  const none = [
    "/ // /api /api/ /api/users// //api/users/ /API/users/ /api/users/1 /api/users/pages /api/users/pages/ /../snapshot.json",
    "/api/users/pages/1.json/ /api/users/pages/1.json.br /api/users/pages/1 /api/users/pages/x/1.json /api/./users/",
    "/api/x/../users/ /api/%75sers/ /api%2fusers/ /snapshot.json/ /snapshot%2ejson /SHA256SUMS.html /snapshot",
    "/current/snapshot.json /favicon.ico /index.html /api/users/;page=1 /api/users\\",
  ];
  test.each(none.flatMap((paths) => paths.split(" ")))("%s is not found", async (path) =>
    expectError(await ask(port, path), 404, "Not found."),
  );

  test.each([
    ["/api/users", "/api/users/"],
    ["/api/users?format=api&page=2", "/api/users/?format=api&page=2"],
    ["/api/users?a=%0d%0aX:y&b=\"<>'", "/api/users/?a=%0d%0aX:y&b=\"<>'"],
    ["http://evil.example/api/users?page=2", "/api/users/?page=2"],
    ["/api/users?//evil.example", "/api/users/?//evil.example"],
    ["/api/users?a#b", "/api/users/?a%23b"],
  ])("%s moves to %s", async (path, location) => {
    const { status, headers, body } = await ask(port, path);
    expect({ status, body: body.length }).toEqual({ status: 301, body: 0 });
    expect(headers).toMatchObject({ ...COMMON, "snapshot-id": id, location, "content-length": "0" });
  });

  test.each([
    ["/snapshot.json", "application/json"],
    ["/SHA256SUMS", "text/plain; charset=utf-8"],
  ])("%s is a file", async (path, type) => {
    const { status, headers, body } = await ask(port, path, { headers: { Range: "bytes=-3" } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...COMMON,
      "snapshot-id": id,
      "content-type": type,
      "cache-control": "no-cache",
    });
    expect(headers["content-length"]).toBe(`${body.length}`);
    expect(body.toString()).toContain(path === "/SHA256SUMS" ? "api/users/pages/1.json\n" : `"id":"${id}"`);
    const again = await ask(port, path, { headers: { "If-None-Match": headers.etag } });
    expect(again.status).toBe(304);
    expect(again.headers).toMatchObject({ ...COMMON, etag: headers.etag, "content-type": type });
    const head = await ask(port, path, { method: "HEAD" });
    expect({ ...head.headers, date: "" }).toEqual({ ...headers, date: "" });
    expect(head.body.length).toBe(0);
  });
});

describe("methods", () => {
  const paths = ["/api/users/?page=2", "/api/users/?page=0", "/api/users", "/snapshot.json", "/nothing", "*"];

  test.each(paths.slice(0, -1))("HEAD %s has GET's status and headers", async (path) => {
    const get = await ask(port, path);
    const head = await ask(port, path, { method: "HEAD" });
    expect(head.status).toBe(get.status);
    expect({ ...head.headers, date: "" }).toEqual({ ...get.headers, date: "" });
    expect(head.body.length).toBe(0);
  });

  test.each(paths)("OPTIONS %s", async (path) => {
    const { status, headers, body } = await ask(port, path, { method: "OPTIONS" });
    expect({ status, body: body.length }).toEqual({ status: 204, body: 0 });
    expect(headers).toMatchObject({
      ...COMMON,
      "snapshot-id": id,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "*",
      "access-control-max-age": "86400",
    });
    expect(headers).not.toHaveProperty("content-type");
    expect(headers).not.toHaveProperty("content-length");
  });

  const methods = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "SOURCE"];
  test.each(methods.flatMap((method) => paths.slice(0, -1).map((path) => [method, path] as const)))(
    "%s %s is not allowed",
    async (method, path) => expectError(await ask(port, path, { method }), 405, "Method not allowed."),
  );
});

describe("invalid requests", () => {
  const get = (headers = "", target = "/api/users/") => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
  test.each([
    ["an invented method", "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", 405, "Method not allowed."],
    ["a lowercase method", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "Method not allowed."],
    ["an invented method after a request", `${get()}BREW /pot HTTP/1.1\r\n\r\n`, 405, "Method not allowed."],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n", 405, "Method not allowed."],
    ["CONNECT with a body after it", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nhello", 405, "Method not allowed."],
    ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00", 400, "Bad request."],
    ["no HTTP", "hello\r\n\r\n", 400, "Bad request."],
    ["HTTP/0.9", "GET /api/users/\r\n\r\n", 400, "Bad request."],
    ["a method that begins like a known one", "G / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "Method not allowed."],
    ["no method", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "Bad request."],
    ["no Host", "GET /api/users/ HTTP/1.1\r\n\r\n", 400, "Bad request."],
    ["two Hosts", get("Host: a\r\n"), 400, "Bad request."],
    ["two Hosts of HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400, "Bad request."],
    ["a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "Bad request."],
    ["a Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, "Bad request."],
    ["a Host with a blank", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "Bad request."],
    ["a Host with two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", 400, "Bad request."],
    ["an unknown expectation", get("Expect: the-worst\r\n"), 417, "Expectation failed."],
    ["headers without end", get(`X: ${"x".repeat(20_000)}\r\n`), 431, "Request header fields too large."],
    ["a URL without end", get("", `/${"x".repeat(20_000)}`), 431, "Request header fields too large."],
    ["two lengths", get("Content-Length: 1\r\nContent-Length: 2\r\n"), 400, "Bad request."],
    ["length and chunks", get("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400, "Bad request."],
    ["a folded header", get("X: a\r\n b\r\n"), 400, "Bad request."],
    ["a NUL in the path", get("", "/api/\0users/"), 400, "Bad request."],
    ["a NUL in a header", get("X: a\0b\r\n"), 400, "Bad request."],
    ["a space before the colon", get("X : a\r\n"), 400, "Bad request."],
    ["a space in the target", get("", "/api/users/ x"), 400, "Bad request."],
  ])("%s", async (_name, text, status, detail) => {
    const answers = (await sendAndClose(port, text)).split(/(?=HTTP\/1\.1 \d)/);
    const [head = "", body] = answers.at(-1)?.split("\r\n\r\n") ?? [];
    const [first, ...lines] = head.split("\r\n");
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(body).toBe(JSON.stringify({ detail }));
    const headers = Object.fromEntries(
      lines.map((line) => line.split(": ", 2)).map(([name, value]) => [name?.toLowerCase(), value]),
    );
    expect(headers).toMatchObject({
      ...COMMON,
      "snapshot-id": id,
      "content-type": "application/json",
      "content-length": `${body?.length}`,
      "cache-control": "no-store",
    });
    if (!_name.includes("Host")) expect(headers).toMatchObject({ connection: "close" });
    if (text.startsWith(get())) expect(answers[0]).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(["BREW", "G", "PROP", "M-", "GETX"])("%s is not a method, also in two packets", async (method) => {
    for (let cut = 1; cut <= method.length; cut++) {
      const socket = open(port).setNoDelay();
      const heard = received(socket);
      socket.write(method.slice(0, cut));
      // The server has read this part once it has answered a later client.
      await ask(port, "/snapshot.json");
      socket.end(`${method.slice(cut)} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      await closed(socket);
      expect(heard().match(/HTTP\/1\.1 \d+/g), `cut at ${cut}`).toEqual(["HTTP/1.1 405"]);
    }
  });

  test.each([
    ["a small body", "POST", "Content-Length: 5\r\n", "hello"],
    ["a body that never comes", "GET", "Content-Length: 500000\r\n", ""],
    ["a body that waits to be asked for", "PUT", "Content-Length: 5\r\nExpect: 100-continue\r\n", ""],
    ["chunks", "POST", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"],
  ])("does not read %s: answers and closes", async (_name, method, headers, body) => {
    const heard = await sendAndClose(
      port,
      `${method} /api/users/ HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}${get()}`,
    );
    expect(heard).toMatch(method === "GET" ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 405 /);
    expect(heard).toContain("Connection: close");
    expect(heard.split(/HTTP\/1\.1 \d/).length).toBe(2);
  });

  test("keeps the connection after an empty body", async () => {
    const heard = await sendAndClose(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n${get()}`);
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 200"]);
  });

  test("does not upgrade: answers and closes", async () => {
    const heard = await sendAndClose(port, get("Connection: Upgrade\r\nUpgrade: websocket\r\n"));
    expect(heard).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard).toContain("Connection: close");
  });
});

describe("If-None-Match", () => {
  const path = "/api/users/?page=2";
  test.each([
    ["the tag", (tag: string) => tag, 304],
    ["the tag, weak", (tag: string) => `W/${tag}`, 304],
    ["a list with the tag", (tag: string) => `"x", ${tag},W/"y"`, 304],
    ["anything", () => "*", 304],
    ["another tag", () => `"${"0".repeat(64)}"`, 200],
    ["the tag without its quotes", (tag: string) => tag.slice(1, -1), 200],
    ["nothing", () => "", 200],
  ])("%s", async (_name, given, status) => {
    const full = await ask(port, path);
    const answer = await ask(port, path, {
      headers: {
        "If-None-Match": given(full.headers.etag ?? ""),
        "Cache-Control": "no-cache",
        "If-Modified-Since": "x",
      },
    });
    expect(answer.status).toBe(status);
    const { "content-length": _length, ...expected } = full.headers;
    expect({ ...answer.headers, date: "" }).toMatchObject({ ...expected, date: "" });
    expect(answer.body.length).toBe(status === 304 ? 0 : full.body.length);
  });

  test("no 304 for another ETag, or for an invalid page", async () => {
    const answer = await ask(port, "/api/users/?page=9", { headers: { "If-None-Match": "*" } });
    expectError(answer, 404, "Invalid page.");
  });
});

describe("a base URL with a path", () => {
  test.each([
    ["/directory/api/users/?page=2", 200],
    ["/directory/api/users/pages/2.json", 200],
    ["/directory/snapshot.json", 200],
    ["/directory/api/users", 301],
    ["/api/users/?page=2", 404],
    ["/snapshot.json", 404],
    ["/directoryapi/users/", 404],
    ["/directory", 404],
  ])("%s: %i", async (path, status) => {
    const { port, url } = await serving({ baseUrl: "https://example.com/directory" });
    const answer = await ask(port, path);
    expect(url).toBe(`http://127.0.0.1:${port}/directory`);
    expect(answer.status).toBe(status);
    if (status === 301) expect(answer.headers.location).toBe("/directory/api/users/");
  });

  test("a path that looks like another host's address stays a path", async () => {
    const { port } = await serving({ baseUrl: "https://example.com//evil.example" });
    const { status, headers } = await ask(port, "//evil.example/api/users?page=2");
    expect(status).toBe(301);
    expect(headers.location).toBe("/.//evil.example/api/users/?page=2");
    expect(new URL(headers.location ?? "", "http://a.example/").href).toBe(
      "http://a.example//evil.example/api/users/?page=2",
    );
  });
});
