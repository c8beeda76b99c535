/** Page numbers and their URLs. Only this file knows either form. */
import { usageError } from "../errors.js";
import { USERS_CONTRACT } from "./contract.js";

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
  /** As `parseBaseUrl` has normalised it. */
  baseUrl: string;
  /** The contract's path of the listing, below the base URL: `/v1/stations/`. */
  path: string;
  links: LinkStyle;
}

/** The absolute URL of page `page`, from 1. */
export function pageUrl({ baseUrl, path, links }: ListingPlace, page: number): string {
  return `${baseUrl}${path}${links === "query" ? `?format=api&page=${page}` : `pages/${page}.json`}`;
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

/**
 * Normalises a base URL: `HTTPS://Example.com:443/directory/` becomes `https://example.com/directory`.
 * @param path of the listing, whose own URL is no base URL; null where nobody knows it yet.
 * @throws UserError (usage) when it is not absolute http(s), or has a query, a fragment or credentials.
 */
export function parseBaseUrl(text: string, path: string | null = USERS_CONTRACT.listing.path): string {
  // A message must not carry a password into a log.
  const shown = JSON.stringify(text.replace(/^([^/]*\/\/)[^/]*@/, "$1...@"));
  const refuse = (why: string, instead = "one like https://directory.example.com") =>
    usageError(`Base URL ${shown} ${why}; give ${instead}.`);
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) throw refuse("is not an absolute http(s) URL");
  if (/[\s\\]/.test(text)) throw refuse("has white space or a backslash in it");
  const base = path === null ? undefined : baseOfListing(text, path);
  if (base !== undefined) throw refuse(`is of the listing itself, and every link adds ${path}`, base);
  if (text.includes("#")) throw refuse("has a fragment (#)");
  if (text.includes("?")) throw refuse("has a query (?)");
  if (/^https?:\/\/[^/]*@/i.test(text)) throw refuse("has credentials (@), which every page would publish");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw refuse("has a % that begins no escape");
  const url = new URL(text);
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** The base URL of a URL of the listing or of one of its pages, however that is written; undefined for any other. */
function baseOfListing(text: string, path: string): string | undefined {
  const listing = literally(path.slice(0, -1));
  const [, base] = new RegExp(`^(https?://[^?#]+)${listing}/*(?:pages/[^?#]*)?(?:[?#].*)?$`, "i").exec(text) ?? [];
  return base?.includes("@") ? undefined : base;
}

/** A pattern that matches only this text. */
function literally(text: string): string {
  return text.replace(/[^\w/]/g, "\\$&");
}

/** Whether a text is meant as the URL of a host, however the rest of it may be. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The path of a base URL: `/directory`, or empty at the root. */
export function basePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, "");
}

/** Whether a text is an absolute URL without white space and control characters. */
export function isUri(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text) && URL.canParse(text);
}

/** Whether a text is an absolute http(s) URL without white space and control characters, as an avatar must be. */
export function isPublishableUrl(text: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(text) && isUri(text);
}

/** The reverse of `pageUrl` for a listing of this path; undefined for a URL of another form. */
export function parsePageUrl(url: string, path: string): (ListingPlace & { page: number }) | undefined {
  const pattern = `^(https?://.+)${literally(path)}(?:\\?format=api&page=(\\d+)|pages/(\\d+)\\.json)$`;
  const [, baseUrl, query, byPath] = new RegExp(pattern).exec(url) ?? [];
  const page = pageNumber(query ?? byPath ?? "");
  if (baseUrl === undefined || page === undefined) return undefined;
  return { baseUrl, path, links: query === undefined ? "path" : "query", page };
}
