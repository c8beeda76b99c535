/** The headers and error bodies of contract part 2, which every host sends. */
import { pathReference } from "./links.js";

/** Content codings that a release may carry beside each page, best first, with their file endings. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof ENCODINGS;

export const CONTENT_TYPE = "application/json";
export const DEFAULT_CACHE_CONTROL = "public, max-age=60";

/** @param description the path of the release's openapi.json, as in a URL; undefined where the release has none. */
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

/** The headers that name the snapshot of an answer, and let browsers read its name. */
export function snapshotHeaders(id: string): Record<string, string> {
  return { "Snapshot-Id": id, "Access-Control-Expose-Headers": "ETag, Link, Snapshot-Id" };
}

/** Cache-Control where the publisher does not choose it: of errors, and of what clients poll for a switch. */
export const NO_STORE = "no-store";
export const NO_CACHE = "no-cache";

/** The headers that OPTIONS adds, so that a browser's preflight succeeds. */
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Max-Age": "86400",
} as const;

/** The strong entity tag of a body with this SHA-256 (hexadecimal). Equal bytes have equal tags on every machine. */
export function etagOf(digest: string): string {
  return `"${digest}"`;
}

export function errorBody(detail: string): string {
  return JSON.stringify({ detail });
}

export const INVALID_PAGE = "Invalid page.";

/** The usual detail of each error. A 404 may also say `INVALID_PAGE`. */
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
} as const;
export type ErrorStatus = keyof typeof ERROR_DETAILS;
