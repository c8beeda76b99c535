/** All names inside `dist` and inside a release, and the headers of files. Paths in a release use `/`. */
import { extname } from "node:path";
import { CONTENT_TYPE, ENCODINGS, type Encoding, NO_CACHE } from "../contract/headers.js";
import { CONTRACT, DEFAULT_PATH, pageNumber, pagesFor, SIGNATURE, SNAPSHOT, SUMS } from "../contract/links.js";
import { LABELS, VIEWS } from "../contract/reader-files.js";

// In `dist`.
/** The link to the release that is served. */
export const CURRENT = "current";
/** The folder of all releases. */
export const RELEASES = "releases";
/** A folder of links. Each is named after a release and leads to the release that was current before it. */
export const PREVIOUS_LINKS = ".previous";
/** The file that a build locks, and the file that names the process holding the lock. */
export const LOCK = ".lock";
export const LOCK_HOLDER = ".lock-holder.json";
/** The file that is locked while a release is read, so that it is not removed. */
export const READERS = ".readers";
/** The highest modification time that a file ever got, in seconds since 1970. */
export const NEWEST_TIME = ".newest-time";
/** These exist only during a build: the release being written, the new link, folders being removed. */
export const STAGING = ".staging";
export const NEXT_LINK = ".current-next";
export const TRASH_PREFIX = ".trash-";
/** A folder that is made in a release and removed at once, so that the system updates the release's modification time. */
export const MARK = ".mark";
/** The settings with which files of other hosts were written. */
export const HOST_SETTINGS = ".hosts.json";
/** The tables and columns of the source at the last release. Never in a release, since names of omitted columns are not public. */
export const SOURCE_COLUMNS = ".source-columns.json";

/** The argument that names the release that was current before the current one. */
export const PREVIOUS = "previous";

// In a folder or bucket that is published to.
/** In a folder, the same as `LOCK` and `LOCK_HOLDER`. */
export const TARGET_LOCK = ".rollcall-lock";
export const TARGET_LOCK_HOLDER = ".rollcall-lock-holder.json";
/** The list of the files that Rollcall has published there. In a bucket, it also names the run that holds its lock. */
export const OWNED = ".rollcall-published.json";

// In a release.
export { CONTRACT, LABELS, SIGNATURE, SNAPSHOT, SUMS, VIEWS };
/** The name of the release's folder, for hosts that look up each path twice. It is neither listed nor served. */
export const RELEASE_NAME = ".release";
export const RECORDS = "records.sha256";
export const OPENAPI = "openapi.json";
/** All records in a few files, and the list of these parts. */
export const BULK = "bulk.json";
export const BULK_FOLDER = "bulk";
/** All records as one CSV file, and as one Parquet file. */
export const CSV = "records.csv.gz";
export const PARQUET = "records.parquet";
/** The files that hold all records, whatever their size. */
export const WHOLE_FILES: readonly string[] = [CSV, PARQUET];
/** The Data Package that describes these files: of a listing, or at the top of a site, of all listings. */
export const DATA_PACKAGE = "datapackage.json";
/** Steps from earlier states to this one (see `changes.json`), and the list of them. */
export const CHANGES = "changes.json";
export const CHANGES_FOLDER = "changes";
/** An Atom feed of what the last releases changed. */
export const FEED = "feed.xml";
export const FEED_TYPE = "application/atom+xml";
/** The lookup, and the index of the first entries of its sorted files. */
export const LOOKUP_FOLDER = "lookup";
export const LOOKUP = `${LOOKUP_FOLDER}/index.json`;
/** The folder of pages of views, with an index of values and the digests of pages beside the folder of each. */
export const VIEWS_FOLDER = "views";
/** The explorer, its other files, and the counts of all records that it shows. */
export const EXPLORER = "index.html";
export const EXPLORER_FOLDER = "explorer";
export const SUMMARY = `${EXPLORER_FOLDER}/summary.json`;

/** The default avatar. */
export const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="No picture">
<rect width="64" height="64" fill="#d5d9e0"/><circle cx="32" cy="25" r="11" fill="#8a93a3"/><path d="M10 64a22 22 0 0 1 44 0z" fill="#8a93a3"/>
</svg>
`;

/** The explorer's script for views. */
export const EXPLORER_VIEWS = `${EXPLORER_FOLDER}/views.js`;

/** The explorer's files that do not depend on records: scripts, icon and style. */
export const EXPLORER_ASSETS: readonly string[] = [
  ...["app.js", "charts.js", "icon.svg", "site.js", "style.css"].map((name) => `${EXPLORER_FOLDER}/${name}`),
  EXPLORER_VIEWS,
];

/** The explorer's files, without its sorted files. */
export const EXPLORER_PATHS: readonly string[] = [EXPLORER, SUMMARY, ...EXPLORER_ASSETS];

/** The explorer's URL path below the base URL: `/`, or its file's if the listing is there. @param listing the listing's path */
export function explorerPath(listing: string): string {
  return listing === DEFAULT_PATH ? `/${EXPLORER}` : "/";
}

/** The folders of sorted files, which are numbered from 1. */
export const SORTED_FOLDERS = {
  keys: `${LOOKUP_FOLDER}/keys`,
  words: `${LOOKUP_FOLDER}/words`,
  facets: `${EXPLORER_FOLDER}/facets`,
} as const;

/** The path of a sorted file: `lookup/words/7.txt`. */
export function sortedPath(folder: keyof typeof SORTED_FOLDERS, number: number): string {
  return `${SORTED_FOLDERS[folder]}/${number}.txt`;
}

const SORTED = new RegExp(`^(?:${Object.values(SORTED_FOLDERS).join("|")})/[1-9][0-9]{0,8}\\.txt$`);
const PART = new RegExp(`^${BULK_FOLDER}/[1-9][0-9]{0,8}\\.ndjson\\.gz$`);
const STEP = new RegExp(`^${CHANGES_FOLDER}/[0-9a-f]{12}-[0-9a-f]{12}\\.ndjson\\.gz$`);

/** Whether a file is a sorted file: `lookup/words/7.txt`. */
export const isSorted = (path: string) => SORTED.test(path);
/** Whether a file is a part of the bulk: `bulk/7.ndjson.gz`. */
export const isPart = (path: string) => PART.test(path);
/** Whether a file is a step: `changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz`. */
export const isStep = (path: string) => STEP.test(path);
/** Whether a file is a part, a step, or a file of all records. These are stored compressed, and are large enough that the server supports ranges. */
export const isPacked = (path: string) => isPart(path) || isStep(path) || WHOLE_FILES.includes(path);
const VIEW_INDEX = new RegExp(`^${VIEWS_FOLDER}/[^/]+\\.json$`);
const VIEW_SUMS = new RegExp(`^${VIEWS_FOLDER}/[^/]+\\.sha256$`);
/** Whether a file lists the values of a view: `views/country.json`. */
export const isViewIndex = (path: string) => VIEW_INDEX.test(path);
/** Whether a file has the digests of a view's pages: `views/country.sha256`. */
export const isViewSums = (path: string) => VIEW_SUMS.test(path);
/** The path of the list of a view's values. */
export const viewIndexPath = (view: string) => `${VIEWS_FOLDER}/${view}.json`;
/** The path of the digests of a view's pages. */
export const viewSumsPath = (view: string) => `${VIEWS_FOLDER}/${view}.sha256`;
/** Whether readers of the API may fetch a file. */
export const isPublic = (path: string) => path !== RECORDS;
/** Whether the id is made from a file that is not a page. Other files are derived, or depend on a version or on history. */
export const isInId = (path: string) => path === RECORDS || path === CONTRACT;

/** Maximum bytes of a part or a step. Some hosts refuse files larger than 25 MiB. */
export const MAX_PACKED = 24_000_000;

/** The files of a release that SHA256SUMS does not list. */
export function unlistedFiles({ isSigned }: { isSigned: boolean }): readonly string[] {
  return isSigned ? [SUMS, SIGNATURE] : [SUMS];
}

/** A stored form of a page: plain (`identity`) or compressed. */
export type Variant = "identity" | Encoding;
export const VARIANTS: readonly Variant[] = ["identity", "br", "gzip"];

/** The file name of a page: `7.json`, or `7.json.br`. */
function pageName(page: number, variant: Variant): string {
  return `${page}.json${variant === "identity" ? "" : ENCODINGS[variant]}`;
}

/** The reverse of `pageName`; undefined for any other name. */
export function parsePageName(name: string): { page: number; variant: Variant } | undefined {
  const [, number = "", ending] = /^(\d+)\.json(\.br|\.gz)?$/.exec(name) ?? [];
  const page = pageNumber(number);
  const variant = ending === ".br" ? "br" : ending === ".gz" ? "gzip" : "identity";
  return page === undefined ? undefined : { page, variant };
}

/** Pages in one folder: its path, and the numbers of its pages. */
export interface PageFolder {
  path: string;
  first: number;
  pages: number;
}

/** The paths of numbered page files. */
export interface NumberedPaths {
  /** The path of page `page` (from 1), relative to the folder that lists the digests. */
  path(page: number, variant?: Variant): string;
  /** The reverse of `path`; undefined for any other file. */
  find(path: string): { page: number; variant: Variant } | undefined;
  /** The folders of so many pages, in the order of the numbers. */
  folders(pages: number): Iterable<PageFolder>;
  /** Characters of the shortest path of a page. */
  readonly shortest: number;
}

/** The paths of a release's page files, in `pages/` below the path of its listing. */
export class PagePaths implements NumberedPaths {
  /** `v1/stations/pages`, or `pages` */
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

  folders(pages: number): PageFolder[] {
    return pages > 0 ? [{ path: this.folder, first: 1, pages }] : [];
  }

  get shortest(): number {
    return this.path(1).length;
  }
}

/** A value of a view: the segment of its URL, and its number of records. */
export interface ViewFolder {
  segment: string;
  records: number;
}

/**
 * The paths of a view's page files, relative to `views/`: `country/DE/pages/7.json`. Pages are numbered on through all values.
 * A view without values has one folder, whose segment is empty: `-height/pages/7.json`.
 */
export class ViewPaths implements NumberedPaths {
  /** The number of all pages. */
  readonly pages: number;
  readonly shortest: number;
  /** The number of the first page of each value. */
  readonly #first: number[] = [];
  readonly #numbers = new Map<string, number>();

  /** @param values in the order in which their pages are numbered */
  constructor(
    readonly view: string,
    readonly values: readonly ViewFolder[],
    private readonly pageSize: number,
  ) {
    let next = 1;
    for (const [at, { segment, records }] of values.entries()) {
      this.#first.push(next);
      this.#numbers.set(segment, at);
      next += pagesFor(records, pageSize);
    }
    this.pages = next - 1;
    const folders = values.map(({ segment }) => viewPageFolder(view, segment).length);
    this.shortest =
      folders.reduce((least, length) => Math.min(least, length), Number.POSITIVE_INFINITY) + "/1.json".length;
  }

  path(page: number, variant: Variant = "identity"): string {
    const { segment, page: own } = this.locate(page);
    return `${viewPageFolder(this.view, segment)}/${pageName(own, variant)}`;
  }

  /** The segment of the value that has page `page`, empty without values, and the page's number among those of the value. */
  locate(page: number): { segment: string; page: number } {
    const at = this.#valueOf(page);
    return { segment: this.values[at]?.segment ?? "", page: page - (this.#first[at] ?? 1) + 1 };
  }

  find(path: string): { page: number; variant: Variant } | undefined {
    if (!path.startsWith(`${this.view}/`)) return undefined;
    const [, segment = "", name = ""] = /^(?:(.+)\/)?pages\/([^/]+)$/.exec(path.slice(this.view.length + 1)) ?? [];
    const found = parsePageName(name);
    const page = found && this.number(segment, found.page);
    return page === undefined || !found ? undefined : { page, variant: found.variant };
  }

  /** The number of a value's page, which is numbered from 1; undefined if there is no such page. */
  number(segment: string, page: number): number | undefined {
    const at = this.#numbers.get(segment);
    const { records } = this.values[at ?? -1] ?? {};
    if (at === undefined || records === undefined || page > pagesFor(records, this.pageSize)) return undefined;
    return (this.#first[at] ?? 1) + page - 1;
  }

  /** Whether a value has this segment. */
  has(segment: string): boolean {
    return this.#numbers.has(segment);
  }

  *folders(): Generator<PageFolder> {
    for (const [at, { segment, records }] of this.values.entries())
      yield {
        path: viewPageFolder(this.view, segment),
        first: this.#first[at] ?? 1,
        pages: pagesFor(records, this.pageSize),
      };
  }

  /** The index of the value that has page `page`. */
  #valueOf(page: number): number {
    let low = 0;
    let high = this.#first.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#first[middle] ?? 1) <= page) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The folder of the pages of a value, in `views/`. @param segment empty for a view without values */
function viewPageFolder(view: string, segment: string): string {
  return segment === "" ? `${view}/pages` : `${view}/${segment}/pages`;
}

/** The path of a value's pages below the base URL, as a listing has one: `/views/country/DE/`. */
export function viewPath(view: string, segment: string): string {
  return `/${VIEWS_FOLDER}/${view}/${segment === "" ? "" : `${segment}/`}`;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  [".json", CONTENT_TYPE],
  [".svg", "image/svg+xml"],
  [".xml", `${FEED_TYPE}; charset=utf-8`],
  [".gz", "application/gzip"],
  [".parquet", "application/vnd.apache.parquet"],
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
]);

/** Keeps other sites from showing the explorer in a frame, and search engines from listing it. */
const EXPLORER_HEADERS = { "Content-Security-Policy": "frame-ancestors 'none'", "X-Robots-Tag": "noindex" } as const;

/** Files that change with the current snapshot. Caches must revalidate them at each request. */
const CURRENT_STATE: readonly string[] = [
  SNAPSHOT,
  SUMS,
  SIGNATURE,
  CHANGES,
  BULK,
  DATA_PACKAGE,
  VIEWS,
  EXPLORER,
  FEED,
];

/** True also for the explorer's files, so that an old script never runs in a new web page. */
function mustRevalidate(path: string): boolean {
  const isOfExplorer = path.startsWith(`${EXPLORER_FOLDER}/`) && !isSorted(path);
  return CURRENT_STATE.includes(path) || isOfExplorer || isViewIndex(path) || isViewSums(path);
}

type FileHeaders = Readonly<Record<"Content-Type" | "Cache-Control", string> & Record<string, string>>;

/** The headers of a file that is not a page. @param cacheControl for files that caches need not revalidate. */
export function fileHeaders(path: string, cacheControl: string): FileHeaders {
  return {
    "Content-Type": TYPES.get(extname(path)) ?? "text/plain; charset=utf-8",
    "Cache-Control": mustRevalidate(path) ? NO_CACHE : cacheControl,
    ...(path === EXPLORER ? EXPLORER_HEADERS : {}),
  };
}
