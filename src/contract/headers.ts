/** What every host says besides the body: the header values and error bodies of contract part 2. */

/** Content codings that a release may carry beside each page, best first, with their file endings. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof ENCODINGS;

export const CONTENT_TYPE = "application/json";
export const DEFAULT_CACHE_CONTROL = "public, max-age=60";

/** On every answer, whatever its status. */
export function commonHeaders(encodings: readonly Encoding[]): Record<string, string> {
  return {
    Allow: "GET, HEAD, OPTIONS",
    Vary: encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept",
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
  };
}

/** What OPTIONS adds, so that a browser's preflight passes. */
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Max-Age": "86400",
} as const;

/** The strong entity tag of a body, from its SHA-256 in hexadecimal: equal bytes have equal tags on every machine. */
export function etagOf(digest: string): string {
  return `"${digest}"`;
}

/** The body of an error answer. */
export function errorBody(detail: string): string {
  return JSON.stringify({ detail });
}

export const INVALID_PAGE = "Invalid page.";
export const METHOD_NOT_ALLOWED = "Method not allowed.";
