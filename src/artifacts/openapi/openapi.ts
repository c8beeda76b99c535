/** openapi.json: what a release answers, for machines. It is a function of the contract and of what the release is. */
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
  fileHeaders,
  LOOKUP,
  OPENAPI,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMMARY,
  SUMS,
} from "../../release/layout.js";
import { type Described, hasRanges, hasSorted, type Part, ref } from "./described.js";
import { exampleOf, examplePage } from "./examples.js";
import { answerComponents, headerComponents, headersOfFile } from "./responses.js";
import { schemaComponents } from "./schemas.js";

/**
 * Move with whatever is written here, so that `verify` knows which descriptions it can make again. A release without steps
 * is described as it was before there were any, and so is one without a look-up, so that those who knew of none still can.
 */
const FORMS = { plain: 1, withSteps: 2, withLookup: 3 } as const;

/** The text of openapi.json. Equal arguments give equal bytes: nothing in it comes from the clock, the machine or a version. */
export function describeApi(contract: Contract, described: Described): string {
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
      { name: "files", description: "What else the snapshot holds." },
    ],
    paths: { ...pagePaths(contract), ...filePaths(described) },
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

function formOf(described: Described): number {
  if (hasSorted(described)) return FORMS.withLookup;
  return described.files.includes(CHANGES) ? FORMS.withSteps : FORMS.plain;
}

function infoOf({ file, listing }: Contract, { baseUrl, links }: Described): Part {
  const [one, many] = listing.words;
  const { publisher, license, contact } = listing;
  const order = listing.order.map((entry) => (entry.startsWith("-") ? `${entry.slice(1)} (descending)` : entry));
  const sentences = [
    ...(listing.description ? [listing.description] : []),
    ...(file.description ? [file.description] : []),
    `One snapshot of all ${many}, in pages. They are ordered by ${order.join(", then ")}, and ${listing.key} names each ${one}.`,
    links === "query"
      ? "Follow `next` until it is null. The same pages can be asked for by path."
      : "Follow `next` until it is null. It leads to pages by path; a host that can map a query has the same pages by query.",
    "Every path answers GET, HEAD and OPTIONS, and any other method with 405.",
    `The schemas here are a reader's. They allow further fields, since a later snapshot may have some. The publisher's is contract.json, by which each ${one} was checked. It allows none.`,
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
  return {
    [listing.path]: paged("Page", `A page of ${many}`, "Page", "Format"),
    [listing.path.slice(0, -1)]: pathItem({ name: "Listing", summary, tag: "pages", get: moved, head: moved }),
    [`${listing.path}pages/{page}.json`]: paged("PageByPath", `A page of ${many}, by path`, "PageInPath"),
  };
}

interface File {
  path: string;
  /** The path that it is requested by, unless its own. */
  at?: string;
  /** The end of the names of its operations. Without `schema`, also the name of its schema. */
  name: string;
  summary: string;
  schema?: Part;
  /** The optional file with which a release has this one. */
  with?: string;
  /** The parameter of its path. */
  parameter?: string;
  /** Whether it is so large that hosts send ranges of it. */
  hasRanges?: true;
}

const text = { type: "string" };
const packed = { schema: { type: "string", format: "binary" }, hasRanges: true } as const;
const sorted = { schema: text, parameter: "Number" } as const;

const FILES: readonly File[] = [
  { path: SNAPSHOT, name: "Snapshot", summary: "What the snapshot is" },
  { path: CONTRACT, name: "Contract", summary: "What every record was checked against" },
  { path: OPENAPI, name: "Description", summary: "This description" },
  { path: SUMS, name: "Sums", summary: "The SHA-256 of every file, as sha256sum reads it", schema: text },
  { path: SIGNATURE, name: "Signature", summary: "minisign's signature of SHA256SUMS", schema: text, with: SIGNATURE },
  { path: BULK, name: "Bulk", summary: "The parts that all records stand in", with: BULK },
  {
    ...{ path: `${BULK_FOLDER}/{part}.ndjson.gz`, name: "BulkPart", with: BULK, ...packed, parameter: "Part" },
    summary: "A part of all records, one a line, as a gzip file",
  },
  ...Object.values(DOWNLOADS).map(({ path, format, what }) => ({
    ...{ path, name: `Download${format}`, summary: capital(what), with: path, ...packed },
  })),
  { path: CHANGES, name: "Changes", summary: "The steps that lead from earlier states to this one", with: CHANGES },
  {
    ...{ path: `${CHANGES_FOLDER}/{step}.ndjson.gz`, name: "Step", with: CHANGES, ...packed, parameter: "Step" },
    summary: "What to do to a copy of one state to have another, one record a line, as a gzip file",
  },
  { path: LOOKUP, name: "Lookup", summary: "What each file of the look-up begins with", with: LOOKUP },
  {
    ...{ path: `${SORTED_FOLDERS.keys}/{number}.txt`, name: "LookupKeys", with: LOOKUP, ...sorted },
    summary: "Where records are, by their keys, as sorted lines",
  },
  {
    ...{ path: `${SORTED_FOLDERS.words}/{number}.txt`, name: "LookupWords", with: LOOKUP, ...sorted },
    summary: "Where records are, by the words of their names, as sorted lines",
  },
  { path: SUMMARY, name: "Summary", summary: "What is counted of all records", with: EXPLORER },
  {
    ...{ path: `${SORTED_FOLDERS.facets}/{number}.txt`, name: "ExplorerFacets", with: EXPLORER, ...sorted },
    summary: "Where records are, by values that many have in common, as sorted lines",
  },
  { path: EXPLORER, at: "", name: "Explorer", summary: "A page for people", schema: text, with: EXPLORER },
  { path: EXPLORER, name: "ExplorerFile", summary: "The page for people, as a file", schema: text, with: EXPLORER },
  {
    path: AVATAR_PATH,
    name: "Avatar",
    summary: "The image of records that have none",
    schema: text,
    with: AVATAR_PATH,
  },
];

/** Which of a release's files its description depends on. */
export const OPTIONAL_FILES: readonly string[] = [
  SIGNATURE,
  BULK,
  ...DOWNLOAD_PATHS,
  CHANGES,
  LOOKUP,
  EXPLORER,
  AVATAR_PATH,
];

/** Each file's methods by its path. */
function filePaths(described: Described): Part {
  const there = FILES.filter((file) => file.with === undefined || described.files.includes(file.with));
  return Object.fromEntries(there.map((file) => [`/${file.at ?? file.path}`, itemOf(file)]));
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
      ...(hasRanges && { 206: { ...found, description: "The bytes that Range names.", headers: some } }),
      304: notModified,
      404: notFound,
      ...(hasRanges && { 416: ref("responses", "NoSuchRange") }),
    },
    head: { 200: ref("responses", `${kind}Head`), 304: notModified },
  });
}

/** What a path answers GET and HEAD with, beside the errors of every path. */
interface Endpoint {
  /** The end of the names of its operations: `Page` in `getPage`. */
  name: string;
  summary: string;
  tag: "pages" | "files";
  /** The names of their components. */
  parameters?: readonly string[];
  /** By status. */
  get: Part;
  /** By status. */
  head: Part;
}

/** The methods of a path. */
function pathItem({ name, summary, tag, parameters = [], get, head }: Endpoint): Part {
  const errors = { 405: ref("responses", "MethodNotAllowed"), default: ref("responses", "Failed") };
  // No 4XX: orval 7 makes code of it that does not compile.
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
    options: operation("options", optionsTitle, "Allow, and the answer to a browser's preflight.", preflight),
  };
}

function parameterComponents(described: Described): Part {
  const { files } = described;
  const number = { type: "integer", minimum: 1, maximum: MAX_PAGES };
  const required = { in: "path", required: true };
  const page = { name: "page", description: "Which page, by its number in decimal form.", schema: number, example: 2 };
  return {
    Page: { ...page, in: "query", description: `${page.description} Without it, or where it is empty, the first.` },
    PageInPath: { ...page, ...required },
    Format: {
      ...{ name: "format", in: "query", description: "Does not matter: the answer is always JSON." },
      ...{ schema: text, example: "api" },
    },
    IfNoneMatch: { name: "If-None-Match", in: "header", description: "The ETag of what the client has.", schema: text },
    ...(files.includes(BULK) && {
      Part: { name: "part", ...required, description: "Which part, from 1.", schema: number, example: 1 },
    }),
    ...(hasSorted(described) && {
      Number: { name: "number", ...required, schema: number, example: 1, description: "Which file, from 1." },
    }),
    ...(files.includes(CHANGES) && {
      Step: {
        ...{ name: "step", ...required },
        description: "Which step, by the first digits of the states that it leads from and to.",
        schema: { ...text, pattern: "^[0-9a-f]{12}-[0-9a-f]{12}$" },
        example: "0f3a91c2d4e5-77b0c2d91a3f",
      },
    }),
    ...(hasRanges(described) && {
      Range: {
        ...{ name: "Range", in: "header" },
        description: "Which bytes, so that a client need not begin again: bytes=1000-. Not every host offers it.",
        schema: text,
      },
    }),
  };
}
