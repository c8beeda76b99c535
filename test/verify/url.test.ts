/** `rollcall verify URL`: the real host has no finding, and each of many faults is caught by its own rows. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRelease } from "../../src/release/open.js";
import { createListingServer } from "../../src/server/server.js";
import { ROW_NAMES } from "../../src/verify/site/rows.js";
import { verifyUrl } from "../../src/verify/site/site.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import { publish, type Shape, writeRelease } from "../server/release.js";
import { type Front, front, type Reply } from "../support/front.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);

describe("rollcall's own host has no finding", () => {
  const SHAPES: [string, Shape, string][] = [
    ["plain", { count: 11 }, ""],
    ["compressed, below a path", { count: 11, encodings: ["br", "gzip"] }, "/people/directory"],
    ["linked by path, gzip alone", { links: "path", encodings: ["gzip"] }, "/v1"],
    ["of one page", { count: 2 }, ""],
    ["of nobody", { count: 0 }, ""],
  ];
  test.each(SHAPES)("%s", async (_name, shape, path) => {
    const { baseUrl, host } = await front(shape, path);
    for (const against of [undefined, await openRelease(host.release.folder)]) {
      const verdict = await verifyUrl({ baseUrl, against });
      expect(verdict.rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
      expect(passed(verdict)).toBe(true);
      expect(verdict.rows.map(({ name }) => name)).toEqual(ROW_NAMES);
    }
  });

  test("some pages, from the first to the last", async () => {
    const { baseUrl, asked } = await front({ count: 41, pageSize: 2 });
    const verdict = await verifyUrl({ baseUrl, sample: 3 });
    expect(differing(verdict)).toEqual([]);
    expect(verdict.rows[0]?.request).toBe("3 of 21 pages");
    const read = asked.filter((line) => /^GET .*page=(1|11|21)$/.test(line));
    expect(new Set(read)).toEqual(new Set([1, 11, 21].map((page) => `GET /api/users/?format=api&page=${page}`)));
  });
});

interface Exchange {
  method: string;
  url: string;
  fields: Readonly<Record<string, string | string[] | undefined>>;
  reply: Reply;
}

type Change = (exchange: Exchange) => Partial<Reply> | undefined;
type Fault = [what: string, make: (front: Front) => unknown, rows: string[]];

/** A fault of answers on their way. */
const edits = (change: Change) => (one: Front) =>
  one.edit(({ method = "", url = "", headers: fields }, reply) => {
    const changed = change({ method, url, fields, reply });
    if (!changed) return undefined;
    return method === "HEAD"
      ? { ...reply, ...changed, body: reply.body }
      : withLength({ ...reply, ...changed }, "body" in changed);
  });

/** A changed body has its length. */
function withLength(reply: Reply, isChanged: boolean): Reply {
  if (!isChanged) return reply;
  const headers = reply.headers.map(([name, value]): [string, string] => {
    return [name, name === "Content-Length" ? `${reply.body.length}` : value];
  });
  return { ...reply, headers };
}

const set = (headers: Reply["headers"], name: string, value: string | undefined): Reply["headers"] => [
  ...headers.filter(([key]) => key !== name),
  ...(value === undefined ? [] : [[name, value] as [string, string]]),
];

/** A header of some answers, set or left out. */
const header = (name: string, value: string | undefined, when: (exchange: Exchange) => boolean) =>
  edits((exchange) => (when(exchange) ? { headers: set(exchange.reply.headers, name, value) } : undefined));

const pages = ({ reply }: Exchange) => reply.status === 200;
const errors = ({ reply }: Exchange) => reply.status >= 400;
const onPage = (page: number, exchange: Exchange) => exchange.url.endsWith(`?format=api&page=${page}`);
const text = (page: number, from: string | RegExp, to: string) =>
  edits((exchange) => {
    const isPlain = exchange.fields["accept-encoding"] === "identity";
    if (!isPlain || !onPage(page, exchange) || exchange.reply.status !== 200) return undefined;
    return { body: Buffer.from(exchange.reply.body.toString().replace(from, to)) };
  });
const status = (to: number, when: (exchange: Exchange) => boolean) =>
  edits((exchange) => (when(exchange) ? { status: to } : undefined));
const html = Buffer.from("<!doctype html><h1>Not Found</h1>");
const HTML: Reply["headers"] = [["Content-Type", "text/html"]];

/** Serves some plain pages of another release, told how often each was asked for. */
const pagesOf =
  (shape: Shape, which: (page: number, times: number) => boolean) =>
  async ({ dist, baseUrl, host, intercept }: Front) => {
    const folder = await writeRelease(dist, { baseUrl, count: 11, encodings: ["br", "gzip"], ...shape });
    const second = await createListingServer({ folder });
    onTestFinished(() => second.close());
    const asked = new Map<number, number>();
    intercept((req, res) => {
      const isPlain = req.headers["accept-encoding"] === "identity";
      const page = isPlain ? Number(/format=api&page=(\d+)$/.exec(req.url ?? "")?.[1] ?? 0) : 0;
      const times = (asked.get(page) ?? 0) + 1;
      asked.set(page, times);
      (which(page, times) ? second : host).handler(req, res);
    });
  };

const FAULTS: Fault[] = [
  [
    "codings chosen without their weights",
    edits(({ fields, reply }) =>
      fields["accept-encoding"] === "br;q=0.1, gzip"
        ? { headers: set(reply.headers, "Content-Encoding", "br") }
        : undefined,
    ),
    ["encoding-order"],
  ],
  ["a wrong Content-Type", header("Content-Type", "application/json; charset=utf-8", pages), ["content-type"]],
  [
    "no Allow on pages",
    header("Allow", undefined, ({ method, reply }) => method !== "OPTIONS" && reply.status === 200),
    ["allow"],
  ],
  ["a weak Vary", header("Vary", "*", pages), ["vary", "br-vary", "gzip-vary"]],
  ["Vary that forgets compression", header("Vary", "Accept", pages), ["vary", "br-vary", "gzip-vary"]],
  [
    "Vary in two lines",
    edits(({ reply }) =>
      reply.status === 200
        ? {
            headers: [...set(reply.headers, "Vary", undefined), ["Vary", "Accept"], ["Vary", "Accept-Encoding"]],
          }
        : undefined,
    ),
    ["vary", "br-vary", "gzip-vary"],
  ],
  ["pages that must not be cached", header("Cache-Control", "no-store", pages), ["cache-control"]],
  [
    "missing CORS",
    header("Access-Control-Allow-Origin", undefined, () => true),
    ["browsers", "preflight", "error-browsers"],
  ],
  ["no nosniff on pages", header("X-Content-Type-Options", undefined, pages), ["nosniff"]],
  ["no Snapshot-Id", header("Snapshot-Id", undefined, () => true), ["snapshot-id"]],
  [
    "Snapshot-Id that browsers may not read",
    header("Access-Control-Expose-Headers", undefined, () => true),
    ["snapshot-id"],
  ],
  [
    "a weak ETag",
    edits(({ reply }) =>
      reply.status === 200 || reply.status === 304
        ? { headers: reply.headers.map(([name, value]) => [name, name === "ETag" ? `W/${value}` : value]) }
        : undefined,
    ),
    ["etag", "br-tag", "gzip-tag", "not-modified-weak"],
  ],
  [
    "one ETag for different bytes",
    edits(({ reply }) =>
      reply.status === 200 || reply.status === 304
        ? { headers: set(reply.headers, "ETag", `"${"a".repeat(64)}"`) }
        : undefined,
    ),
    ["etag", "not-modified", "not-modified-weak", "not-modified-list", "br-tag", "gzip-tag", "repeated-condition"],
  ],
  [
    "size and time as ETag",
    edits(({ reply }) =>
      reply.status === 200
        ? {
            headers: set(
              reply.headers,
              "ETag",
              `"${reply.headers.find(([name]) => name === "Content-Length")?.[1]}-18f"`,
            ),
          }
        : undefined,
    ),
    ["etag", "br-tag", "gzip-tag", "not-modified", "not-modified-weak", "not-modified-list", "repeated-condition"],
  ],
  ["a stale page", pagesOf({ bio: "old" }, (page) => page === 3), ["one-snapshot", "snapshot-id", "same-bytes"]],
  [
    "mixed snapshots",
    pagesOf({ bio: "old", count: 9 }, (page) => page > 0 && page % 2 === 0),
    ["pages", "one-snapshot", "count", "snapshot-id", "same-bytes"],
  ],
  ["an old release everywhere", pagesOf({ bio: "old" }, () => true), ["snapshot-id", "same-bytes", "files"]],
  [
    "Snapshot-Id changing under way",
    (one: Front) => {
      let asked = 0;
      one.edit((_req, reply) => ({
        ...reply,
        headers: set(reply.headers, "Snapshot-Id", `${100_000_000_000 + asked++}`),
      }));
    },
    ["one-snapshot", "snapshot-id"],
  ],
  [
    "a snapshot that changes each time that it is read",
    // Each of four walks reads page 1 at its beginning and at its end.
    pagesOf({ bio: "old" }, (page, times) => page === 1 && times <= 8 && times % 2 === 0),
    ["one-snapshot"],
  ],
  [
    "POST answered",
    edits(({ method, url }) =>
      method === "POST" ? { status: 200, body: Buffer.from(`{"url":"${url}"}`) } : undefined,
    ),
    ["post", "length-required"],
  ],
  ["methods that are not implemented", status(501, ({ method }) => method === "PROPFIND"), ["propfind"]],
  [
    "405 without Allow",
    header("Allow", undefined, ({ reply }) => reply.status === 405),
    ["post", "put", "patch", "delete", "trace", "propfind", "length-required"],
  ],
  [
    "405 with another detail",
    edits(({ reply }) => (reply.status === 405 ? { body: Buffer.from('{"detail":"No."}') } : undefined)),
    ["method-detail"],
  ],
  [
    "an HTML 404",
    edits(({ reply, method }) =>
      reply.status === 404 && method === "GET"
        ? { headers: [...set(reply.headers, "Content-Type", "text/html")], body: html }
        : undefined,
    ),
    ["invalid-page", "error-type", "error-detail", "head-of-errors"],
  ],
  [
    "a web server's own 404",
    edits(({ reply }) => (reply.status === 404 ? { headers: HTML, body: html } : undefined)),
    [
      "snapshot-id",
      "head-of-errors",
      "invalid-page",
      "error-type",
      "error-caching",
      "error-allow",
      "error-vary",
      "error-browsers",
      "error-detail",
    ],
  ],
  ["errors that are cached", header("Cache-Control", "public, max-age=60", errors), ["error-caching"]],
  ["errors without Vary", header("Vary", undefined, errors), ["error-vary"]],
  ["errors without Allow", header("Allow", undefined, ({ reply }) => reply.status === 404), ["error-allow"]],
  [
    "a truncated body",
    edits((exchange) =>
      onPage(3, exchange) ? { body: exchange.reply.body.subarray(0, 400), headers: exchange.reply.headers } : undefined,
    ),
    ["pages"],
  ],
  [
    "a body cut short on its way",
    (one: Front) =>
      one.edit(({ url }, reply) =>
        url?.endsWith("page=3") ? { ...reply, body: reply.body.subarray(0, 400) } : undefined,
      ),
    ["pages"],
  ],
  [
    "a page that is HTML",
    edits((exchange) => (onPage(3, exchange) ? { headers: HTML, body: html } : undefined)),
    ["pages"],
  ],
  [
    "a page that is gone",
    edits((exchange) =>
      onPage(3, exchange) ? { status: 404, body: Buffer.from('{"detail":"Not found."}') } : undefined,
    ),
    ["pages"],
  ],
  [
    "a page that redirects",
    edits((exchange) =>
      onPage(3, exchange) ? { status: 302, headers: [["Location", "/login"]], body: Buffer.alloc(0) } : undefined,
    ),
    ["pages"],
  ],
  ["a count that differs", text(3, '"count":11', '"count":12'), ["count", "etag", "same-bytes"]],
  ["a link that leads back", text(3, "page=4", "page=1"), ["links", "etag", "same-bytes"]],
  ["an invalid user", text(3, '"kyc_status":"NONE"', '"kyc_status":"none"'), ["records", "etag", "same-bytes"]],
  [
    "a user that is nested too deep for any stack",
    text(3, '"circles":[]', `"circles":[${"[".repeat(200_000)}${"]".repeat(200_000)}]`),
    ["records", "etag", "same-bytes"],
  ],
  [
    "an id and a time as long as they like",
    text(3, /"id":"[^"]*"/, `"id":"${"f".repeat(100_000)}"`),
    ["records", "etag", "same-bytes"],
  ],
  ["JSON that was made anew", text(3, '{"count":11,', '{ "count": 11, '), ["canonical", "etag", "same-bytes"]],
  [
    "HEAD without a length",
    header("Content-Length", undefined, ({ method }) => method === "HEAD"),
    ["head-length", "head-coded", "head-of-errors"],
  ],
  [
    "HEAD with a body",
    (one: Front) =>
      one.edit(({ method }, reply) => (method === "HEAD" ? { ...reply, body: Buffer.from("{}") } : undefined)),
    ["head-body"],
  ],
  ["HEAD without the tag", header("ETag", undefined, ({ method }) => method === "HEAD"), ["head", "head-coded"]],
  ["HEAD refused", status(405, ({ method }) => method === "HEAD"), ["head", "head-error"]],
  ["OPTIONS with 200", status(200, ({ method }) => method === "OPTIONS"), ["options"]],
  [
    "OPTIONS refused",
    edits(({ method, reply }) =>
      method === "OPTIONS"
        ? {
            status: 405,
            headers: reply.headers.filter(([name]) => !name.startsWith("Access-Control-Allow-")),
          }
        : undefined,
    ),
    ["options", "preflight"],
  ],
  [
    "a preflight that allows nothing",
    header("Access-Control-Allow-Headers", undefined, ({ method }) => method === "OPTIONS"),
    ["preflight"],
  ],
  ["page 01 answered", status(200, ({ url }) => url.endsWith("page=01")), ["page-leading-zero"]],
  ["page +1 answered", status(200, ({ url }) => url.endsWith("page=%2B1")), ["page-plus"]],
  ["page 0 answered with an empty list", status(200, ({ url }) => url.endsWith("page=0")), ["page-0"]],
  [
    "pages beyond the last answered",
    status(200, ({ url }) => url.endsWith("page=7") || url.endsWith("/7.json")),
    ["page-beyond", "page-path-beyond"],
  ],
  [
    "a redirect that drops the query",
    edits(({ reply }) =>
      reply.status === 301 ? { headers: set(reply.headers, "Location", "/api/users/") } : undefined,
    ),
    ["missing-slash-query"],
  ],
  ["a redirect for now", status(302, ({ reply }) => reply.status === 301), ["missing-slash"]],
  ["no redirect", status(404, ({ reply }) => reply.status === 301), ["missing-slash"]],
  [
    "a redirect to another host",
    edits(({ reply }) =>
      reply.status === 301
        ? { headers: set(reply.headers, "Location", "https://evil.example/api/users/?format=api&page=2") }
        : undefined,
    ),
    ["missing-slash", "missing-slash-query"],
  ],
  [
    "304 with a body",
    (one: Front) =>
      one.edit((_req, reply) => (reply.status === 304 ? { ...reply, body: Buffer.from("{}") } : undefined)),
    ["not-modified-body"],
  ],
  [
    "304 without headers",
    edits(({ reply }) => (reply.status === 304 ? { headers: [] } : undefined)),
    ["snapshot-id", "not-modified-headers"],
  ],
  [
    "never 304",
    edits(({ reply, fields }) =>
      reply.status === 304 && fields["if-none-match"] !== undefined ? { status: 412 } : undefined,
    ),
    ["not-modified", "not-modified-weak", "not-modified-list", "not-modified-any", "repeated-condition"],
  ],
  [
    "304 for any tag",
    status(304, ({ fields, reply }) => fields["if-none-match"] !== undefined && reply.status === 200),
    ["modified"],
  ],
  [
    "gzip that is none",
    edits(({ fields, reply }) =>
      fields["accept-encoding"] === "gzip" && reply.status === 200 ? { body: Buffer.from("{}") } : undefined,
    ),
    ["gzip", "gzip-tag", "head-coded", "files"],
  ],
  [
    "other bytes under gzip",
    edits(({ fields, reply }) =>
      fields["accept-encoding"] === "gzip" && reply.status === 200 ? { body: gzipSync("{}") } : undefined,
    ),
    ["gzip", "gzip-tag", "head-coded", "files"],
  ],
  [
    "Brotli under the name of gzip",
    edits(({ fields, reply }) =>
      fields["accept-encoding"] === "gzip" && reply.status === 200 ? { body: brotliCompressSync("{}") } : undefined,
    ),
    ["gzip", "gzip-tag", "head-coded", "files"],
  ],
  [
    "gzip forced upon those who refuse it",
    edits(({ fields, reply }) =>
      String(fields["accept-encoding"]).includes("gzip;q=0") && reply.status === 200
        ? { headers: [...reply.headers, ["Content-Encoding", "gzip"]], body: gzipSync(reply.body) }
        : undefined,
    ),
    ["refused-coding"],
  ],
  [
    "compressed pages that are not served",
    edits(({ fields, reply, url }) =>
      fields["accept-encoding"] === "br" && reply.status === 200 && url
        ? { headers: set(reply.headers, "Content-Encoding", undefined), body: Buffer.alloc(0) }
        : undefined,
    ),
    ["etag", "br", "files"],
  ],
  [
    "a range answered",
    edits(({ fields, reply }) =>
      fields["range"] !== undefined ? { status: 206, body: reply.body.subarray(0, 10) } : undefined,
    ),
    ["range"],
  ],
  [
    "HTML for who asks for it",
    edits(({ fields }) => (fields["accept"] === "text/html" ? { headers: HTML, body: html } : undefined)),
    ["accept"],
  ],
  ["a query that is not decoded", status(404, ({ url }) => url.endsWith("page=%32")), ["encoded-page"]],
  ["parameters that count", status(400, ({ url }) => url.includes("format=csv")), ["other-parameters"]],
  ["a listing without an index", status(403, ({ url }) => url.endsWith("/api/users/")), ["no-page"]],
  [
    "another base URL",
    async ({ dist, host }: Front) => {
      await publish(dist, { baseUrl: "https://elsewhere.example", count: 11, encodings: ["br", "gzip"] });
      await host.reload();
    },
    ["base-url", "snapshot-id", "same-bytes", "files"],
  ],
];

describe("a fault", () => {
  test("at least twenty, each under a name of its own", () => {
    expect(new Set(FAULTS.map(([what]) => what)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThan(20);
  });

  test.each(FAULTS)("%s", async (_what, make, rows) => {
    const one = await front({ count: 11, encodings: ["br", "gzip"] });
    const against = await openRelease(one.host.release.folder);
    await make(one);
    const verdict = await verifyUrl({ baseUrl: one.baseUrl, against, timeoutMs: 3_000 });
    expect(differing(verdict)).toEqual(ROW_NAMES.filter((name) => rows.includes(name)));
    expect(rows.filter((name) => !ROW_NAMES.includes(name))).toEqual([]);
  });
});

test("a count that promises millions of pages is no reason to make room for them", async () => {
  const one = await front({ count: 11, pageSize: 1 });
  edits(({ reply }) => ({
    body: Buffer.from(String(reply.body).replace('"count":11', '"count":900000000')),
  }))(one);
  const { rows } = await verifyUrl({ baseUrl: one.baseUrl });
  const found = rows.find(({ name }) => name === "pages");
  // Those that were asked for when it was enough, too.
  expect(found?.count).toBeGreaterThanOrEqual(100);
  expect(found?.count).toBeLessThan(100 + 8);
  expect(found?.request).toMatch(/^1\d\d of 900,000,000 pages$/);
});

test("a host that leaves probes without an answer is given up", async () => {
  const one = await front({ count: 11 });
  const isRead = /^GET .*(page=\d|pages\/[1-6]\.json|contract\.json|snapshot\.json|SHA256SUMS(\.minisig)?)$/;
  one.intercept((req) => (isRead.test(`${req.method} ${req.url}`) ? false : undefined));
  await expect(verifyUrl({ baseUrl: one.baseUrl, timeoutMs: 100 })).rejects.toThrow(
    "did not answer in full within 0.1 seconds",
  );
  expect(one.asked.filter((line) => !isRead.test(line))).toHaveLength(20);
});

test("an answer in which there is nothing to judge holds nothing", async () => {
  const one = await front({ count: 11 });
  const first = (url = "") => url.endsWith("page=0");
  await edits(({ method, url }) => (method === "POST" ? { status: 501 } : first(url) ? { status: 200 } : undefined))(
    one,
  );
  const { rows } = await verifyUrl({ baseUrl: one.baseUrl });
  const noteOf = (name: string) => rows.find((row) => row.name === name);
  expect(noteOf("method-detail")).toMatchObject({ outcome: "skipped", note: "the answer is no 405" });
  expect(noteOf("error-vary")).toMatchObject({ outcome: "skipped", note: "the answer is no error" });
  expect(noteOf("gzip-vary")).toMatchObject({ outcome: "skipped", note: "no answer is in gzip" });
  expect(differing({ subject: "", words: ["user", "users"], rows })).toEqual(["page-0", "post", "length-required"]);
});
