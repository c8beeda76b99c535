/** The set of rules that all hosts write: the contract's answers, with the values of one listing. */
import { readFileSync } from "node:fs";
import { DOWNLOAD_PATHS } from "../contract/downloads.js";
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

/** How hosts compress, in the words of the table of hosts. */
export const COMPRESSION = {
  files: "chooses .br and .gz files",
  itself: "compresses by itself",
  none: "no",
} as const;
export type Compression = keyof typeof COMPRESSION;

/** The codings, among those of a release, that a host chooses from. */
export function servedEncodings(compression: Compression, encodings: readonly Encoding[]): readonly Encoding[] {
  return compression === "files" ? encodings : [];
}

/** What every host has to express. Paths are as in a URL, percent-encoded. */
export type Rules = ReturnType<typeof rulesOf>;

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
    /** A path without its last slash -> where it is redirected to, with its query. */
    redirects: new Map(folders.map((folder) => [folder.slice(0, -1), pathReference(folder)])),
    pages: `${listing}pages/`,
    /** In the release: `v1/stations/pages`. */
    pageFolder: paths.folder,
    /** On every answer, whatever its status; then what is added for OPTIONS, pages, redirects and errors. */
    headers: commonHeaders(encodings, files.has(OPENAPI) ? `${base}/${OPENAPI}` : undefined),
    preflight: PREFLIGHT_HEADERS,
    page: { "Content-Type": CONTENT_TYPE, "Cache-Control": cacheControl },
    moved: { "Cache-Control": cacheControl },
    error: { "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE },
    /** The path, in the release, of each file that is neither a page nor of a family -> what is added for it. */
    files,
    /** Paths that are asked for -> the file that each leads to. The base URL's own leads to the page for people. */
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
  /** Codings that each page has a file in and that the host is to choose from. */
  encodings: readonly Encoding[];
  /** Of pages. */
  cacheControl: string;
  /** The paths, in the release, of the files that are not pages. */
  others: readonly string[];
}

/** The bodies of errors by status, and of a request for a page that does not exist. */
export const BODIES = Object.fromEntries(
  Object.entries(ERROR_DETAILS).map(([status, detail]) => [status, errorBody(detail)]),
) as Record<ErrorStatus, string>;
export const INVALID_PAGE_BODY = errorBody(INVALID_PAGE);

/** The bytes of a URL's path, for hosts that compare decoded paths. */
export function decodePath(path: string): Buffer {
  return Buffer.from(
    path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** A folder that holds any number of files of one kind. A host knows each by one pattern, and by its tags which files there are. */
export interface Family {
  /** In the release: `lookup/keys`. */
  folder: string;
  /** A pattern of the names of its files, without a group. */
  names: string;
  /** What is added for each of its files, whether the release has some or not. */
  headers: ReturnType<typeof fileHeaders>;
  /** Whether its files are so large that ranges of them are sent. */
  hasRanges: boolean;
}

const STATE = "[0-9a-f]{12}";

/** Each folder, the pattern of the names in it, and one that a file could have. */
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

/** A pattern of the paths of all files that are so large that ranges of them are sent. It has no group. */
export function pathsOfLarge(families: readonly Family[]): string {
  const large = families.filter(({ hasRanges }) => hasRanges);
  return `(?:${[pathsOfFamilies(large), ...DOWNLOAD_PATHS.map(asPattern)].join("|")})`;
}

/** A pattern of the paths of all files of some families, as in the release. It has no group. */
export function pathsOfFamilies(families: readonly Family[]): string {
  return `(?:${families.map(({ folder, names }) => `${folder}/${names}`).join("|")})`;
}

/**
 * The text of a script from its comment `global RULES` on, which is replaced by a declaration.
 * @param declaration declares `RULES` in the script's language, as `const RULES = {...};`.
 */
export function readScript(url: URL, declaration: string): string {
  const [, code = ""] = readFileSync(url, "utf8").split(/^.*\bglobal RULES\b.*\n/m);
  return `${declaration}\n${code.replace(/^export (?=(?:async )?function)/gm, "")}`;
}

/** What `RULES` holds in every script, as JSON can say it. */
export function scriptRules({ base, listing, pages, pageFolder, redirects, routes, files, families, ...rules }: Rules) {
  const { headers, preflight, page, moved, error } = rules;
  return {
    ...{ folder: `${base}/`, listing, pages, pageFolder, redirects: Object.fromEntries(redirects) },
    ...{ headers, preflight, page, moved, error, files: Object.fromEntries(files), routes: Object.fromEntries(routes) },
    families: Object.fromEntries(families.map(({ folder, ...family }) => [folder, family])),
    ...{ bodies: BODIES, invalidPage: INVALID_PAGE_BODY },
  };
}
