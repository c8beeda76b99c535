/** Types of options and results of the client. */
import type { ContractFile } from "../core/contract/file/form.js";
import type { Page } from "../core/contract/page.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import type { User } from "../core/contract/user.js";
import type { Position, SnapshotChangedError } from "./errors.js";
import type { Store } from "./sync/store.js";

/** Options of `openListing`. */
export interface ListingOptions {
  /**
   * minisign public keys: `RW...`, or the text of a .pub file. A valid signature by any one of them, for this base URL, is
   * required. A key that is given as undefined is refused, and so is an empty list.
   */
  publicKey?: string | readonly string[];
  /** True: `publicKey` is required, so that nothing is read unsigned by mistake. */
  requireSignature?: boolean | undefined;
  /** With `publicKey`: maximum age of the signature. */
  maxAgeMs?: number | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Aborts everything that the listing does. */
  signal?: AbortSignal | undefined;
  /** Maximum parallel requests; 8 by default. */
  concurrency?: number | undefined;
  /**
   * Maximum bytes of pages, parts or a file in memory; 64 MiB by default. A page may have this divided by `concurrency`, a part
   * half of this.
   */
  memoryBytes?: number | undefined;
  /** Timeout of a request with its body, and of each chunk of a stream; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Pauses before retries of wrong answers; 250, 1000 and 3000 by default. */
  pausesMs?: readonly number[] | undefined;
  /** True: a host without SHA256SUMS is read without verification, and `proof` is "none" then. Not with `publicKey`. */
  unproved?: boolean | undefined;
  /** For a host without SHA256SUMS: the listing's path below the base URL. Default: that of contract.json, else `/api/users/`. */
  path?: string | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts this call. */
  signal?: AbortSignal | undefined;
}

/** Options of walks. */
export interface ListingWalkOptions extends CallOptions {
  /** Continue after a position of another walk, possibly of another process. The listing must still have the same state. */
  after?: Position | undefined;
  /** Begin again, a few times, when the listing switches to another snapshot. Discard earlier items then. */
  restart?: boolean | undefined;
  /** Called before a walk begins again. */
  onRestart?: ((why: SnapshotChangedError) => void) | undefined;
}

/** Options of `records`. */
export interface RecordOptions extends ListingWalkOptions {
  /** By pages (default), or by the few large files of a release with --bulk. */
  via?: "pages" | "bulk" | undefined;
}

/** Options of `find`. */
export interface SearchOptions extends ListingWalkOptions {
  /**
   * `names` (default): every word of the text is a word of the record's names; the last one may be a prefix. `key`: the
   * record's key begins with the text.
   */
  by?: "names" | "key" | undefined;
}

/** A verified page. */
export interface ListedPage<T> {
  /** From 1. */
  number: number;
  /** The page's bytes, which match its digest. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The parsed page. */
  page: Page<T>;
}

/**
 * An iterator of records or pages, each once, in order, of one snapshot. After an error, `next()` retries the same item.
 * `return()`, which leaving a `for await` calls, aborts pending requests.
 */
export interface Walk<R> extends AsyncIterableIterator<R, undefined> {
  /** The position after the last returned item. */
  readonly position: Position;
  /** The snapshot of the walk; undefined before the first answer. */
  readonly snapshot: Snapshot | undefined;
  /** Number of restarts. */
  readonly restarts: number;
}

/** A value of a view. A part of a date is a text: `2026`, `2026-01`. */
export type ViewValue = string | number | boolean | null;

/** A view of a listing: its records by the values of a field, or in another order. */
export interface ListingView {
  name: string;
  /** The path of the field; undefined for a view of all records. */
  by?: string | undefined;
  part?: "year" | "month" | undefined;
  /** The fields of its order, with `-` before descending ones. Without it, records are in published order. */
  order?: readonly string[] | undefined;
  /** Number of values; undefined for a view of all records. */
  values?: number | undefined;
  /** Number of pages of all values. */
  pages: number;
}

/** The records of a value of a view, or all in its order. A value that no record has has 0 records and no pages. */
export interface OpenView<T> {
  /** Reads the number of records. */
  count(options?: CallOptions): Promise<number>;
  /** Reads a page, from 1. @throws SnapshotChangedError if the listing has switched; the next call reads the new snapshot. */
  page(number: number, options?: CallOptions): Promise<Page<T>>;
  /** Walks over pages with their bytes. */
  pages(options?: ListingWalkOptions): Walk<ListedPage<T>>;
  /** Walks over all records. */
  records(options?: ListingWalkOptions): Walk<T>;
}

/** Options of `sync`. */
export interface SyncOptions extends CallOptions {
  /** Called repeatedly, and at the end, with the number of records put or removed. */
  onProgress?: ((done: { records: number; total: number }) => void) | undefined;
}

/** Result of `sync`. */
export interface SyncResult {
  /** State before; undefined for a new copy. */
  from: string | undefined;
  /** State now: the SHA-256 of records.sha256, computed from the copy. */
  state: string;
  /** Number of records in the copy. */
  count: number;
  /** What was read: nothing (no changes), the steps from `from` to `state`, or everything by bulk parts or pages. */
  via: "nothing" | "changes" | "bulk" | "pages";
  /** Numbers of records put and removed. */
  put: number;
  removed: number;
  /** Why everything was read although the release has steps. */
  anew?: string | undefined;
}

/** Options of `openSite`, and of each of its listings. */
export type SiteOptions = Omit<ListingOptions, "unproved" | "path">;

/** A listing of a site. */
export interface SiteListing {
  /** Its path below the site's base URL: `orders`, `v1/orders`. */
  name: string;
  /** The id of its snapshot. */
  id: string;
  /** Number of records. */
  count: number;
  pages: number;
  /** The SHA-256 of its records.sha256. */
  state: string;
}

/** A published site, returned by `openSite`: several listings, as of one point in time. */
export interface OpenSite {
  /** Normalised: `https://example.com/shop`, without a slash at its end. */
  readonly baseUrl: string;
  /** How the list of listings is verified; undefined before the first answer. */
  readonly proof: "signature" | "digests" | undefined;
  /** The listings of the site's snapshot. */
  listings(options?: CallOptions): Promise<SiteListing[]>;
  /**
   * Opens a listing of the site's snapshot. Sends no request. Its calls throw a ListingError (changed) if the host has it of
   * another snapshot of the site.
   */
  listing<T = User>(name: string): OpenListing<T>;
  /** @throws ListingError (changed) if the site has another snapshot. */
  requireCurrent(options?: CallOptions): Promise<void>;
}

/** A published listing, returned by `openListing`. */
export interface OpenListing<T = User> {
  /** Normalised: `https://example.com/directory`, without a slash at its end. */
  readonly baseUrl: string;
  /** How data is verified; undefined before the first answer. */
  readonly proof: "signature" | "digests" | "none" | undefined;
  /** Reads snapshot.json from the host. Other calls use the snapshot of the last call. */
  snapshot(options?: CallOptions): Promise<Snapshot>;
  /** Reads the contract of the records. */
  contract(options?: CallOptions): Promise<ContractFile>;
  /** Reads a page, from 1. @throws SnapshotChangedError if the listing has switched; the next call reads the new snapshot. */
  page(number: number, options?: CallOptions): Promise<Page<T>>;
  /** Reads a file that SHA256SUMS lists, such as `openapi.json`, of at most `memoryBytes`. */
  file(path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads a file of any size, such as `records.csv.gz`. Its bytes are verified at the end: if they do not match, the stream ends
   * with a ListingError (mismatch), so use them only after it has ended without an error.
   */
  stream(path: string, options?: CallOptions): ReadableStream<Uint8Array<ArrayBuffer>>;
  /**
   * Reads the record with a key, in at most three requests; undefined if there is none. Only for releases with --lookup.
   * @throws SnapshotChangedError if the listing has switched; the next call reads the new snapshot.
   */
  get(key: string | number, options?: CallOptions): Promise<T | undefined>;
  /**
   * Finds records by words of their names, in published order. Case and accents are ignored. Only for releases with --lookup;
   * only pages that may have matches are read. A text without words finds nothing.
   */
  find(text: string, options?: SearchOptions): Walk<T>;
  /** Walks over pages with their bytes. A walk that continues within a page begins with that page. */
  pages(options?: ListingWalkOptions): Walk<ListedPage<T>>;
  /** Walks over all records. */
  records(options?: RecordOptions): Walk<T>;
  /** Reads the list of views. Only for releases with --views. */
  views(options?: CallOptions): Promise<ListingView[]>;
  /** Reads the values of a view by a field, each with its number of records. */
  values(view: string, options?: CallOptions): Promise<[value: ViewValue, records: number][]>;
  /**
   * Opens a view: `view("country", "DE")`, `view("-height")`. Sends no request.
   * @param value of the field; none for a view of all records.
   */
  view(name: string, ...value: [] | [value: ViewValue]): OpenView<T>;
  /**
   * Brings a copy to the listing's current state, by steps if possible, otherwise by reading everything. The result is verified
   * from the copy's content. @throws ListingError if that fails; then the copy is unchanged.
   */
  sync(store: Store<T>, options?: SyncOptions): Promise<SyncResult>;
}
