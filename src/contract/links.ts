/** Page numbers and their URLs. Only this file knows either form. It runs in browsers, too: it imports nothing. */
/** `query`: `?format=api&page=N`; `path`: `pages/N.json`, for hosts that cannot map a query. */
export const LINK_STYLES = ["query", "path"] as const;
export type LinkStyle = (typeof LINK_STYLES)[number];

/** The default image of records that have none, below the base URL. */
export const AVATAR_PATH = "avatar.svg";

export const PAGE_SIZE = { default: 100, min: 1, max: 1000 } as const;

/** How many pages `count` records fill. An empty collection has one empty page. */
export function pagesFor(count: number, pageSize: number): number {
  return Math.max(1, Math.ceil(count / pageSize));
}

/** The highest page number that has the accepted form, see `pageNumber`. */
export const MAX_PAGES = 999_999_999;

/** Where a listing is, and how its pages are named. */
export interface ListingPlace {
  /** In the form of `normalBaseUrl`. */
  baseUrl: string;
  /** The contract's path of the listing, below the base URL: `/v1/stations/`. */
  path: string;
  links: LinkStyle;
}

/** The absolute URL of page `page`, from 1. */
export function pageUrl({ baseUrl, path, links }: ListingPlace, page: number): string {
  return `${baseUrl}${path}${links === "query" ? `?format=api&page=${page}` : `pages/${page}.json`}`;
}

/** The links of a page to the one after it and the one before it; null where there is none. */
export function neighbours({ page, pages, ...place }: ListingPlace & { page: number; pages: number }) {
  const link = (to: number) => (to < 1 || to > pages ? null : pageUrl(place, to));
  return { next: link(page + 1), previous: link(page - 1) };
}

/** Without `?`. 1 when it names no page; undefined for two, or one that is not canonical (contract part 2). */
export function requestedPage(query: string): number | undefined {
  // URLSearchParams takes one leading `?` for the query's own; a second one belongs to a name.
  const given = new URLSearchParams(`?${query}`).getAll("page");
  if (given.length > 1) return undefined;
  const [page = ""] = given;
  return page === "" ? 1 : pageNumber(page);
}

/** In its only accepted form, or undefined. */
export function pageNumber(text: string): number | undefined {
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined;
}

/** A pattern that matches only this text. */
export function asPattern(text: string): string {
  return text.replace(/[^\w/]/g, "\\$&");
}

/** Whether a text is meant as the URL of a host, however the rest of it may be. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether the host of a URL is this machine alone. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Without a slash at its end, and as URLs are normalised: `https://example.com/directory`. */
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
 * Whether a text is a URL, by itself or below another. URL.canParse of Node 20 and 22 reads "ü" as other bytes once the
 * function that calls it is compiled, and then refuses https://bücher.example: only after some 2,000 calls.
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
 * The address of a record on a page for people, in which no character of any key is more than a part of the key.
 * @param page its URL, with a slash at the end.
 * @param key where it is text, half a character pair is written as what browsers show in its place.
 */
export function recordAddress(page: string, key: string | number): string {
  const whole = String(key).replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return `${page}#/${encodeURIComponent(whole).replace(/[!'()*]/g, percent)}`;
}

/** The reverse of `pageUrl` for a listing of this path; undefined for a URL of another form. */
export function parsePageUrl(url: string, path: string): (ListingPlace & { page: number }) | undefined {
  const pattern = `^(https?://.+)${asPattern(path)}(?:\\?format=api&page=(\\d+)|pages/(\\d+)\\.json)$`;
  const [, baseUrl, query, byPath] = new RegExp(pattern).exec(url) ?? [];
  const page = pageNumber(query ?? byPath ?? "");
  if (baseUrl === undefined || page === undefined) return undefined;
  return { baseUrl, path, links: query === undefined ? "path" : "query", page };
}
