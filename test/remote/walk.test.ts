/** Walking a deployed listing: real hosts, and real servers that hang, lie and change under way. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { readFrame } from "../../src/contract/envelope.js";
import { UserError } from "../../src/errors.js";
import { createClient } from "../../src/remote/client.js";
import { type WalkOptions, walk } from "../../src/remote/walk.js";
import { publish, type Shape } from "../server/release.js";
import { type Front, front, type Reply } from "../support/front.js";

/** Walks and keeps what came, as if nothing had before a restart. */
async function walked(baseUrl: string, options: WalkOptions = {}) {
  const pages = new Map<number, Buffer>();
  const restarts: string[] = [];
  const facts = await walk(baseUrl, {
    ...options,
    onPage(page, bytes) {
      expect(pages.has(page), `page ${page} twice`).toBe(false);
      pages.set(page, bytes);
    },
    onRestart(why) {
      restarts.push(why);
      pages.clear();
    },
  });
  const users = [...pages.values()].reduce((sum, bytes) => sum + (readFrame(bytes)?.records.length ?? 0), 0);
  return { facts, pages, restarts, users };
}

async function refusal(baseUrl: string, options: WalkOptions = {}): Promise<string> {
  const error = await walk(baseUrl, options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message.replaceAll(baseUrl, "{base}");
}

/** A front that answers one page, or without a number every one, with something else. */
const at =
  (page: number | undefined, answer: (res: ServerResponse) => unknown) =>
  ({ intercept }: Front): void =>
    intercept((req, res) => (req.url?.endsWith(`page=${page ?? ""}`) || page === undefined ? answer(res) : false));

const send =
  (text: string | Buffer, status = 200, headers = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);

/** A front that changes the text of one page. */
const rewritten =
  (page: number, change: (text: string) => string) =>
  ({ edit }: Front): void =>
    edit(({ url }, { status, body }) => {
      if (!url?.endsWith(`page=${page}`)) return undefined;
      const headers: Reply["headers"] = [["Content-Type", "application/json"]];
      return { status, headers, body: Buffer.from(change(body.toString())) };
    });

describe("a host of one release", () => {
  const SHAPES: [string, Shape, string][] = [
    ["query links", {}, ""],
    ["a base URL with a path", {}, "/people/directory"],
    ["path links", { links: "path" }, "/v1"],
    ["compressed pages", { encodings: ["br", "gzip"] }, ""],
    ["gzip alone", { encodings: ["gzip"] }, ""],
  ];
  test.each(SHAPES)("%s: every page once", async (_name, shape, path) => {
    const { baseUrl, host, asked } = await front({ count: 21, pageSize: 2, ...shape }, path);
    const { facts, pages, users, restarts } = await walked(`${baseUrl}/`);
    const snapshotId = host.release.snapshot.id;
    const links = shape.links ?? "query";
    expect(facts).toEqual({
      baseUrl,
      contract: USERS_CONTRACT,
      path: "/api/users/",
      count: 21,
      pages: 11,
      pageSize: 2,
      linkBase: baseUrl,
      links,
      snapshotId,
    });
    expect({ pages: pages.size, users, restarts }).toEqual({ pages: 11, users: 21, restarts: [] });
    expect(asked.filter((line) => !line.endsWith("/contract.json"))).toHaveLength(11);
  });

  test.each([0, 1, 2])("%i users on one page, which says neither page size nor links", async (count) => {
    const { baseUrl } = await front({ count, pageSize: 2 });
    const { facts, users } = await walked(baseUrl);
    expect(facts).toMatchObject({
      count,
      pages: 1,
      pageSize: undefined,
      linkBase: undefined,
      links: "query",
    });
    expect(users).toBe(count);
  });

  test.each([
    ["answers 404 to a query", send('{"detail":"Not found."}', 404)],
    ["has an index of its own", send("<!doctype html>", 200, { "Content-Type": "text/html" })],
  ])("that %s is read by path", async (_name, answer) => {
    const { baseUrl, intercept } = await front({ links: "path" });
    intercept((req, res) => (req.url?.includes("?") ? answer(res) : false));
    const { facts, pages } = await walked(baseUrl);
    expect(facts).toMatchObject({ pages: 3, links: "path" });
    expect(pages.size).toBe(3);
  });

  test("at most as many requests at once as allowed", async () => {
    const { baseUrl, host, intercept } = await front({ count: 20, pageSize: 1 });
    let [now, most] = [0, 0];
    intercept((req, res) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        host.handler(req, res);
      }, 20);
    });
    await walked(baseUrl, { concurrency: 3 });
    expect(most).toBe(3);
    most = 0;
    await walked(baseUrl);
    expect(most).toBe(8);
  });

  test("no faster than allowed", async () => {
    const { baseUrl } = await front({ count: 20, pageSize: 1 });
    const began = performance.now();
    await walked(baseUrl, { rate: 40 });
    expect(performance.now() - began).toBeGreaterThan(19 * 25 - 5);
  });

  test("a host that is busy is left alone for as long as it asks", async () => {
    const { baseUrl, asked, intercept } = await front({ count: 6 });
    let refusals = 2;
    intercept((req, res) => {
      if (!req.url?.endsWith("page=2") || refusals-- <= 0) return false;
      send('{"detail":"Slow down."}', refusals ? 429 : 503, refusals ? { "Retry-After": "1" } : {})(res);
    });
    const began = performance.now();
    const { pages } = await walked(baseUrl);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect({ pages: pages.size, asked: asked.length }).toEqual({ pages: 3, asked: 6 });
  });

  test("a kept connection that the host has closed is opened again", async () => {
    const { baseUrl, host, intercept } = await front({ count: 20, pageSize: 1 });
    let answered = 0;
    intercept((req, res) => {
      if (req.socket.bytesRead > 400 && ++answered % 2 === 0) req.socket.destroy();
      else host.handler(req, res);
    });
    const { pages } = await walked(baseUrl);
    expect(answered).toBeGreaterThan(1);
    expect(pages.size).toBe(20);
  });
});

describe("a snapshot that changes under the walk", () => {
  test("is noticed by Snapshot-Id, and walked from the beginning", async () => {
    const { baseUrl, host, dist } = await front({ count: 12 });
    let switched: Promise<void> | undefined;
    const ids: (string | undefined)[] = [];
    const pages: number[] = [];
    const facts = await walk(baseUrl, {
      concurrency: 1,
      onStart: ({ snapshotId }) => void ids.push(snapshotId),
      async onPage(page) {
        pages.push(page);
        if (page !== 3) return;
        switched ??= publish(dist, { baseUrl, count: 5 }).then(() => host.reload());
        await switched;
      },
      onRestart: (why) => void expect(why).toMatch(/^page 4 was of snapshot [0-9a-f]{12}, page 1 of [0-9a-f]{12}$/),
    });
    expect(facts).toMatchObject({ count: 5, pages: 3, snapshotId: host.release.snapshot.id });
    expect(pages).toEqual([1, 2, 3, 1, 2, 3]);
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    ["another count", { count: 9 }, 5],
    ["other users", { count: 12, bio: "new" }, 6],
  ])("is noticed without Snapshot-Id, by page 1 asked again: %s", async (_name, shape, pages) => {
    const { baseUrl, host, dist, intercept } = await front({ count: 12 });
    intercept((_req, res) => {
      const writeHead = res.writeHead.bind(res);
      res.writeHead = ((status: number, headers: string[]) => {
        const at = headers.indexOf("Snapshot-Id");
        return writeHead(status, headers.toSpliced(at, 2));
      }) as typeof res.writeHead;
      return false;
    });
    let switched: Promise<void> | undefined;
    const restarts: string[] = [];
    const seen = new Set<number>();
    const facts = await walk(baseUrl, {
      concurrency: 1,
      async onPage(page) {
        seen.add(page);
        if (page !== 3) return;
        switched ??= publish(dist, { baseUrl, ...shape }).then(() => host.reload());
        await switched;
      },
      onRestart(why) {
        restarts.push(why);
        seen.clear();
      },
    });
    expect(restarts).toEqual(["page 1 was no longer the same as at the beginning"]);
    expect(facts).toMatchObject({ count: shape.count, snapshotId: undefined });
    expect(seen.size).toBe(pages);
  });

  test("again and again is refused in the end", async () => {
    const { baseUrl, intercept } = await front({ count: 12 });
    intercept((req, res) => {
      if (!req.url?.endsWith("page=4")) return false;
      send("{}", 200, { "Snapshot-Id": "ffffffffffff" })(res);
    });
    expect(await refusal(baseUrl)).toMatch(
      /^\{base\} kept changing: it was read from the beginning 4 times, and the last time page 4 was of snapshot ffffffffffff, page 1 of [0-9a-f]{12}\. /,
    );
  });
});

describe("a host that lies", () => {
  const html = send("<!doctype html><p>Sorry", 200, { "Content-Type": "text/html" });
  const LIES: [string, (front: Front) => void, RegExp][] = [
    [
      "HTML for page 1",
      at(undefined, html),
      /page=1 answers 200 \(text\/html\) with a body that is HTML\. Is \{base\} the base URL\?$/,
    ],
    ["HTML for a page", at(2, html), /page=2 answers 200 \(text\/html\) with a body that is HTML\.$/],
    ["a 404", at(3, send("{}", 404)), /page=3 answers 404 \(application\/json\), where a page \(200\) is expected\.$/],
    [
      "a redirect",
      at(undefined, send("", 302, { Location: "https://other.example/" })),
      /page=1 redirects \(302\) to "https:\/\/other.example\/"/,
    ],
    ["an empty body", at(2, send("")), /page=2 .* with a body that is empty\.$/],
    ["no JSON", at(2, send("{'a'}")), /page=2 .* with a body that is not JSON\.$/],
    ["no envelope", at(2, send("[]")), /page=2 .* with a body that is JSON, but no page\.$/],
    [
      "a count that is text",
      rewritten(2, (text) => text.replace('"count":5', '"count":"5"')),
      /is no page: its count must be an integer/,
    ],
    [
      "a count that differs",
      rewritten(2, (text) => text.replace('"count":5', '"count":6')),
      /page=2 has count 6, where page 1 promises 5\.$/,
    ],
    [
      "count and pages that do not agree",
      rewritten(1, (text) => text.replace('"count":5', '"count":2')),
      /page=1 says count 2 and has 2 records, but also a next page/,
    ],
    [
      "more pages than have numbers",
      rewritten(1, (text) => text.replace('"count":5', '"count":9007199254740991')),
      /page=1 says count 9007199254740991 and has 2 records, so 4503599627370496 pages, where 999999999 are allowed/,
    ],
    [
      "more users than a page may have",
      rewritten(2, (text) =>
        text.replace(/\n([^\n]*)\n\]/, (_, users) => `\n${`${users},\n`.repeat(1000)}${users}\n]`),
      ),
      /page=2 .* with a body that is no page: its results must be 1000 records at most\./,
    ],
    [
      "JSON of many values",
      at(2, send(`[${"[],".repeat(1_000_000)}0]`)),
      /page=2 .* that holds more than 200000 values\.$/,
    ],
    ["JSON that is deep", at(2, send("[".repeat(1_000_000))), /page=2 .* that is nested deeper than 320 levels\.$/],
    [
      "one page that does not hold all",
      rewritten(1, (text) => text.replace(/"next":"[^"]*"/, '"next":null')),
      /page=1 says count 5 and has no next page, but has 2 records/,
    ],
    [
      "a chain without end",
      rewritten(3, (text) => text.replace('"next":null', '"next":"{base}/api/users/?format=api&page=4"')),
      /page=3 has next ".*page=4", where page 1 promises null/,
    ],
    [
      "a chain that ends early",
      rewritten(2, (text) => text.replace(/"next":"[^"]*"/, '"next":null')),
      /page=2 has next null, where page 1 promises ".*page=3"/,
    ],
    ["a chain that turns back", rewritten(2, (text) => text.replace("page=3", "page=1")), /page=2 has next ".*page=1"/],
    [
      "a user too few",
      rewritten(2, (text) => text.replace(/\n[^\n]*,\n/, "\n")),
      /page=2 has records 1, where page 1 promises 2/,
    ],
    [
      "a next page that is no page",
      rewritten(1, (text) => text.replace("page=2", "page=9")),
      /page=1 says that the next page is ".*page=9", which is no URL of page 2/,
    ],
    [
      "a previous of page 1",
      rewritten(1, (text) => text.replace('"previous":null', '"previous":"x"')),
      /page=1 has a previous page, "x"/,
    ],
    [
      "a body cut short",
      at(2, (res) => {
        res.writeHead(200, { "Content-Length": "1000" }).write("{");
        setTimeout(() => res.destroy(), 20);
      }),
      /page=2 broke off its answer before the end of the body\.$/,
    ],
    [
      "a coding nobody asked for",
      at(2, send("x", 200, { "Content-Encoding": "zstd" })),
      /page=2 answers with a Content-Encoding that was not requested, zstd/,
    ],
    [
      "a coding that every object has",
      at(2, send("x", 200, { "Content-Encoding": "constructor" })),
      /page=2 answers with a Content-Encoding that was not requested, constructor\.$/,
    ],
    [
      "a coding that the body is not of",
      at(2, send("{}", 200, { "Content-Encoding": "gzip" })),
      /page=2 says Content-Encoding: gzip, which its body is not/,
    ],
    [
      "a wait without end",
      at(2, send("", 503, { "Retry-After": "86400" })),
      /page=2 answers 503 and asks to come back in 86400 seconds/,
    ],
    [
      "what is not HTTP",
      at(2, (res) => void res.socket?.end("SSH-2.0-OpenSSH_9.6\r\n")),
      /page=2 answered what is not HTTP/,
    ],
  ];
  test.each(LIES)("%s", async (_name, lie, message) => {
    const one = await front();
    lie(one);
    expect(await refusal(one.baseUrl)).toMatch(message);
  });

  test("a body larger than a page may be", async () => {
    const { baseUrl } = await front();
    expect(await refusal(baseUrl, { maxBytes: 500 })).toMatch(/page=1 answers more than the 500 bytes/);
  });

  test("a small body that is a large one compressed", async () => {
    const one = await front();
    at(2, send(gzipSync(Buffer.alloc(10_000_000)), 200, { "Content-Encoding": "gzip" }))(one);
    expect(await refusal(one.baseUrl, { maxBytes: 100_000 })).toMatch(/page=2 answers more than the 100000 bytes/);
  });

  test("a host that stays busy is waited for a few times, and not at every question", async () => {
    const one = await front();
    at(undefined, send("", 503, { "Retry-After": "0" }))(one);
    const client = createClient();
    onTestFinished(() => client.close());
    const asked: number[] = [];
    for (let question = 0; question < 5; question++) {
      expect((await client.request(one.baseUrl)).status).toBe(503);
      asked.push(one.asked.length);
    }
    expect(asked).toEqual([5, 10, 15, 16, 17]);
  });

  test("links to another base URL are told, and not followed", async () => {
    const { baseUrl } = await front({ baseUrl: "https://elsewhere.example" });
    const { facts, users } = await walked(baseUrl);
    expect(facts).toMatchObject({ baseUrl, linkBase: "https://elsewhere.example" });
    expect(users).toBe(5);
  });
});

describe("a host that is not there", () => {
  test.each([
    ["answers nothing", () => {}],
    [
      "answers for ever",
      (res: ServerResponse) => {
        res.writeHead(200);
        const timer = setInterval(() => res.write(" "), 20);
        res.on("close", () => clearInterval(timer));
      },
    ],
  ])("a host that %s is waited for no longer than allowed", async (_name, answer) => {
    const one = await front();
    at(2, answer)(one);
    expect(await refusal(one.baseUrl, { timeoutMs: 200 })).toMatch(/page=2 did not answer in full within 0.2 seconds/);
  });

  test("nothing listens", async () => {
    expect(await refusal("http://127.0.0.1:9")).toBe(
      "{base}/contract.json cannot be reached: nothing listens there; check the address and that the host runs.",
    );
  });

  test("no such name, no TLS, no base URL", async () => {
    expect(await refusal("http://no.such.name.invalid")).toMatch(/ cannot be reached: its name /);
    const { baseUrl } = await front();
    expect(await refusal(baseUrl.replace("http:", "https:"))).toMatch(/it does not speak TLS/);
    expect(await refusal(`${baseUrl}/api/users/`)).toMatch(/^Base URL .* is of the listing itself/);
  });

  test("a walk that is called off ends at once", async () => {
    const one = await front();
    at(2, () => {})(one);
    const controller = new AbortController();
    const walking = walk(one.baseUrl, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(walking).rejects.toThrow("enough");
  });
});
