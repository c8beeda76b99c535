/** The rules that every host has to express: the contract's answers for each listing of a site, for any release of it. */

import { readFileSync } from "node:fs";
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
} from "../core/contract/headers.js";
import { AVATAR_PATH, basePath, DEFAULT_PATH, pathReference } from "../core/contract/links.js";
import { packageFile } from "../core/package.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  DATA_PACKAGE,
  EXPLORER,
  EXPLORER_PATHS,
  FEED,
  fileHeaders,
  isPacked,
  LABELS,
  LOOKUP,
  OPENAPI,
  PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMS,
  VIEWS,
  VIEWS_FOLDER,
  WHOLE_FILES,
} from "../core/release/layout.js";
import { alternatives, PAGE_NUMBER } from "./patterns.js";

export type Headers = Readonly<Record<string, string>>;

/** How hosts compress, for the table of hosts. */
export const COMPRESSION = {
  files: "chooses .br and .gz files",
  itself: "compresses by itself",
  none: "no",
} as const;
export type Compression = keyof typeof COMPRESSION;

/** The codings of a release that a host can serve. */
export function servedEncodings(compression: Compression, encodings: readonly Encoding[]): readonly Encoding[] {
  return compression === "files" ? encodings : [];
}

/** The settings of the files of hosts: what decides the rules of a site, for any release of it. */
export interface HostSettings {
  baseUrl: string;
  /** The URL path before those of the listings on the host: `/directory`, or empty. */
  base: string;
  /** The names of the listings, and their paths in the contracts: `/v1/stations/`, or `/`. The listing of a plain release has the name "". */
  listings: readonly { name: string; path: string }[];
  /** Codings among which the host chooses. */
  encodings: readonly Encoding[];
  /** Cache-Control of pages. */
  cacheControl: string;
}

/** All files of releases that are neither pages nor in a family. A release may lack some: the host answers 404. */
const FILES: readonly string[] = [
  SNAPSHOT,
  CONTRACT,
  OPENAPI,
  BULK,
  CHANGES,
  SUMS,
  SIGNATURE,
  AVATAR_PATH,
  LOOKUP,
  ...WHOLE_FILES,
  DATA_PACKAGE,
  FEED,
  VIEWS,
  LABELS,
  ...EXPLORER_PATHS,
];

/** A segment of the URL of a view or of a value, and the two, or the one of a view without values. Patterns without groups. */
export const VIEW_SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
export const VIEW_SEGMENTS = `${VIEW_SEGMENT}/(?:${VIEW_SEGMENT}/)?`;

/** The rules of a listing, or of the files at the top of a site. Paths are percent-encoded URL paths. */
export type Rules = ReturnType<typeof rulesOf>;

/** A listing, or the files at the top of a site. */
export interface Section {
  /** Its folder in the release, with a slash: `orders/`; empty for a plain release and for the top. */
  folder: string;
  /** False for the top. */
  hasPages: boolean;
  rules: Rules;
}

/** The rules of a site. */
export interface SiteRules {
  /** By name. No listing is below another one. The last part answers for all paths that are in no other one. */
  parts: readonly Section[];
  /** The rules of the last part: of the top, or of the listing of a plain release. */
  last: Rules;
  /** Codings of pages among which the host chooses. */
  encodings: readonly Encoding[];
}

/** Derives the rules of a site. */
export function siteRulesOf({ listings, ...site }: HostSettings): SiteRules {
  const parts = listings.map(({ name, path }): Section => {
    const isPlain = name === "";
    const below = isPlain ? "" : `/${name}`;
    const rules = rulesOf({ ...site, baseUrl: site.baseUrl + below, base: site.base + below, path }, true);
    return { folder: isPlain ? "" : `${name}/`, hasPages: true, rules };
  });
  const { encodings } = site;
  const [first] = parts;
  if (first?.folder === "") return { parts, last: first.rules, encodings };
  const last = rulesOf({ ...site, path: DEFAULT_PATH, encodings: [] }, false);
  return { parts: [...parts, { folder: "", hasPages: false, rules: last }], last, encodings };
}

/** The parts with pages, and the folder of these pages in the release: `orders/pages`. */
export function withPages({ parts }: SiteRules): (Section & { pageFolder: string })[] {
  return parts
    .filter(({ hasPages }) => hasPages)
    .map((part) => ({ ...part, pageFolder: part.folder + part.rules.pageFolder }));
}

/** The parts before the last one, each with the headers in which its answers differ from those of the last one. */
export function differing({ parts, last }: SiteRules): { base: string; headers: Headers }[] {
  return parts.slice(0, -1).map(({ rules: { base, headers } }) => {
    const own = Object.entries(headers).filter(([name, value]) => last.headers[name] !== value);
    return { base, headers: Object.fromEntries(own) };
  });
}

/** The pattern of the folders of all listings of a site, each with a slash; empty for a plain release. Without groups. */
export function folderPattern({ parts }: SiteRules): string {
  const folders = parts.map(({ folder }) => folder).filter((folder) => folder !== "");
  return folders.length === 0 ? "" : `${alternatives(folders)}?`;
}

/** Has no leading slash, so that no request matches it. */
const NO_PATH = "none";

/** Derives the rules of one part: paths, files and families, headers, redirects and errors. */
function rulesOf(
  { baseUrl, base, path, encodings, cacheControl }: Omit<HostSettings, "listings"> & { path: string },
  hasPages: boolean,
) {
  const listing = hasPages ? base + path : NO_PATH;
  const folders = new Set([path, "/"]);
  return {
    base,
    encodings,
    /** `/directory/v1/stations/`; the top has none. */
    listing,
    /** Redirects of paths without their slash, to paths of the base URL. The query is kept. */
    redirects: new Map(
      [...folders]
        .map((folder) => [`${base}${folder}`.slice(0, -1), pathReference(basePath(baseUrl) + folder)] as const)
        .filter(([bare]) => bare !== ""),
    ),
    /** The scheme and host of the base URL: `https://example.com`. */
    origin: new URL(baseUrl).origin,
    pages: `${listing}pages/`,
    /** Folder of the pages in the release: `v1/stations/pages`. */
    pageFolder: new PagePaths(path).folder,
    /** The path above those of views: `/directory/views/`. In the release, it is the folder `views`. */
    views: hasPages ? `${base}/${VIEWS_FOLDER}/` : NO_PATH,
    /** Headers of every answer; then those added for OPTIONS, pages, redirects and errors. */
    headers: commonHeaders(encodings, `${basePath(baseUrl)}/${OPENAPI}`),
    preflight: PREFLIGHT_HEADERS,
    page: { "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl },
    moved: { "Cache-Control": cacheControl },
    error: { "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE },
    /** Headers added for each file, by path in the release. */
    files: new Map(FILES.map((file) => [file, fileHeaders(file, cacheControl)])),
    /** Files by URL path. The base URL itself is the explorer, if it is not the listing. */
    routes: new Map([
      ...FILES.map((file) => [`${base}/${file}`, file] as const),
      ...(hasPages && path === DEFAULT_PATH ? [] : [[`${base}/`, EXPLORER] as const]),
    ]),
    families: FAMILIES.map(([folder, names, like]) => ({
      folder,
      names,
      headers: fileHeaders(`${folder}/${like}`, cacheControl),
      hasRanges: isPacked(`${folder}/${like}`),
    })),
  };
}

const STATE = "[0-9a-f]{12}";
const NO_STATE = "0".repeat(12);

/** Folders with any number of files of one kind, patterns of their file names without groups, and an example. */
const FAMILIES: readonly (readonly [folder: string, names: string, like: string])[] = [
  [BULK_FOLDER, `${PAGE_NUMBER}\\.ndjson\\.gz`, "1.ndjson.gz"],
  [CHANGES_FOLDER, `${STATE}-${STATE}\\.ndjson\\.gz`, `${NO_STATE}-${NO_STATE}.ndjson.gz`],
  ...Object.values(SORTED_FOLDERS).map((folder) => [folder, `${PAGE_NUMBER}\\.txt`, "1.txt"] as const),
  ...["json", "sha256"].map((ending) => [VIEWS_FOLDER, `${VIEW_SEGMENT}\\.${ending}`, `x.${ending}`] as const),
];

/** The pattern of the paths of all files in a release that are not pages, without groups. */
export const FILE_PATTERN = `(?:${[alternatives(FILES), ...FAMILIES.map(([folder, names]) => `${folder}/${names}`)].join("|")})`;

/** The pattern of the paths of files of which hosts send ranges, without groups. */
export const RANGED_PATTERN = `(?:(?:${BULK_FOLDER}|${CHANGES_FOLDER})/[^/]+|${alternatives(WHOLE_FILES)})`;

/** The pattern of the paths of files that caches have to ask for each time, without groups. */
export const REVALIDATED_PATTERN = `(?:${[
  alternatives(FILES.filter(isRevalidated)),
  ...FAMILIES.filter(([folder, , like]) => isRevalidated(`${folder}/${like}`)).map(
    ([folder, names]) => `${folder}/${names}`,
  ),
].join("|")})`;

function isRevalidated(file: string): boolean {
  return fileHeaders(file, "")["Cache-Control"] !== "";
}

/** The headers of the explorer that other files do not have. */
const { "Content-Type": _type, "Cache-Control": _caching, ...OWN } = fileHeaders(EXPLORER, "");
export const EXPLORER_HEADERS: Headers = OWN;

/** Content types by file extension. Files with other extensions are plain text. */
export const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  ["json", "gz", "parquet", "html", "js", "css", "svg", "xml"].map((extension) => [
    extension,
    fileHeaders(`x.${extension}`, "")["Content-Type"],
  ]),
);
export const OTHER_TYPE = fileHeaders("x", "")["Content-Type"];

/** Bodies of errors by status, and of a wrong page number. */
export const BODIES = Object.fromEntries(
  Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, errorBody(detail)]),
) as Record<ErrorStatus, string>;
export const INVALID_PAGE_BODY = errorBody(INVALID_PAGE);

/** Decodes a URL path to bytes, for hosts that compare decoded paths. */
export function decodePath(path: string): Buffer {
  return Buffer.from(
    path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** A script in which each part of a site answers with a function of its own. */
interface Script {
  /** Its name in this folder. */
  name: string;
  /** The function that answers a request. */
  entry: string;
  /** For several parts, the code of this function. It calls `partOf(path)`, which returns `{ folder, answer }`. */
  dispatch: string;
}

/**
 * Reads a script from its comment `global RULES` on, which is replaced by their declaration. With several parts, the script is
 * the body of a function that is called for each.
 */
export function readScript({ name, entry, dispatch }: Script, parts: readonly (Section & { more?: object })[]): string {
  const [, text = ""] = readFileSync(packageFile(`src/host/${name}`), "utf8").split(/^.*\bglobal RULES\b.*\n/m);
  const code = text.replace(/^export (?=(?:async )?function)/gm, "");
  const values = parts.map(({ rules, more }) => ({
    ...rules,
    bodies: BODIES,
    invalidPage: INVALID_PAGE_BODY,
    ...more,
  }));
  const [only] = values;
  if (values.length === 1) return `const RULES = ${toScript(only)};\n${code}`;
  const [shared, own] = divided(values);
  const list = parts.map(({ folder }, at) => `  { folder: "${folder}", rules: ${toScript(own[at])} },\n`);
  return `const SHARED = ${toScript(shared)};
const PARTS = [
${list.join("")}];
PARTS.forEach((part) => {
  part.answer = createAnswer(Object.assign(part.rules, SHARED));
});

function partOf(path) {
  const isIn = (part) => path === part.rules.base || path.indexOf(part.rules.base + "/") === 0;
  return PARTS.find(isIn) || PARTS[PARTS.length - 1];
}

${dispatch}
function createAnswer(RULES) {
${code}
return ${entry};
}
`;
}

/** Divides values into the members that all have alike, and the others of each. */
function divided(values: readonly Readonly<Record<string, unknown>>[]): [shared: object, own: object[]] {
  const [first = {}] = values;
  const isShared = (key: string) => new Set(values.map((value) => toScript(value[key]))).size === 1;
  const shared = Object.keys(first).filter(isShared);
  const pick = (value: Readonly<Record<string, unknown>>, isWanted: (key: string) => boolean) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => isWanted(key)));
  return [
    pick(first, (key) => shared.includes(key)),
    values.map((value) => pick(value, (key) => !shared.includes(key))),
  ];
}

function toScript(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part));
}
