/** Faults of hosts, each with the checks of `rollcall verify URL` that find it, combined in runs of independent faults. */
import type { IncomingMessage } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { AVATAR } from "../../src/core/release/layout.js";
import { createListingServer } from "../../src/serve/serve.js";
import { type Shape, writeRelease } from "../serve/release.js";
import { type Front, fetchReply, type Reply } from "../support/front.js";
import { releaseOf } from "../support/served.js";

/** What is served when nothing is wrong. */
export const SHAPE: Shape = { count: 11, encodings: ["br", "gzip"], others: { "avatar.svg": AVATAR } };

interface Asked {
  method: string;
  url: string;
  fields: IncomingMessage["headers"];
  coding: string;
  /** The host's response, after other faults of this run. */
  reply: Reply;
  req: IncomingMessage;
}

/** `isRaw` keeps Content-Length, and sends a body even where none is allowed. */
type Change = (asked: Asked) => (Partial<Reply> & { isRaw?: true }) | undefined;
/** Makes a change for each run. It may need other hosts. */
type Make = (one: Front, atEnd: (close: () => Promise<void>) => void) => Change | Promise<Change>;
/** `alone` are the rows without a release to compare with. */
export type Fault = [what: string, make: Make, rows: string, alone?: string];

type When = (asked: Asked) => boolean;
const all: When = () => true;
const edits =
  (change: Change): Make =>
  () =>
    change;
const where = (when: When, change: Change): Make => edits((asked) => (when(asked) ? change(asked) : undefined));

/** Responds with all faults at once. */
export async function breakBy(one: Front, faults: readonly Fault[], atEnd: (close: () => Promise<void>) => void) {
  const changes: Change[] = [];
  for (const [, make] of faults) changes.push(await make(one, atEnd));
  one.edit(async (req, answered) => {
    const { method = "", url = "", headers: fields } = req;
    let reply = answered;
    for (const change of changes) {
      const made = await change({ method, url, fields, coding: String(fields["accept-encoding"]), reply, req });
      if (!made) continue;
      const { isRaw, ...changed } = made;
      const isSized = !isRaw && changed.body !== undefined && method !== "HEAD";
      const { body } = method === "HEAD" && !isRaw ? reply : { ...reply, ...changed };
      reply = { ...reply, ...changed, body };
      if (isSized && changed.headers === undefined)
        reply.headers = reply.headers.map(([name, value]) => [
          name,
          name === "Content-Length" ? `${body.length}` : value,
        ]);
    }
    return reply;
  });
}

type Headers = Reply["headers"];
const set = (headers: Headers, name: string, value: string | undefined): Headers => [
  ...headers.filter(([key]) => key !== name),
  ...(value === undefined ? [] : [[name, value] as [string, string]]),
];
const of = ({ headers }: Reply, name: string) => headers.find(([key]) => key === name)?.[1];
/** Sets or removes a header of some responses. */
const header = (name: string, value: string | undefined | ((was: string) => string), when: When) =>
  where(when, ({ reply }) => {
    const made = typeof value === "function" ? value(of(reply, name) ?? "") : value;
    return { headers: set(reply.headers, name, made) };
  });
const isPage: When = ({ reply }) => reply.status === 200;
const by =
  (method: string): When =>
  (asked) =>
    asked.method === method;
const answered =
  (status: number): When =>
  ({ reply }) =>
    reply.status === status;
const isError: When = ({ reply }) => reply.status >= 400;
const ends =
  (...with_: string[]): When =>
  ({ url }) =>
    with_.some((end) => url.endsWith(end));
const in_ =
  (coding: string): When =>
  (asked) =>
    asked.coding === coding && asked.reply.status === 200;
const both =
  (...whens: When[]): When =>
  (asked) =>
    whens.every((when) => when(asked));
const isTagged: When = ({ reply }) => reply.status === 200 || reply.status === 304;
const page = (number: number) => ends(`?format=api&page=${number}`);
const isOfPage: When = ({ url }) => url.startsWith("/api/users/");
const MARK = Buffer.from("\ufeff");
const anyForm = (number: number) => ends(`page=${number}`, `/${number}.json`);
const status = (to: number, when: When) => where(when, () => ({ status: to }));
const body = (make: (was: Buffer) => Buffer | string, when: When) =>
  where(when, ({ reply }) => ({ body: Buffer.from(make(reply.body)) }));
const raw = (make: (was: Buffer) => Buffer | string, when: When) =>
  where(when, ({ reply }) => ({ body: Buffer.from(make(reply.body)), isRaw: true }));
const text = (number: number, from: string | RegExp, to: string) =>
  body((was) => was.toString().replace(from, to), both(page(number), in_("identity")));
const html = { headers: [["Content-Type", "text/html"]] as Headers, body: Buffer.from("<!doctype html><h1>No</h1>") };

/** Responses of a host with another release of the same base URL. */
const from =
  (shape: Shape, which: (asked: Asked, times: number) => boolean, isNamed = false): Make =>
  async ({ dist, baseUrl, host }, atEnd) => {
    const folder = await writeRelease(dist, { ...SHAPE, baseUrl, ...shape });
    const second = await createListingServer({ dist: folder });
    atEnd(() => second.close());
    const { port } = new URL((await second.listen({ port: 0 })).url);
    const { id } = releaseOf(host).snapshot;
    const times = new Map<string, number>();
    // Fetches the response before other faults change it.
    return ((asked: Asked) => {
      const many = (times.get(asked.url + asked.coding) ?? 0) + 1;
      times.set(asked.url + asked.coding, many);
      if (!which(asked, many)) return undefined;
      return fetchReply(port, asked.req).then((reply) =>
        isNamed ? reply : { ...reply, headers: set(reply.headers, "Snapshot-Id", id) },
      );
    }) as unknown as Change;
  };
/** With the id of its own release. */
const pagesOf = (shape: Shape, which: (number: number, times: number) => boolean) =>
  from(
    shape,
    ({ url, coding }, times) => {
      const number = coding === "identity" ? Number(/format=api&page=(\d+)$/.exec(url)?.[1] ?? 0) : 0;
      return which(number, times);
    },
    true,
  );
const OLD: Shape = { bio: "old", others: { "avatar.svg": "<svg></svg>" } };
/** With the id of the right release. */
const stale = (which: When) => from(OLD, which);
const file = (name: string) => ends(`/${name}`);
const counted = (): Make => () => {
  let asked = 0;
  return ({ reply }) => ({ headers: set(reply.headers, "Snapshot-Id", `${100_000_000_000 + asked++}`) });
};

const TAGS = "etag-digest not-modified not-modified-weak not-modified-list file-not-modified";
const GZIP = "gzip etag-digest files";

/** Each run combines faults that do not hide each other, each with its own row. */
export const RUNS: readonly (readonly Fault[])[] = [
  [
    [
      "codings chosen without their weights",
      header("Content-Encoding", "br", ({ coding }) => coding === "br;q=0.1, gzip"),
      "encoding-order",
    ],
    ["a wrong Content-Type", header("Content-Type", "application/json; charset=utf-8", isPage), "content-type"],
    [
      "no Allow on pages",
      header(
        "Allow",
        undefined,
        both(isPage, ({ method }) => method !== "OPTIONS"),
      ),
      "allow",
    ],
    ["a weak Vary", header("Vary", "*", isPage), "vary br-vary gzip-vary"],
    ["pages that must not be cached", header("Cache-Control", "no-store", isPage), "cache-control"],
    [
      "a state that may be cached",
      header("Cache-Control", "public, max-age=3600", file("snapshot.json")),
      "file-caching",
    ],
    ["an image that is text", header("Content-Type", "text/plain", file("avatar.svg")), "file-type"],
    [
      "missing CORS",
      header("Access-Control-Allow-Origin", undefined, all),
      "browsers preflight error-browsers other-site",
    ],
    ["no nosniff on pages", header("X-Content-Type-Options", undefined, isPage), "nosniff"],
    ["no Snapshot-Id", header("Snapshot-Id", undefined, all), "snapshot-id"],
    ["a weak ETag", header("ETag", (tag) => `W/${tag}`, isTagged), "etag br-tag gzip-tag not-modified-weak"],
    [
      "a snapshot that changes each time that it is read",
      // Each of nine readings requests page 1 at its beginning and its end.
      pagesOf({ bio: "old" }, (number, times) => number === 1 && times <= 18 && times % 2 === 0),
      "one-snapshot",
    ],
    ["POST answered", where(by("POST"), ({ url }) => ({ status: 200, body: Buffer.from(`{"url":"${url}"}`) })), "post"],
    [
      "an HTML 404",
      where(both(answered(404), by("GET")), ({ reply }) => ({
        headers: [...set(reply.headers, "Content-Type", "text/html")].map(([name, value]) => [
          name,
          name === "Content-Length" ? `${html.body.length}` : value,
        ]),
        body: html.body,
      })),
      "invalid-page error-type error-detail",
    ],
    ["errors that are cached", header("Cache-Control", "public, max-age=60", isError), "error-caching"],
    ["errors without Vary", header("Vary", undefined, isError), "error-vary"],
    ["a truncated body", body((was) => was.subarray(0, 400), page(3)), "pages"],
    ["the name of its folder answered", status(200, file(".release")), "hidden-file"],
    ["HEAD without a length", header("Content-Length", undefined, by("HEAD")), "head-length head-file"],
    ["HEAD refused", status(405, by("HEAD")), "head head-error head-file"],
    ["OPTIONS with 200", status(200, by("OPTIONS")), "options"],
    ["page 01 answered", status(200, ends("page=01")), "page-leading-zero"],
    ["pages beyond the last answered", status(200, anyForm(7)), "page-beyond page-path-beyond"],
    ["a redirect that drops the query", header("Location", "/api/users/", answered(301)), "missing-slash-query"],
    ["a redirect for now", status(302, answered(301)), "missing-slash"],
    ["gzip that is none", body(() => "{}", in_("gzip")), "gzip files"],
    [
      "gzip forced upon those who refuse it",
      where(
        both(isPage, ({ coding }) => coding.includes("gzip;q=0")),
        ({ reply }) => {
          const packed = gzipSync(reply.body);
          const headers = set(reply.headers, "Content-Length", `${packed.length}`);
          return { headers: [...headers, ["Content-Encoding", "gzip"]], body: packed };
        },
      ),
      "refused-coding",
    ],
    [
      "a range answered",
      where(
        ({ fields }) => fields["range"] !== undefined,
        ({ reply }) => ({ status: 206, body: reply.body.subarray(0, 10) }),
      ),
      "range",
    ],
    [
      "HTML for who asks for it",
      where(
        ({ fields }) => fields["accept"] === "text/html",
        () => html,
      ),
      "accept",
    ],
    ["parameters that count", status(400, ({ url }) => url.includes("format=csv")), "other-parameters"],
    ["a listing without an index", status(403, ends("/api/users/")), "no-page"],
    [
      "br of the pages from 2 on cut",
      body(
        (was) => was.subarray(0, was.length / 2),
        both(in_("br"), ({ url }) => /page=[2-6]$|\/[2-6]\.json$/.test(url)),
      ),
      "br",
    ],
    [
      "one page by path of another release",
      stale(both(ends("/4.json"), ({ coding }) => coding === "identity")),
      "both-forms",
    ],
  ],
  [
    [
      "never 304",
      status(
        412,
        both(answered(304), ({ fields }) => fields["if-none-match"] !== undefined),
      ),
      "not-modified not-modified-weak not-modified-list file-not-modified",
    ],
  ],
  [
    ["Vary that forgets compression", header("Vary", "Accept", isPage), "vary br-vary gzip-vary"],
    ["Snapshot-Id that browsers may not read", header("Access-Control-Expose-Headers", undefined, all), "snapshot-id"],
    ["one ETag for different bytes", header("ETag", `"${"a".repeat(64)}"`, isTagged), `${TAGS} br-tag gzip-tag`],
    ["405 without Allow", header("Allow", undefined, answered(405)), "post"],
    ["405 with another detail", body(() => '{"detail":"No."}', answered(405)), "method-detail"],
    ["a body cut short on its way", raw((was) => was.subarray(0, 400), ends("page=3")), "pages"],
    [
      "OPTIONS refused",
      where(by("OPTIONS"), ({ reply }) => ({
        status: 405,
        headers: reply.headers.filter(([name]) => !name.startsWith("Access-Control-Allow-")),
      })),
      "options preflight",
    ],
    ["page 0 answered with an empty list", status(200, ends("page=0")), "page-0"],
    ["no redirect", status(404, answered(301)), "missing-slash"],
    ["other bytes under gzip", body(() => gzipSync("{}"), in_("gzip")), GZIP],
    ["pages by path of another release", stale(({ url }) => /\/pages\/\d+\.json$/.test(url)), "both-forms br gzip"],
  ],
  [
    [
      "Vary in two lines",
      where(isPage, ({ reply }) => ({
        headers: [...set(reply.headers, "Vary", "Accept"), ["Vary", "Accept-Encoding"]],
      })),
      "vary br-vary gzip-vary",
    ],
    ["a wrong Snapshot-Id on every answer", header("Snapshot-Id", "0123456789ab", all), "snapshot-id"],
    [
      "size and time as ETag",
      where(isPage, ({ reply }) => ({ headers: set(reply.headers, "ETag", `"${of(reply, "Content-Length")}-18f"`) })),
      TAGS,
    ],
    ["a page that is HTML", where(page(3), () => html), "pages"],
    [
      "SHA256SUMS that shared caches may keep",
      header("Cache-Control", "max-age=0, s-maxage=60", file("SHA256SUMS")),
      "file-caching",
    ],
    ["a preflight that allows nothing", header("Access-Control-Allow-Headers", undefined, by("OPTIONS")), "preflight"],
    [
      "a redirect to another host",
      header("Location", "https://evil.example/api/users/?format=api&page=2", answered(301)),
      "missing-slash missing-slash-query",
    ],
    ["Brotli under the name of gzip", body(() => brotliCompressSync("{}"), in_("gzip")), GZIP],
  ],
  [
    ["HEAD with a body", where(by("HEAD"), () => ({ body: Buffer.from("{}"), isRaw: true })), "head-body"],
    ["% refused as a bad request", status(400, ends("page=%")), "page-percent"],
    ["pages in Breton", header("Content-Language", "br", isPage), "language"],
    ["304 without its type", header("Content-Type", undefined, answered(304)), "not-modified-type"],
    ["files that are never 304", status(200, both(answered(304), file("snapshot.json"))), "file-not-modified"],
    [
      "a redirect to another scheme",
      (one, atEnd) => {
        const secure = one.baseUrl.replace("http:", "https:");
        return header(
          "Location",
          (to) => new URL(to, secure).href.replace("http:", "https:"),
          answered(301),
        )(one, atEnd);
      },
      "missing-slash missing-slash-query",
    ],
  ],
  [
    ["a wrong Snapshot-Id on redirects", header("Snapshot-Id", "0123456789ab", answered(301)), "snapshot-id"],
    ["a weak tag on snapshot.json", header("ETag", (tag) => `W/${tag}`, file("snapshot.json")), "etag"],
    [
      "a page that is gone",
      where(page(3), () => ({ status: 404, body: Buffer.from('{"detail":"Not found."}') })),
      "pages",
    ],
    ["HEAD without the tag", header("ETag", undefined, by("HEAD")), "head"],
    [
      "304 for any tag",
      status(
        304,
        both(isPage, ({ fields }) => fields["if-none-match"] !== undefined),
      ),
      "modified",
    ],
    ["gzip of page 5 of another release", stale(both(anyForm(5), ({ coding }) => coding === "gzip")), "gzip"],
    ["SHA256SUMS of another release", stale(file("SHA256SUMS")), "files", "same-bytes files download"],
  ],
  [
    ["Snapshot-Id changing under way", counted(), "one-snapshot snapshot-id"],
    [
      "a web server's own 404",
      where(answered(404), () => html),
      "snapshot-id invalid-page error-type error-caching error-vary error-browsers error-detail",
    ],
    [
      "a page that redirects",
      where(page(3), () => ({ status: 302, headers: [["Location", "/login"]], body: Buffer.alloc(0) })),
      "pages",
    ],
    ["304 without headers", where(answered(304), () => ({ headers: [] })), "not-modified-headers not-modified-type"],
    [
      "compressed pages that are not served",
      where(in_("br"), ({ reply }) => ({
        headers: set(set(reply.headers, "Content-Encoding", undefined), "Content-Length", "0"),
        body: Buffer.alloc(0),
      })),
      "etag-digest br files",
    ],
  ],
  [
    // Its digest cannot be in a file that it lists, so this is accepted.
    ["a tag on SHA256SUMS that is no digest", header("ETag", '"1"', file("SHA256SUMS")), ""],
    ["a stale page", pagesOf({ bio: "old" }, (number) => number === 3), "one-snapshot snapshot-id same-bytes"],
    ["br of pages by path gone", status(404, both(in_("br"), ends("/3.json"))), "br"],
    [
      "a web server's own 400 for a query with %00",
      where(
        ({ url }) => url.includes("%00"),
        () => ({ ...html, status: 400 }),
      ),
      "page-nul",
    ],
    [
      "a redirect to the Host of the request",
      where(answered(301), ({ reply, fields }) => ({
        headers: set(reply.headers, "Location", `http://${fields.host}${of(reply, "Location")}`),
      })),
      "missing-slash-host",
    ],
    // Without a release, only its id is known.
    ["snapshot.json of another release", stale(file("snapshot.json")), "files", "snapshot-id files digests snapshot"],
  ],
  [
    [
      "mixed snapshots",
      pagesOf({ bio: "old", count: 9 }, (number) => number > 0 && number % 2 === 0),
      "pages one-snapshot snapshot-id same-bytes",
    ],
    ["no snapshot.json", status(404, file("snapshot.json")), "files file-not-modified"],
  ],
  [["an old release everywhere", pagesOf({ bio: "old" }, () => true), "snapshot-id same-bytes files"]],
  [
    [
      "another base URL",
      from({ baseUrl: "https://elsewhere.example" }, all, true),
      "base-url snapshot-id same-bytes files",
    ],
  ],
  [
    [
      "a byte order mark before each page",
      where(both(in_("identity"), isOfPage), ({ reply }) => ({
        headers: set(reply.headers, "Content-Length", `${Number(of(reply, "Content-Length")) + MARK.length}`),
        body: Buffer.concat([MARK, reply.body]),
      })),
      "pages etag-digest same-bytes",
      "pages etag-digest same-bytes download",
    ],
  ],
  [["no SHA256SUMS", status(404, file("SHA256SUMS")), "files"]],
  [["no avatar", status(404, file("avatar.svg")), "files"]],
  [["the avatar of another release", stale(file("avatar.svg")), "files"]],
  [
    [
      "gzip of the avatar that is none",
      where(
        both(file("avatar.svg"), ({ coding }) => coding === "gzip"),
        () => ({
          body: gzipSync("x"),
          headers: [["Content-Encoding", "gzip"]],
        }),
      ),
      "files",
    ],
  ],
];

const PACKED = gzipSync("0123456789".repeat(9));
const PART = "bulk/1.ndjson.gz";
const CSV = "records.csv.gz";
/** A release with a web page, a part and a CSV file. */
export const FULL: Shape = {
  ...SHAPE,
  others: { "index.html": "<!doctype html>", [PART]: PACKED, [CSV]: PACKED },
};

const at =
  (path: string): When =>
  ({ url }) =>
    url === path;
const gets = (when: When) => both(by("GET"), when);
const heads = (when: When) => both(by("HEAD"), when);
const ranged =
  (pattern: RegExp): When =>
  ({ fields, reply }) =>
    pattern.test(fields["range"] ?? "") && reply.status === 206;
const ofFile = file("contract.json");
const asHtml = (status: number, when: When) => where(when, () => ({ ...html, status }));
const again = (name: string, when: When) =>
  where(when, ({ reply }) => ({ headers: [...reply.headers, [name, of(reply, name) ?? ""]] }));
const isOf =
  (name: string, value: RegExp): When =>
  ({ fields }) =>
    value.test(String(fields[name] ?? ""));
const times = { count: 0 };

/** Faults of a release with all of that, each by itself. */
export const LIES: readonly Fault[] = [
  ["a web page without its query only", status(404, at("/?x=1")), "explorer-query"],
  ["pages that browsers save", header("Content-Disposition", "attachment; filename=x", isPage), "attachment"],
  ["a file that browsers save", header("Content-Disposition", "ATTACHMENT", file("snapshot.json")), "attachment"],
  ["pages that lead elsewhere", header("Refresh", "0; url=https://evil.example", isPage), "refresh"],
  ["errors that lead elsewhere", header("Refresh", "0; url=/login", isError), "refresh"],
  ["pages with a cookie", header("Set-Cookie", "id=1", isPage), "set-cookie"],
  ["a file with a cookie", header("Set-Cookie", "id=1", file("SHA256SUMS")), "set-cookie"],
  ["a policy for its own origin", header("Cross-Origin-Resource-Policy", "same-origin", all), "resource-policy"],
  ["a policy for its own site", header("Cross-Origin-Resource-Policy", "same-site", ofFile), "resource-policy"],
  ["a web page for what is not there below lookup", asHtml(200, at("/lookup/nothing")), "other-path"],
  ["a web page for what is not there below bulk", asHtml(200, at("/bulk/nothing")), "other-path"],
  ["a web page for what is not there below explorer", asHtml(200, at("/explorer/nothing")), "other-path"],
  ["a web server's own 404 below lookup", asHtml(404, at("/lookup/nothing")), "snapshot-id error-detail"],
  ["page -1 answered", status(200, ends("page=-1")), "page-word"],
  ["page +1 answered", status(200, ends("page=+1")), "page-word"],
  ["page 1e0 answered", status(200, ends("page=1e0")), "page-word"],
  ["the whole part for a range without an end", status(200, ranged(/^bytes=\d\d+-$/)), "part-range"],
  ["the first bytes for the last ones", body(() => PACKED.subarray(0, 9), ranged(/^bytes=-9$/)), "part-range"],
  ["other bytes for a range", body(() => PACKED.subarray(0, 9), ranged(/^bytes=1-9$/)), "part-range"],
  ["too many bytes for a range", body(() => PACKED.subarray(1, 20), ranged(/^bytes=1-9$/)), "part-range"],
  ["the whole CSV file for a range", status(200, both(file(CSV), ranged(/^bytes=1/))), "part-range"],
  ["a wrong Content-Range", header("Content-Range", "bytes 1-9/10", ranged(/^bytes=1-9$/)), "part-range part-if-range"],
  ["no Content-Range", header("Content-Range", undefined, ranged(/^bytes=-/)), "part-range"],
  ["a range for another tag", status(206, isOf("if-range", /x/)), "part-if-range"],
  ["the whole for the own tag", status(200, isOf("if-range", /[0-9a-f]{64}/)), "part-if-range"],
  ["a web server's own 416", asHtml(416, answered(416)), "part-beyond"],
  ["a 416 that caches keep", header("Cache-Control", "public, max-age=60", answered(416)), "part-beyond"],
  ["ranges refused", header("Accept-Ranges", "none", file(PART)), "part-type"],
  ["a part under Content-Encoding", header("Content-Encoding", "gzip", file(PART)), "files part-type"],
  ["a part as bytes", header("Content-Type", "application/octet-stream", file(PART)), "file-type part-type part-range"],
  ["a file with a query that is gone", status(404, at("/contract.json?v=1")), "file-query"],
  ["a web page for a file with a query", asHtml(200, at("/contract.json?v=1")), "file-query"],
  ["OPTIONS of a file refused", status(405, both(by("OPTIONS"), ofFile)), "options"],
  ["OPTIONS of a file without Allow", header("Allow", undefined, both(by("OPTIONS"), ofFile)), "options"],
  [
    "a preflight of a file that allows nothing",
    header("Access-Control-Allow-Methods", undefined, both(by("OPTIONS"), ofFile)),
    "preflight",
  ],
  ["POST of a file answered", status(200, both(by("POST"), ofFile)), "post"],
  ["405 of a file without Allow", header("Allow", undefined, both(by("POST"), ofFile)), "post"],
  ["405 of a file with another detail", body(() => '{"detail":"No."}', both(by("POST"), ofFile)), "method-detail"],
  ["the list of records served", status(200, file("records.sha256")), "unserved-file"],
  ["compressed pages served as files", status(200, ends("/1.json.br")), "unserved-file"],
  ["HEAD of what is not there answered", status(200, heads(ends("/nothing"))), "head-error"],
  ["HEAD of a file refused", status(405, heads(ofFile)), "head-file"],
  ["HEAD of a file without a length", header("Content-Length", undefined, heads(ofFile)), "head-file"],
  ["HEAD of a file with another length", header("Content-Length", "7", heads(ofFile)), "head-file"],
  ["HEAD with another length", header("Content-Length", "7", heads(page(1))), "head-length"],
  ["304 of a file for any tag", status(304, both(ofFile, isOf("if-none-match", /./))), "modified"],
  ["304 by time", status(304, both(page(1), isOf("if-modified-since", /./))), "modified-since"],
  ["304 of a file by time", status(304, both(ofFile, isOf("if-modified-since", /./))), "modified-since"],
  [
    "nothing for scripts of other sites",
    header("Access-Control-Allow-Origin", undefined, gets(isOf("origin", /./))),
    "other-site",
  ],
  [
    "a file for scripts of one site",
    header("Access-Control-Allow-Origin", "https://a.example", both(ofFile, gets(isOf("origin", /./)))),
    "other-site",
  ],
  ["a web page for browsers", asHtml(200, isOf("user-agent", /^Mozilla/)), "accept"],
  [
    "other errors that caches keep",
    header("Cache-Control", "max-age=9", both(isError, ends("/nothing"))),
    "error-caching",
  ],
  ["other errors without Vary", header("Vary", undefined, both(isError, ends("/nothing"))), "error-vary"],
  [
    "other errors without nosniff",
    header("X-Content-Type-Options", undefined, both(isError, ends("/nothing"))),
    "error-browsers",
  ],
  [
    "other errors as text",
    header("Content-Type", "text/plain", both(isError, ends("/nothing"))),
    "error-type error-detail",
  ],
  [
    "one ETag for br and gzip",
    header(
      "ETag",
      `"${"b".repeat(64)}"`,
      both(isOfPage, isPage, ({ coding }) => /^(?:br|gzip)$/.test(coding)),
    ),
    "etag-digest gzip-tag",
  ],
  ["Content-Type twice", again("Content-Type", both(isOfPage, isPage)), "content-type"],
  [
    "Access-Control-Allow-Origin twice",
    again("Access-Control-Allow-Origin", gets(both(isOfPage, isPage))),
    "browsers other-site",
  ],
  ["Cache-Control twice", again("Cache-Control", both(isOfPage, isPage)), "cache-control"],
  ["a file without nosniff", header("X-Content-Type-Options", undefined, file("snapshot.json")), "nosniff"],
  [
    "another ETag each time",
    header("ETag", () => `"${`${times.count++}`.padStart(64, "0")}"`, isTagged),
    "etag-digest not-modified not-modified-weak not-modified-list file-not-modified part-if-range",
  ],
  ["frames at the URL of the web page", header("Content-Security-Policy", undefined, at("/")), "explorer-headers"],
  ["a web page that search engines list", header("X-Robots-Tag", undefined, file("index.html")), "explorer-headers"],
  ["a web page that caches keep", header("Cache-Control", "public, max-age=60", at("/")), "explorer-caching"],
  ["another web page at its URL", body(() => "<!doctype html>?", at("/")), "explorer-page"],
  ["a page with another status of success", status(203, page(3)), "pages"],
];

/** Whether a request is for the top of a site at `/shop`, and not for a listing. */
const isAtTop: When = ({ url }) => !/^\/shop\/(?:customers|orders)\b/.test(url);
const top = (path: string) => at(`/shop/${path}`);
const indexAt: When = ({ url }) => /^\/shop\/(?:\?.*)?$/.test(url);

/** Faults at the top of a site. Each run combines faults that do not hide each other. */
export const TOP_RUNS: readonly (readonly Fault[])[] = [
  [
    ["no CORS", header("Access-Control-Allow-Origin", undefined, both(isAtTop, isPage)), "browsers other-site"],
    [
      "files that caches keep for a day",
      header(
        "Cache-Control",
        "public, max-age=86400",
        both(({ url }) => /\/(?:snapshot\.json|SHA256SUMS)$/.test(url), isAtTop),
      ),
      "file-caching",
    ],
    ["JSON as text", header("Content-Type", "text/plain", both(isAtTop, top("openapi.json"))), "file-type"],
    ["no web page at the URL", asHtml(404, indexAt), "explorer-page explorer-query explorer-caching explorer-headers"],
    ["a web page for any other path", asHtml(200, both(isAtTop, ends("/nothing"))), "other-path head-error"],
    ["POST answered", status(200, both(isAtTop, by("POST"))), "post"],
    ["snapshot.json as a download", header("Content-Disposition", "attachment", top("openapi.json")), "attachment"],
    ["a policy", header("Cross-Origin-Resource-Policy", "same-origin", top("openapi.json")), "resource-policy"],
    ["a cookie", header("Set-Cookie", "a=b", top("SHA256SUMS")), "set-cookie"],
    ["a folder's name", status(200, top(".release")), "hidden-file"],
    [
      "HEAD without a length",
      header("Content-Length", undefined, heads(top("snapshot.json"))),
      "head-length head-file",
    ],
    ["304 for any tag", status(304, both(top("snapshot.json"), isOf("if-none-match", /"0{64}"/))), "modified"],
    ["no redirect to its slash", status(404, at("/shop")), "explorer-slash"],
  ],
  [
    [
      "the web page of an old release at the URL",
      body(() => "<!doctype html>", indexAt),
      "explorer-page explorer-query",
    ],
    ["frames", header("Content-Security-Policy", undefined, isAtTop), "explorer-headers"],
    [
      "a web server's own 404",
      asHtml(404, both(isAtTop, answered(404))),
      "snapshot-id link error-type error-caching error-vary error-browsers error-detail",
    ],
    ["no nosniff", header("X-Content-Type-Options", undefined, top("snapshot.json")), "nosniff"],
    ["a weak ETag", header("ETag", (tag) => `W/${tag}`, top("SHA256SUMS")), "etag"],
    [
      "OPTIONS refused",
      where(both(isAtTop, by("OPTIONS")), ({ reply }) => ({
        status: 405,
        headers: reply.headers.filter(([name]) => !name.startsWith("Access-Control-Allow-")),
      })),
      "options preflight",
    ],
    ["POST with another detail", body(() => '{"detail":"No."}', both(isAtTop, by("POST"))), "method-detail"],
    ["another Vary", header("Vary", "*", top("openapi.json")), "vary"],
    [
      "never 304",
      status(412, both(isAtTop, answered(304))),
      "not-modified not-modified-weak not-modified-list file-not-modified",
    ],
    ["a file with a query that is gone", status(404, top("snapshot.json?v=1")), "file-query"],
    ["another openapi.json", body(() => "{}", top("openapi.json")), "site etag-digest"],
  ],
];

/** Changed pages. Without a release, they are compared with SHA256SUMS. */
export const CONTENT: readonly (readonly Fault[])[] = [
  [
    ["a count that differs", text(2, '"count":11', '"count":12'), "etag-digest same-bytes"],
    ["an invalid user", text(4, '"kyc_status":"NONE"', '"kyc_status":"none"'), "etag-digest same-bytes"],
    ["JSON that was made anew", text(5, '{"count":11,', '{ "count": 11, '), "etag-digest same-bytes"],
  ],
  [["a link that leads back", text(3, "page=4", "page=1"), "etag-digest same-bytes"]],
  [
    [
      "a user that is nested too deep for any stack",
      text(3, '"circles":[]', `"circles":[${"[".repeat(200_000)}${"]".repeat(200_000)}]`),
      "etag-digest same-bytes",
    ],
  ],
  [["an id as long as it likes", text(3, /"id":"[^"]*"/, `"id":"${"f".repeat(100_000)}"`), "etag-digest same-bytes"]],
];
