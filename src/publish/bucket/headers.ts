/** The headers that objects in a bucket are stored with. */
import { CONTENT_TYPE } from "../../contract/headers.js";
import { fileHeaders, findPage } from "../../release/layout.js";

export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string;
}

/** A compressed page has the Content-Type of its content, so that a CDN can serve it in place of the plain page. */
export function headersOf(path: string, cacheControl: string): ObjectHeaders {
  const page = findPage(path);
  if (!page) {
    const headers = fileHeaders(path, cacheControl);
    return { CacheControl: headers["Cache-Control"], ContentType: headers["Content-Type"] };
  }
  const headers = { CacheControl: cacheControl, ContentType: CONTENT_TYPE };
  return page.variant === "identity" ? headers : { ...headers, ContentEncoding: page.variant };
}

/** The headers for Rollcall's own files, which need not be cached. */
export const OWN_HEADERS: ObjectHeaders = {
  CacheControl: "no-store",
  ContentType: "application/octet-stream",
};
