/** Page numbers and their URLs. Only this file knows either form. Also names of files that the client reads. It imports nothing, since browsers load it too. */

/** `query`: `?format=api&page=N`; `path`: `pages/N.json`, for hosts that cannot map a query. */
export const LINK_STYLES = ["query", "path"] as const;
export type LinkStyle = (typeof LINK_STYLES)[number];

/** Path below the base URL of the default image of records. */
export const AVATAR_PATH = "avatar.svg";

// Paths below the base URL, and in a release.
export const SNAPSHOT = "snapshot.json";
export const CONTRACT = "contract.json";
export const SUMS = "SHA256SUMS";
/** minisign's signature of SHA256SUMS. */
export const SIGNATURE = `${SUMS}.minisig`;

export const PAGE_SIZE = { default: 100, min: 1, max: 1000 } as const;

/** The number of pages that `count` records fill. An empty collection has one empty page. */
export function pagesFor(count: number, pageSize: number): number {
  return Math.max(1, Math.ceil(count / pageSize));
}

/** The highest page number that `pageNumber` accepts. */
export const MAX_PAGES = 999_999_999;

/** The path of a listing whose contract names none: the base URL itself. */
export const DEFAULT_PATH = "/";

/** The name of a listing in a site: a path of one segment or more, which no host treats in its own way. */
export const LISTING_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** The location of a listing, and the form of its page URLs. */
export interface ListingPlace {
  /** Normalised by `normalBaseUrl`. */
  baseUrl: string;
  /** The contract's path of the listing, below the base URL: `/v1/stations/`, or `/`. */
  path: string;
  links: LinkStyle;
}

/** The absolute URL of page `page`, from 1. */
export function pageUrl({ baseUrl, path, links }: ListingPlace, page: number): string {
  return `${baseUrl}${path}${links === "query" ? `?format=api&page=${page}` : `pages/${page}.json`}`;
}

/** The links of a page to the next and previous one; null if there is none. */
export function neighbours({ page, pages, ...place }: ListingPlace & { page: number; pages: number }) {
  const link = (to: number) => (to < 1 || to > pages ? null : pageUrl(place, to));
  return { next: link(page + 1), previous: link(page - 1) };
}

/** The page number that a query asks for: 1 by default; undefined if it is repeated or not canonical. @param query without `?`. */
export function requestedPage(query: string): number | undefined {
  // The form of links needs no full parser, which takes longer than the rest of a response.
  const [, plain] = /^(?:format=api&)?page=([1-9][0-9]{0,8})$/.exec(query) ?? [];
  if (plain !== undefined) return Number(plain);
  // URLSearchParams drops one leading `?`; a second one belongs to a name.
  const given = new URLSearchParams(`?${query}`).getAll("page");
  if (given.length > 1) return undefined;
  const [page = ""] = given;
  return page === "" ? 1 : pageNumber(page);
}

/** Parses a page number, which has only one accepted form; otherwise undefined. */
export function pageNumber(text: string): number | undefined {
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Escapes a text for use in a regular expression. */
export function asPattern(text: string): string {
  return text.replace(/[^\w/]/g, "\\$&");
}

/** Whether a text begins like an http(s) URL. The rest may be invalid. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Normalises a base URL, without a slash at its end: `https://example.com/directory`. */
export function normalBaseUrl({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, "");
}

/** The path of a base URL: `/directory`, or empty at the root. */
export function basePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, "");
}

/** A path as a reference from the same host. A browser reads `//x` as another host, so RFC 3986 writes `/.//x`. */
export function pathReference(path: string): string {
  return `${path.startsWith("//") ? "/." : ""}${path}`;
}

/**
 * Whether a text is a URL, or a reference relative to `base`. It avoids URL.canParse for text beyond ASCII: once optimised,
 * after about 2,000 calls, Node 20 and 22 decode "ü" wrongly and refuse https://bücher.example.
 */
export function canParse(text: string, base?: string): boolean {
  if (!/\P{ASCII}/u.test(text + (base ?? ""))) return URL.canParse(text, base);
  try {
    return Boolean(new URL(text, base));
  } catch {
    return false;
  }
}

/** Whether a text is an absolute URL without white space and control characters. */
export function isUri(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text) && canParse(text);
}

/** Whether a text is an absolute http(s) URL without white space and control characters, as an avatar must be. */
export function isPublishableUrl(text: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(text) && isUri(text);
}

/**
 * The explorer's URL of a record, with every special character of the key escaped.
 * @param page the explorer's URL.
 * @param key half a surrogate pair becomes U+FFFD, as browsers show it.
 */
export function recordAddress(page: string, key: string | number): string {
  const whole = String(key).replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return `${page}#/${encodeURIComponent(whole).replace(/[!'()*]/g, percent)}`;
}

/** Parses a URL that `pageUrl` made for a listing of this path; undefined for any other URL. */
export function parsePageUrl(url: string, path: string): (ListingPlace & { page: number }) | undefined {
  const pattern = `^(https?://.+)${asPattern(path)}(?:\\?format=api&page=(\\d+)|pages/(\\d+)\\.json)$`;
  const [, baseUrl, query, byPath] = new RegExp(pattern).exec(url) ?? [];
  const page = pageNumber(query ?? byPath ?? "");
  if (baseUrl === undefined || page === undefined) return undefined;
  return { baseUrl, path, links: query === undefined ? "path" : "query", page };
}
