/** The headers that objects in a bucket are stored with. */
import { CONTENT_TYPE } from "../../contract/headers.js";
import { fileHeaders } from "../../release/layout.js";
import type { PublishedFile } from "../files.js";

export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string;
}

/** A compressed page has the Content-Type of its content, so that a CDN can serve it in place of the plain page. */
export function headersOf({ path, variant }: PublishedFile, cacheControl: string): ObjectHeaders {
  if (!variant) {
    const headers = fileHeaders(path, cacheControl);
    return { CacheControl: headers["Cache-Control"], ContentType: headers["Content-Type"] };
  }
  const headers = { CacheControl: cacheControl, ContentType: CONTENT_TYPE };
  return variant === "identity" ? headers : { ...headers, ContentEncoding: variant };
}

/** The headers for Rollcall's own files, which need not be cached. */
export const OWN_HEADERS: ObjectHeaders = {
  CacheControl: "no-store",
  ContentType: "application/octet-stream",
};
