/** Opens a published listing: single pages, walks over pages and records, lookups, copies. */
import { normalBaseUrl } from "../contract/links.js";
import { PAGE_BYTES } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import { type Position, usage } from "./errors.js";
import { CALL, checked, WALK } from "./option-checks.js";
import type { CallOptions, ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import { type Bytes, createRequests } from "./requests.js";
import type { FindOptions, Host, SnapshotView } from "./snapshot.js";
import { createWalk, type PageSource } from "./walk.js";

/** Parallel requests by default. */
const CONCURRENCY = 8;

/**
 * Opens a listing that Rollcall has published, or any in the same format. Sends no request.
 * @param baseUrl the base URL: `https://directory.example.com`.
 * @throws ListingError (usage) for a wrong base URL or option.
 */
export function openListing<T = User>(baseUrl: string | URL, given: ListingOptions = {}): OpenListing<T> {
  const url = parseBase(String(baseUrl));
  // A copy, since the caller may change the object.
  const options = { ...checked(url, given, OPTIONS) };
  const { publicKey = [], concurrency = CONCURRENCY, memoryBytes = CONCURRENCY * PAGE_BYTES } = options;
  if (!publicKey.length && (options.requireSignature || options.maxAgeMs))
    throw usage(url, "cannot be read with requireSignature or maxAgeMs, but without publicKey");
  const host: Host = {
    baseUrl: url,
    options,
    requests: createRequests(options),
    keys: [publicKey].flat(),
    concurrency,
    pageBytes: Math.floor(memoryBytes / concurrency),
    partBytes: memoryBytes / 2,
    finding: new Map(),
  };
  /** Checks the options of a call, and loads the reading code. */
  const withOptions = async (how: CallOptions) => {
    checked(url, how, CALL);
    return lazy();
  };
  const find = async (how: FindOptions) => (await lazy()).findView(host, how);
  const before = async (after: Position, snapshot: Snapshot) => (await lazy()).recordsBefore(after, snapshot, url);
  const walk = <R, B = Bytes>(
    how: ListingWalkOptions,
    read: (from: Lazy, view: SnapshotView, signal: AbortSignal) => PageSource<R, B> | Promise<PageSource<R, B>>,
    findFirst = find,
  ) =>
    createWalk({ url, find: findFirst, before, source: async (view, signal) => read(await lazy(), view, signal) }, how);

  return {
    baseUrl: url,
    get proof() {
      return host.view?.proof;
    },
    snapshot: async (how = {}) => (await (await withOptions(how)).findView(host, how)).snapshot,
    contract: async (how = {}) => (await withOptions(how)).contractOf(host, how),
    file: async (path, how = {}) => (await withOptions(how)).readListedFile(host, path, how),
    page: async (number, how = {}) => (await withOptions(how)).readOnePage<T>(host, number, how),
    async get(key, how = {}) {
      checked(url, { key }, "key");
      return (await withOptions(how)).getRecord<T>(host, key, how);
    },
    find(text, how = {}) {
      checked(url, { text }, "text");
      checked(url, how, `${WALK} by isWhole also`);
      return walk(
        how,
        (from, view, signal) => from.searchSource<T>(host, view, { ...how, text }, signal),
        async ({ signal, isPast }) => (await lazy()).latestView(host, signal, isPast),
      );
    },
    pages: (how = {}) => walk(checked(url, how, WALK), (from, view, signal) => from.wholePages<T>(host, view, signal)),
    records: (how = {}) =>
      walk(checked(url, how, `${WALK} via`), (from, view, signal) => from.recordSource<T>(host, view, how.via, signal)),
    sync: async (store, how = {}) => {
      checked(url, how, `${CALL} onProgress`);
      return (await lazy()).sync(host, store, how);
    },
  };
}

const lazy = () => import("./lazy.js");
type Lazy = Awaited<ReturnType<typeof lazy>>;

const OPTIONS =
  "publicKey maxAgeMs requireSignature fetch signal concurrency memoryBytes timeoutMs pausesMs unproved onUnproved path";

/** Normalises a base URL, which has no credentials, query or fragment. */
function parseBase(text: string): string {
  try {
    // For non-ASCII URLs, URL.canParse is wrong in Node 20 and 22, see canParse in contract/links.ts.
    if (/^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  } catch {}
  // Suggest the part before the listing's path.
  const [base = "https://directory.example.com"] = /^https?:..[^/?#@]+(\/.*?)??(?=\/api\/|[?#])/i.exec(text) ?? [];
  throw usage(text.replace(/\/\/.*@/, "//...@"), `is not a base URL such as ${base.replace(/\/$/, "")}`);
}
