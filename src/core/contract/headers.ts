/** Headers and error bodies that every host sends (docs/reference/http.md). */
import { pathReference } from "./links.js";

/** Content codings that a release may carry beside each page, best first, with their file endings. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof ENCODINGS;

export const CONTENT_TYPE = "application/json";
export const DEFAULT_CACHE_CONTROL = "public, max-age=60";

/** Headers of every answer. @param description URL path of the release's openapi.json; undefined if it has none. */
export function commonHeaders(encodings: readonly Encoding[], description?: string): Record<string, string> {
  return {
    Allow: "GET, HEAD, OPTIONS",
    Vary: encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept",
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
    ...(description !== undefined && {
      Link: `<${pathReference(description)}>; rel="service-desc"`,
      "Access-Control-Expose-Headers": "ETag, Link",
    }),
  };
}

/** Headers that name the snapshot of an answer, and let scripts in browsers read that name. */
export function snapshotHeaders(id: string): Record<string, string> {
  return { "Snapshot-Id": id, "Access-Control-Expose-Headers": "ETag, Link, Snapshot-Id" };
}

/** Cache-Control of errors, and of files that clients poll for a new release. */
export const NO_STORE = "no-store";
export const NO_CACHE = "no-cache";

/** Headers that OPTIONS adds for CORS preflights. */
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Max-Age": "86400",
} as const;

/** Makes a strong ETag from the hexadecimal SHA-256 of a body. Equal bytes have equal ETags on every machine. */
export function etagOf(digest: string): string {
  return `"${digest}"`;
}

/** The JSON body of an error response. */
export function errorBody(detail: string): string {
  return JSON.stringify({ detail });
}

export const INVALID_PAGE = "Invalid page.";

/** The detail of each error status. A 404 for a wrong page number has `INVALID_PAGE` instead. */
export const ERROR_DETAILS = {
  400: "Bad request.",
  404: "Not found.",
  405: "Method not allowed.",
  408: "Request timed out.",
  413: "Request too large.",
  416: "Range not satisfiable.",
  417: "Expectation failed.",
  431: "Request header fields too large.",
  500: "Internal server error.",
  503: "Too many downloads. Try again later.",
} as const;
export type ErrorStatus = keyof typeof ERROR_DETAILS;
