/** The answers that several paths have, and how each path answers GET, HEAD and OPTIONS. */
import { CONTENT_TYPE, ERROR_DETAILS, INVALID_PAGE } from "../../contract/headers.js";
import { EXPLORER } from "../../release/layout.js";
import { headers } from "./headers.js";
import { type Described, hasRanges, type Part, ref } from "./parts.js";

/** What a path answers GET and HEAD with, beside the errors of every path. */
interface Endpoint {
  /** The end of the names of its operations: `Page` in `getPage`. */
  name: string;
  summary: string;
  tag: "pages" | "files";
  parameters?: readonly Part[];
  /** By status. */
  get: Part;
  /** By status. */
  head: Part;
}

/** The methods of a path. */
export function pathItem({ name, summary, tag, parameters = [], get, head }: Endpoint): Part {
  const errors = { 405: ref("responses", "MethodNotAllowed"), default: ref("responses", "Failed") };
  // No 4XX: orval 7 makes code of it that does not compile.
  const bodiless = { default: ref("responses", "Bodiless") };
  const operation = (method: string, title: string, description: string, responses: Part): Part => ({
    operationId: `${method}${name}`,
    summary: title,
    description,
    tags: [tag],
    responses,
  });
  const preflight = { 204: ref("responses", "Preflight"), ...errors };
  return {
    ...(parameters.length > 0 && { parameters }),
    get: operation("get", summary, `${summary}.`, { ...get, ...errors }),
    head: operation("head", `${summary}: its headers`, "GET's status and headers, without a body.", {
      ...head,
      ...bodiless,
    }),
    options: operation(
      "options",
      `${summary}: its methods`,
      "Allow, and the answer to a browser's preflight.",
      preflight,
    ),
  };
}

/** By the names of their components. */
export function answerComponents(described: Described, hasExample: boolean): Part {
  const { encodings } = described;
  const coding = encodings.length > 0 ? { "Content-Encoding": "ContentEncoding" } : {};
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
 * A file that may be kept as long as a page, one that says which snapshot is current, one so large that hosts send ranges of
 * it, or the page for people.
 */
export type FileKind = keyof typeof FILE_HEADERS;

const FILE_HEADERS = {
  File: KEPT,
  State: { ...KEPT, "Cache-Control": "NoCache" },
  Part: { ...KEPT, "Accept-Ranges": "AcceptRanges" },
  Explorer: {
    ...{ ...KEPT, "Cache-Control": "NoCache" },
    ...{ "Content-Security-Policy": "FrameAncestors", "X-Robots-Tag": "Robots" },
  },
} as const;

export function headersOfFile(kind: FileKind): Part {
  return headers(FILE_HEADERS[kind]);
}

function answersOfFile(kind: FileKind): Part {
  const own = headersOfFile(kind);
  return {
    [`${kind}Head`]: { description: "There is such a file.", headers: own },
    [`${kind}NotModified`]: { description: "The client has the file, by its If-None-Match.", headers: own },
  };
}
