/** The rules that every host has to express: the contract's answers for one listing, for any release of it. */
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
import { AVATAR_PATH, basePath, pathReference } from "../contract/links.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  CSV,
  EXPLORER,
  EXPLORER_FILES,
  fileHeaders,
  isPacked,
  LOOKUP,
  OPENAPI,
  PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMS,
} from "../release/layout.js";
import { oneOf, PAGE_NUMBER } from "./patterns.js";

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

/** What decides the rules of a listing. No release has a part in it. */
export interface ListingSettings {
  baseUrl: string;
  /** The URL path before the listing's on the host: `/directory`, or empty. */
  base: string;
  /** The listing's path in the contract: `/v1/stations/`, or `/`. */
  path: string;
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
  CSV,
  ...EXPLORER_FILES,
];

/** The rules. Paths are percent-encoded URL paths. */
export type Rules = ReturnType<typeof rulesOf>;

/** Derives the rules of one listing: paths, files and families, headers, redirects and errors. */
export function rulesOf({ baseUrl, base, path, encodings, cacheControl }: ListingSettings) {
  const listing = base + path;
  const folders = new Set([path, "/"]);
  return {
    base,
    encodings,
    /** `/directory/v1/stations/` */
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
      ...(path === "/" ? [] : [[`${base}/`, EXPLORER] as const]),
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
];

/** The pattern of the paths of all files in a release that are not pages, without groups. */
export const FILE_PATTERN = `(?:${[oneOf(FILES), ...FAMILIES.map(([folder, names]) => `${folder}/${names}`)].join("|")})`;

/** The pattern of the paths of files of which hosts send ranges, without groups. */
export const RANGED_PATTERN = `(?:(?:${BULK_FOLDER}|${CHANGES_FOLDER})/[^/]+|${oneOf([CSV])})`;

/** The pattern of the paths of files that caches have to ask for each time, without groups. */
export const REVALIDATED_PATTERN = oneOf(FILES.filter((file) => fileHeaders(file, "")["Cache-Control"] !== ""));

/** The headers of the explorer that other files do not have. */
const { "Content-Type": _type, "Cache-Control": _caching, ...OWN } = fileHeaders(EXPLORER, "");
export const EXPLORER_HEADERS: Headers = OWN;

/** Content types by file extension. Files with other extensions are plain text. */
export const TYPES: ReadonlyMap<string, string> = new Map(
  ["json", "gz", "html", "js", "css", "svg"].map((extension) => [
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

/** Reads a script of this folder from its comment `global RULES` on, which is replaced by their declaration. */
export function readScript(name: string, rules: Rules, more = {}): string {
  const [, code = ""] = readFileSync(new URL(name, import.meta.url), "utf8").split(/^.*\bglobal RULES\b.*\n/m);
  const value = { ...rules, bodies: BODIES, invalidPage: INVALID_PAGE_BODY, ...more };
  const text = JSON.stringify(value, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part));
  return `const RULES = ${text};\n${code.replace(/^export (?=(?:async )?function)/gm, "")}`;
}
