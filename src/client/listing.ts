/** Opens a published listing to be read: one page, all pages, all records, proved. */
import { normalBaseUrl } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import type { ListingError } from "./errors.js";
import type { CallOptions, ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import type { Position } from "./position.js";
import { findView } from "./proof/find.js";
import type { FindOptions, Host, ProvedView, SnapshotView } from "./proof/view.js";
import { createRequests } from "./requests.js";
import { CALL, checked, LISTING, usage, WALK } from "./usage.js";
import { createWalk, type WalkStart } from "./walk.js";

/**
 * Opens a listing that Rollcall has published, or any one in the same form. Nothing is asked for yet.
 * @param baseUrl where it is published: `https://directory.example.com`.
 * @throws ListingError (usage) for what is no base URL, and for options that cannot be.
 */
export function openListing<T = User>(baseUrl: string | URL, options: ListingOptions = {}): OpenListing<T> {
  const url = parseBase(String(baseUrl));
  const {
    publicKey = [],
    maxAgeMs,
    signal,
    concurrency = 8,
    memoryBytes = 2 ** 26,
    timeoutMs = 30_000,
  } = checked(url, options, LISTING);
  const { fetch = (input, init) => globalThis.fetch(input, init), pausesMs = [250, 1000, 3000] } = options;
  if (!publicKey.length && (options.requireSignature || maxAgeMs))
    throw usage(url, "cannot be read so without publicKey");
  const requests = createRequests({ fetch, signal, timeoutMs, pausesMs });
  const pageBytes = Math.floor(memoryBytes / concurrency);
  const find = async (how: FindOptions): Promise<SnapshotView> => {
    const { view } = host;
    let why: ListingError | undefined;
    if (view?.proof !== "none") {
      try {
        host.view = await findView(host, view as ProvedView | undefined, how);
        delete host.gone;
        return host.view;
      } catch (error) {
        why = error as ListingError;
        // What was proved once is never read without proof.
        if (view || !options.unproved || why?.code !== "unproved") throw error;
      }
    }
    host.view = await (await more()).unprovedView(host, options.path, how.signal);
    if (why) options.onUnproved?.(why);
    return host.view;
  };
  const host: Host = {
    baseUrl: url,
    requests,
    keys: [publicKey].flat(),
    maxAgeMs,
    atOnce: concurrency,
    pageBytes,
    partBytes: memoryBytes / 2,
    find,
  };

  const before = async (after: Position, snapshot: Snapshot) => (await more()).recordsBefore(after, snapshot, url);
  const walk = <R>(how: ListingWalkOptions, source: WalkStart<R>["source"]) =>
    createWalk({ url, find, before, source }, how);
  const only = (how: CallOptions) => checked(url, how, CALL);

  return {
    baseUrl: url,
    get proof() {
      return host.view?.proof;
    },
    snapshot: async (how = {}) => (await find(only(how))).snapshot,
    contract: async (how = {}) => (await more()).readContractFile(host, only(how)),
    file: async (path, how = {}) => (await more()).readListedFile(host, path, only(how)),
    page: async (number, how = {}) => (await more()).readOnePage<T>(host, number, only(how)),
    async get(key, how = {}) {
      checked(url, { key }, "key (string|number)");
      return (await more()).getRecord<T>(host, key, only(how));
    },
    find(text, how = {}) {
      checked(url, { text }, "text string");
      checked(url, how, `${WALK}|by string (names|key)$|isWhole b|also f`);
      const search = async (to: FindOptions) => (await more()).searchOf<T>(host, { ...how, text }, to);
      return createWalk({ url, find: search, before, source: (view, from) => view.source(from) }, how);
    },
    pages: (how = {}) =>
      walk(checked(url, how, WALK), async (view, from) => (await more()).wholePages<T>(host, view, from)),
    records: ({ via, ...how } = {}) =>
      walk<T>(checked(url, { ...how, via }, `${WALK}|via string (pages|bulk)$`), async (view, from) =>
        (await more()).recordSource<T>(host, view, via, from),
      ),
    sync: async (store, how = {}) => (await more()).sync(host, store, checked(url, how, `${CALL}|onProgress f`)),
  };
}

const more = () => import("./more.js");

/** Normalises it. Credentials, a query and a fragment are part of no base URL. */
function parseBase(text: string): string {
  try {
    // URL.canParse is not asked, for the reason that canParse of links.ts gives.
    if (/^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  } catch {}
  // Of the URL of a page, all before the listing's path.
  const [base = "https://directory.example.com"] = /^https?:..[^/?#@]+(\/.*?)??(?=\/api\/|[?#])/i.exec(text) ?? [];
  throw usage(text.replace(/\/\/.*@/, "//...@"), `is no base URL like ${base.replace(/\/$/, "")}`);
}
