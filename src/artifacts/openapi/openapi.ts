/** openapi.json: the OpenAPI description of a release, made from its contract and its optional files. */
import type { Contract } from "../../contract/contract.js";
import { DOWNLOAD_PATHS, DOWNLOADS } from "../../contract/downloads.js";
import { CONTENT_TYPE, NO_CACHE } from "../../contract/headers.js";
import { AVATAR_PATH, isHttpUrl, MAX_PAGES } from "../../contract/links.js";
import { capital } from "../../print/text.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  EXPLORER,
  explorerPath,
  fileHeaders,
  LOOKUP,
  OPENAPI,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMMARY,
  SUMS,
} from "../../release/layout.js";
import { type ApiDescription, hasRanges, hasSorted, type Part, ref } from "./described.js";
import { exampleOf, examplePage } from "./examples.js";
import { answerComponents, headerComponents, headersOfFile } from "./responses.js";
import { schemaComponents } from "./schemas.js";

/**
 * Versions of the document. Increase them with every change of its text, so that `verify` knows which documents it
 * can reproduce. Releases without steps or lookups keep their versions.
 */
const FORMS = { plain: 1, withSteps: 2, withLookup: 3 } as const;

/** Writes openapi.json. Equal arguments give equal bytes. */
export function describeApi(contract: Contract, described: ApiDescription): string {
  const { file, listing } = contract;
  const record = exampleOf({ type: "object", properties: file.properties });
  const example = record === undefined ? undefined : examplePage(contract, described, record);
  const document = {
    openapi: "3.1.0",
    info: infoOf(contract, described),
    servers: [{ url: described.baseUrl }],
    security: [],
    tags: [
      { name: "pages", description: `All ${listing.words[1]}, page by page.` },
      { name: "files", description: "Other files of the snapshot." },
    ],
    paths: { ...pagePaths(contract), ...filePaths(contract, described) },
    components: {
      schemas: schemaComponents(contract, described),
      headers: headerComponents(described),
      parameters: parameterComponents(described),
      responses: answerComponents(described, example !== undefined),
      ...(example && { examples: { Page: { summary: "The second page of three", value: example } } }),
    },
    ...(listing.source !== undefined && {
      externalDocs: { description: "Where the data comes from", url: listing.source },
    }),
    "x-form": formOf(described),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function formOf(described: ApiDescription): number {
  if (hasSorted(described)) return FORMS.withLookup;
  return described.files.includes(CHANGES) ? FORMS.withSteps : FORMS.plain;
}

function infoOf({ file, listing }: Contract, { baseUrl, links }: ApiDescription): Part {
  const [one, many] = listing.words;
  const { publisher, license, contact } = listing;
  const order = listing.order.map((entry) => (entry.startsWith("-") ? `${entry.slice(1)} (descending)` : entry));
  const sentences = [
    ...(listing.description ? [listing.description] : []),
    ...(file.description ? [file.description] : []),
    `One snapshot of all ${many}, in pages, sorted by ${order.join(", then ")}. The key of each ${one} is ${listing.key}.`,
    links === "query"
      ? "Follow `next` until it is null. The same pages are available by path."
      : "Follow `next` until it is null. Links are by path. Hosts that can map a query serve the same pages by query.",
    "Every path answers GET, HEAD and OPTIONS. Any other method gets 405.",
    `These schemas allow additional fields, which later snapshots may have. The publisher's contract.json, by which each ${one} was checked, allows none.`,
  ];
  return {
    title: listing.title ?? capital(many),
    version: `${listing.version}`,
    description: sentences.join("\n\n"),
    contact: {
      ...(publisher !== undefined && { name: publisher }),
      ...(contact !== undefined && !isHttpUrl(contact) ? { email: contact } : { url: contact ?? baseUrl }),
    },
    license:
      license !== undefined && !isHttpUrl(license)
        ? { name: license, identifier: license }
        : { name: "The publisher's terms", url: license ?? baseUrl },
  };
}

function pagePaths({ listing }: Contract): Part {
  const [, many] = listing.words;
  const paged = (name: string, summary: string, ...parameters: string[]) =>
    pathItem({
      name,
      summary,
      tag: "pages",
      parameters: [...parameters, "IfNoneMatch"],
      get: {
        200: ref("responses", "Page"),
        304: ref("responses", "PageNotModified"),
        404: ref("responses", "InvalidPage"),
      },
      head: { 200: ref("responses", "PageHead"), 304: ref("responses", "PageNotModified") },
    });
  const moved = { 301: ref("responses", "Moved") };
  const summary = "The listing's path without its final slash";
  const bare = listing.path.slice(0, -1);
  return {
    [listing.path]: paged("Page", `A page of ${many}`, "Page", "Format"),
    // Every path of OpenAPI begins with a slash.
    ...(bare !== "" && { [bare]: pathItem({ name: "Listing", summary, tag: "pages", get: moved, head: moved }) }),
    [`${listing.path}pages/{page}.json`]: paged("PageByPath", `A page of ${many}, by path`, "PageInPath"),
  };
}

interface File {
  path: string;
  /** The request path, if it differs from the path in the release. @param listing the listing's path */
  at?: (listing: string) => string;
  /** Suffix of operation names. Without `schema`, also the name of its schema. */
  name: string;
  summary: string;
  schema?: Part;
  /** The optional file that this one comes with. */
  with?: string;
  /** Name of the path parameter. */
  parameter?: string;
  /** Whether hosts send ranges of it. */
  hasRanges?: true;
}

const text = { type: "string" };
const packed = { schema: { type: "string", format: "binary" }, hasRanges: true } as const;
const sorted = { schema: text, parameter: "Number" } as const;

const FILES: readonly File[] = [
  { path: SNAPSHOT, name: "Snapshot", summary: "The snapshot's id, counts and settings" },
  { path: CONTRACT, name: "Contract", summary: "The contract of the records" },
  { path: OPENAPI, name: "Description", summary: "This description" },
  { path: SUMS, name: "Sums", summary: "The SHA-256 of every file, in the format of sha256sum", schema: text },
  {
    path: SIGNATURE,
    name: "Signature",
    summary: "The minisign signature of SHA256SUMS",
    schema: text,
    with: SIGNATURE,
  },
  { path: BULK, name: "Bulk", summary: "The list of bulk parts, which hold all records", with: BULK },
  {
    ...{ path: `${BULK_FOLDER}/{part}.ndjson.gz`, name: "BulkPart", with: BULK, ...packed, parameter: "Part" },
    summary: "A bulk part: records, one a line, as a gzip file",
  },
  ...Object.values(DOWNLOADS).map(({ path, format, what }) => ({
    ...{ path, name: `Download${format}`, summary: capital(what), with: path, ...packed },
  })),
  { path: CHANGES, name: "Changes", summary: "The list of steps from earlier states to this one", with: CHANGES },
  {
    ...{ path: `${CHANGES_FOLDER}/{step}.ndjson.gz`, name: "Step", with: CHANGES, ...packed, parameter: "Step" },
    summary: "A step: changes from one state to another, one record a line, as a gzip file",
  },
  { path: LOOKUP, name: "Lookup", summary: "The index of the lookup: the first term of each file", with: LOOKUP },
  {
    ...{ path: `${SORTED_FOLDERS.keys}/{number}.txt`, name: "LookupKeys", with: LOOKUP, ...sorted },
    summary: "Lookup by key: sorted terms and record numbers",
  },
  {
    ...{ path: `${SORTED_FOLDERS.words}/{number}.txt`, name: "LookupWords", with: LOOKUP, ...sorted },
    summary: "Lookup by words of names: sorted terms and record numbers",
  },
  { path: SUMMARY, name: "Summary", summary: "Counts of all records", with: EXPLORER },
  {
    ...{ path: `${SORTED_FOLDERS.facets}/{number}.txt`, name: "ExplorerFacets", with: EXPLORER, ...sorted },
    summary: "Lookup by facet values: sorted terms and record numbers",
  },
  {
    path: EXPLORER,
    at: explorerPath,
    name: "Explorer",
    summary: "The explorer, a web page",
    schema: text,
    with: EXPLORER,
  },
  { path: EXPLORER, name: "ExplorerFile", summary: "The explorer by its file name", schema: text, with: EXPLORER },
  {
    path: AVATAR_PATH,
    name: "Avatar",
    summary: "The default image of records",
    schema: text,
    with: AVATAR_PATH,
  },
];

/** Files of a release that openapi.json depends on. */
export const OPTIONAL_FILES: readonly string[] = [
  ...[SIGNATURE, BULK, ...DOWNLOAD_PATHS, CHANGES, LOOKUP, EXPLORER, AVATAR_PATH],
];

/** Each file's methods by its path. */
function filePaths({ listing }: Contract, described: ApiDescription): Part {
  const there = FILES.filter((file) => file.with === undefined || described.files.includes(file.with));
  return Object.fromEntries(there.map((file) => [file.at?.(listing.path) ?? `/${file.path}`, itemOf(file)]));
}

function itemOf({ path, name, summary, schema = ref("schemas", name), parameter, hasRanges }: File): Part {
  const { "Content-Type": type, "Cache-Control": caching } = fileHeaders(path.replace("{number}", "1"), "");
  const kind = hasRanges ? "Part" : path === EXPLORER ? "Explorer" : caching === NO_CACHE ? "State" : "File";
  const [mediaType = CONTENT_TYPE] = type.split(";");
  const own = headersOfFile(kind);
  const found = { description: `${summary}.`, headers: own, content: { [mediaType]: { schema } } };
  const some = { ...own, "Content-Range": ref("headers", "ContentRange") };
  const [notModified, notFound] = [ref("responses", `${kind}NotModified`), ref("responses", "NotFound")];
  return pathItem({
    name,
    summary,
    tag: "files",
    parameters: [...(parameter ? [parameter] : []), ...(hasRanges ? ["Range"] : []), "IfNoneMatch"],
    get: {
      200: found,
      ...(hasRanges && { 206: { ...found, description: "The bytes that Range asks for.", headers: some } }),
      304: notModified,
      404: notFound,
      ...(hasRanges && { 416: ref("responses", "NoSuchRange") }),
    },
    head: { 200: ref("responses", `${kind}Head`), 304: notModified },
  });
}

/** A path and its responses to GET and HEAD, without the errors of every path. */
interface Endpoint {
  /** Suffix of operation names: `Page` in `getPage`. */
  name: string;
  summary: string;
  tag: "pages" | "files";
  /** Component names of its parameters. */
  parameters?: readonly string[];
  /** By status. */
  get: Part;
  /** By status. */
  head: Part;
}

/** The methods of a path. */
function pathItem({ name, summary, tag, parameters = [], get, head }: Endpoint): Part {
  const errors = { 405: ref("responses", "MethodNotAllowed"), default: ref("responses", "Failed") };
  // No `4XX`: orval 7 generates code from it that does not compile.
  const bodiless = { default: ref("responses", "Bodiless") };
  const preflight = { 204: ref("responses", "Preflight"), ...errors };
  const operation = (method: string, title: string, description: string, responses: Part): Part => ({
    operationId: `${method}${name}`,
    summary: title,
    description,
    tags: [tag],
    responses,
  });
  const [headTitle, optionsTitle] = [`${summary}: its headers`, `${summary}: its methods`];
  return {
    ...(parameters.length > 0 && { parameters: parameters.map((parameter) => ref("parameters", parameter)) }),
    get: operation("get", summary, `${summary}.`, { ...get, ...errors }),
    head: operation("head", headTitle, "GET's status and headers, without a body.", { ...head, ...bodiless }),
    options: operation("options", optionsTitle, "The allowed methods, and the CORS preflight response.", preflight),
  };
}

function parameterComponents(described: ApiDescription): Part {
  const { files } = described;
  const number = { type: "integer", minimum: 1, maximum: MAX_PAGES };
  const required = { in: "path", required: true };
  const page = { name: "page", description: "The page number, in decimal.", schema: number, example: 2 };
  return {
    Page: { ...page, in: "query", description: `${page.description} The first page if missing or empty.` },
    PageInPath: { ...page, ...required },
    Format: {
      ...{ name: "format", in: "query", description: "Ignored: the answer is always JSON." },
      ...{ schema: text, example: "api" },
    },
    IfNoneMatch: { name: "If-None-Match", in: "header", description: "The ETag of the client's copy.", schema: text },
    ...(files.includes(BULK) && {
      Part: { name: "part", ...required, description: "The part's number, from 1.", schema: number, example: 1 },
    }),
    ...(hasSorted(described) && {
      Number: { name: "number", ...required, schema: number, example: 1, description: "The file's number, from 1." },
    }),
    ...(files.includes(CHANGES) && {
      Step: {
        ...{ name: "step", ...required },
        description: "The first 12 digits of the states before and after the step.",
        schema: { ...text, pattern: "^[0-9a-f]{12}-[0-9a-f]{12}$" },
        example: "0f3a91c2d4e5-77b0c2d91a3f",
      },
    }),
    ...(hasRanges(described) && {
      Range: {
        ...{ name: "Range", in: "header" },
        description: "A byte range, to resume a download: bytes=1000-. Not every host supports it.",
        schema: text,
      },
    }),
  };
}
