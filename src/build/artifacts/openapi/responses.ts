/** Responses that several paths share, and their headers (docs/reference/http.md). */
import {
  CONTENT_TYPE,
  commonHeaders,
  DEFAULT_CACHE_CONTROL,
  ERROR_DETAILS,
  INVALID_PAGE,
  NO_CACHE,
  NO_STORE,
} from "../../../core/contract/headers.js";
import { AVATAR_PATH, basePath } from "../../../core/contract/links.js";
import { CSV, FEED, FEED_TYPE, fileHeaders, OPENAPI, PARQUET } from "../../../core/release/layout.js";
import { type ApiDescription, hasGzip, hasRanges, type JsonPart, ref } from "./described.js";

/** Headers of every response. */
const COMMON = {
  Allow: ref("headers", "Allow"),
  Vary: ref("headers", "Vary"),
  "Access-Control-Allow-Origin": ref("headers", "AllowOrigin"),
  "Access-Control-Expose-Headers": ref("headers", "ExposeHeaders"),
  "X-Content-Type-Options": ref("headers", "ContentTypeOptions"),
  Link: ref("headers", "Link"),
  "Snapshot-Id": ref("headers", "SnapshotId"),
};

/** Headers of pages and files. */
const TAGGED = { ...COMMON, "Cache-Control": ref("headers", "CacheControl"), ETag: ref("headers", "ETag") };

/** Header components by name. Headers that not every host can send are not required. */
export function headerComponents({ baseUrl, encodings }: ApiDescription): JsonPart {
  const common = commonHeaders(encodings, `${basePath(baseUrl)}/${OPENAPI}`);
  return {
    Allow: always(common["Allow"], "The allowed methods."),
    Vary: always(common["Vary"], "Request headers that the answer may depend on."),
    AllowOrigin: always(common["Access-Control-Allow-Origin"], "Scripts of any origin may read the answer."),
    ContentTypeOptions: always(
      common["X-Content-Type-Options"],
      "Browsers must not guess another type than Content-Type.",
    ),
    ExposeHeaders: header("The headers that scripts may read."),
    Link: header("The URL of this description (RFC 8631)."),
    SnapshotId: {
      description:
        "The id of the answer's snapshot, by which clients detect a change between two pages. Rollcall's own host sends it.",
      schema: { type: "string", pattern: "^[0-9a-f]{12}$" },
    },
    ETag: {
      description: "A strong ETag: equal bytes have equal ETags.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+"$' },
    },
    CacheControl: {
      ...header(
        `How long caches may keep the answer: ${DEFAULT_CACHE_CONTROL} unless the publisher says otherwise; ${NO_CACHE} for files that name the current snapshot.`,
      ),
      required: true,
    },
    NoStore: always(NO_STORE, "Caches must not store the answer."),
  };
}

/** The response with a page. @param prefix before the name of the page's schema */
export function pageResponse({ encodings }: ApiDescription, prefix = ""): JsonPart {
  return found("The page.", CONTENT_TYPE, ref("schemas", `${prefix}Page`), codingHeader(encodings));
}

/** The header of pages that may be compressed. */
function codingHeader(encodings: ApiDescription["encodings"]): JsonPart {
  const compression = {
    description: "The compression of the bytes, if the client accepts it.",
    schema: { enum: encodings },
  };
  return encodings.length > 0 ? { "Content-Encoding": compression } : {};
}

/** Response components by name, but for the page. */
export function responseComponents(described: ApiDescription): JsonPart {
  const { encodings, files } = described;
  const coding = codingHeader(encodings);
  return {
    File: found("The file.", CONTENT_TYPE, { type: "object" }),
    Text: found("The file.", "text/plain", TEXT),
    ...(files.includes(AVATAR_PATH) && { Image: found("The image.", "image/svg+xml", TEXT) }),
    ...(files.includes(FEED) && { Feed: found("The feed.", FEED_TYPE, TEXT) }),
    ...(hasGzip(described) && packedResponses("Gzip", "The gzip file.", GZIP)),
    ...(files.includes(PARQUET) && packedResponses("Parquet", "The Parquet file.", PARQUET_TYPE)),
    ...(hasRanges(described) && {
      NoSuchRange: failed("The range is outside the file.", ERROR_DETAILS[416], CONTENT_RANGE),
    }),
    NotModified: {
      description: "The client's copy is current (If-None-Match).",
      headers: { ...TAGGED, ...coding, ...(hasRanges(described) && ACCEPT_RANGES) },
    },
    InvalidPage: failed("There is no such page, or its number is not in canonical form.", INVALID_PAGE),
    NotFound: failed("There is no such file.", ERROR_DETAILS[404]),
    Failed: failed("Any other error, such as 405 for a method other than GET, HEAD and OPTIONS.", ERROR_DETAILS[405]),
  };
}

const TEXT = { type: "string" };
const ACCEPT_RANGES = { "Accept-Ranges": header("`bytes` if the host sends ranges of the file.") };

const CONTENT_RANGE = { "Content-Range": header("The range of bytes in this answer.") };
const GZIP = fileHeaders(CSV, "")["Content-Type"];
const PARQUET_TYPE = fileHeaders(PARQUET, "")["Content-Type"];

/** The response with a range of a file, by the response with the whole file. */
export const RANGES: Readonly<Partial<Record<string, string>>> = { Gzip: "Range", Parquet: "ParquetRange" };

/** The responses with a file of which hosts send ranges, and with a range of it. */
function packedResponses(name: string, description: string, type: string): JsonPart {
  const binary = { type: "string", format: "binary" };
  const range = { ...ACCEPT_RANGES, ...CONTENT_RANGE };
  return {
    [name]: found(description, type, binary, ACCEPT_RANGES),
    [RANGES[name] ?? name]: found("The bytes that Range asks for.", type, binary, range),
  };
}

/** A response with a page or a file. @param others headers besides those of all pages and files */
export function found(description: string, type: string, schema: JsonPart, others: JsonPart = {}): JsonPart {
  return { description, headers: { ...TAGGED, ...others }, content: { [type]: { schema } } };
}

function failed(description: string, detail: string, others: JsonPart = {}): JsonPart {
  return {
    description,
    headers: { ...COMMON, "Cache-Control": ref("headers", "NoStore"), ...others },
    content: { [CONTENT_TYPE]: { schema: ref("schemas", "Error"), example: { detail } } },
  };
}

/** A header that every host sends with this value. */
function always(value: string | undefined, description: string): JsonPart {
  return { description, required: true, schema: { const: value } };
}

function header(description: string): JsonPart {
  return { description, schema: { type: "string" } };
}
