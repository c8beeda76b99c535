/** Opens a published listing: one page, all pages, all records, copies. */
import { normalBaseUrl } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import { type ListingError, type Position, usage } from "./errors.js";
import { findProved } from "./find-snapshot.js";
import { checked, KEY, OPTIONS, TEXT } from "./option-checks.js";
import type { ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import { createRequests } from "./requests.js";
import type { FindOptions, Host, ProvedView, SnapshotView } from "./snapshot.js";
import { createWalk, type PageSource } from "./walk.js";

/**
 * Opens a listing that Rollcall has published, or any in the same form. Sends no request yet.
 * @param baseUrl where it is published: `https://directory.example.com`.
 * @throws ListingError (usage) for a value that is not a base URL, and for options that are not allowed.
 */
export function openListing<T = User>(baseUrl: string | URL, options: ListingOptions = {}): OpenListing<T> {
  const url = parseBase(String(baseUrl));
  const {
    publicKey = [],
    maxAgeMs,
    requireSignature,
    signal,
    concurrency = 8,
    memoryBytes = 2 ** 26,
    timeoutMs = 30_000,
    fetch = (...given: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...given),
    pausesMs = [250, 1000, 3000],
    unproved,
    onUnproved,
    path: pathWithoutProof,
  } = checked(url, options, OPTIONS.openListing);
  if (!publicKey.length && (requireSignature || maxAgeMs))
    throw usage(url, "has no publicKey, which requireSignature and maxAgeMs need");
  const find = async (how: FindOptions): Promise<SnapshotView> => {
    const { view } = host;
    let why: ListingError | undefined;
    if (view?.proof !== "none") {
      try {
        host.view = await findProved(host, view as ProvedView | undefined, how);
        delete host.gone;
        return host.view;
      } catch (error) {
        why = error as ListingError;
        // A listing that was proved once is never read without proof.
        if (view || !unproved || why?.code !== "unproved") throw error;
      }
    }
    host.view = await (await lazy()).unprovedView(host, pathWithoutProof, how.signal);
    if (why) onUnproved?.(why);
    return host.view;
  };
  const host: Host = {
    baseUrl: url,
    requests: createRequests({ fetch, signal, timeoutMs, pausesMs }),
    keys: [publicKey].flat(),
    maxAgeMs,
    concurrency,
    pageBytes: Math.floor(memoryBytes / concurrency),
    partBytes: memoryBytes / 2,
    find,
    finding: new Map(),
  };

  const before = async (after: Position, snapshot: Snapshot) => (await lazy()).recordsBefore(after, snapshot, url);
  const walk = <R>(
    how: ListingWalkOptions,
    read: (from: Lazy, view: SnapshotView, signal: AbortSignal) => PageSource<R> | Promise<PageSource<R>>,
  ) => createWalk({ url, find, before, source: async (view, signal) => read(await lazy(), view, signal) }, how);

  return {
    baseUrl: url,
    get proof() {
      return host.view?.proof;
    },
    snapshot: async (how = {}) => (await find(checked(url, how, OPTIONS.call))).snapshot,
    contract: async (how = {}) => (await lazy()).contractOf(host, checked(url, how, OPTIONS.call)),
    file: async (path, how = {}) => (await lazy()).readListedFile(host, path, checked(url, how, OPTIONS.call)),
    page: async (number, how = {}) => (await lazy()).readOnePage<T>(host, number, checked(url, how, OPTIONS.call)),
    async get(key, how = {}) {
      checked(url, { key }, { key: KEY });
      return (await lazy()).getRecord<T>(host, key, checked(url, how, OPTIONS.call));
    },
    find(text, how = {}) {
      checked(url, { text }, { text: TEXT });
      checked(url, how, OPTIONS.find);
      const search = async (to: FindOptions) => (await lazy()).searchOf<T>(host, { ...how, text }, to);
      return createWalk({ url, find: search, before, source: (view, from) => view.source(from) }, how);
    },
    pages: (how = {}) =>
      walk(checked(url, how, OPTIONS.pages), (from, view, signal) => from.wholePages<T>(host, view, signal)),
    records: (how = {}) =>
      walk(checked(url, how, OPTIONS.records), (from, view, signal) =>
        from.recordSource<T>(host, view, how.via, signal),
      ),
    sync: async (store, how = {}) => (await lazy()).sync(host, store, checked(url, how, OPTIONS.sync)),
  };
}

const lazy = () => import("./lazy.js");
type Lazy = Awaited<ReturnType<typeof lazy>>;

/** Normalises a base URL, which has no credentials, query or fragment. */
function parseBase(text: string): string {
  try {
    // For non-ASCII URLs, URL.canParse is wrong in Node 20 and 22, see canParse in contract/links.ts.
    if (/^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  } catch {}
  // Of the URL of a page, all before the listing's path.
  const [base = "https://directory.example.com"] = /^https?:..[^/?#@]+(\/.*?)??(?=\/api\/|[?#])/i.exec(text) ?? [];
  throw usage(text.replace(/\/\/.*@/, "//...@"), `is not a base URL such as ${base.replace(/\/$/, "")}`);
}
