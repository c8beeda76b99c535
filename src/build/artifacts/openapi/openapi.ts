/** openapi.json: the OpenAPI description of a release, made from its contract and its optional files. */
import type { Contract, Field } from "../../../core/contract/contract.js";
import { CONTENT_TYPE } from "../../../core/contract/headers.js";
import { AVATAR_PATH, isHttpUrl, MAX_PAGES } from "../../../core/contract/links.js";
import { choicesOf } from "../../../core/contract/record/kind.js";
import { referencesOf } from "../../../core/contract/references.js";
import { segmentOf, type ViewValue } from "../../../core/contract/segment.js";
import { type View, valueSchemaOf } from "../../../core/contract/views.js";
import { capital } from "../../../core/print/text.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  CSV,
  DATA_PACKAGE,
  FEED,
  LOOKUP,
  OPENAPI,
  PARQUET,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMS,
  VIEWS,
  VIEWS_FOLDER,
  viewIndexPath,
  viewSumsPath,
} from "../../../core/release/layout.js";
import type { DescribedSite } from "../../../explorer/overview.js";
import { type ApiDescription, type JsonPart, ref } from "./described.js";
import { found, headerComponents, pageResponse, RANGES, responseComponents } from "./responses.js";
import { fileSchemas, recordSchemas, siteFileSchema } from "./schemas.js";

/** A listing of a site, as its openapi.json describes it. */
export interface DescribedListing {
  name: string;
  contract: Contract;
  described: ApiDescription;
}

/** Where a listing is in the document: below the base URL, and among the names of operations and components. */
interface Place {
  /** Before each path: `/orders`; empty for a plain release. */
  at: string;
  /** Before each name: `orders_`; empty for a plain release. */
  prefix: string;
}

const ALONE: Place = { at: "", prefix: "" };

/** Writes openapi.json. Equal arguments give equal bytes. */
export function describeApi(contract: Contract, described: ApiDescription): string {
  const { listing } = contract;
  const { responses, ...components } = sharedComponents(described);
  return written({
    info: infoOf(contract, described),
    baseUrl: described.baseUrl,
    tags: [
      { name: "pages", description: `All ${listing.words[1]}, page by page.` },
      { name: "files", description: "Other files of the snapshot." },
    ],
    paths: {
      ...pagePaths(contract, ALONE),
      ...viewPaths(contract, described, ALONE),
      ...filePaths(FILES, described),
    },
    components: {
      schemas: { ...recordSchemas(contract, described), ...fileSchemas(described) },
      ...components,
      responses: { Page: pageResponse(described), ...responses },
    },
    source: listing.source,
  });
}

/**
 * Writes the openapi.json at the top of a site: all paths of all listings. What differs between listings has the listing's name
 * before its own. Equal arguments give equal bytes.
 */
export function describeSiteApi(site: DescribedSite, listings: readonly DescribedListing[]): string {
  const { baseUrl } = site;
  const places = placesOf(listings.map(({ name }) => name));
  const placeOf = (name: string) => places.get(name) ?? ALONE;
  const withLookup = listings.filter(({ described }) => described.files.includes(LOOKUP)).map(({ name }) => name);
  const hasLookup = (name: string) => withLookup.includes(name);
  const top = topDescription(site, listings);
  const pages = listings.map(({ name, contract, described }) => {
    const place = placeOf(name);
    const ofPages = { ...pagePaths(contract, place), ...viewPaths(contract, described, place) };
    const inPlace = { ...ofPages, ...filePaths(FILES, described, place.at) };
    return mapOperations(inPlace, (operation) => ({
      ...operation,
      operationId: `${place.prefix}${operation["operationId"]}`,
      tags: [name],
    }));
  });
  const records = listings.map(({ name, contract, described }) =>
    recordSchemas(contract, described, placeOf(name).prefix),
  );
  const responses = listings.map(({ name, contract, described }): JsonPart => {
    const { prefix } = placeOf(name);
    return { [`${prefix}Page`]: { ...pageResponse(described, prefix), ...linksOf(contract, placeOf, hasLookup) } };
  });
  const shared = sharedComponents(top);
  return written({
    info: siteInfo(site),
    baseUrl,
    tags: [
      ...listings.map(({ name, contract }) => ({ name, description: tagOf(contract) })),
      { name: "files", description: "Files of the site." },
    ],
    paths: Object.assign({}, ...pages, filePaths(TOP_FILES, top)),
    components: {
      schemas: Object.assign({}, ...records, fileSchemas(top), { Site: siteFileSchema() }),
      ...shared,
      responses: Object.assign({}, ...responses, shared.responses),
    },
    source: undefined,
  });
}

interface Written {
  info: JsonPart;
  baseUrl: string;
  tags: readonly JsonPart[];
  paths: JsonPart;
  components: JsonPart;
  source: string | undefined;
}

function written({ info, baseUrl, tags, paths, components, source }: Written): string {
  const document = {
    openapi: "3.1.0",
    info,
    servers: [{ url: baseUrl }],
    security: [],
    tags,
    paths,
    components,
    ...(source !== undefined && { externalDocs: { description: "Where the data comes from", url: source } }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Components that do not depend on the contract. */
function sharedComponents(described: ApiDescription) {
  return {
    headers: headerComponents(described),
    parameters: { IfNoneMatch: IF_NONE_MATCH },
    responses: responseComponents(described),
  };
}

/** The place of each listing. A name without slashes that equals one with them gets a number. */
function placesOf(names: readonly string[]): ReadonlyMap<string, Place> {
  const taken = new Set<string>();
  return new Map(
    names.map((name, at) => {
      const plain = name.replaceAll("/", ".");
      const own = taken.has(plain) ? `${plain}.${at}` : plain;
      taken.add(own);
      return [name, { at: `/${name}`, prefix: `${own}_` }];
    }),
  );
}

/** The site as a whole: it has what any listing has. */
function topDescription(
  { baseUrl, dataPackage, feed }: DescribedSite,
  listings: readonly DescribedListing[],
): ApiDescription {
  const { links = "query", encodings = [] } = listings[0]?.described ?? {};
  const files = OPTIONAL_FILES.filter((path) => listings.some(({ described }) => described.files.includes(path)));
  if (dataPackage) files.push(DATA_PACKAGE);
  if (feed) files.push(FEED);
  return { baseUrl, links, encodings, files, isInSite: true };
}

function mapOperations(paths: JsonPart, change: (operation: JsonPart) => JsonPart): JsonPart {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods as JsonPart).map(([method, made]) => [method, change(made as JsonPart)]),
      ),
    ]),
  );
}

/** Links from the values of references to where their records are. The lookup finds a record by its key. */
function linksOf(contract: Contract, placeOf: (name: string) => Place, hasLookup: (name: string) => boolean): JsonPart {
  const links = referencesOf(contract).map(({ field, to }, at) => {
    const name = LINK_NAME.test(field.path) ? field.path : `reference${at + 1}`;
    const operationId = `${placeOf(to).prefix}${hasLookup(to) ? "getLookup" : "getPage"}`;
    const way = hasLookup(to) ? "Its lookup finds the record." : "Its pages have the record.";
    return [name, { operationId, description: `${field.path} is the key of a record of ${to}. ${way}` }] as const;
  });
  return links.length > 0 ? { links: Object.fromEntries(links) } : {};
}

/** Names of links and components that OpenAPI allows. */
const LINK_NAME = /^[A-Za-z0-9._-]+$/;

function tagOf({ listing }: Contract): string {
  const [, many] = listing.words;
  const { title = capital(many), description } = listing;
  return [`${title}, version ${listing.version} of the contract.`, ...(description ? [description] : [])].join("\n\n");
}

const METHODS =
  "Every path answers HEAD with GET's status and headers, and OPTIONS with 204 and the allowed methods. Any other method gets 405.";

function siteInfo({ baseUrl, title, description }: DescribedSite): JsonPart {
  const sentences = [
    ...(description === undefined ? [] : [description]),
    "Several listings, as of one point in time. Each is in pages, and has an openapi.json of its own.",
    METHODS,
    "These schemas allow additional fields, which later snapshots may have.",
  ];
  return {
    title: title ?? `Listings at ${new URL(baseUrl).host}`,
    version: "1",
    description: sentences.join("\n\n"),
    contact: { url: baseUrl },
    license: { name: "The publisher's terms", url: baseUrl },
  };
}

function infoOf({ file, listing }: Contract, { baseUrl, links }: ApiDescription): JsonPart {
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
    METHODS,
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

const CACHED_COPY = ref("parameters", "IfNoneMatch");
const TEXT = { type: "string" };
const NUMBER = { type: "integer", minimum: 1, maximum: MAX_PAGES };
const PAGE_NUMBER = { name: "page", description: "The page number, in decimal.", schema: NUMBER };
const FORMAT = { name: "format", in: "query", description: "Ignored: the answer is always JSON.", schema: TEXT };
const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of the client's copy.",
  schema: TEXT,
};
const RANGE = {
  name: "Range",
  in: "header",
  description: "A byte range, to resume a download: bytes=1000-. Not every host supports it.",
  schema: TEXT,
};

function pagePaths({ listing }: Contract, { at, prefix }: Place): JsonPart {
  return pathsOf(`${at}${listing.path}`, "getPage", `A page of ${listing.words[1]}`, prefix, []);
}

/** The operations of pages below a path. @param more parameters of the path */
function pathsOf(path: string, name: string, summary: string, prefix: string, more: readonly JsonPart[]): JsonPart {
  const inQuery = {
    ...PAGE_NUMBER,
    in: "query",
    description: "The page number, in decimal. The first page if missing or empty.",
  };
  const responses = {
    200: ref("responses", `${prefix}Page`),
    304: ref("responses", "NotModified"),
    404: ref("responses", "InvalidPage"),
  };
  return {
    [path]: {
      get: operation(name, summary, "pages", [...more, inQuery, FORMAT, CACHED_COPY], responses),
    },
    [`${path}pages/{page}.json`]: {
      get: operation(
        `${name}ByPath`,
        `${summary}, by path`,
        "pages",
        [...more, inPath(PAGE_NUMBER), CACHED_COPY],
        responses,
      ),
    },
  };
}

/** The operations of the pages of views: two paths for each, however many values it has. */
function viewPaths({ listing }: Contract, { views = [] }: ApiDescription, { at, prefix }: Place): JsonPart {
  const [, many] = listing.words;
  const names = new Set<string>();
  const paths = views.map((view): JsonPart => {
    const plain = `getView_${view.name.replace(/[^A-Za-z0-9]/g, "_")}`;
    const name = names.has(plain) ? `${plain}_${names.size}` : plain;
    names.add(name);
    const path = `${at}/${VIEWS_FOLDER}/${view.name}/`;
    const { by } = view;
    if (!by) return pathsOf(path, name, `A page of ${many} in the order of ${view.name}`, prefix, []);
    const part = view.part === undefined ? "" : `the ${view.part} of `;
    return pathsOf(`${path}{value}/`, name, `A page of ${many} by ${part}${by.path}`, prefix, [
      valueParameter(view, by),
    ]);
  });
  return Object.assign({}, ...paths);
}

const SEGMENT_RULE =
  "A byte of its UTF-8 that is neither a letter of ASCII, a digit, _, - nor a point inside is ~ and two hexadecimal digits, as in New~20York; ~null is null, and ~empty an empty text.";
const MOST_EXAMPLES = 3;

/** The parameter of a value of a view. Names of views need not be identifiers, so it has the same name in all. */
function valueParameter({ name, part }: View, by: Field): JsonPart {
  const choices = part === undefined ? (choicesOf(valueSchemaOf(by)) ?? []) : [];
  const examples = choices.slice(0, MOST_EXAMPLES).map((choice) => segmentOf(choice as ViewValue));
  return inPath({
    name: "value",
    description: `The value of ${by.path}. ${SEGMENT_RULE} ${viewIndexPath(name)} lists all values, and their segments.`,
    schema: { ...TEXT, ...(examples.length > 0 && { examples }) },
  });
}

interface File {
  path: string;
  /** The end of its operation's name; without `response`, also the name of its schema. */
  name: string;
  summary: string;
  /** Name of its response component, if it has no schema of its own. */
  response?: string;
  /** The optional file that this one comes with. */
  with?: string;
  parameter?: JsonPart;
}

const PART_NUMBER = { name: "part", description: "The part's number, from 1.", schema: NUMBER };
const FILE_NUMBER = { name: "number", description: "The file's number, from 1.", schema: NUMBER };
const STEP = {
  name: "step",
  description: "The first 12 digits of the states before and after the step.",
  schema: { ...TEXT, pattern: "^[0-9a-f]{12}-[0-9a-f]{12}$" },
};

const VIEW_NAME = { name: "view", description: "The name of the view, as views.json lists it.", schema: TEXT };

/** The files that programs read. The explorer is for people. */
const FILES: readonly File[] = [
  { path: SNAPSHOT, name: "Snapshot", summary: "The snapshot's id, counts and settings" },
  { path: CONTRACT, name: "Contract", summary: "The contract of the records, a JSON Schema of one", response: "File" },
  { path: OPENAPI, name: "Description", summary: "This description", response: "File" },
  { path: SUMS, name: "Sums", summary: "The SHA-256 of every file, in the format of sha256sum", response: "Text" },
  {
    path: SIGNATURE,
    name: "Signature",
    summary: "The minisign signature of SHA256SUMS",
    response: "Text",
    with: SIGNATURE,
  },
  { path: BULK, name: "Bulk", summary: "The list of bulk parts, which hold all records", with: BULK },
  {
    path: `${BULK_FOLDER}/{part}.ndjson.gz`,
    name: "BulkPart",
    summary: "A bulk part: records, one a line, as a gzip file",
    response: "Gzip",
    with: BULK,
    parameter: PART_NUMBER,
  },
  { path: CSV, name: "Csv", summary: "All records as one CSV file, compressed", response: "Gzip", with: CSV },
  { path: PARQUET, name: "Parquet", summary: "All records as one Parquet file", response: "Parquet", with: PARQUET },
  {
    path: DATA_PACKAGE,
    name: "DataPackage",
    summary: "The Data Package that describes the CSV file, with a Table Schema of its columns",
    response: "File",
    with: DATA_PACKAGE,
  },
  { path: CHANGES, name: "Changes", summary: "The list of steps from earlier states to this one", with: CHANGES },
  {
    path: `${CHANGES_FOLDER}/{step}.ndjson.gz`,
    name: "Step",
    summary: "A step: changes from one state to another, one record a line, as a gzip file",
    response: "Gzip",
    with: CHANGES,
    parameter: STEP,
  },
  {
    path: FEED,
    name: "Feed",
    summary: "What the last releases changed, as an Atom feed",
    response: "Feed",
    with: FEED,
  },
  { path: LOOKUP, name: "Lookup", summary: "The index of the lookup: the first term of each file", with: LOOKUP },
  {
    path: `${SORTED_FOLDERS.keys}/{number}.txt`,
    name: "LookupKeys",
    summary: "Lookup by key: sorted terms and record numbers",
    response: "Text",
    with: LOOKUP,
    parameter: FILE_NUMBER,
  },
  {
    path: `${SORTED_FOLDERS.words}/{number}.txt`,
    name: "LookupWords",
    summary: "Lookup by words of names: sorted terms and record numbers",
    response: "Text",
    with: LOOKUP,
    parameter: FILE_NUMBER,
  },
  { path: VIEWS, name: "Views", summary: "The list of views", with: VIEWS },
  {
    path: viewIndexPath("{view}"),
    name: "ViewValues",
    summary: "The values of a view by a field, with their numbers of records",
    with: VIEWS,
    parameter: VIEW_NAME,
  },
  {
    path: viewSumsPath("{view}"),
    name: "ViewSums",
    summary: "The SHA-256 of every page of a view, in the format of sha256sum",
    response: "Text",
    with: VIEWS,
    parameter: VIEW_NAME,
  },
  { path: AVATAR_PATH, name: "Avatar", summary: "The default image of records", response: "Image", with: AVATAR_PATH },
];

/** Files of a release that openapi.json depends on. */
export const OPTIONAL_FILES: readonly string[] = [
  SIGNATURE,
  BULK,
  CSV,
  PARQUET,
  DATA_PACKAGE,
  CHANGES,
  FEED,
  LOOKUP,
  VIEWS,
  AVATAR_PATH,
];

/** The operation of each file of a table that the release has, by its path. */
function filePaths(table: readonly File[], { files }: ApiDescription, at = ""): JsonPart {
  const there = table.filter((file) => file.with === undefined || files.includes(file.with));
  return Object.fromEntries(there.map((file) => [`${at}/${file.path}`, { get: getFile(file) }]));
}

/** The files at the top of a site, which has no contract. */
const TOP_FILES: readonly File[] = [
  { path: SNAPSHOT, name: "Site", summary: "The site's id, and the id and counts of each listing" },
  ...FILES.filter(({ path }) => [OPENAPI, SUMS, SIGNATURE, DATA_PACKAGE, FEED].includes(path)),
];

function getFile({ name, summary, response, parameter }: File): JsonPart {
  const parameters = parameter ? [inPath(parameter), CACHED_COPY] : [CACHED_COPY];
  const responses = {
    200: response ? ref("responses", response) : found(`${summary}.`, CONTENT_TYPE, ref("schemas", name)),
    304: ref("responses", "NotModified"),
    404: ref("responses", "NotFound"),
  };
  const range = response === undefined ? undefined : RANGES[response];
  if (range === undefined) return operation(`get${name}`, summary, "files", parameters, responses);
  const ranges = { ...responses, 206: ref("responses", range), 416: ref("responses", "NoSuchRange") };
  return operation(`get${name}`, summary, "files", [...parameters, RANGE], ranges);
}

function inPath(parameter: JsonPart): JsonPart {
  return { ...parameter, in: "path", required: true };
}

/** An operation with these responses and any other error. */
function operation(
  operationId: string,
  summary: string,
  tag: "pages" | "files",
  parameters: readonly JsonPart[],
  responses: JsonPart,
): JsonPart {
  // No `4XX`: orval 7 generates code from it that does not compile.
  return {
    operationId,
    summary,
    tags: [tag],
    parameters,
    responses: { ...responses, default: ref("responses", "Failed") },
  };
}
