/** Checks of a host that need a special request each: other URLs, methods, conditions, ranges, errors. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONTENT_TYPE, ERROR_DETAILS, INVALID_PAGE } from "../../contract/headers.js";
import { parseJson } from "../../contract/json.js";
import { basePath, canParse, pageUrl } from "../../contract/links.js";
import { shorten, visible } from "../../print/text.js";
import { EXPLORER, explorerPath, fileHeaders, isPacked, isPart, RELEASE_NAME, SNAPSHOT } from "../../release/layout.js";
import { closing, openPlain, readBlocks } from "../../release/plain-files.js";
import type { Row } from "../verdict.js";
import { type Answer, NoAnswer } from "./ask.js";
import { hasHeadersOfPage } from "./headers.js";
import { hasHeader, mostBytes, pageIn, readPage, type ServedListing, varyOf } from "./served-listing.js";

type PathOf = (served: ServedListing) => string;

export interface Question {
  /** The stable name of the check, for `--allow` and for limitations of hosts. */
  name: string;
  /** The rule, as in the contract. */
  rule: string;
  method?: string;
  /** The path below the base URL: `/v1/stations/?page=01`; that of page 1 by default. */
  path?: PathOf;
  headers?: (served: ServedListing) => Readonly<Record<string, string>>;
  /** Why the check is skipped; false if it is not. */
  skipped?: (served: ServedListing) => string | false;
  /** Whether the response is right, or why that cannot be told. */
  judge(answer: Answer, served: ServedListing): boolean | string | Promise<boolean | string>;
  /** Headers to show in the report; by default the location, the page or the error. */
  shown?: readonly string[];
}

interface Asked {
  row: Row;
  /** The response, if it is right. */
  answer?: Answer;
  /** Why there was no complete response. */
  error?: NoAnswer;
}

const LONGEST_SHOWN = 120;

/** Runs a check. A response that is not complete is wrong. */
export async function askQuestion({ name, rule, ...question }: Question, served: ServedListing): Promise<Asked> {
  const { method = "GET", judge, shown } = question;
  const row = { name, request: "", received: "", rule, count: 0, findings: [] };
  const skipped = question.skipped?.(served);
  if (skipped) return { row: { ...row, outcome: "skipped", note: skipped } };
  const headers = question.headers?.(served) ?? {};
  const path = question.path?.(served) ?? pageUrl({ ...served, baseUrl: "" }, 1);
  const extra = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`);
  const request = shorten(visible(`${method} ${path}${extra.join(",")}`), LONGEST_SHOWN);
  const wrong = (received: string): Row => {
    const finding = { check: name, url: served.baseUrl, found: received, expected: rule };
    return { ...row, request, received, outcome: "differs", count: 1, findings: [finding] };
  };
  try {
    const answer = await served.asker.ask(served.baseUrl + path, { method, headers });
    const judgement = await judge(answer, served);
    const received = shorten(visible(shown ? showHeaders(answer, shown) : showAnswer(answer, served)), LONGEST_SHOWN);
    if (judgement === false) return { row: wrong(received) };
    if (judgement !== true) return { row: { ...row, request, received, outcome: "skipped", note: judgement } };
    return { row: { ...row, request, received, outcome: "passed" }, answer };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { row: wrong(`no answer: it ${error.why}`), error };
  }
}

/** A response in words: `404 {"detail":"Invalid page."}`, `301 to /v1/stations/`, `200, page 2`, `200 (text/html) with a body that is HTML` */
function showAnswer(answer: Answer, served: ServedListing): string {
  const { status, headers, body } = answer;
  const location = headers.get("Location");
  if (location !== null) return `${status} to ${location}`;
  const text = status >= 400 ? ` ${body.toString("utf8", 0, 4 * LONGEST_SHOWN)}` : "";
  if (status !== 200 || body.length === 0) return `${status}${text}`.trim();
  const read = readPage(answer);
  return "received" in read ? read.received : `200, page ${pageIn(answer, served)}`;
}

/** The status and some headers: `200, ETag: "1f6a", no Vary`. */
function showHeaders({ status, headers }: Answer, names: readonly string[]): string {
  const lines = names.map((name) => (headers.has(name) ? `${name}: ${headers.get(name)}` : `no ${name}`));
  return [status, ...lines].join(", ");
}

/** Makes the path of the listing with a suffix such as `?page=01`. */
function listing(suffix: string | ((served: ServedListing) => string) = ""): PathOf {
  return (served) => served.path + (typeof suffix === "string" ? suffix : suffix(served));
}

/** The listing without its final slash. */
const bare: PathOf = ({ path }) => path.slice(0, -1);

const withoutBare = ({ baseUrl, path }: ServedListing) =>
  basePath(baseUrl) + path === "/" && "a URL without a path has its slash";

/** A request whose response must be page 1 or page 2. */
function page(number: 1 | 2, name: string, rule: string, path?: PathOf, headers = {}): Question {
  return {
    name,
    rule,
    ...(path && { path }),
    headers: () => headers,
    skipped: ({ pages }) => number > pages && "there is one page only",
    judge: (answer, served) => pageIn(answer, served) === number,
  };
}

/** A request whose response must be 404. Another check compares the body. */
function notFound(name: string, rule: string, suffix: Parameters<typeof listing>[0]): Question {
  return { name, rule, path: listing(suffix), judge: ({ status }) => status === 404 };
}

const PAGES: readonly Question[] = [
  page(1, "no-page", "without the parameter page: page 1", listing()),
  page(2, "other-parameters", "other parameters are ignored", listing("?x=1&format=csv&page=2&page_size=1")),
  page(1, "accept", "Accept is ignored: the answer is always JSON", listing("?format=api&page=1"), {
    Accept: "text/html",
  }),
  notFound("page-0", "0 is not a page: 404", "?format=api&page=0"),
  notFound("page-leading-zero", "01 is not a page: 404", "?format=api&page=01"),
  notFound("page-word", "abc is not a page: 404", "?format=api&page=abc"),
  notFound("page-percent", "% is not a page: 404", "?format=api&page=%"),
  notFound("page-beyond", "a number beyond the last page: 404", ({ pages }) => `?format=api&page=${pages + 1}`),
  page(1, "page-path", "pages/N.json is page N", listing("pages/1.json")),
  notFound("page-path-beyond", "a path beyond the last page: 404", ({ pages }) => `pages/${pages + 1}.json`),
  {
    name: "missing-slash",
    rule: "the path without its final slash: 301 to the listing",
    path: bare,
    skipped: withoutBare,
    judge: (answer, served) => answer.status === 301 && leadsToListing(answer, served),
  },
  {
    name: "missing-slash-query",
    rule: "that redirect keeps the query",
    path: (served) => `${bare(served)}?format=api&page=2`,
    skipped: withoutBare,
    judge: (answer, served) => leadsToListing(answer, served, "?format=api&page=2"),
  },
  notFound("other-path", "any other path is an error: 404", "nothing"),
  {
    name: "hidden-file",
    rule: `${RELEASE_NAME} is not served`,
    path: () => `/${RELEASE_NAME}`,
    judge: ({ status }) => status >= 400,
  },
  page(1, "range", "ranges are not offered: 200, the whole page", undefined, { Range: "bytes=0-9" }),
];

/** Whether a redirect leads to the listing, with this query. */
function leadsToListing({ headers }: Answer, { baseUrl, path }: ServedListing, query?: string): boolean {
  const location = headers.get("Location");
  if (location === null || !canParse(location, baseUrl)) return false;
  const target = new URL(location, baseUrl);
  const isListing = target.origin === new URL(baseUrl).origin && target.pathname === basePath(baseUrl) + path;
  return isListing && (query === undefined || target.search === query);
}

const ALLOWED = "GET, HEAD, OPTIONS";

const METHODS: readonly Question[] = [
  {
    name: "head",
    rule: "HEAD has GET's status and headers",
    method: "HEAD",
    shown: ["Content-Type", "ETag"],
    judge: (answer, served) => answer.status === 200 && hasHeadersOfPage(answer, served),
  },
  {
    name: "head-length",
    rule: "HEAD has GET's Content-Length",
    method: "HEAD",
    judge: (answer, { first }) => hasHeader(answer, "Content-Length", `${first.length}`),
    shown: ["Content-Length"],
  },
  {
    name: "head-body",
    rule: "HEAD has no body",
    method: "HEAD",
    judge: async ({ url }, { asker }) => (await asker.bodyOfHead(url)) === 0,
  },
  {
    name: "options",
    rule: "OPTIONS is 204, no body, with Allow",
    method: "OPTIONS",
    shown: ["Allow"],
    judge: (answer) => answer.status === 204 && answer.length === 0 && hasHeader(answer, "Allow", ALLOWED),
  },
  {
    name: "preflight",
    rule: "OPTIONS allows a CORS preflight",
    method: "OPTIONS",
    headers: () => ({
      Origin: "https://example.org",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "if-none-match",
    }),
    judge(answer) {
      const allows = (name: string, value: string) => {
        const listed = (answer.headers.get(name) ?? "").toLowerCase().split(/\s*,\s*/);
        return listed.includes(value) || listed.includes("*");
      };
      const allowsRequest =
        allows("Access-Control-Allow-Methods", "get") && allows("Access-Control-Allow-Headers", "if-none-match");
      return allowsRequest && hasHeader(answer, "Access-Control-Allow-Origin", "*");
    },
    shown: ["Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"],
  },
  {
    name: "post",
    rule: "any other method is 405, with Allow",
    method: "POST",
    shown: ["Allow"],
    judge: (answer) => answer.status === 405 && hasHeader(answer, "Allow", ALLOWED),
  },
  {
    name: "method-detail",
    rule: `405 says {"detail":"${ERROR_DETAILS[405]}"}`,
    method: "POST",
    judge: (answer) => (answer.status === 405 ? detailOf(answer) === ERROR_DETAILS[405] : "the answer is not a 405"),
  },
];

/** A check of one property of an error response. Another check finds that a host sends a page instead. */
function error(name: string, rule: string, judge: Question["judge"], ...shown: string[]): Question {
  return {
    name,
    rule,
    path: listing(({ links }) => (links === "query" ? "?format=api&page=0" : "pages/0.json")),
    judge: (answer, served) => (answer.status < 400 ? NO_ERROR : judge(answer, served)),
    ...(shown.length > 0 && { shown }),
  };
}

function errorHeaders(name: string, headers: Readonly<Record<string, string>>): Question {
  const pairs = Object.entries(headers);
  const rule = `every error has ${pairs.map((pair) => pair.join(": ")).join(" and ")}`;
  return error(name, rule, (answer) => pairs.every((pair) => hasHeader(answer, ...pair)), ...Object.keys(headers));
}

const NO_ERROR = "the answer is not an error";
const isJson = (answer: Answer) => hasHeader(answer, "Content-Type", CONTENT_TYPE);

const ERRORS: readonly Question[] = [
  error("invalid-page", `404 says {"detail":"${INVALID_PAGE}"}`, (answer) => detailOf(answer) === INVALID_PAGE),
  error("error-type", "every error is JSON", isJson, "Content-Type"),
  errorHeaders("error-caching", { "Cache-Control": "no-store" }),
  error("error-vary", "every error has Vary", (answer, served) => hasHeader(answer, "Vary", varyOf(served)), "Vary"),
  errorHeaders("error-browsers", { "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff" }),
  {
    name: "error-detail",
    rule: 'every error is {"detail": "..."}',
    path: listing("nothing"),
    judge: (answer) => (answer.status < 400 ? NO_ERROR : detailOf(answer) !== undefined && isJson(answer)),
  },
];

/** The detail of an error's body; undefined if it has another form. */
function detailOf({ body }: Answer): string | undefined {
  const read = parseJson(String(body));
  if ("why" in read) return undefined;
  const { detail, ...others } = Object(read.value);
  return typeof detail === "string" && Object.keys(others).length === 0 ? detail : undefined;
}

/** The ETag of page 1; empty without one. */
const tagOf = ({ first }: ServedListing) => first.headers.get("ETag") ?? "";

/** A conditional request for page 1 with an ETag. */
function conditional(name: string, rule: string, tag: (served: ServedListing) => string, status: number): Question {
  return {
    name,
    rule,
    headers: (served) => ({ "If-None-Match": tag(served) }),
    skipped: (served) => tagOf(served) === "" && "page 1 has no ETag",
    judge: (answer) => answer.status === status,
  };
}

const CACHING: readonly Question[] = [
  conditional("not-modified", "If-None-Match with the page's ETag: 304", tagOf, 304),
  {
    ...conditional("not-modified-headers", "304 has the headers of 200", tagOf, 304),
    judge: (answer, served) =>
      answer.status === 304 ? hasHeadersOfPage(answer, served, "Content-Type") : "the answer is not a 304",
    shown: ["ETag", "Cache-Control", "Vary"],
  },
  {
    ...conditional("not-modified-type", "304 has the Content-Type of 200", tagOf, 304),
    judge: (answer) => (answer.status === 304 ? isJson(answer) : "the answer is not a 304"),
    shown: ["Content-Type"],
  },
  conditional(
    "not-modified-weak",
    "If-None-Match with the weak form of the ETag: 304",
    (served) => `W/${tagOf(served)}`,
    304,
  ),
  conditional(
    "not-modified-list",
    "If-None-Match with a list that has the ETag: 304",
    (served) => `"x", ${tagOf(served)}`,
    304,
  ),
  {
    name: "file-not-modified",
    rule: "If-None-Match with a file's ETag: 304",
    path: () => `/${SNAPSHOT}`,
    async judge({ url, headers }, { asker }) {
      const tag = headers.get("ETag");
      if (tag === null) return false;
      return (await asker.ask(url, { headers: { "If-None-Match": tag } })).status === 304;
    },
    shown: ["ETag"],
  },
  conditional("modified", "If-None-Match with another ETag: 200", () => `"${"0".repeat(64)}"`, 200),
  {
    name: "if-match",
    rule: "If-Match does not change the response: 200",
    headers: () => ({ "If-Match": '"x"' }),
    judge: ({ status }) => status === 200,
  },
  {
    name: "encoding-order",
    rule: "the preferred one of two stored encodings is sent",
    shown: ["Content-Encoding"],
    headers: () => ({ "Accept-Encoding": "br;q=0.1, gzip" }),
    skipped: ({ release }) => release.snapshot.encodings.length !== 2 && "the release has no two codings",
    judge: ({ status, headers }) => status === 200 && headers.get("Content-Encoding") === "gzip",
  },
  {
    name: "refused-coding",
    rule: "a refused encoding is not sent",
    shown: ["Content-Encoding"],
    headers: () => ({ "Accept-Encoding": "gzip;q=0, br;q=0" }),
    judge: ({ status, sent }, { first }) => status === 200 && sent === first.sent,
  },
];

const PACKED = fileHeaders("bulk/1.ndjson.gz", "")["Content-Type"];
const RANGE = "bytes=1-9";

/** A request for a part or, without parts, for a step or the CSV file. Hosts treat them the same. */
function ofPart(question: Omit<Question, "path" | "skipped">): Question {
  const skipped = (served: ServedListing) => partOf(served) === undefined && "it has no parts or steps";
  return { ...question, path: (served) => `/${partOf(served)}`, skipped };
}

/** The path of a part that the release has on disk. */
function partOf({ release: { folder, sums } }: ServedListing): string | undefined {
  const paths = [...sums.others.keys()].filter((path) => isPacked(path) && existsSync(join(folder, path)));
  return paths.find(isPart) ?? paths[0];
}

/** The bytes of a file that `RANGE` names. */
function rangeOf(path: string): Buffer {
  const file = openPlain(path);
  const read = (file: number) => readBlocks(file, 1, Buffer.alloc(9)).next().value ?? Buffer.alloc(0);
  return file === undefined ? Buffer.alloc(0) : closing(file, read);
}

function isRange(answer: Answer): boolean {
  const isSaid = answer.headers.get("Content-Range")?.startsWith("bytes 1-9/") === true;
  return answer.status === 206 && isSaid && answer.length === 9 && hasHeader(answer, "Content-Type", PACKED);
}

const PARTS: readonly Question[] = [
  ofPart({
    name: "part-type",
    rule: `a part or step is ${PACKED} without Content-Encoding`,
    method: "HEAD",
    headers: () => ({ "Accept-Encoding": "gzip, br" }),
    judge: (answer) =>
      answer.status === 200 && hasHeader(answer, "Content-Type", PACKED) && !answer.headers.has("Content-Encoding"),
    shown: ["Content-Type", "Content-Encoding"],
  }),
  ofPart({
    name: "part-range",
    rule: "a range of a part or step is 206 with only these bytes",
    headers: () => ({ Range: RANGE, "Accept-Encoding": "gzip, br" }),
    judge: (answer, served) =>
      isRange(answer) && answer.body.equals(rangeOf(join(served.release.folder, partOf(served) ?? ""))),
    shown: ["Content-Range"],
  }),
  ofPart({
    name: "part-beyond",
    rule: "a range beyond the end is the whole, or 416 as every error",
    headers: () => ({ Range: "bytes=999999999999-" }),
    judge: (answer) =>
      answer.status === 200 ||
      (answer.status === 416 && detailOf(answer) !== undefined && hasHeader(answer, "Cache-Control", "no-store")),
    shown: ["Content-Type", "Cache-Control"],
  }),
  ofPart({
    name: "part-if-range",
    rule: "If-Range with its ETag: 206; with another: 200",
    method: "HEAD",
    async judge({ url, headers }, served) {
      const maxBytes = mostBytes(served, partOf(served) ?? "");
      const ask = (tag: string) =>
        served.asker.ask(url, { headers: { Range: RANGE, "If-Range": tag }, maxBytes, take: () => {} });
      const tag = headers.get("ETag");
      return tag !== null && isRange(await ask(tag)) && (await ask('"x"')).status === 200;
    },
    shown: ["ETag"],
  }),
];

const { "Content-Type": PAGE_TYPE, "Cache-Control": PAGE_CACHING, ...OWN } = fileHeaders(EXPLORER, "");

const withoutExplorer = ({ release }: ServedListing) => !release.sums.others.has(EXPLORER) && `it has no ${EXPLORER}`;

const EXPLORERS: readonly Question[] = [
  {
    name: "explorer-page",
    rule: `the explorer's URL is ${EXPLORER}, if the release has one`,
    path: ({ path }) => explorerPath(path),
    skipped: withoutExplorer,
    judge: (answer, { release }) =>
      answer.status === 200 &&
      answer.digest === release.sums.others.get(EXPLORER) &&
      hasHeader(answer, "Content-Type", PAGE_TYPE),
    shown: ["Content-Type"],
  },
  {
    name: "explorer-caching",
    rule: `the explorer's URL has Cache-Control: ${PAGE_CACHING}`,
    path: ({ path }) => explorerPath(path),
    skipped: withoutExplorer,
    judge: (answer) => hasHeader(answer, "Cache-Control", PAGE_CACHING),
    shown: ["Cache-Control"],
  },
  {
    name: "explorer-slash",
    rule: "the base URL without its final slash: 301 to it",
    path: () => "",
    skipped: (served) =>
      withoutExplorer(served) || (basePath(served.baseUrl) === "" && "a base URL without a path has its slash"),
    judge({ status, headers, url }, { baseUrl }) {
      const to = headers.get("Location") ?? "";
      return status === 301 && canParse(to, url) && new URL(to, url).href === `${baseUrl}/`;
    },
  },
  {
    name: "explorer-headers",
    rule: `${EXPLORER} forbids frames and search engines`,
    path: () => `/${EXPLORER}`,
    skipped: withoutExplorer,
    judge: (answer) => Object.entries(OWN).every(([name, value]) => hasHeader(answer, name, value)),
    shown: Object.keys(OWN),
  },
];

export const QUESTIONS: readonly Question[] = [...PAGES, ...METHODS, ...ERRORS, ...CACHING, ...PARTS, ...EXPLORERS];
