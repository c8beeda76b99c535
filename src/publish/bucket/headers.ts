/** What each object says of itself when it is fetched. */
import { lookup } from "mrmime";
import { CONTENT_TYPE } from "../../contract/headers.js";
import { findPage } from "../../release/layout.js";

export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string;
}

/** Of a file of a release. A compressed page says what it is once it is unpacked, so that it can stand in for the plain one. */
export function headersOf(path: string, cacheControl: string): ObjectHeaders {
  const page = findPage(path);
  if (page && page.variant !== "identity")
    return { CacheControl: cacheControl, ContentType: CONTENT_TYPE, ContentEncoding: page.variant };
  return { CacheControl: cacheControl, ContentType: typeOf(path) };
}

/** Of Rollcall's own files, which nobody need hold on to. */
export const OWN_HEADERS: ObjectHeaders = {
  CacheControl: "no-store",
  ContentType: "application/octet-stream",
};

function typeOf(path: string): string {
  // SHA256SUMS, users.sha256 and what hosts read have no type of their own.
  // It looks a suffix up in an object, so that `.constructor` has a function for a type.
  const found: unknown = lookup(path);
  const type = typeof found === "string" ? found : "text/plain";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}
