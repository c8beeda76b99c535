/** The answers that several paths have, and their headers, as docs/reference/http.md promises them. */
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
import { type Described, hasRanges, type Part, ref } from "./described.js";

/** Each answer by its component's name. */
export function answerComponents(described: Described, hasExample: boolean): Part {
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
  const noSuchRange = error("The file has none of the bytes that Range names.", ERROR_DETAILS[416], range);
  return {
    Page: { description: "The page.", headers: page, content: { [CONTENT_TYPE]: content } },
    PageHead: { description: "There is such a page.", headers: page },
    PageNotModified: { description: "The client has the page, by its If-None-Match.", headers: page },
    ...answersOfFile("File"),
    ...answersOfFile("State"),
    ...(hasRanges(described) && { ...answersOfFile("Part"), NoSuchRange: noSuchRange }),
    ...(described.files.includes(EXPLORER) && answersOfFile("Explorer")),
    Moved: {
      description: "To the path with its final slash, the query kept.",
      headers: headers({ "Cache-Control": "CacheControl", Location: "Location" }),
    },
    Preflight: { description: "The methods that there are.", headers: headers(preflight) },
    InvalidPage: error("There is no such page, or its number is not in the only form that counts.", INVALID_PAGE),
    NotFound: error("There is no such file.", ERROR_DETAILS[404]),
    MethodNotAllowed: error("Of any method but GET, HEAD and OPTIONS.", ERROR_DETAILS[405]),
    Bodiless: { description: "GET's error, without its body.", headers: headers({ "Cache-Control": "NoStore" }) },
    Failed: error("Any other error.", ERROR_DETAILS[500]),
  };
}

const KEPT = { ETag: "ETag", "Cache-Control": "CacheControl" } as const;

/**
 * A file that caches keep as long as a page, one that says which snapshot is current, one so large that hosts send ranges
 * of it, or the explorer.
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

export function headersOfFile(kind: keyof typeof FILE_HEADERS): Part {
  return headers(FILE_HEADERS[kind]);
}

function answersOfFile(kind: keyof typeof FILE_HEADERS): Part {
  const own = headersOfFile(kind);
  return {
    [`${kind}Head`]: { description: "There is such a file.", headers: own },
    [`${kind}NotModified`]: { description: "The client has the file, by its If-None-Match.", headers: own },
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

/** The headers of one answer: those of every answer, and others by the names of their components. */
function headers(others: Readonly<Record<string, string>>): Part {
  const named = Object.entries({ ...COMMON, ...others });
  return Object.fromEntries(named.map(([name, component]) => [name, ref("headers", component)]));
}

/** Each header by its component's name. Those that not every host can send are not required. */
export function headerComponents(described: Described): Part {
  const { baseUrl, encodings, files } = described;
  const common = commonHeaders(encodings, `${basePath(baseUrl)}/${OPENAPI}`);
  return {
    Allow: fixed(common["Allow"], "The methods that there are."),
    Vary: fixed(common["Vary"], "What an answer may depend on."),
    AllowOrigin: fixed(common["Access-Control-Allow-Origin"], "Browsers may read the answer from any site."),
    ContentTypeOptions: fixed(common["X-Content-Type-Options"], "The answer is what its Content-Type says."),
    ExposeHeaders: text("The headers that browsers may read.", "ETag, Link, Snapshot-Id"),
    Link: text("Leads to this description (RFC 8631).", common["Link"]),
    SnapshotId: {
      description:
        "The id of the snapshot that the answer is of, so that a client that walks the pages can tell when it changed. Rollcall's own host sends it.",
      schema: { type: "string", pattern: "^[0-9a-f]{12}$" },
    },
    ETag: {
      description: "A strong entity tag, which equal bytes have in common.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+"$' },
    },
    CacheControl: {
      ...text("How long the answer may be kept, as the publisher has chosen.", DEFAULT_CACHE_CONTROL),
      required: true,
    },
    NoCache: fixed(NO_CACHE, "The answer may be kept, but has to be asked for each time."),
    NoStore: fixed(NO_STORE, "The answer is not to be kept."),
    Location: { ...text("The listing's path with its final slash, and the query.", "/"), required: true },
    AllowMethods: fixed(PREFLIGHT_HEADERS["Access-Control-Allow-Methods"], "The methods that a browser may use."),
    AllowHeaders: fixed(PREFLIGHT_HEADERS["Access-Control-Allow-Headers"], "The headers that a browser may send."),
    MaxAge: fixed(PREFLIGHT_HEADERS["Access-Control-Max-Age"], "For how many seconds a browser may keep this answer."),
    ...(hasRanges(described) && {
      AcceptRanges: text("Says `bytes` where the host sends parts of a file.", "bytes"),
      ContentRange: text("Which bytes of the file these are.", "bytes 1000-1999/20000"),
    }),
    ...(files.includes(EXPLORER) && {
      FrameAncestors: text(
        "No other page shows this one within itself.",
        fileHeaders(EXPLORER, "")["Content-Security-Policy"],
      ),
      Robots: text("No search engine is to list it.", fileHeaders(EXPLORER, "")["X-Robots-Tag"]),
    }),
    ...(encodings.length > 0 && {
      ContentEncoding: {
        description: "How the bytes are compressed, where the client accepts it.",
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
