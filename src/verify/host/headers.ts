/** The checks of response headers of pages and files. */
import { CONTENT_TYPE, etagOf, NO_CACHE } from "../../contract/headers.js";
import { canParse } from "../../contract/links.js";
import { fileHeaders, OPENAPI, unlistedFiles } from "../../release/layout.js";
import type { Answer } from "./ask.js";
import { hasHeader, type ServedListing, varyOf } from "./served-listing.js";

/** The response is a plain page, a compressed page, or another file. */
export type AnswerKind = "plain" | "coded" | "file";

const ALL: readonly AnswerKind[] = ["plain", "coded", "file"];

interface HeaderRow {
  name: string;
  rule: string;
  header: string;
  /** The responses that are checked. */
  of: readonly AnswerKind[];
  /** The expected value if the header is wrong; undefined if it is right. */
  expectedIfWrong(answer: Answer, served: ServedListing): string | undefined;
}

function exactly(name: string, header: string, value: string, of = ALL): HeaderRow {
  const expectedIfWrong = (answer: Answer) => (hasHeader(answer, header, value) ? undefined : value);
  return {
    name,
    rule: `every page${of === ALL ? " and file" : ""} has ${header}: ${value}`,
    header,
    of,
    expectedIfWrong,
  };
}

/** Whether a response has a strong ETag. */
export function hasStrongTag({ headers }: Answer): boolean {
  return /^"[^"]+"$/.test(headers.get("ETag") ?? "");
}

/** Whether the ETag of a response has at least 16 digits of the SHA-256 of the bytes sent. */
export function hasDigestTag({ headers, sent }: Answer): boolean {
  const [, tag] = /^"([0-9a-f]{16,64})"$/.exec(headers.get("ETag") ?? "") ?? [];
  return tag !== undefined && sent.startsWith(tag);
}

const SNAPSHOT_ID: HeaderRow = {
  name: "snapshot-id",
  rule: "every response has the snapshot's Snapshot-Id, readable in browsers",
  header: "Snapshot-Id",
  of: ALL,
  expectedIfWrong(answer, { release }) {
    const expected = release.snapshot.id;
    if (answer.headers.get("Snapshot-Id") !== expected) return expected;
    return exposeIfHidden(answer, "Snapshot-Id");
  },
};

/** The targets of a Link header with rel="service-desc". */
const LINKS = /<([^>]*)>(?=[^,<]*;\s*rel\s*=\s*(?:service-desc\b|"(?:[^"]*\s)?service-desc[\s"]))/gi;

const LINK: HeaderRow = {
  name: "link",
  rule: 'with openapi.json, every response has a Link to it, rel="service-desc", readable in browsers',
  header: "Link",
  of: ALL,
  expectedIfWrong(answer, { release, baseUrl }) {
    if (!release.sums.others.has(OPENAPI)) return undefined;
    const url = `${baseUrl}/${OPENAPI}`;
    const targets = [...(answer.headers.get("Link") ?? "").matchAll(LINKS)].map(([, target = ""]) => target);
    const leads = (to: string) => to !== "" && canParse(to, baseUrl) && new URL(to, baseUrl).href === url;
    return targets.some(leads) ? exposeIfHidden(answer, "Link") : `a link to ${url}`;
  },
};

/** The headers that every response has, whatever its status. */
export const EVERYWHERE: readonly HeaderRow[] = [SNAPSHOT_ID, LINK];

function exposeIfHidden(answer: Answer, name: string): string | undefined {
  const exposed = (answer.headers.get("Access-Control-Expose-Headers") ?? "").toLowerCase().split(/[\s,]+/);
  const isExposed = exposed.includes("*") || exposed.includes(name.toLowerCase());
  return isExposed ? undefined : "also Access-Control-Expose-Headers that names it";
}

/** The expected headers of a file; undefined for another URL. */
function headersOf({ url }: Answer, { baseUrl }: ServedListing) {
  return url.startsWith(`${baseUrl}/`) ? fileHeaders(url.slice(baseUrl.length + 1), "") : undefined;
}

/** Files whose type is checked. Readers of SHA256SUMS and its signature ignore the type. */
const TYPED = /\.(?:json|svg|gz|html|js|css|txt)$/;

const FILE_TYPE: HeaderRow = {
  name: "file-type",
  rule: "every file has the Content-Type of its extension",
  header: "Content-Type",
  of: ["file"],
  expectedIfWrong(answer, served) {
    const expected = headersOf(answer, served)?.["Content-Type"] ?? "";
    const found = answer.headers.get("Content-Type") ?? "";
    return !TYPED.test(answer.url) || mediaType(found) === mediaType(expected) ? undefined : expected;
  },
};

/** A media type without parameters, and with the current name of the script type. */
function mediaType(type: string): string {
  const [name = ""] = type.toLowerCase().split(/\s*;/);
  return name === "application/javascript" ? "text/javascript" : name;
}

const FILE_CACHING: HeaderRow = {
  name: "file-caching",
  rule: "caches revalidate the explorer and files that name the current snapshot",
  header: "Cache-Control",
  of: ["file"],
  expectedIfWrong(answer, served) {
    const found = (answer.headers.get("Cache-Control") ?? "").toLowerCase();
    const isAskedFor =
      /(?:^|,)\s*(?:no-cache|no-store|max-age=0)\s*(?:,|$)/.test(found) && !/s-maxage=[1-9]/.test(found);
    return headersOf(answer, served)?.["Cache-Control"] === NO_CACHE && !isAskedFor ? NO_CACHE : undefined;
  },
};

export const HEADERS: readonly HeaderRow[] = [
  exactly("content-type", "Content-Type", CONTENT_TYPE, ["plain", "coded"]),
  exactly("allow", "Allow", "GET, HEAD, OPTIONS"),
  {
    name: "vary",
    rule: "every page and file has Vary: Accept, or Accept, Accept-Encoding if pages are compressed, in one line",
    header: "Vary",
    of: ["plain", "file"],
    expectedIfWrong(answer, served) {
      const expected = varyOf(served);
      return hasHeader(answer, "Vary", expected) ? undefined : expected;
    },
  },
  {
    name: "cache-control",
    rule: "every page has the same Cache-Control, which allows caching",
    header: "Cache-Control",
    of: ["plain", "coded"],
    expectedIfWrong(answer, { cacheControl, first }) {
      const said = first.headers.get("Cache-Control");
      const expected = cacheControl ?? (said !== null && !/no-store/i.test(said) ? said : "public, max-age=60");
      return hasHeader(answer, "Cache-Control", expected) ? undefined : expected;
    },
  },
  exactly("browsers", "Access-Control-Allow-Origin", "*"),
  exactly("nosniff", "X-Content-Type-Options", "nosniff"),
  {
    name: "etag",
    rule: "every page and file has a strong ETag",
    header: "ETag",
    of: ["plain", "file"],
    expectedIfWrong: (answer) => (hasStrongTag(answer) ? undefined : etagOf(answer.sent)),
  },
  {
    name: "etag-digest",
    rule: "every ETag is from the SHA-256 of the bytes sent; that of SHA256SUMS and its signature may be another",
    header: "ETag",
    of: ["plain", "file"],
    expectedIfWrong(answer) {
      // Their digests cannot be in a file that they list.
      const isUnlisted = unlistedFiles({ isSigned: true }).some((path) => answer.url.endsWith(`/${path}`));
      return isUnlisted || !hasStrongTag(answer) || hasDigestTag(answer) ? undefined : etagOf(answer.sent);
    },
  },
  {
    name: "plain",
    rule: "a request that accepts no encoding gets the plain page",
    header: "Content-Encoding",
    of: ["plain"],
    expectedIfWrong: (answer) => (answer.headers.get("Content-Encoding") === null ? undefined : "none"),
  },
  {
    name: "language",
    rule: "no page has a Content-Language, which some hosts make of the ending .br",
    header: "Content-Language",
    of: ["plain", "coded"],
    expectedIfWrong: (answer) => (answer.headers.get("Content-Language") === null ? undefined : "none"),
  },
  FILE_TYPE,
  FILE_CACHING,
  ...EVERYWHERE,
];

/** Whether a response has the headers of page 1. @param but headers not to compare; wrong headers of page 1 are not compared either. */
export function hasHeadersOfPage(answer: Answer, served: ServedListing, ...but: string[]): boolean {
  const page = served.first;
  return HEADERS.filter(({ of }) => of.includes("plain")).every(({ header, expectedIfWrong }) => {
    const isCompared = !but.includes(header) && expectedIfWrong(page, served) === undefined;
    return !isCompared || answer.headers.get(header) === page.headers.get(header);
  });
}
