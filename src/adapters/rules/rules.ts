/** The one rule set that every host's files are written from: the contract's answers, as they are for one collection. */
import {
  CONTENT_TYPE,
  commonHeaders,
  type Encoding,
  ERROR_DETAILS,
  type ErrorStatus,
  errorBody,
  INVALID_PAGE,
  NO_STORE,
  PREFLIGHT_HEADERS,
} from "../../contract/headers.js";
import { LISTING_PATH, type LinkStyle } from "../../contract/links.js";
import { fileHeaders } from "../../release/layout.js";

export type Headers = Readonly<Record<string, string>>;

/** What a host has to be told of a collection. Paths are as in a URL, percent-encoded. */
export interface ListingRules {
  /** `/directory`, or empty. */
  base: string;
  links: LinkStyle;
  /** Codings that each page has a file in and that the host is to choose from. */
  encodings: readonly Encoding[];
  cacheControl: string;
  /** Paths of the files that are no pages, in the release. */
  others: readonly string[];
}

export interface Rules extends ListingRules {
  /** `/directory/api/users/` */
  listing: string;
  /** `/directory/api/users`, which leads to `redirect`, with the query. */
  bare: string;
  redirect: string;
  /** `/directory/api/users/pages/` */
  pages: string;
  /** On every answer, whatever its status. */
  headers: Headers;
  /** What OPTIONS has besides. */
  preflight: Headers;
  /** What pages have besides, and what redirects have. */
  page: Headers;
  moved: Headers;
  /** What errors have besides. */
  error: Headers;
  /** Path of a file that is no page -> what it has besides. */
  files: ReadonlyMap<string, Readonly<ReturnType<typeof fileHeaders>>>;
}

export function rulesOf(collection: ListingRules): Rules {
  const { base, encodings, cacheControl, others } = collection;
  const listing = `${base}${LISTING_PATH}`;
  return {
    ...collection,
    listing,
    bare: listing.slice(0, -1),
    // `//x` would be another host; RFC 3986 writes `/.//x`.
    redirect: `${listing.startsWith("//") ? "/." : ""}${listing}`,
    pages: `${listing}pages/`,
    headers: commonHeaders(encodings),
    preflight: PREFLIGHT_HEADERS,
    page: { "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl },
    moved: { "Cache-Control": cacheControl },
    error: { "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE },
    files: new Map(others.map((path) => [path, fileHeaders(path, cacheControl)])),
  };
}

/** The bodies of errors, by status, and of a page that is none. */
export const BODIES = Object.fromEntries(
  Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, errorBody(detail)]),
) as Record<ErrorStatus, string>;
export const INVALID_PAGE_BODY = errorBody(INVALID_PAGE);

/** A path of a URL as bytes, for hosts that compare paths decoded. */
export function decodePath(path: string): Buffer {
  return Buffer.from(
    path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}
