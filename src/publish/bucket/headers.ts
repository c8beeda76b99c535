/** The headers that objects in a bucket are stored with. */
import { lookup } from "mrmime";
import { CONTENT_TYPE } from "../../contract/headers.js";
import { findPage } from "../../release/layout.js";

export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string;
}

/** The headers for a file of a release. A compressed page has the Content-Type of its content, so that a CDN can serve it in place of the plain page. */
export function headersOf(path: string, cacheControl: string): ObjectHeaders {
  const page = findPage(path);
  if (page && page.variant !== "identity")
    return { CacheControl: cacheControl, ContentType: CONTENT_TYPE, ContentEncoding: page.variant };
  return { CacheControl: cacheControl, ContentType: typeOf(path) };
}

/** The headers for Rollcall's own files, which need not be cached. */
export const OWN_HEADERS: ObjectHeaders = {
  CacheControl: "no-store",
  ContentType: "application/octet-stream",
};

function typeOf(path: string): string {
  // `lookup` reads from a plain object, so that for `.constructor` it returns a function.
  const found: unknown = lookup(path);
  // Some files have no type, for example SHA256SUMS.
  const type = typeof found === "string" ? found : "text/plain";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}
