/** All names inside `dist` and inside a release. Paths in a release use `/`. */
import { extname } from "node:path";
import { CONTENT_TYPE, ENCODINGS, type Encoding, NO_CACHE } from "../contract/headers.js";
import { pageNumber } from "../contract/links.js";

/** In `dist`: the link to the release that is served, and the folder of all releases. */
export const CURRENT = "current";
export const RELEASES = "releases";

/** A word for the release that was current before the current one. */
export const PREVIOUS = "previous";

/** In `dist`: links that are named after a release and lead to the one that was current before it. */
export const BEFORE = ".previous";

/** In `dist`, only during a build: the release being written, the link being made, releases being removed. */
export const STAGING = ".staging";
export const NEXT_LINK = ".current-next";
export const TRASH_PREFIX = ".trash-";

/** In `dist`: the file that a build locks, and the one that says who holds the lock. */
export const LOCK = ".lock";
export const LOCK_HOLDER = ".lock-holder.json";

/** In `dist`: the file that is locked while a release is read that must not be removed. */
export const READERS = ".readers";

/** In a folder while it is published to, as `LOCK` and `LOCK_HOLDER` in `dist`. */
export const TARGET_LOCK = ".rollcall-lock";
export const TARGET_LOCK_HOLDER = ".rollcall-lock-holder.json";

/** In `dist`: a folder with a lock for each target that was published to. */
export const PUBLISHED = ".published";

export const SNAPSHOT = "snapshot.json";
export const SUMS = "SHA256SUMS";
export const RECORDS = "records.sha256";
export const CONTRACT = "contract.json";
/** A description of the listing and of the files beside it, in OpenAPI. */
export const OPENAPI = "openapi.json";
/** minisign's signature of SHA256SUMS: the only other file that SHA256SUMS does not list. */
export const SIGNATURE = `${SUMS}.minisig`;
/** What the parts in the folder `bulk` hold, which together are all records. */
export const BULK = "bulk.json";
export const BULK_FOLDER = "bulk";
/** Which steps in the folder `changes` lead from earlier states to this one. */
export const CHANGES = "changes.json";
export const CHANGES_FOLDER = "changes";

/** The default avatar that a release carries when no other is given. */
export const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="No picture">
<rect width="64" height="64" fill="#d5d9e0"/><circle cx="32" cy="25" r="11" fill="#8a93a3"/><path d="M10 64a22 22 0 0 1 44 0z" fill="#8a93a3"/>
</svg>
`;

/** Where records are, by their keys and by the words of their names: what each of the sorted files begins with. */
export const LOOKUP_FOLDER = "lookup";
export const LOOKUP = `${LOOKUP_FOLDER}/index.json`;
/** A page for people, at the base URL, and what it is made of. */
export const EXPLORER = "index.html";
export const EXPLORER_FOLDER = "explorer";
/** What the explorer shows of all records: how many have which value. */
export const SUMMARY = `${EXPLORER_FOLDER}/summary.json`;

/** All of it but the sorted files. */
export const EXPLORER_FILES: readonly string[] = [
  EXPLORER,
  SUMMARY,
  `${EXPLORER_FOLDER}/app.js`,
  `${EXPLORER_FOLDER}/icon.svg`,
  `${EXPLORER_FOLDER}/style.css`,
];

/** The folders of sorted files, which are numbered from 1. */
export const SORTED_FOLDERS = {
  keys: `${LOOKUP_FOLDER}/keys`,
  words: `${LOOKUP_FOLDER}/words`,
  facets: `${EXPLORER_FOLDER}/facets`,
} as const;

/** The path of a sorted file, by its folder and its number (from 1): `lookup/words/7.txt`. */
export function sortedPath(folder: keyof typeof SORTED_FOLDERS, number: number): string {
  return `${SORTED_FOLDERS[folder]}/${number}.txt`;
}

/** Whether a file is one of the sorted ones. */
export function isSorted(path: string): boolean {
  return SORTED.test(path);
}

const SORTED = new RegExp(`^(?:${Object.values(SORTED_FOLDERS).join("|")})/[1-9][0-9]{0,8}\\.txt$`);

/** The files of a release that SHA256SUMS does not list. */
export function unlistedFiles({ isSigned }: { isSigned: boolean }): readonly string[] {
  return isSigned ? [SUMS, SIGNATURE] : [SUMS];
}

/**
 * The files that say which snapshot is current and what it holds. A cache in between would show its reader an old one
 * as the newest, so every host and every object says that they are to be asked for each time.
 */
const CURRENT_STATE: readonly string[] = [SNAPSHOT, SUMS, SIGNATURE, CHANGES, BULK, EXPLORER];

/** What the page for people is made of is asked for each time, too, so that no old script runs on a new page. */
function isOfState(path: string): boolean {
  return CURRENT_STATE.includes(path) || (path.startsWith(`${EXPLORER_FOLDER}/`) && !isSorted(path));
}

/** In a folder or bucket that was published to: the list of what Rollcall owns there. */
export const OWNED = ".rollcall-published.json";

/** In a release: a folder of what the configurations of other hosts include. */
export const INCLUDED = "adapters";

/** Whether a file of a release is for readers. Digests of records and what hosts include are for those who have the release. */
export function isPublic(path: string): boolean {
  return path !== RECORDS && !isForAdapters(path);
}

/** Whether a file of a release is in its folder `adapters`. Such files name the id, so they cannot be part of it. */
export function isForAdapters(path: string): boolean {
  return path.startsWith(`${INCLUDED}/`);
}

/**
 * Whether a file that is no page counts in the id. All others are made of the pages, the contract and settings, are worded by a
 * version of Rollcall, depend on a compressor or on the releases before, or name the id.
 */
export function isOfContent(path: string): boolean {
  return path === RECORDS || path === CONTRACT;
}

/** Whether a file is one of the parts that together hold all records: `bulk/7.ndjson.gz`. */
export function isPart(path: string): boolean {
  return PART.test(path);
}

const PART = new RegExp(`^${BULK_FOLDER}/[1-9][0-9]{0,8}\\.ndjson\\.gz$`);

/** Whether a file says what to do to a copy of an earlier snapshot: `changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz`. */
export function isStep(path: string): boolean {
  return STEP.test(path);
}

const STEP = new RegExp(`^${CHANGES_FOLDER}/[0-9a-f]{12}-[0-9a-f]{12}\\.ndjson\\.gz$`);

/** Whether a file is a part or a step. These are gzip for every reader, and so large that hosts which can send ranges of them. */
export function isPacked(path: string): boolean {
  return isPart(path) || isStep(path);
}

/** Bytes of a part or a step. Some hosts take no file that is larger than 25 MiB. */
export const MAX_PACKED = 24_000_000;

/** In a release, for a moment: a folder that is made and removed so that the system sets the release's time. */
export const MARK = ".mark";

export type Variant = "identity" | Encoding;

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
    return `${this.folder}/${page}.json${variant === "identity" ? "" : ENCODINGS[variant]}`;
  }

  /** The reverse of `path`; undefined for any other file. */
  find(path: string): { page: number; variant: Variant } | undefined {
    if (!path.startsWith(`${this.folder}/`)) return undefined;
    const [, number = "", ending] = /^(\d+)\.json(\.br|\.gz)?$/.exec(path.slice(this.folder.length + 1)) ?? [];
    const page = pageNumber(number);
    const variant = ending === ".br" ? "br" : ending === ".gz" ? "gzip" : "identity";
    return page === undefined ? undefined : { page, variant };
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

/**
 * What only the page for people has: no other site shows it within its own, which a page cannot say of itself, and no
 * search engine lists it.
 */
const OF_EXPLORER = { "Content-Security-Policy": "frame-ancestors 'none'", "X-Robots-Tag": "noindex" } as const;

type FileHeaders = Readonly<Record<"Content-Type" | "Cache-Control", string> & Record<string, string>>;

/** The headers of a file that is not a page; `cacheControl` is for those that do not name the current state. */
export function fileHeaders(path: string, cacheControl: string): FileHeaders {
  return {
    "Content-Type": TYPES.get(extname(path)) ?? "text/plain; charset=utf-8",
    "Cache-Control": isOfState(path) ? NO_CACHE : cacheControl,
    ...(path === EXPLORER ? OF_EXPLORER : {}),
  };
}
