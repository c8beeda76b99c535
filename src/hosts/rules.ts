/** The rules that every host has to express: the contract's answers for one listing. */
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
} from "../contract/headers.js";
import { asPattern, pathReference } from "../contract/links.js";
import {
  BULK_FOLDER,
  CHANGES_FOLDER,
  CSV,
  EXPLORER,
  fileHeaders,
  isOfFamily,
  isPacked,
  OPENAPI,
  type PagePaths,
  SORTED_FOLDERS,
} from "../release/layout.js";
import { PAGE_NUMBER } from "./patterns.js";

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

/** The rules. Paths are percent-encoded URL paths. */
export type Rules = ReturnType<typeof rulesOf>;

/** Derives the rules of one listing: paths, files and families, headers, redirects and errors. */
export function rulesOf({ base, paths, encodings, cacheControl, others }: RuleOptions) {
  const listing = `${base}${paths.listing}`;
  const files: ReadonlyMap<string, ReturnType<typeof fileHeaders>> = new Map(
    others.filter((path) => !isOfFamily(path)).map((path) => [path, fileHeaders(path, cacheControl)]),
  );
  const isBrowsed = files.has(EXPLORER);
  const folders = [listing, ...(isBrowsed && base !== "" ? [`${base}/`] : [])];
  return {
    base,
    encodings,
    /** `/directory/v1/stations/` */
    listing,
    /** Redirects of paths without their slash. The query is kept. */
    redirects: new Map(folders.map((folder) => [folder.slice(0, -1), pathReference(folder)])),
    pages: `${listing}pages/`,
    /** Folder of the pages in the release: `v1/stations/pages`. */
    pageFolder: paths.folder,
    /** Headers of every answer; then those added for OPTIONS, pages, redirects and errors. */
    headers: commonHeaders(encodings, files.has(OPENAPI) ? `${base}/${OPENAPI}` : undefined),
    preflight: PREFLIGHT_HEADERS,
    page: { "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl },
    moved: { "Cache-Control": cacheControl },
    error: { "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE },
    /** Headers added for each file that is neither a page nor in a family, by path in the release. */
    files,
    /** Files by URL path. The base URL itself is the explorer. */
    routes: new Map([
      ...[...files.keys()].map((file) => [`${base}/${file}`, file] as const),
      ...(isBrowsed ? [[`${base}/`, EXPLORER] as const] : []),
    ]),
    families: familiesOf(cacheControl),
  };
}

interface RuleOptions {
  /** `/directory`, or empty. */
  base: string;
  paths: PagePaths;
  /** Codings among which the host chooses. */
  encodings: readonly Encoding[];
  /** Cache-Control of pages. */
  cacheControl: string;
  /** Paths of files of the release that are not pages. */
  others: readonly string[];
}

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

/** A folder with any number of files of one kind, which a host matches by one pattern. */
export interface Family {
  /** Folder in the release: `lookup/keys`. */
  folder: string;
  /** Pattern of its file names, without groups. */
  names: string;
  /** Headers added for its files. */
  headers: ReturnType<typeof fileHeaders>;
  /** Whether ranges of its files are sent. */
  hasRanges: boolean;
}

const STATE = "[0-9a-f]{12}";

/** Folders, patterns of their file names, and an example name. */
const FOLDERS: readonly (readonly [folder: string, names: string, like: string])[] = [
  [BULK_FOLDER, `${PAGE_NUMBER}\\.ndjson\\.gz`, "1.ndjson.gz"],
  [CHANGES_FOLDER, `${STATE}-${STATE}\\.ndjson\\.gz`, `${"0".repeat(12)}-${"0".repeat(12)}.ndjson.gz`],
  ...Object.values(SORTED_FOLDERS).map((folder) => [folder, `${PAGE_NUMBER}\\.txt`, "1.txt"] as const),
];

function familiesOf(cacheControl: string): readonly Family[] {
  return FOLDERS.map(([folder, names, like]) => {
    const path = `${folder}/${like}`;
    return { folder, names, headers: fileHeaders(path, cacheControl), hasRanges: isPacked(path) };
  });
}

/** The pattern of the paths of all files of which hosts send ranges, without groups. */
export function pathsOfLarge(families: readonly Family[]): string {
  const large = families.filter(({ hasRanges }) => hasRanges);
  return `(?:${[pathsOfFamilies(large), asPattern(CSV)].join("|")})`;
}

/** The pattern of all paths of families, without groups. */
export function pathsOfFamilies(families: readonly Family[]): string {
  return `(?:${families.map(({ folder, names }) => `${folder}/${names}`).join("|")})`;
}

/**
 * Reads a script from its comment `global RULES` on, which is replaced by a declaration.
 * @param declaration declares `RULES` in the script's language, as `const RULES = {...};`.
 */
export function readScript(url: URL, declaration: string): string {
  const [, code = ""] = readFileSync(url, "utf8").split(/^.*\bglobal RULES\b.*\n/m);
  return `${declaration}\n${code.replace(/^export (?=(?:async )?function)/gm, "")}`;
}

/** The value of `RULES` in scripts, as JSON. */
export function scriptRules({ base, listing, pages, pageFolder, redirects, routes, files, families, ...rules }: Rules) {
  const { headers, preflight, page, moved, error } = rules;
  return {
    ...{ folder: `${base}/`, listing, pages, pageFolder, redirects: Object.fromEntries(redirects) },
    ...{ headers, preflight, page, moved, error, files: Object.fromEntries(files), routes: Object.fromEntries(routes) },
    families: Object.fromEntries(families.map(({ folder, ...family }) => [folder, family])),
    ...{ bodies: BODIES, invalidPage: INVALID_PAGE_BODY },
  };
}
