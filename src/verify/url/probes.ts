/** The checks of a host that need a special request each: other URLs, methods, conditions, ranges, errors. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { etagOf } from "../../core/contract/headers.js";
import { canParse, type ListingPlace, pageUrl } from "../../core/contract/links.js";
import { shorten, visible } from "../../core/print/text.js";
import { CONTRACT, CSV, EXPLORER, explorerPath, isPacked, isPart, SNAPSHOT } from "../../core/release/layout.js";
import { closing, openPlain, readBlocks } from "../../core/release/plain-files.js";
import { checkRow, type Findings, type Row } from "../verdict.js";
import type { HostAnswer, NoAnswer } from "./ask.js";
import {
  detailOf,
  hasHeadersOfFirst,
  isRight,
  mostBytes,
  pageIn,
  readPageAnswer,
  type ServedPart,
  sizeOf,
  wrongHeaders,
} from "./model.js";

/**
 * A request of a probe: a GET of page 1, or of snapshot.json at the top of a site, unless it says more. A path is below the base URL
 * with a slash, and below the listing's path without one; `-/` is the listing without its slash. `{n}` is the number after the last
 * page, `{file}` a file of every release, `{part}` a part, `{csv}` the CSV file.
 */
interface Request {
  method?: string;
  path?: string;
  /** `{tag}` is the ETag of what is requested, `{tail}` the offset of its last nine bytes. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * A check: what of each response must be as the contract says, for requests of which it answers the first one with this status.
 * - a header's name; `headers` are those of page 1
 * - `status`; `error` is any error's; `or-200` accepts another answer with 200; `own-host` is no redirect to the Host of the request
 * - `page`, `digest`, `detail`: the body; `json` is any detail; `empty` is no body; `bytes` are those of the range
 */
type Probe = readonly [name: string, rule: string, status: number, what: string, ...requests: Request[]];

const HOME: readonly Request[] = [{}];
const PAGE = "?format=api&page=";
const FILE = "{file}";
const PART = "/{part}";
const SHEET = "/{csv}";
const ZERO = { path: "{zero}" };
const NONE = { path: "nothing" };
const OTHERS = ["bulk", "explorer", "lookup"].map((folder) => ({ path: `/${folder}/nothing` }));
const OPTIONS = { method: "OPTIONS" };
const POST = { method: "POST" };
const HEAD = { method: "HEAD" };
const TAGGED = { headers: { "If-None-Match": "{tag}" } };
const OTHER_TAG = { headers: { "If-None-Match": `"${"0".repeat(64)}"` } };
const LATER = { headers: { "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" } };
const ORIGIN = "https://example.org";
const FOREIGN = { headers: { Origin: ORIGIN } };
const PREFLIGHT = {
  method: "OPTIONS",
  headers: {
    Origin: ORIGIN,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "if-none-match",
  },
};
const GZIP = { "Accept-Encoding": "gzip, br" };
const RANGE = { Range: "bytes=1-9" };
const RANGES = ["bytes=1-9", "bytes={tail}-", "bytes=-9"].map((range) => ({ Range: range, ...GZIP }));

const PROBES: readonly Probe[] = [
  ["no-page", "without the parameter page: page 1", 200, "page", { path: "" }],
  ["other-parameters", "other parameters are ignored", 200, "page", { path: "?x=1&format=csv&page=2&page_size=1" }],
  [
    "accept",
    "Accept and User-Agent are ignored: the answer is always JSON",
    200,
    "page",
    { path: `${PAGE}1`, headers: { Accept: "text/html" } },
    { path: `${PAGE}1`, headers: { Accept: "text/html,*/*;q=0.8", "User-Agent": "Mozilla/5.0" } },
  ],
  ["page-0", "0 is not a page: 404", 404, "status", { path: `${PAGE}0` }],
  ["page-leading-zero", "01 is not a page: 404", 404, "status", { path: `${PAGE}01` }],
  [
    "page-word",
    "abc, -1, +1 and 1e0 are no pages: 404",
    404,
    "status",
    ...["abc", "-1", "+1", "1e0"].map((word) => ({ path: `${PAGE}${word}` })),
  ],
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
  [
    "other-path",
    "any other path is an error, also below bulk, explorer and lookup: 404",
    404,
    "status",
    NONE,
    ...OTHERS,
  ],
  ["hidden-file", ".release is not served", 404, "error", { path: "/.release" }],
  [
    "unserved-file",
    "records.sha256 and the compressed files of pages are not served",
    404,
    "error",
    { path: "/records.sha256" },
    { path: "pages/1.json.br" },
    { path: "pages/1.json.gz" },
  ],
  ["file-query", "a file ignores its query", 200, "status digest", { path: `${FILE}?v=1` }],
  ["range", "ranges are not offered: 200, the whole page", 200, "page", { headers: { Range: "bytes=0-9" } }],
  ["head", "HEAD has GET's status and headers", 200, "status headers", HEAD],
  ["head-error", "HEAD has GET's status for what does not exist: 404", 404, "status", { ...HEAD, ...NONE }],
  ["head-length", "HEAD has GET's Content-Length", 200, "Content-Length", HEAD],
  [
    "head-file",
    "HEAD of a file has GET's status and Content-Length",
    200,
    "status Content-Length",
    { ...HEAD, path: FILE },
  ],
  ["head-body", "HEAD has no body", 200, "empty", HEAD],
  [
    "options",
    "OPTIONS is 204, no body, with Allow, also of a file",
    204,
    "status empty Allow",
    OPTIONS,
    { ...OPTIONS, path: FILE },
  ],
  [
    "preflight",
    "OPTIONS allows a CORS preflight, also of a file",
    204,
    "Access-Control-Allow-Origin Access-Control-Allow-Methods Access-Control-Allow-Headers",
    PREFLIGHT,
    { ...PREFLIGHT, path: FILE },
  ],
  [
    "other-site",
    "a request of another site's script gets Access-Control-Allow-Origin: *",
    200,
    "Access-Control-Allow-Origin",
    FOREIGN,
    { ...FOREIGN, path: FILE },
  ],
  ["post", "any other method is 405, with Allow, also of a file", 405, "status Allow", POST, { ...POST, path: FILE }],
  ["method-detail", '405 says {"detail":"Method not allowed."}', 405, "detail", POST, { ...POST, path: FILE }],
  ["invalid-page", '404 says {"detail":"Invalid page."}', 404, "detail", ZERO],
  ["error-type", "every error is JSON", 404, "Content-Type", ZERO, NONE],
  ["error-caching", "every error has Cache-Control: no-store", 404, "Cache-Control", ZERO, NONE],
  ["error-vary", "every error has Vary", 404, "Vary", ZERO, NONE],
  [
    "error-browsers",
    "every error has Access-Control-Allow-Origin: * and X-Content-Type-Options: nosniff",
    404,
    "Access-Control-Allow-Origin X-Content-Type-Options",
    ZERO,
    NONE,
  ],
  ["error-detail", 'every error is {"detail": "..."}', 404, "json Content-Type", NONE, ...OTHERS],
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
    "If-None-Match with another ETag: 200, also of a file",
    200,
    "status",
    OTHER_TAG,
    { ...OTHER_TAG, path: FILE },
  ],
  [
    "modified-since",
    "If-Modified-Since does not change the response: 200, also of a file",
    200,
    "status",
    LATER,
    { ...LATER, path: FILE },
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
    "a part or step is application/gzip without Content-Encoding, and not Accept-Ranges: none",
    200,
    "status Content-Type Content-Encoding Accept-Ranges",
    { ...HEAD, path: PART, headers: GZIP },
  ],
  [
    "part-range",
    "a range of a part, a step or records.csv.gz is 206 with only these bytes",
    206,
    "status bytes Content-Type Content-Range",
    ...[PART, SHEET].flatMap((path) => RANGES.map((headers) => ({ path, headers }))),
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
    { path: PART, headers: { ...RANGE, "If-Range": "{tag}" } },
    { path: PART, headers: { ...RANGE, "If-Range": '"x"' } },
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
    "index.html and the explorer's URL forbid frames and search engines",
    200,
    "Content-Security-Policy X-Robots-Tag",
    { path: "/index.html" },
    { path: "{explorer}" },
  ],
];

/** Whether a check is about pages, their compression, or parts, of which the top of a site has none. */
function isOfPages([name, , , , { path = "/" } = {}]: Probe): boolean {
  const isInListing = !/^[/{]|^nothing$/.test(path) || path.includes(PART);
  return isInListing || name === "invalid-page" || name === "encoding-order";
}

const OF_TOP = PROBES.filter((one) => !isOfPages(one));

/** The checks at the top of a site. */
export const TOP_PROBE_ROWS = OF_TOP.map(([name, rule]) => ({ name, rule }));

/** The checks, as the docs list them. */
export const PROBE_ROWS = PROBES.map(([name, rule]) => ({ name, rule }));

const LONGEST_SHOWN = 120;
/** Bytes of the longest range that is requested. */
const TAIL = 9;

const cut = (text: string) => shorten(visible(text), LONGEST_SHOWN);

/** Sends the requests of all checks, and yields a row for each. A response that is not complete is wrong. @param onFailure called for it */
export async function* probe(served: ServedPart, findings: Findings, onFailure: (error: unknown) => void) {
  for (const one of served.pages === 0 ? OF_TOP : PROBES) yield await probeOne(one, served, findings, onFailure);
}

async function probeOne(
  [name, rule, status, what, ...requests]: Probe,
  served: ServedPart,
  findings: Findings,
  onFailure: (error: unknown) => void,
): Promise<Row> {
  const { expected: expect, baseUrl } = served;
  let [asked, received] = ["", ""];
  const row = (skipped?: string): Row => ({ ...checkRow(findings, { name, rule }, asked, { skipped }), received });
  const wrong = (): Row => {
    findings.add({ check: name, url: baseUrl, found: received, expected: rule });
    return row();
  };
  if (name === "encoding-order" && served.encodings.length < 2) return row("the release has no two codings");
  let none: string | undefined;
  try {
    for (const { method = "GET", headers: given = {}, path: template } of requests.length === 0 ? HOME : requests) {
      const path = template === undefined ? served.home : pathOf(template, served);
      if (path.includes("{")) {
        none = "it has no parts or steps";
        continue;
      }
      const headers = withValue(given, "{tail}", `${Math.max(0, sizeOf(served.folder, path) - TAIL)}`);
      const expected = expect(path, withValue(headers, "{tag}", expect(path).headers["ETag"] ?? ""), method);
      // Of several requests, the first one has this status.
      if (expected.status !== status && asked === "")
        return row(whyNot(template ?? "", served) ?? `for this release, the right answer is ${expected.status}`);
      const tag = JSON.stringify(headers).includes("{tag}") ? await tagOf(path, served) : "";
      if (tag === null) return row("without the condition, the answer has no ETag");
      const own = withValue(headers, "{tag}", tag);
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
    return row(asked === "" ? none : undefined);
  } catch (error) {
    onFailure(error);
    received = `no answer: it ${(error as NoAnswer).why}`;
    return wrong();
  }
}

function isAsExpected(
  answer: HostAnswer,
  what: readonly string[],
  { status, headers, detail }: ReturnType<ServedPart["expected"]>,
  path: string,
  served: ServedPart,
): boolean {
  if (what.includes("or-200") && answer.status === 200) return true;
  const { first, folder, home, sums } = served;
  const length = path === home ? first.length : sizeOf(folder, path);
  const isFirst = () => path.replace(/\?.*/, "") === home && answer.digest === first.digest;
  const digestOf = () => sums.pages.get(pageIn(answer, served) ?? 0, "identity") ?? "";
  const judges: Record<string, () => boolean> = {
    "or-200": () => true,
    status: () => answer.status === status,
    error: () => answer.status >= 400,
    page: () => (served.pages === 0 ? isFirst() : etagOf(digestOf()) === headers["ETag"]),
    digest: () => etagOf(answer.digest) === headers["ETag"] || isFirst(),
    detail: () => detailOf(answer.body) === detail,
    json: () => detailOf(answer.body) !== undefined,
    empty: () => answer.length === 0,
    bytes: () => answer.body.equals(rangeOf(join(folder, path), headers["Content-Range"] ?? "")),
    headers: () => hasHeadersOfFirst(answer, served, answer.status === 304 ? "Content-Type" : ""),
    "Content-Length": () => isRight(answer, "Content-Length", `${length}`),
  };
  return what.every((one) => (judges[one] ?? (() => isRight(answer, one, headers[one])))());
}

/** Whether a redirect leads to this host. */
function leadsTo({ headers, url }: HostAnswer, host: string | undefined): boolean {
  const location = headers.get("Location") ?? "";
  return canParse(location, url) && new URL(location, url).hostname === host;
}

/** Why a release has another answer to a request, if there is a word for it. */
function whyNot(path: string, { pages, sums }: ServedPart): string | undefined {
  if (path.includes("page=2") && pages < 2) return "there is one page only";
  if (/{explorer}|{base}|index\.html/.test(path) && !sums.others.has(EXPLORER)) return `it has no ${EXPLORER}`;
  if (path.startsWith("-/") || path === "{base}") return "a URL without a path has its slash";
  return undefined;
}

/** The path below the base URL of page 1. */
export const pathOfPage = (place: ListingPlace) => pageUrl({ ...place, baseUrl: "" }, 1);
/** The path below the base URL of what is requested at the top of a site. */
export const TOP_HOME = `/${SNAPSHOT}`;

function pathOf(path: string, served: ServedPart): string {
  const { path: listing, pages, links, sums } = served;
  const zero = links === "query" ? `${PAGE}0` : "pages/0.json";
  const all = path
    .replace("{zero}", pages === 0 ? "nothing" : zero)
    .replace("{explorer}", pages === 0 ? "/" : explorerPath(listing))
    .replace(FILE, pages === 0 ? TOP_HOME : `/${CONTRACT}`)
    .replace("{part}", partOf(served) ?? "{part}")
    .replace("{csv}", sums.others.has(CSV) && isOnDisk(served, CSV) ? CSV : "{csv}")
    .replace("{n}", `${pages + 1}`);
  if (all === "{base}") return "";
  if (all.startsWith("-/")) return `${listing.slice(0, -1)}${all.slice(2)}`;
  return all.startsWith("/") ? all : `${listing}${all}`;
}

/** The path of a part or, without parts, of a step or the CSV file, if the release has it on disk. Hosts treat them the same. */
function partOf(served: ServedPart): string | undefined {
  const paths = [...served.sums.others.keys()].filter((path) => isPacked(path) && isOnDisk(served, path));
  return paths.find(isPart) ?? paths[0];
}

function isOnDisk({ folder }: ServedPart, path: string): boolean {
  return existsSync(join(folder, path));
}

/** The bytes of a file that a Content-Range names: at most nine. */
function rangeOf(path: string, range: string): Buffer {
  const [, start = "", end = ""] = /^bytes (\d+)-(\d+)\//.exec(range) ?? [];
  const file = openPlain(path);
  const memory = Buffer.alloc(Math.min(TAIL, Number(end) - Number(start) + 1));
  const read = (file: number) => readBlocks(file, Number(start), memory).next().value ?? Buffer.alloc(0);
  return file === undefined ? Buffer.alloc(0) : closing(file, read);
}

function withValue(
  headers: Readonly<Record<string, string>>,
  name: string,
  value: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([header, text]) => [header, text.replace(name, value)]));
}

/** The ETag that the host gives what is requested. */
async function tagOf(path: string, served: ServedPart): Promise<string | null> {
  const isFirst = path === served.home;
  const { headers } = isFirst ? served.first : await served.asker.ask(served.baseUrl + path, { method: "HEAD" });
  return headers.get("ETag");
}

/** Keeps no body of a file whose headers are compared. */
function ask(
  path: string,
  what: string,
  request: Pick<Request, "method"> & { headers: Readonly<Record<string, string>> },
  served: ServedPart,
): Promise<HostAnswer> {
  const { asker, baseUrl } = served;
  const take = /[A-Z]|digest/.test(what) && !what.includes("page") ? () => {} : undefined;
  const isHead = request.method === "HEAD" && what === "empty";
  return asker.ask(baseUrl + path, { ...request, maxBytes: mostBytes(served, path), take, isHead });
}

/**
 * A response in words: its status with the headers that are compared, with the location, the page or the error:
 * `200, ETag: "1f6a", no Vary`, `404 {"detail":"Invalid page."}`, `301 to /v1/stations/`, `200, page 2`
 */
function show(answer: HostAnswer, what: string, served: ServedPart): string {
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
