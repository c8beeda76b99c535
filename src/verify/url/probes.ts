/** The checks of a host that need a special request each: other URLs, methods, conditions, ranges, errors. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { etagOf } from "../../core/contract/headers.js";
import { canParse, pageUrl } from "../../core/contract/links.js";
import { shorten, visible } from "../../core/print/text.js";
import { EXPLORER, explorerPath, isPacked, isPart } from "../../core/release/layout.js";
import { closing, openPlain, readBlocks } from "../../core/release/plain-files.js";
import { checkRow, type Findings, type Row } from "../verdict.js";
import type { HostAnswer, NoAnswer } from "./ask.js";
import {
  detailOf,
  hasHeadersOfPage,
  isRight,
  mostBytes,
  pageIn,
  readPageAnswer,
  type ServedListing,
  wrongHeaders,
} from "./model.js";

/**
 * The request of a probe: a GET of page 1 unless it says more. A path is below the base URL with a slash, and below the listing's
 * path without one; `-/` is the listing without its slash. `{n}` is the number after the last page, `{part}` the path of a part.
 */
interface Request {
  method?: string;
  path?: string;
  /** `{tag}` is the ETag of what is requested. Of several, each is sent. */
  headers?: Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[];
}

/**
 * A check: what of the response must be as the contract says, for a request to which that answers with this status.
 * - a header's name; `headers` are those of page 1
 * - `status`; `error` is any error's; `or-200` accepts another answer with 200; `own-host` is no redirect to the Host of the request
 * - `page`, `digest`, `detail`: the body; `json` is any detail; `empty` is no body; `bytes` are those of the range
 */
type Probe = readonly [name: string, rule: string, status: number, what: string, request?: Request];

const PAGE = "?format=api&page=";
const ZERO = { path: "{zero}" };
const NONE = { path: "nothing" };
const OPTIONS = { method: "OPTIONS" };
const POST = { method: "POST" };
const TAGGED = { headers: { "If-None-Match": "{tag}" } };
const GZIP = { "Accept-Encoding": "gzip, br" };
const RANGE = { Range: "bytes=1-9" };
const PART = "/{part}";

const PROBES: readonly Probe[] = [
  ["no-page", "without the parameter page: page 1", 200, "page", { path: "" }],
  ["other-parameters", "other parameters are ignored", 200, "page", { path: "?x=1&format=csv&page=2&page_size=1" }],
  [
    "accept",
    "Accept is ignored: the answer is always JSON",
    200,
    "page",
    { path: `${PAGE}1`, headers: { Accept: "text/html" } },
  ],
  ["page-0", "0 is not a page: 404", 404, "status", { path: `${PAGE}0` }],
  ["page-leading-zero", "01 is not a page: 404", 404, "status", { path: `${PAGE}01` }],
  ["page-word", "abc is not a page: 404", 404, "status", { path: `${PAGE}abc` }],
  ["page-percent", "% is not a page: 404", 404, "status", { path: `${PAGE}%` }],
  ["page-nul", "%00 is not a page: 404", 404, "status", { path: `${PAGE}%00` }],
  ["page-beyond", "a number beyond the last page: 404", 404, "status", { path: `${PAGE}{n}` }],
  ["page-path", "pages/N.json is page N", 200, "page", { path: "pages/1.json" }],
  ["page-path-beyond", "a path beyond the last page: 404", 404, "status", { path: "pages/{n}.json" }],
  ["missing-slash", "the path without its final slash: 301 to the listing", 301, "status Location", { path: "-/" }],
  ["missing-slash-query", "that redirect keeps the query", 301, "Location", { path: `-/${PAGE}2` }],
  [
    "missing-slash-host",
    "that redirect does not lead where the request's Host says",
    301,
    "own-host",
    { path: "-/", headers: { Host: "rollcall.invalid" } },
  ],
  ["other-path", "any other path is an error: 404", 404, "status", NONE],
  ["hidden-file", ".release is not served", 404, "error", { path: "/.release" }],
  ["range", "ranges are not offered: 200, the whole page", 200, "page", { headers: { Range: "bytes=0-9" } }],
  ["head", "HEAD has GET's status and headers", 200, "status headers", { method: "HEAD" }],
  ["head-length", "HEAD has GET's Content-Length", 200, "Content-Length", { method: "HEAD" }],
  ["head-body", "HEAD has no body", 200, "empty", { method: "HEAD" }],
  ["options", "OPTIONS is 204, no body, with Allow", 204, "status empty Allow", OPTIONS],
  [
    "preflight",
    "OPTIONS allows a CORS preflight",
    204,
    "Access-Control-Allow-Origin Access-Control-Allow-Methods Access-Control-Allow-Headers",
    {
      ...OPTIONS,
      headers: {
        Origin: "https://example.org",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "if-none-match",
      },
    },
  ],
  ["post", "any other method is 405, with Allow", 405, "status Allow", POST],
  ["method-detail", '405 says {"detail":"Method not allowed."}', 405, "detail", POST],
  ["invalid-page", '404 says {"detail":"Invalid page."}', 404, "detail", ZERO],
  ["error-type", "every error is JSON", 404, "Content-Type", ZERO],
  ["error-caching", "every error has Cache-Control: no-store", 404, "Cache-Control", ZERO],
  ["error-vary", "every error has Vary", 404, "Vary", ZERO],
  [
    "error-browsers",
    "every error has Access-Control-Allow-Origin: * and X-Content-Type-Options: nosniff",
    404,
    "Access-Control-Allow-Origin X-Content-Type-Options",
    ZERO,
  ],
  ["error-detail", 'every error is {"detail": "..."}', 404, "json Content-Type", NONE],
  ["not-modified", "If-None-Match with the page's ETag: 304", 304, "status", TAGGED],
  ["not-modified-headers", "304 has the headers of 200", 304, "headers", TAGGED],
  ["not-modified-type", "304 has the Content-Type of 200", 304, "Content-Type", TAGGED],
  [
    "not-modified-weak",
    "If-None-Match with the weak form of the ETag: 304",
    304,
    "status",
    { headers: { "If-None-Match": "W/{tag}" } },
  ],
  [
    "not-modified-list",
    "If-None-Match with a list that has the ETag: 304",
    304,
    "status",
    { headers: { "If-None-Match": '"x", {tag}' } },
  ],
  ["file-not-modified", "If-None-Match with a file's ETag: 304", 304, "status", { path: "/snapshot.json", ...TAGGED }],
  [
    "modified",
    "If-None-Match with another ETag: 200",
    200,
    "status",
    { headers: { "If-None-Match": `"${"0".repeat(64)}"` } },
  ],
  ["if-match", "If-Match does not change the response: 200", 200, "status", { headers: { "If-Match": '"x"' } }],
  [
    "encoding-order",
    "the preferred one of two stored encodings is sent",
    200,
    "status Content-Encoding",
    { headers: { "Accept-Encoding": "br;q=0.1, gzip" } },
  ],
  [
    "refused-coding",
    "a refused encoding is not sent",
    200,
    "page Content-Encoding",
    { headers: { "Accept-Encoding": "gzip;q=0, br;q=0" } },
  ],
  [
    "part-type",
    "a part or step is application/gzip without Content-Encoding",
    200,
    "status Content-Type Content-Encoding",
    { method: "HEAD", path: PART, headers: GZIP },
  ],
  [
    "part-range",
    "a range of a part or step is 206 with only these bytes",
    206,
    "status bytes Content-Type Content-Range",
    { path: PART, headers: { ...RANGE, ...GZIP } },
  ],
  [
    "part-beyond",
    "a range beyond the end is the whole, or 416 as every error",
    416,
    "or-200 status json Cache-Control",
    { path: PART, headers: { Range: "bytes=999999999999-" } },
  ],
  [
    "part-if-range",
    "If-Range with its ETag: 206; with another: 200",
    206,
    "status Content-Range",
    {
      path: PART,
      headers: [
        { ...RANGE, "If-Range": "{tag}" },
        { ...RANGE, "If-Range": '"x"' },
      ],
    },
  ],
  [
    "explorer-page",
    "the explorer's URL is index.html, if the release has one",
    200,
    "status digest Content-Type",
    { path: "{explorer}" },
  ],
  [
    "explorer-query",
    "the explorer's URL ignores its query",
    200,
    "status digest Content-Type",
    { path: "{explorer}?x=1" },
  ],
  ["explorer-caching", "the explorer's URL has Cache-Control: no-cache", 200, "Cache-Control", { path: "{explorer}" }],
  ["explorer-slash", "the base URL without its final slash: 301 to it", 301, "status Location", { path: "{base}" }],
  [
    "explorer-headers",
    "index.html forbids frames and search engines",
    200,
    "Content-Security-Policy X-Robots-Tag",
    { path: "/index.html" },
  ],
];

/** The checks, as the docs list them. */
export const PROBE_ROWS = PROBES.map(([name, rule]) => ({ name, rule }));

const LONGEST_SHOWN = 120;

const cut = (text: string) => shorten(visible(text), LONGEST_SHOWN);

/** Sends the requests of all checks, and yields a row for each. A response that is not complete is wrong. @param onFailure called for it */
export async function* probe(served: ServedListing, findings: Findings, onFailure: (error: unknown) => void) {
  for (const one of PROBES) yield await probeOne(one, served, findings, onFailure);
}

async function probeOne(
  [name, rule, status, what, request = {}]: Probe,
  served: ServedListing,
  findings: Findings,
  onFailure: (error: unknown) => void,
): Promise<Row> {
  const { expected: expect, baseUrl, release } = served;
  const { method = "GET", headers = {} } = request;
  const path = request.path === undefined ? pathOfPage(served) : pathOf(request.path, served);
  let [asked, received] = ["", ""];
  const row = (skipped?: string): Row => ({ ...checkRow(findings, { name, rule }, asked, { skipped }), received });
  const wrong = (): Row => {
    findings.add({ check: name, url: baseUrl, found: received, expected: rule });
    return row();
  };
  if (path.includes("{part}")) return row("it has no parts or steps");
  if (name === "encoding-order" && release.snapshot.encodings.length < 2) return row("the release has no two codings");
  try {
    for (const sent of [headers].flat()) {
      const expected = expect(path, withTag(sent, expect(path).headers["ETag"] ?? ""), method);
      // Of several conditions, the first one has this status.
      if (expected.status !== status && asked === "")
        return row(whyNot(request.path ?? "", served) ?? `for this release, the right answer is ${expected.status}`);
      const tag = JSON.stringify(sent).includes("{tag}") ? await tagOf(path, served) : "";
      if (tag === null) return row("without the condition, the answer has no ETag");
      const own = withTag(sent, tag);
      asked = cut(`${method} ${path}${Object.entries(own).map((pair) => ` ${pair.join(": ")}`)}`);
      const answer = await ask(path, what, { method, headers: own }, served);
      received = cut(show(answer, what, served));
      // Another check finds the wrong status.
      const isOther = expected.status === 404 ? answer.status < 400 : answer.status !== expected.status;
      if (expected.status >= 304 && isOther && !/status|error/.test(what)) return row(`the answer is not a ${status}`);
      // Another site may answer for another Host.
      if (what === "own-host") {
        if (leadsTo(answer, own["Host"])) return wrong();
        return row(answer.headers.has("Location") ? undefined : "the answer is not a redirect");
      }
      if (!isAsExpected(answer, what.split(" "), expected, path, served)) return wrong();
      for (const { check, found, expected: right } of wrongHeaders(answer, expected, "any"))
        findings.add({ check, url: baseUrl, found: `${asked}: ${found}`, expected: right });
    }
    return row();
  } catch (error) {
    onFailure(error);
    received = `no answer: it ${(error as NoAnswer).why}`;
    return wrong();
  }
}

function isAsExpected(
  answer: HostAnswer,
  what: readonly string[],
  { status, headers, detail }: ReturnType<ServedListing["expected"]>,
  path: string,
  served: ServedListing,
): boolean {
  if (what.includes("or-200") && answer.status === 200) return true;
  const { first, release } = served;
  const pages = release.sums.pages;
  const judges: Record<string, () => boolean> = {
    "or-200": () => true,
    status: () => answer.status === status,
    error: () => answer.status >= 400,
    page: () => etagOf(pages.get(pageIn(answer, served) ?? 0, "identity") ?? "") === headers["ETag"],
    digest: () => etagOf(answer.digest) === headers["ETag"],
    detail: () => detailOf(answer.body) === detail,
    json: () => detailOf(answer.body) !== undefined,
    empty: () => answer.length === 0,
    bytes: () => answer.body.equals(rangeOf(join(release.folder, path))),
    headers: () => hasHeadersOfPage(answer, served, pathOfPage(served), answer.status === 304 ? "Content-Type" : ""),
    "Content-Length": () => isRight(answer, "Content-Length", `${first.length}`),
  };
  return what.every((one) => (judges[one] ?? (() => isRight(answer, one, headers[one])))());
}

/** Whether a redirect leads to this host. */
function leadsTo({ headers, url }: HostAnswer, host: string | undefined): boolean {
  const location = headers.get("Location") ?? "";
  return canParse(location, url) && new URL(location, url).hostname === host;
}

/** Why a release has another answer to a request, if there is a word for it. */
function whyNot(path: string, { pages, release }: ServedListing): string | undefined {
  if (path.includes("page=2") && pages < 2) return "there is one page only";
  if (/{explorer}|{base}|index\.html/.test(path) && !release.sums.others.has(EXPLORER)) return `it has no ${EXPLORER}`;
  if (path.startsWith("-/") || path === "{base}") return "a URL without a path has its slash";
  return undefined;
}

const pathOfPage = (served: ServedListing) => pageUrl({ ...served, baseUrl: "" }, 1);

function pathOf(path: string, { path: listing, pages, links, release }: ServedListing): string {
  const all = path
    .replace("{zero}", links === "query" ? `${PAGE}0` : "pages/0.json")
    .replace("{explorer}", explorerPath(listing))
    .replace("{part}", partOf(release) ?? "{part}")
    .replace("{n}", `${pages + 1}`);
  if (all === "{base}") return "";
  if (all.startsWith("-/")) return `${listing.slice(0, -1)}${all.slice(2)}`;
  return all.startsWith("/") ? all : `${listing}${all}`;
}

/** The path of a part or, without parts, of a step or the CSV file, if the release has it on disk. Hosts treat them the same. */
function partOf({ folder, sums }: ServedListing["release"]): string | undefined {
  const paths = [...sums.others.keys()].filter((path) => isPacked(path) && existsSync(join(folder, path)));
  return paths.find(isPart) ?? paths[0];
}

/** The bytes of a file that `RANGE` names. */
function rangeOf(path: string): Buffer {
  const file = openPlain(path);
  const read = (file: number) => readBlocks(file, 1, Buffer.alloc(9)).next().value ?? Buffer.alloc(0);
  return file === undefined ? Buffer.alloc(0) : closing(file, read);
}

function withTag(headers: Readonly<Record<string, string>>, tag: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("{tag}", tag)]));
}

/** The ETag that the host gives what is requested. */
async function tagOf(path: string, served: ServedListing): Promise<string | null> {
  const isPage = path === pathOfPage(served);
  const { headers } = isPage ? served.first : await served.asker.ask(served.baseUrl + path, { method: "HEAD" });
  return headers.get("ETag");
}

/** Keeps no body of a file whose headers are compared. */
function ask(
  path: string,
  what: string,
  request: Pick<Request, "method"> & { headers: Readonly<Record<string, string>> },
  { asker, baseUrl, release }: ServedListing,
): Promise<HostAnswer> {
  const take = /[A-Z]|digest/.test(what) && !what.includes("page") ? () => {} : undefined;
  const isHead = request.method === "HEAD" && what === "empty";
  return asker.ask(baseUrl + path, { ...request, maxBytes: mostBytes(release, path), take, isHead });
}

/**
 * A response in words: its status with the headers that are compared, with the location, the page or the error:
 * `200, ETag: "1f6a", no Vary`, `404 {"detail":"Invalid page."}`, `301 to /v1/stations/`, `200, page 2`
 */
function show(answer: HostAnswer, what: string, served: ServedListing): string {
  const { status, headers, body } = answer;
  const location = headers.get("Location");
  if (location !== null) return `${status} to ${location}`;
  const names = (what.includes("headers") ? "ETag Cache-Control Vary" : what).match(/\b[A-Z][\w-]+/g) ?? [];
  if (names.length > 0)
    return [status, ...names.map((name) => (headers.has(name) ? `${name}: ${headers.get(name)}` : `no ${name}`))].join(
      ", ",
    );
  if (status >= 400) return `${status} ${body.toString("utf8", 0, 4 * LONGEST_SHOWN)}`.trim();
  if (status !== 200 || body.length === 0) return `${status}`;
  const read = readPageAnswer(answer);
  return "received" in read ? read.received : `200, page ${pageIn(answer, served)}`;
}
