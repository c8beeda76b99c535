/** Responses that several paths share, and their headers (docs/reference/http.md). */
import {
  CONTENT_TYPE,
  commonHeaders,
  DEFAULT_CACHE_CONTROL,
  ERROR_DETAILS,
  INVALID_PAGE,
  NO_CACHE,
  NO_STORE,
  PREFLIGHT_HEADERS,
} from "../../contract/headers.js";
import { basePath } from "../../contract/links.js";
import { EXPLORER, fileHeaders, OPENAPI } from "../../release/layout.js";
import { type ApiDescription, hasRanges, type Part, ref } from "./described.js";

/** Response components by name. */
export function answerComponents(described: ApiDescription, hasExample: boolean): Part {
  const coding = described.encodings.length > 0 ? { "Content-Encoding": "ContentEncoding" } : {};
  const page = headers({ ...KEPT, ...coding });
  const content = {
    schema: ref("schemas", "Page"),
    ...(hasExample && { examples: { page: ref("examples", "Page") } }),
  };
  const error = (description: string, detail: string, others = {}) => ({
    description,
    headers: headers({ "Cache-Control": "NoStore", ...others }),
    content: { [CONTENT_TYPE]: { schema: ref("schemas", "Error"), example: { detail } } },
  });
  const preflight = {
    "Access-Control-Allow-Methods": "AllowMethods",
    "Access-Control-Allow-Headers": "AllowHeaders",
    "Access-Control-Max-Age": "MaxAge",
  };
  const range = { "Content-Range": "ContentRange" };
  const noSuchRange = error("The range is outside the file.", ERROR_DETAILS[416], range);
  return {
    Page: { description: "The page.", headers: page, content: { [CONTENT_TYPE]: content } },
    PageHead: { description: "The page exists.", headers: page },
    PageNotModified: { description: "The client's copy of the page is current (If-None-Match).", headers: page },
    ...answersOfFile("File"),
    ...answersOfFile("State"),
    ...(hasRanges(described) && { ...answersOfFile("Part"), NoSuchRange: noSuchRange }),
    ...(described.files.includes(EXPLORER) && answersOfFile("Explorer")),
    Moved: {
      description: "Redirect to the path with its final slash. The query is kept.",
      headers: headers({ "Cache-Control": "CacheControl", Location: "Location" }),
    },
    Preflight: { description: "The allowed methods.", headers: headers(preflight) },
    InvalidPage: error("There is no such page, or its number is not in canonical form.", INVALID_PAGE),
    NotFound: error("There is no such file.", ERROR_DETAILS[404]),
    MethodNotAllowed: error("The method is not GET, HEAD or OPTIONS.", ERROR_DETAILS[405]),
    Bodiless: { description: "GET's error, without its body.", headers: headers({ "Cache-Control": "NoStore" }) },
    Failed: error("Any other error.", ERROR_DETAILS[500]),
  };
}

const KEPT = { ETag: "ETag", "Cache-Control": "CacheControl" } as const;

/**
 * Headers by kind of file: cached like a page; naming the current snapshot, so revalidated; large, so with ranges; or the
 * explorer.
 */
const FILE_HEADERS = {
  File: KEPT,
  State: { ...KEPT, "Cache-Control": "NoCache" },
  Part: { ...KEPT, "Accept-Ranges": "AcceptRanges" },
  Explorer: {
    ...{ ...KEPT, "Cache-Control": "NoCache" },
    ...{ "Content-Security-Policy": "FrameAncestors", "X-Robots-Tag": "Robots" },
  },
} as const;

/** Headers of a kind of file. */
export function headersOfFile(kind: keyof typeof FILE_HEADERS): Part {
  return headers(FILE_HEADERS[kind]);
}

function answersOfFile(kind: keyof typeof FILE_HEADERS): Part {
  const own = headersOfFile(kind);
  return {
    [`${kind}Head`]: { description: "The file exists.", headers: own },
    [`${kind}NotModified`]: { description: "The client's copy of the file is current (If-None-Match).", headers: own },
  };
}

const COMMON = {
  Allow: "Allow",
  Vary: "Vary",
  "Access-Control-Allow-Origin": "AllowOrigin",
  "Access-Control-Expose-Headers": "ExposeHeaders",
  "X-Content-Type-Options": "ContentTypeOptions",
  Link: "Link",
  "Snapshot-Id": "SnapshotId",
} as const;

/** Headers of a response: those of every response, and others by component name. */
function headers(others: Readonly<Record<string, string>>): Part {
  const named = Object.entries({ ...COMMON, ...others });
  return Object.fromEntries(named.map(([name, component]) => [name, ref("headers", component)]));
}

/** Header components by name. Headers that not every host can send are not required. */
export function headerComponents(described: ApiDescription): Part {
  const { baseUrl, encodings, files } = described;
  const common = commonHeaders(encodings, `${basePath(baseUrl)}/${OPENAPI}`);
  return {
    Allow: fixed(common["Allow"], "The allowed methods."),
    Vary: fixed(common["Vary"], "Request headers that the answer may depend on."),
    AllowOrigin: fixed(common["Access-Control-Allow-Origin"], "Scripts of any origin may read the answer."),
    ContentTypeOptions: fixed(
      common["X-Content-Type-Options"],
      "Browsers must not guess another type than Content-Type.",
    ),
    ExposeHeaders: text("The headers that scripts may read.", "ETag, Link, Snapshot-Id"),
    Link: text("The URL of this description (RFC 8631).", common["Link"]),
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
      ...text("How long caches may keep the answer.", DEFAULT_CACHE_CONTROL),
      required: true,
    },
    NoCache: fixed(NO_CACHE, "Caches must revalidate the answer each time."),
    NoStore: fixed(NO_STORE, "Caches must not store the answer."),
    Location: { ...text("The listing's path with its final slash, and the query.", "/"), required: true },
    AllowMethods: fixed(PREFLIGHT_HEADERS["Access-Control-Allow-Methods"], "The methods that scripts may use."),
    AllowHeaders: fixed(PREFLIGHT_HEADERS["Access-Control-Allow-Headers"], "The headers that scripts may send."),
    MaxAge: fixed(PREFLIGHT_HEADERS["Access-Control-Max-Age"], "Seconds for which a browser may cache this answer."),
    ...(hasRanges(described) && {
      AcceptRanges: text("`bytes` if the host sends ranges of the file.", "bytes"),
      ContentRange: text("The range of bytes in this answer.", "bytes 1000-1999/20000"),
    }),
    ...(files.includes(EXPLORER) && {
      FrameAncestors: text(
        "Forbids other pages to embed this one in a frame.",
        fileHeaders(EXPLORER, "")["Content-Security-Policy"],
      ),
      Robots: text("Asks search engines not to list the page.", fileHeaders(EXPLORER, "")["X-Robots-Tag"]),
    }),
    ...(encodings.length > 0 && {
      ContentEncoding: {
        description: "The compression of the bytes, if the client accepts it.",
        schema: { enum: encodings },
      },
    }),
  };
}

function fixed(value: string | undefined, description: string): Part {
  return { description, required: true, schema: { const: value } };
}

function text(description: string, example?: string): Part {
  return { description, schema: { type: "string" }, example };
}
