/** The files of a release, in the order in which they are published. */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Snapshot } from "../core/contract/snapshot.js";
import { UserError } from "../core/errors.js";
import {
  BULK,
  CHANGES,
  DATA_PACKAGE,
  EXPLORER,
  FEED,
  isViewIndex,
  isViewSums,
  LOOKUP,
  type PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMMARY,
  type Variant,
  VIEWS,
  VIEWS_FOLDER,
  ViewPaths,
} from "../core/release/layout.js";
import { type ListingLocation, locationOf } from "../core/release/location.js";
import { hashPlain } from "../core/release/plain-files.js";
import { type ListedFolder, partsOf, pathInSite, type Site } from "../core/release/site.js";
import { encodeSums, type PageDigests } from "../core/release/sums.js";

export interface PublishedFile {
  /** Its number in the order of publishing, from 0. */
  index: number;
  /** Its path inside the release, with `/`. */
  path: string;
  /** Its path inside the folder of its listing. */
  inside: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
  /** Undefined for a file that is not a page. */
  variant: Variant | undefined;
}

/** The pages of a listing or of a view. */
interface PageSet {
  /** Their paths in the folder `prefix`. */
  paths: PagePaths | ViewPaths;
  digests: PageDigests;
  /** The number of the first file. */
  begin: number;
  /** The folder of the listing inside the release and a slash, or empty for a plain release; of a view, that of its listing's views. */
  prefix: string;
}

/** The pages of a listing, or of a value of a view. */
export interface PagesAt {
  /** Their path below the base URL, as a listing has one: `/v1/stations/`, `/views/country/DE/`. */
  path: string;
  pages: number;
}

/** A file that is not a page. */
type OtherFile = Omit<PublishedFile, "path" | "variant">;

/** Files that refer to others, and that SHA256SUMS lists, in the order in which they are put. */
const ANNOUNCING: readonly string[] = [LOOKUP, SUMMARY, CHANGES, BULK, DATA_PACKAGE, VIEWS];

/** Whether a file refers to others, and SHA256SUMS lists it. */
function isAnnouncing(inside: string): boolean {
  return ANNOUNCING.includes(inside) || isViewIndex(inside) || isViewSums(inside);
}

/** Its number in the order in which files that refer to others are put: the files of each view come before the list of views. */
function rankOf(inside: string): number {
  const rank = ANNOUNCING.indexOf(inside);
  return rank < 0 ? ANNOUNCING.indexOf(VIEWS) - 0.5 : rank;
}

/** Files that readers begin with. They are put last. */
const ENTRANCES: readonly string[] = [SNAPSHOT, EXPLORER, FEED];

/**
 * The files of a release that are published: of each listing, and at the top of a site, SHA256SUMS, its signature, and all that
 * it lists. Numbers of pages are computed, so memory does not grow with the number of pages.
 *
 * The order is: other files, pages, then for each listing lookup/index.json, explorer/summary.json, changes.json, bulk.json,
 * datapackage.json, views/*.json and views/*.sha256, views.json, SHA256SUMS, its signature, snapshot.json, index.html, feed.xml, and at last those at the top of a site. Each of the last ones refers to
 * files before it, so these are put first. The explorer comes after snapshot.json, because it needs that and its own scripts.
 * Pages go from the last to the first: where the newest records come first, new ones push older ones to later pages, and a
 * reader in between sees a record twice but misses none.
 */
export class ReleaseFiles {
  readonly folder: string;
  readonly id: string;
  /** The base URL, and the path of the listing; see `locationOf`. */
  readonly location: ListingLocation;
  /** The form of page URLs, the same in all listings. */
  readonly links: Snapshot["links"];
  readonly pages: readonly PageSet[];
  /** Paths of all files that are not pages. */
  readonly others: readonly string[];
  readonly length: number;
  /** The number of the first file that refers to others. */
  readonly announcing: number;
  readonly #first: readonly string[];
  readonly #last: readonly string[];
  readonly #others = new Map<string, OtherFile>();
  /** Listings by the folder of their pages, and views by their own. */
  readonly #byFolder: ReadonlyMap<string, PageSet>;

  /** @throws UserError if SHA256SUMS lists a path that may not be published. */
  constructor(site: Site) {
    this.folder = site.folder;
    this.id = site.id;
    this.location = locationOf(site);
    this.links = site.listings[0]?.release.snapshot.links ?? "query";
    const first: string[] = [];
    const last: string[] = [];
    const add = (paths: string[], part: ListedFolder, inside: string, digest = "") => {
      const path = pathInSite(part.name, inside);
      // The top of a site lists the SHA256SUMS of each listing, too.
      if (this.#others.has(path)) return;
      if (!isPublishable(path))
        throw new UserError(`SHA256SUMS lists ${JSON.stringify(path)}, which is not a valid file name; build again.`);
      this.#others.set(path, { index: paths.push(path) - 1, inside, digest });
    };
    for (const part of partsOf(site)) {
      const { others } = part.sums;
      for (const [inside, digest] of others)
        if (!isAnnouncing(inside) && !ENTRANCES.includes(inside)) add(first, part, inside, digest);
      const announcing = [...others.keys()].filter(isAnnouncing).sort((one, other) => rankOf(one) - rankOf(other));
      for (const inside of announcing) add(last, part, inside, others.get(inside));
      for (const inside of part.unlisted) add(last, part, inside, digestOfUnlisted(this.folder, part, inside));
      for (const inside of ENTRANCES) if (others.has(inside)) add(last, part, inside, others.get(inside));
    }
    let begin = first.length;
    this.pages = site.listings.flatMap(({ name, release: { sums, views } }) => {
      const prefix = pathInSite(name, "");
      const sets = [
        { ...sums, prefix },
        ...views.map((view) => ({ ...view.sums, prefix: `${prefix}${VIEWS_FOLDER}/` })),
      ];
      return sets.map(({ paths, pages: digests, prefix }): PageSet => {
        const set = { paths, digests, begin, prefix };
        begin += digests.pages * digests.variants.length;
        return set;
      });
    });
    this.announcing = begin;
    for (const path of last) {
      const file = this.#others.get(path);
      if (file) file.index += begin;
    }
    this.length = begin + last.length;
    this.others = [...first, ...last];
    this.#first = first;
    this.#last = last;
    this.#byFolder = new Map(this.pages.map((set) => [set.prefix + folderOf(set.paths), set]));
  }

  /** The file with a number. */
  at(index: number): PublishedFile {
    const path = this.#first[index] ?? this.#last[index - this.announcing];
    const other = path === undefined ? undefined : this.#others.get(path);
    if (path !== undefined && other) return { ...other, path, variant: undefined };
    const { paths, digests, begin, prefix } = this.pages.findLast((set) => set.begin <= index) as PageSet;
    const { pages, variants } = digests;
    const page = pages - Math.floor((index - begin) / variants.length);
    const variant = variants[(index - begin) % variants.length] as Variant;
    const inside = paths.path(page, variant);
    return { index, path: prefix + inside, inside, digest: digests.get(page, variant) ?? "", variant };
  }

  /** The digest of a file; undefined if the release has no such file. */
  digestOf(path: string): string | undefined {
    const index = this.indexOf(path);
    return index === undefined ? undefined : this.at(index).digest;
  }

  /** The number of a file; undefined if the release has no such file. */
  indexOf(path: string): number | undefined {
    const other = this.#others.get(path);
    if (other) return other.index;
    const set = this.#setOf(path);
    const found = set?.paths.find(path.slice(set.prefix.length));
    if (!set || !found) return undefined;
    const { pages, variants } = set.digests;
    const variant = variants.indexOf(found.variant);
    if (variant < 0 || found.page > pages) return undefined;
    return set.begin + (pages - found.page) * variants.length + variant;
  }

  /** The listing or view that has the folder of a page: `pages`, or `country/DE/pages` of the view `country`. */
  #setOf(path: string): PageSet | undefined {
    let folder = dirname(path);
    for (let levels = 0; levels < 3; levels++, folder = dirname(folder)) {
      const set = this.#byFolder.get(folder);
      if (set) return set;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<PublishedFile> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  /** The error for a file that does not match its digest. */
  damaged(path: string): UserError {
    return new UserError(
      `Release ${basename(this.folder)} is damaged: ${path} does not match its digest. Build again, or publish another one with --release.`,
    );
  }
}

/** The folder by which a page's set is found: of the pages of a listing, or of a view with all its values. */
function folderOf(paths: PagePaths | ViewPaths): string {
  return paths instanceof ViewPaths ? paths.view : paths.folder;
}

/** The pages of a set by their paths below the base URL. */
export function* pagesAt({ paths, digests, prefix }: PageSet): Generator<PagesAt> {
  if (paths instanceof ViewPaths)
    for (const folder of paths.folders())
      yield { path: `/${prefix}${folder.path.slice(0, -"pages".length)}`, pages: folder.pages };
  else yield { path: `/${prefix}${paths.listing.slice(1)}`, pages: digests.pages };
}

/** The digest of SHA256SUMS or its signature. */
function digestOfUnlisted(folder: string, { name, sums }: ListedFolder, inside: string): string | undefined {
  if (inside === SIGNATURE) return hashPlain(join(folder, name, SIGNATURE));
  const hash = createHash("sha256");
  for (const text of encodeSums(sums)) hash.update(text);
  return hash.digest("hex");
}

/** Whether readers begin with a file: snapshot.json, the explorer, or the feed. */
export function isEntrance(path: string): boolean {
  return ENTRANCES.includes(basename(path));
}

/** The beginning of names of Rollcall's own files in a target. A release has no such file. */
export const OWN_PREFIX = ".rollcall-";

/**
 * Whether a path may be written or removed in a target: it must not lead out of the target, or have a part that is `.git` or
 * the name of one of Rollcall's own files.
 */
export function isPublishable(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase()) && !part.startsWith(OWN_PREFIX))
  );
}
