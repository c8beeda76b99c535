/** All names inside `dist` and inside a release, and the headers of files. Paths in a release use `/`. */
import { extname } from "node:path";
import { DOWNLOAD_PATHS } from "../contract/downloads.js";
import { CONTENT_TYPE, ENCODINGS, type Encoding, NO_CACHE } from "../contract/headers.js";
import { pageNumber } from "../contract/links.js";

// In `dist`.
/** The link to the release that is served. */
export const CURRENT = "current";
/** The folder of all releases. */
export const RELEASES = "releases";
/** Links that are named after a release and lead to the one that was current before it. */
export const BEFORE = ".previous";
/** The file that a build locks, and the one that says who holds the lock. */
export const LOCK = ".lock";
export const LOCK_HOLDER = ".lock-holder.json";
/** The file that is locked while a release is read that must not be removed. */
export const READERS = ".readers";
/** Only during a build: the release being written, the link being made, folders being removed. */
export const STAGING = ".staging";
export const NEXT_LINK = ".current-next";
export const TRASH_PREFIX = ".trash-";
/** Only for a moment, in a release: a folder that is made and removed so that the system sets the release's time. */
export const MARK = ".mark";

/** A word for the release that was current before the current one. */
export const PREVIOUS = "previous";

// In a folder or bucket that is published to.
/** In a folder, as `LOCK` and `LOCK_HOLDER`; in a bucket, the first is an object that says who holds the lock. */
export const TARGET_LOCK = ".rollcall-lock";
export const TARGET_LOCK_HOLDER = ".rollcall-lock-holder.json";
/** The list of what Rollcall owns there. */
export const OWNED = ".rollcall-published.json";

// In a release.
export const SNAPSHOT = "snapshot.json";
export const SUMS = "SHA256SUMS";
/** minisign's signature of SHA256SUMS. */
export const SIGNATURE = `${SUMS}.minisig`;
export const RECORDS = "records.sha256";
export const CONTRACT = "contract.json";
export const OPENAPI = "openapi.json";
/** All records in a few files, and the list of these parts. */
export const BULK = "bulk.json";
export const BULK_FOLDER = "bulk";
/** Steps from earlier states to this one, and their list. */
export const CHANGES = "changes.json";
export const CHANGES_FOLDER = "changes";
/** The look-up, and what each of its sorted files begins with. */
export const LOOKUP_FOLDER = "lookup";
export const LOOKUP = `${LOOKUP_FOLDER}/index.json`;
/** The explorer at the base URL, its other files, and the counts of all records that it shows. */
export const EXPLORER = "index.html";
export const EXPLORER_FOLDER = "explorer";
export const SUMMARY = `${EXPLORER_FOLDER}/summary.json`;
/** What the configurations of other hosts include. */
export const INCLUDED = "adapters";

/** The default avatar. */
export const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="No picture">
<rect width="64" height="64" fill="#d5d9e0"/><circle cx="32" cy="25" r="11" fill="#8a93a3"/><path d="M10 64a22 22 0 0 1 44 0z" fill="#8a93a3"/>
</svg>
`;

/** The explorer's files without the sorted ones. */
export const EXPLORER_FILES: readonly string[] = [
  EXPLORER,
  SUMMARY,
  ...["app.js", "icon.svg", "style.css"].map((name) => `${EXPLORER_FOLDER}/${name}`),
];

/** The folders of sorted files, which are numbered from 1. */
export const SORTED_FOLDERS = {
  keys: `${LOOKUP_FOLDER}/keys`,
  words: `${LOOKUP_FOLDER}/words`,
  facets: `${EXPLORER_FOLDER}/facets`,
} as const;

/** `lookup/words/7.txt` */
export function sortedPath(folder: keyof typeof SORTED_FOLDERS, number: number): string {
  return `${SORTED_FOLDERS[folder]}/${number}.txt`;
}

const SORTED = new RegExp(`^(?:${Object.values(SORTED_FOLDERS).join("|")})/[1-9][0-9]{0,8}\\.txt$`);
const PART = new RegExp(`^${BULK_FOLDER}/[1-9][0-9]{0,8}\\.ndjson\\.gz$`);
const STEP = new RegExp(`^${CHANGES_FOLDER}/[0-9a-f]{12}-[0-9a-f]{12}\\.ndjson\\.gz$`);

/** Whether a file is one of the sorted ones. */
export const isSorted = (path: string) => SORTED.test(path);
/** Whether a file is a part of the bulk: `bulk/7.ndjson.gz`. */
export const isPart = (path: string) => PART.test(path);
/** Whether a file is a step: `changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz`. */
export const isStep = (path: string) => STEP.test(path);
/** Whether a file is one of a folder of any number of such files, which hosts know by a pattern. */
export const isOfFamily = (path: string) => isPart(path) || isStep(path) || isSorted(path);
/** Whether a file is a part, a step or a download. These are gzip for every reader, and so large that hosts send ranges of them if they can. */
export const isPacked = (path: string) => isPart(path) || isStep(path) || DOWNLOAD_PATHS.includes(path);
/** Whether a file is for other hosts. Such files contain the id, so they cannot be part of it. */
export const isForAdapters = (path: string) => path.startsWith(`${INCLUDED}/`);
/** Whether a file is for readers. */
export const isPublic = (path: string) => path !== RECORDS && !isForAdapters(path);
/** Whether a file that is not a page counts in the id. All others follow from these, or depend on a version or on history. */
export const isOfContent = (path: string) => path === RECORDS || path === CONTRACT;

/** Maximum bytes of a part or a step. Some hosts take no file that is larger than 25 MiB. */
export const MAX_PACKED = 24_000_000;

/** The files of a release that SHA256SUMS does not list. */
export function unlistedFiles({ isSigned }: { isSigned: boolean }): readonly string[] {
  return isSigned ? [SUMS, SIGNATURE] : [SUMS];
}

/** A form of a page's file: as it is, or compressed. */
export type Variant = "identity" | Encoding;
export const VARIANTS: readonly Variant[] = ["identity", "br", "gzip"];

/** `7.json`, or `7.json.br` */
export function pageName(page: number, variant: Variant): string {
  return `${page}.json${variant === "identity" ? "" : ENCODINGS[variant]}`;
}

/** The reverse of `pageName`; undefined for any other name. */
export function parsePageName(name: string): { page: number; variant: Variant } | undefined {
  const [, number = "", ending] = /^(\d+)\.json(\.br|\.gz)?$/.exec(name) ?? [];
  const page = pageNumber(number);
  const variant = ending === ".br" ? "br" : ending === ".gz" ? "gzip" : "identity";
  return page === undefined ? undefined : { page, variant };
}

/** The paths of a release's page files, which lie below the path of its listing. */
export class PagePaths {
  /** `v1/stations/pages` */
  readonly folder: string;

  /** @param listing the path of the listing: `/v1/stations/` */
  constructor(readonly listing: string) {
    this.folder = `${listing.slice(1)}pages`;
  }

  /** The path of page `page` (from 1) inside a release: `v1/stations/pages/7.json`, or `7.json.br`. */
  path(page: number, variant: Variant = "identity"): string {
    return `${this.folder}/${pageName(page, variant)}`;
  }

  /** The reverse of `path`; undefined for any other file. */
  find(path: string): { page: number; variant: Variant } | undefined {
    return path.startsWith(`${this.folder}/`) ? parsePageName(path.slice(this.folder.length + 1)) : undefined;
  }
}

const TYPES: ReadonlyMap<string, string> = new Map([
  [".json", CONTENT_TYPE],
  [".svg", "image/svg+xml"],
  [".gz", "application/gzip"],
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
]);

/** Keeps other sites from showing the explorer in a frame, and search engines from listing it. */
const OF_EXPLORER = { "Content-Security-Policy": "frame-ancestors 'none'", "X-Robots-Tag": "noindex" } as const;

/** Files that say which snapshot is current. Caches have to ask for them each time. */
const CURRENT_STATE: readonly string[] = [SNAPSHOT, SUMS, SIGNATURE, CHANGES, BULK, EXPLORER];

/** The explorer's files are asked for each time, too, so that an old script never runs in a new page. */
function isOfState(path: string): boolean {
  return CURRENT_STATE.includes(path) || (path.startsWith(`${EXPLORER_FOLDER}/`) && !isSorted(path));
}

type FileHeaders = Readonly<Record<"Content-Type" | "Cache-Control", string> & Record<string, string>>;

/** The headers of a file that is not a page. @param cacheControl for files that do not say which snapshot is current. */
export function fileHeaders(path: string, cacheControl: string): FileHeaders {
  return {
    "Content-Type": TYPES.get(extname(path)) ?? "text/plain; charset=utf-8",
    "Cache-Control": isOfState(path) ? NO_CACHE : cacheControl,
    ...(path === EXPLORER ? OF_EXPLORER : {}),
  };
}
