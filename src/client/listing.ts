/** Opens a published listing to be read: one page, all pages, all records, proved. */
import { normalBaseUrl } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import type { ListingError } from "./errors.js";
import type { CallOptions, ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import type { Position } from "./position.js";
import { findGround } from "./proof/find.js";
import type { FindOptions, Ground, Host, ProvedGround } from "./proof/ground.js";
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
  const find = async (how: FindOptions): Promise<Ground> => {
    const { ground } = host;
    let why: ListingError | undefined;
    if (ground?.proof !== "none") {
      try {
        host.ground = await findGround(host, ground as ProvedGround | undefined, how);
        delete host.gone;
        return host.ground;
      } catch (error) {
        why = error as ListingError;
        // What was proved once is never read without proof.
        if (ground || !options.unproved || why?.code !== "unproved") throw error;
      }
    }
    host.ground = await (await rest()).unprovedGround(host, options.path, how.signal);
    if (why) options.onUnproved?.(why);
    return host.ground;
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

  const before = async (after: Position, snapshot: Snapshot) => (await rest()).recordsBefore(after, snapshot, url);
  const walk = <R>(how: ListingWalkOptions, course: WalkStart<R>["course"]) =>
    createWalk({ url, find, before, course }, how);
  const only = (how: CallOptions) => checked(url, how, CALL);

  return {
    baseUrl: url,
    get proof() {
      return host.ground?.proof;
    },
    snapshot: async (how = {}) => (await find(only(how))).snapshot,
    contract: async (how = {}) => (await rest()).readContractFile(host, only(how)),
    file: async (path, how = {}) => (await rest()).readListedFile(host, path, only(how)),
    page: async (number, how = {}) => (await rest()).readOnePage<T>(host, number, only(how)),
    async get(key, how = {}) {
      checked(url, { key }, "key (string|number)");
      return (await rest()).getRecord<T>(host, key, only(how));
    },
    find(text, how = {}) {
      checked(url, { text }, "text string");
      checked(url, how, `${WALK}|by string (names|key)$|isWhole b|also f`);
      const search = async (to: FindOptions) => (await rest()).searchOf<T>(host, { ...how, text }, to);
      return createWalk({ url, find: search, before, course: (ground, from) => ground.course(from) }, how);
    },
    pages: (how = {}) =>
      walk(checked(url, how, WALK), async (ground, from) => (await rest()).wholePages<T>(host, ground, from)),
    records: ({ via, ...how } = {}) =>
      walk<T>(checked(url, { ...how, via }, `${WALK}|via string (pages|bulk)$`), async (ground, from) =>
        (await rest()).recordCourse<T>(host, ground, via, from),
      ),
    sync: async (store, how = {}) => (await rest()).sync(host, store, checked(url, how, `${CALL}|onProgress f`)),
  };
}

const rest = () => import("./rest.js");

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
