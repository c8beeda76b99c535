/** Page numbers and their URLs. Only this file knows either form. */
import { usageError } from "../errors.js";

/** `query`: `?format=api&page=N`; `path`: `pages/N.json`, for hosts that cannot map a query. */
export const LINK_STYLES = ["query", "path"] as const;
export type LinkStyle = (typeof LINK_STYLES)[number];

export const LISTING_PATH = "/api/users/";

/** The default image of users who have none, below the base URL. */
export const AVATAR_PATH = "avatar.svg";

export const PAGE_SIZE = { default: 100, min: 1, max: 1000 } as const;

/** How many pages `count` users fill. An empty collection has one empty page. */
export function pagesFor(count: number, pageSize: number): number {
  return Math.max(1, Math.ceil(count / pageSize));
}

/** The highest page number that has the accepted form, see `pageNumber`. */
export const MAX_PAGES = 999_999_999;

/** The absolute URL of page `page` (from 1) below a base URL that `parseBaseUrl` has normalised. */
export function pageUrl(baseUrl: string, links: LinkStyle, page: number): string {
  return links === "query"
    ? `${baseUrl}${LISTING_PATH}?format=api&page=${page}`
    : `${baseUrl}${LISTING_PATH}pages/${page}.json`;
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

const LISTING_URL = /^(https?:\/\/[^?#]+)\/api\/users\/*(?:(?:pages\/[^?#]*)?(?:[?#].*)?)$/i;

/**
 * Normalises a base URL: `HTTPS://Example.com:443/directory/` becomes `https://example.com/directory`.
 * @throws UserError (usage) when it is not absolute http(s), or has a query, a fragment or credentials.
 */
export function parseBaseUrl(text: string): string {
  // A message must not carry a password into a log.
  const shown = JSON.stringify(text.replace(/^([^/]*\/\/)[^/]*@/, "$1...@"));
  const refuse = (why: string, instead = "one like https://directory.example.com") =>
    usageError(`Base URL ${shown} ${why}; give ${instead}.`);
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) throw refuse("is not an absolute http(s) URL");
  if (/[\s\\]/.test(text)) throw refuse("has white space or a backslash in it");
  const [, base] = LISTING_URL.exec(text) ?? [];
  if (base !== undefined && !base.includes("@"))
    throw refuse(`is of the listing itself, and every link adds ${LISTING_PATH}`, base);
  if (text.includes("#")) throw refuse("has a fragment (#)");
  if (text.includes("?")) throw refuse("has a query (?)");
  if (/^https?:\/\/[^/]*@/i.test(text)) throw refuse("has credentials (@), which every page would publish");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw refuse("has a % that begins no escape");
  const url = new URL(text);
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Whether a text is meant as the URL of a host, however the rest of it may be. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The path of a base URL: `/directory`, or empty at the root. */
export function basePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, "");
}

/** Whether a text is an absolute http(s) URL without white space and control characters, as an avatar must be. */
export function isPublishableUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}/?#][^\s\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

/** The reverse of `pageUrl`; undefined for a URL of another form. */
export function parsePageUrl(url: string): { baseUrl: string; links: LinkStyle; page: number } | undefined {
  const [, baseUrl, query, path] =
    /^(https?:\/\/.+)\/api\/users\/(?:\?format=api&page=(\d+)|pages\/(\d+)\.json)$/.exec(url) ?? [];
  const page = pageNumber(query ?? path ?? "");
  if (baseUrl === undefined || page === undefined) return undefined;
  return { baseUrl, links: query === undefined ? "path" : "query", page };
}
