/** What a reader may ask of a listing, and what it gets. */
import type { ContractFile } from "../contract/file/form.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import type { ListingError, Position, SnapshotChangedError } from "./errors.js";
import type { Store } from "./sync/store.js";

/** How a listing is read. */
export interface ListingOptions {
  /**
   * minisign public keys: `RW...`, or the text of a .pub file. Any one of them may have signed. With a key, nothing is
   * trusted that is not reached from a valid signature of a release of this base URL. A key that is given and undefined
   * is refused, as an empty list is.
   */
  publicKey?: string | readonly string[];
  /** True: an error without `publicKey`, so that nothing is read unsigned by mistake. */
  requireSignature?: boolean | undefined;
  /** With `publicKey`: a signature older than this is refused. */
  maxAgeMs?: number | undefined;
  /** Used instead of the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Ends everything that the listing does. */
  signal?: AbortSignal | undefined;
  /** Requests at once; 8 unless given. */
  concurrency?: number | undefined;
  /** Bytes of pages, or parts, that are under way together; 64 MiB unless given. A page may have its share by `concurrency`. */
  memoryBytes?: number | undefined;
  /** What one request with its body may take; 30,000 unless given. */
  timeoutMs?: number | undefined;
  /** How long to wait before each further try when what came does not fit; 250, 1000 and 3000 unless given. */
  pausesMs?: readonly number[] | undefined;
  /** True: a host without SHA256SUMS is read all the same, without proof. Not with `publicKey`. */
  unproved?: boolean | undefined;
  /** Told once where the listing is read without proof, with what there is no proof of. */
  onUnproved?: ((error: ListingError) => void) | undefined;
  /** Only for a host without proof: the path of its listing below the base URL; `/api/users/`, or what its contract.json says. */
  path?: string | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends this call. */
  signal?: AbortSignal | undefined;
}

/** How a listing is walked. */
export interface ListingWalkOptions extends CallOptions {
  /** Go on behind a position of another walk, of another process even. The listing must still hold the same records. */
  after?: Position | undefined;
  /** Begin again, a few times, when the listing moves to another snapshot. What was handed out before is void then. */
  restart?: boolean | undefined;
  /** Told before a walk begins again. */
  onRestart?: ((why: SnapshotChangedError) => void) | undefined;
}

/** How records are read. */
export interface RecordOptions extends ListingWalkOptions {
  /** Page by page, which is the default, or from the few large files of a release that was built with --bulk. */
  via?: "pages" | "bulk" | undefined;
}

/** How records are looked for. */
export interface SearchOptions extends ListingWalkOptions {
  /**
   * `names`, unless given: every word of the text is a word of the record's names, the last one perhaps only as its
   * beginning. `key`: the record's key begins with the text.
   */
  by?: "names" | "key" | undefined;
}

/** A page as it was published, proved. */
export interface ListedPage<T> {
  /** From 1. */
  number: number;
  /** The page's bytes, which were compared with its digest. */
  bytes: Uint8Array<ArrayBuffer>;
  /** What they say. */
  page: Page<T>;
}

/**
 * Records or pages, each once, in order, all of one snapshot. After an error, `next()` asks for the same again. `return()`,
 * which leaving a `for await` calls, ends what is under way.
 */
export interface Walk<R> extends AsyncIterableIterator<R, undefined> {
  /** Behind what was handed out last. */
  readonly position: Position;
  /** Which snapshot that is of; undefined before the first answer. */
  readonly snapshot: Snapshot | undefined;
  /** How often it began again. */
  readonly restarts: number;
}

/** How a copy is brought up to date. */
export interface SyncOptions extends CallOptions {
  /** Told now and then, and when all is read: how many records were put or removed, of how many. */
  onProgress?: ((done: { records: number; total: number }) => void) | undefined;
}

/** What was done to a copy. */
export interface SyncResult {
  /** What it held before; undefined for one that was never filled. */
  from: string | undefined;
  /** What it holds now: the SHA-256 of records.sha256, made from what it holds. */
  state: string;
  /** Records that it holds. */
  count: number;
  /** What was read: nothing, since nothing changed; the steps from `from` to `state`; or everything, in parts or by pages. */
  via: "nothing" | "changes" | "bulk" | "pages";
  /** Lines that put a record, and lines that removed one. */
  put: number;
  removed: number;
  /** Why the steps were not enough, where there were some that should have been. */
  anew?: string | undefined;
}

/** A published listing, as `openListing` gives it. */
export interface OpenListing<T = User> {
  /** Normalised: `https://example.com/directory`, without a slash at its end. */
  readonly baseUrl: string;
  /** How what is handed out is proved; undefined before the first answer. */
  readonly proof: "signature" | "digests" | "none" | undefined;
  /** What snapshot.json says, checked; asked for each time. `page()` is of the snapshot that was asked for last. */
  snapshot(options?: CallOptions): Promise<Snapshot>;
  /** The contract that every record was checked against. */
  contract(options?: CallOptions): Promise<ContractFile>;
  /** One page, from 1. @throws SnapshotChangedError when the listing has moved; the next call is of the new snapshot. */
  page(number: number, options?: CallOptions): Promise<Page<T>>;
  /** The bytes of a file that SHA256SUMS lists, such as `openapi.json`, of the snapshot that was asked for last. */
  file(path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The record of a key, by at most three files; undefined where there is none. For releases that were built with --lookup,
   * and of the snapshot that was asked for last. @throws SnapshotChangedError when the listing has moved; the next call is
   * of the new snapshot.
   */
  get(key: string | number, options?: CallOptions): Promise<T | undefined>;
  /**
   * Records by words of their names, in published order, of the snapshot that was asked for last: the words are
   * folded, so that neither case nor accents count. For releases that were built with --lookup; only the pages that may
   * have such records are read. A text without a word finds nothing.
   */
  find(text: string, options?: SearchOptions): Walk<T>;
  /** Each page with its bytes. A walk that goes on within a page begins with that page. */
  pages(options?: ListingWalkOptions): Walk<ListedPage<T>>;
  /** Each record. */
  records(options?: RecordOptions): Walk<T>;
  /**
   * Brings a copy to the state that the listing has now, by steps where they are enough, else by everything. It is proved
   * from what the copy then holds. @throws ListingError when it cannot be; then the copy is as it was.
   */
  sync(store: Store<T>, options?: SyncOptions): Promise<SyncResult>;
}
