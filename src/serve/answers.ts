/** All responses of a release. Their headers are made once per release; a request only selects one. */
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
  snapshotHeaders,
} from "../core/contract/headers.js";
import { basePath, pathReference } from "../core/contract/links.js";
import { fileHeaders, isPacked, OPENAPI, type Variant, VIEWS_FOLDER, type ViewPaths } from "../core/release/layout.js";
import type { Release } from "../core/release/open.js";
import type { Sums } from "../core/release/sums.js";

/** A status and headers that many responses share: as `name, value, name, value`, and as lines of text. */
export interface Head {
  status: number;
  headers: readonly string[];
  lines: string;
  encoding: Variant;
}

/** The first and last byte that are sent. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The part of a response that is a large file: its path in the release, and the bytes that are sent. */
export interface Download extends ByteRange {
  path: string;
  isPartial: boolean;
}

/** A response, for Node's server and for the fast path. Without `body` and `file`, its status allows no body. */
export interface Answer {
  head: Head;
  etag?: string | undefined;
  body?: Uint8Array | undefined;
  file?: Download | undefined;
}

/** A view that is served: the digests of its pages, and its URL path: `/stations/views/country/`. */
export interface ServedView {
  sums: Sums<ViewPaths>;
  path: string;
}

/** What is served below one base URL: a listing, or the files at the top of a site, which have no pages. */
export interface Served extends Pick<Release, "folder" | "sums" | "isSigned"> {
  /** The folder of the listing inside the release; empty for the top. */
  name: string;
  baseUrl: string;
  id: string;
  encodings: readonly Encoding[];
  views: readonly ServedView[];
}

export type Answers = ReturnType<typeof createAnswers>;

/** The views of a listing as they are served. @param baseUrl of the listing */
export function servedViews(baseUrl: string, views: Release["views"]): ServedView[] {
  return views.map(({ entry, sums }) => ({ sums, path: `${basePath(baseUrl)}/${VIEWS_FOLDER}/${entry.name}/` }));
}

/** Makes all responses of a release. */
export function createAnswers({ id, encodings, baseUrl, sums }: Served, cacheControl: string) {
  const description = sums.others.has(OPENAPI) ? `${basePath(baseUrl)}/${OPENAPI}` : undefined;
  const common = { ...commonHeaders(encodings, description), ...snapshotHeaders(id) };
  const pageHeaders = { ...common, "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl };
  const toPages = (status: number): Record<Variant, Head> => ({
    identity: toHead(status, pageHeaders),
    br: toHead(status, { ...pageHeaders, "Content-Encoding": "br" }, "br"),
    gzip: toHead(status, { ...pageHeaders, "Content-Encoding": "gzip" }, "gzip"),
  });
  const errorHeaders = { ...pageHeaders, "Cache-Control": NO_STORE };
  const toError = (status: number, detail: string): Answer => ({
    head: toHead(status, errorHeaders),
    body: new TextEncoder().encode(errorBody(detail)),
  });
  const statuses = Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, toError(Number(status), detail)]);
  const errors: Record<ErrorStatus, Answer> = Object.fromEntries(statuses);
  return {
    pages: toPages(200),
    pagesNotModified: toPages(304),
    /** The head for a file that is not a page. Only packed files have ranges. */
    file(status: 200 | 206 | 304, path: string, range: Record<string, string> = {}): Head {
      const ranges = isPacked(path) ? { "Accept-Ranges": "bytes", ...range } : {};
      return toHead(status, { ...common, ...fileHeaders(path, cacheControl), ...ranges });
    },
    noSuchRange(size: number): Answer {
      const { body } = errors[416];
      return { head: toHead(416, { ...errorHeaders, "Content-Range": `bytes */${size}` }), body };
    },
    /** @param search the query of the request with its `?`, or empty. */
    redirect(path: string, search: string): Answer {
      const headers = { ...common, "Cache-Control": cacheControl, Location: pathReference(path) + encodeQuery(search) };
      return { head: toHead(301, headers), body: new Uint8Array() };
    },
    preflight: { head: toHead(204, { ...common, ...PREFLIGHT_HEADERS }) } satisfies Answer,
    invalidPage: toError(404, INVALID_PAGE),
    error: (status: ErrorStatus) => errors[status],
  };
}

/** Encodes a query for the Location header. It has one character a byte. A `#` would begin a fragment in the client. */
function encodeQuery(search: string): string {
  return search.replace(/[^\x21\x22\x24-\x7e]/g, (byte) => {
    const digits = byte.charCodeAt(0).toString(16).padStart(2, "0");
    return `%${digits.toUpperCase()}`;
  });
}

function toHead(status: number, headers: Readonly<Record<string, string>>, encoding: Variant = "identity"): Head {
  const entries = Object.entries(headers);
  const lines = entries.map(([name, value]) => `${name}: ${value}\r\n`);
  return { status, headers: entries.flat(), lines: lines.join(""), encoding };
}
