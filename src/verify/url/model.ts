/** What a host must answer: what Rollcall's own server answers from the same release. Compares the headers of a response with that. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type PageBody, readBody } from "../../core/contract/envelope.js";
import { etagOf, NO_CACHE } from "../../core/contract/headers.js";
import { parseJson } from "../../core/contract/json.js";
import { basePath, canParse, type ListingPlace, parsePageUrl } from "../../core/contract/links.js";
import { FEED_TYPE, isPublic, unlistedFiles } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { hashPlain } from "../../core/release/plain-files.js";
import { createAnswer } from "../../serve/answer.js";
import { createAnswers, type Served, servedViews } from "../../serve/answers.js";
import { type Asker, type HostAnswer, MAX_BYTES } from "./ask.js";

/** What a host serves below one base URL: a listing, or the files at the top of a site, which have no pages. */
export interface ServedPart extends Served, ListingPlace {
  asker: Asker;
  /** The number of pages: 0 at the top of a site. */
  pages: number;
  /** The path below the base URL of what most checks request: page 1, or snapshot.json at the top of a site. */
  home: string;
  /** The response to a request for it, plain. */
  first: HostAnswer;
  /** What the host must answer to a request. @param path below the base URL */
  expected(path: string, headers?: Readonly<Record<string, string>>, method?: string): Expected;
}

interface Expected {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Of an error. */
  detail: string | undefined;
}

/** What a host of a listing has to serve. With a sample of its pages, a downloaded release has no other pages and files. */
export function servedOf({ folder, sums, snapshot, isSigned, views }: Release, baseUrl: string): Served {
  const { id, encodings } = snapshot;
  return { name: "", folder, baseUrl, sums, id, encodings, isSigned, views: servedViews(baseUrl, views) };
}

/** Makes the function that says what a host must answer. A page or file is only known by its ETag, the digest. */
export function createModel(served: Served, cacheControl: string): ServedPart["expected"] {
  const { folder, sums, isSigned, baseUrl } = served;
  const find = (path: string) => {
    const isUnlisted = unlistedFiles({ isSigned }).includes(path);
    const digest = isUnlisted ? hashPlain(join(folder, path)) : isPublic(path) ? sums.others.get(path) : undefined;
    return digest === undefined ? digest : { path, etag: etagOf(digest), size: sizeOf(folder, path), isLarge: true };
  };
  const files = { find, read: () => undefined, isVerified: () => true };
  const store = { find: () => new Uint8Array(), read: () => undefined };
  const answer = createAnswer(served, createAnswers(served, cacheControl), files, store);
  return (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Expected => {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const target = basePath(baseUrl) + path;
    const { head, etag, body } = answer({ method, target, headers: Object.fromEntries(lower) });
    const tagged = [...head.headers, ...(etag === undefined ? [] : ["ETag", etag])];
    const pairs = tagged.flatMap((name, at) => (at % 2 === 0 ? [[name, tagged[at + 1]]] : []));
    return { status: head.status, headers: Object.fromEntries(pairs), detail: body && detailOf(body) };
  };
}

/** The bytes of a file on disk; 0 if it is not there. */
export function sizeOf(folder: string, path: string): number {
  return statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0;
}

/** The maximum bytes of a file's response: its size in the release, or the usual limit if that is more. */
export function mostBytes({ folder }: Pick<Served, "folder">, path: string): number {
  return Math.max(MAX_BYTES, sizeOf(folder, path));
}

/** The detail of an error's body; undefined if it has another form. */
export function detailOf(body: Uint8Array): string | undefined {
  const read = parseJson(Buffer.from(body).toString());
  const { detail, ...others } = Object("why" in read ? {} : read.value);
  return typeof detail === "string" && Object.keys(others).length === 0 ? detail : undefined;
}

/** A response in words: its status, and its type or where it redirects to. */
export function describeAnswer({ status, headers }: HostAnswer): string {
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location !== null)
    return `a redirect (${status}) to ${JSON.stringify(location.slice(0, 200))}`;
  return `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
}

const MARK = "\ufeff";

/** Whether a body begins with a byte order mark, which is not JSON. */
export const hasMark = (body: Buffer) => body.toString("utf8", 0, Buffer.byteLength(MARK)) === MARK;

/** Parses the page of a response, also behind a byte order mark, or says what it is instead. */
export function readPageAnswer(answer: HostAnswer): PageBody | { received: string } {
  const received = describeAnswer(answer);
  const { status, body, flaw } = answer;
  if (status !== 200) return { received };
  const page = hasMark(body) ? body.subarray(Buffer.byteLength(MARK)) : body;
  const read = flaw === undefined ? readBody(page) : { why: flaw };
  return "envelope" in read ? read : { received: `${received} with a body that ${read.why}` };
}

/** The number of the page in a response, by its links; undefined if it is not a page. */
export function pageIn(answer: HostAnswer, { path }: Pick<ServedPart, "path">): number | undefined {
  const read = readPageAnswer(answer);
  if (!("envelope" in read)) return undefined;
  const [after, before] = [read.envelope.next, read.envelope.previous].map(
    (link) => parsePageUrl(link ?? "", path)?.page,
  );
  return before ? before + 1 : after ? after - 1 : 1;
}

/** The response is a plain page, a compressed page, or another file. */
export type AnswerKind = "plain" | "coded" | "file";

/** Whether a header is right. @param found empty without one */
type IsRight = (found: string, wanted: string | undefined, answer: HostAnswer) => boolean;

const isAbsent: IsRight = (found) => found === "";
const lists = (value: string) => (found: string) =>
  found
    .toLowerCase()
    .split(/[\s,]+/)
    .some((one) => one === "*" || one === value);
const exposes = ({ headers }: HostAnswer, name: string) =>
  lists(name)(headers.get("Access-Control-Expose-Headers") ?? "");

/** Whether an ETag is strong. */
export const isStrong = (tag: string) => /^"[^"]+"$/.test(tag);

/** Whether a strong ETag has at least 16 digits of the SHA-256 of the bytes sent. The files that SHA256SUMS cannot list may have another. */
export const isOfBytes: IsRight = (found, _, { sent, url }) =>
  !isStrong(found) ||
  (/^"[0-9a-f]{16,64}"$/.test(found) && sent.startsWith(found.slice(1, -1))) ||
  unlistedFiles({ isSigned: true }).some((path) => url.endsWith(`/${path}`));

/** A media type without parameters, with the current name of the script type, and with that of feeds for XML. */
const mediaType = (type: string) =>
  type
    .toLowerCase()
    .replace(/\s*;.*/s, "")
    .replace("application/java", "text/java")
    // Feed readers accept the type that hosts have for all XML.
    .replace(/^(?:application|text)\/xml$/, FEED_TYPE);

/** Whether the type of a file is right. Readers of SHA256SUMS and its signature ignore the type. */
const isOfType: IsRight = (found, wanted = "", { url }) =>
  mediaType(found) === mediaType(wanted) || !/\.(?:json|svg|gz|html|js|css|txt|xml)$/.test(url);

const revalidates: IsRight = (found, wanted) =>
  wanted !== NO_CACHE ||
  (/(?:^|,)\s*(?:no-cache|no-store|max-age=0)\s*(?:,|$)/i.test(found) && !/s-maxage=[1-9]/i.test(found));

/** The targets of a Link header with rel="service-desc". */
const LINKS = /<([^>]+)>(?=[^,<]*;\s*rel\s*=\s*(?:service-desc\b|"(?:[^"]*\s)?service-desc[\s"]))/gi;

const linksTo: IsRight = (found, wanted, answer) => {
  if (wanted === undefined) return true;
  const targets = (links: string) =>
    [...links.matchAll(LINKS)].flatMap(([, to = ""]) => (canParse(to, answer.url) ? new URL(to, answer.url).href : []));
  return targets(wanted).some((to) => targets(found).includes(to)) && exposes(answer, "link");
};

/** Only files that browsers do not show may be attachments. */
const isShown: IsRight = (found, _, { url }) => !/^\s*attachment/i.test(found) || url.endsWith(".gz");

const isOfAnySite: IsRight = (found) => found === "" || found === "cross-origin";

const offersRanges: IsRight = (found) => found.toLowerCase() !== "none";

/** Headers of which not only the same value is right. Of others, it is, in one line. */
const RIGHT: Readonly<Record<string, IsRight>> = {
  "Accept-Ranges": offersRanges,
  "Access-Control-Allow-Methods": lists("get"),
  "Access-Control-Allow-Headers": lists("if-none-match"),
  Location: (found, wanted = "", { url }) =>
    canParse(found, url) && new URL(found, url).href === new URL(wanted, url).href,
};

/** Whether a header is what the contract says. */
export function isRight(answer: HostAnswer, header: string, wanted: string | undefined, own = RIGHT[header]): boolean {
  const found = answer.headers.get(header) ?? "";
  if (own) return own(found, wanted, answer);
  if (wanted === undefined) return found === "";
  return answer.lines.get(header.toLowerCase()) === 1 && comparable(header, found) === comparable(header, wanted);
}

/** Normalizes a header value. Ignores case, except in methods, and the order of Vary and Allow. */
function comparable(name: string, value: string): string {
  const text = name === "Allow" ? value : value.toLowerCase();
  return name === "Allow" || name === "Vary"
    ? text
        .split(/[ \t]*,[ \t]*/)
        .sort()
        .join()
    : text;
}

const ALL = "plain coded file";

/** The checks of headers of pages and files. */
const HEADERS: readonly (readonly [name: string, rule: string, header: string, of: string, own?: IsRight])[] = [
  ["content-type", "every page has Content-Type: application/json", "Content-Type", "plain coded"],
  ["allow", "every page and file has Allow: GET, HEAD, OPTIONS", "Allow", ALL],
  [
    "vary",
    "every page and file has Vary: Accept, or Accept, Accept-Encoding if pages are compressed, in one line",
    "Vary",
    "plain file",
  ],
  ["cache-control", "every page has the same Cache-Control, which allows caching", "Cache-Control", "plain coded"],
  ["browsers", "every page and file has Access-Control-Allow-Origin: *", "Access-Control-Allow-Origin", ALL],
  ["nosniff", "every page and file has X-Content-Type-Options: nosniff", "X-Content-Type-Options", ALL],
  ["etag", "every page and file has a strong ETag", "ETag", "plain file", isStrong],
  [
    "etag-digest",
    "every ETag is from the SHA-256 of the bytes sent; that of SHA256SUMS and its signature may be another",
    "ETag",
    "plain file",
    isOfBytes,
  ],
  ["plain", "a request that accepts no encoding gets the plain page", "Content-Encoding", "plain", isAbsent],
  [
    "language",
    "no page has a Content-Language, which some hosts make of the ending .br",
    "Content-Language",
    "plain coded",
    isAbsent,
  ],
  ["file-type", "every file has the Content-Type of its extension", "Content-Type", "file", isOfType],
  [
    "file-caching",
    "caches revalidate the explorer and files that name the current snapshot",
    "Cache-Control",
    "file",
    revalidates,
  ],
  [
    "attachment",
    "no page or file is an attachment, which browsers save instead of showing it, but those ending in .gz",
    "Content-Disposition",
    `${ALL} any`,
    isShown,
  ],
  ["refresh", "no response has Refresh, which leads browsers elsewhere", "Refresh", `${ALL} any`, isAbsent],
  ["set-cookie", "no page or file has Set-Cookie, since caches do not keep it then", "Set-Cookie", ALL, isAbsent],
  [
    "resource-policy",
    "no response has a Cross-Origin-Resource-Policy but cross-origin, so that other sites can use it",
    "Cross-Origin-Resource-Policy",
    `${ALL} any`,
    isOfAnySite,
  ],
  [
    "snapshot-id",
    "every response has the snapshot's Snapshot-Id, readable in browsers",
    "Snapshot-Id",
    `${ALL} any`,
    (found, wanted, answer) => found === wanted && exposes(answer, "snapshot-id"),
  ],
  [
    "link",
    'with openapi.json, every response has a Link to it, rel="service-desc", readable in browsers',
    "Link",
    `${ALL} any`,
    linksTo,
  ],
];

export const HEADER_ROWS = HEADERS.map(([name, rule]) => ({ name, rule }));
/** Those of files. */
export const FILE_HEADER_ROWS = HEADERS.filter(([, , , of]) => of.includes("file")).map(([name, rule]) => ({
  name,
  rule,
}));

/** The checks of headers that find something wrong with a response, in the words of a finding. */
export function wrongHeaders(answer: HostAnswer, { headers }: Pick<Expected, "headers">, kind: AnswerKind | "any") {
  return HEADERS.filter(
    ([, , header, of, own]) => of.includes(kind) && !isRight(answer, header, headers[header], own),
  ).map(([check, , header, , own]) => {
    const wanted = own === isOfBytes ? etagOf(answer.sent) : (headers[header] ?? "none");
    const found = answer.headers.get(header);
    const isHidden = found !== null && found === wanted && own !== undefined;
    const expected = isHidden ? "also Access-Control-Expose-Headers that names it" : wanted;
    return { check, header, found: found ?? `no ${header}`, expected };
  });
}

/** Whether a response has the headers of `first` that are right there. @param but one not to compare */
export function hasHeadersOfFirst(
  answer: HostAnswer,
  { first, expected, home, pages }: ServedPart,
  but: string,
): boolean {
  const kind = pages === 0 ? "file" : "plain";
  const wrong = new Set([but, ...wrongHeaders(first, expected(home), kind).map(({ header }) => header)]);
  return HEADERS.every(
    ([, , header, of]) =>
      !of.includes(kind) || wrong.has(header) || answer.headers.get(header) === first.headers.get(header),
  );
}
