/** Opens a published listing to be read: one page, all pages, all records, proved. */
import { normalBaseUrl } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import { ListingError } from "./errors.js";
import type { ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import type { Position } from "./position.js";
import { findGround } from "./proof/find.js";
import type { FindOptions, Ground, Host, ProvedGround } from "./proof/ground.js";
import { createRequests } from "./requests.js";
import type { Bytes } from "./transfer.js";
import { byPages, createWalk, eachRecord, type WalkStart } from "./walk.js";

/**
 * Opens a listing that Rollcall has published, or any one in the same form. Nothing is asked for yet.
 * @param baseUrl where it is published: `https://directory.example.com`.
 * @throws ListingError (usage) for what is no base URL, and for options that cannot be.
 */
export function openListing<T = User>(baseUrl: string | URL, options: ListingOptions = {}): OpenListing<T> {
  const { publicKey = [], maxAgeMs, signal, concurrency = 8, timeoutMs = 30_000 } = options;
  const { fetch = (input, init) => globalThis.fetch(input, init), pausesMs = [250, 1000, 3000] } = options;
  const url = parseBase(String(baseUrl));
  const requests = createRequests({ fetch, signal, timeoutMs, pausesMs });
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
  const host: Host = { baseUrl: url, requests, keys: [publicKey].flat(), maxAgeMs, atOnce: concurrency, find };

  const before = async (after: Position, snapshot: Snapshot) => (await rest()).recordsBefore(after, snapshot, url);
  const walk = <R>(how: ListingWalkOptions, course: WalkStart<R>["course"]) =>
    createWalk({ url, find, before, course }, how);

  return {
    baseUrl: url,
    get proof() {
      return host.ground?.proof;
    },
    snapshot: async (how = {}) => (await find(how)).snapshot,
    contract: async (how = {}) => (await rest()).readContractFile(host, how),
    file: async (path, how = {}) => (await rest()).readListedFile(host, path, how),
    page: async (number, how = {}) => (await rest()).readOnePage<T>(host, number, how),
    get: async (key, how = {}) => (await rest()).getRecord<T>(host, key, how),
    find(text, how = {}) {
      const search = async (to: FindOptions) => (await rest()).searchOf<T>(host, { ...how, text }, to);
      return createWalk({ url, find: search, before, course: (ground, from) => ground.course(from) }, how);
    },
    pages: (how = {}) => walk(how, async (ground) => byPages(ground, concurrency, (await rest()).eachPage<T>(ground))),
    records: ({ via, ...how } = {}) =>
      walk<T>(how, async (ground, from) => {
        if (via === "bulk") return (await rest()).bulkCourse<T>(ground, url, from);
        const recordsOf = (number: number, bytes: Bytes) => ground.parsePage<T>(number, bytes).results;
        return byPages(ground, concurrency, eachRecord(ground, recordsOf));
      }),
    sync: async (store, how = {}) => (await rest()).sync(host, store, how),
  };
}

const rest = () => import("./rest.js");

/** Normalises it. Credentials, a query and a fragment are part of no base URL. */
function parseBase(text: string): string {
  try {
    // URL.canParse is not asked, for the reason that canParse of links.ts gives.
    if (/^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  } catch {}
  const why = "is no base URL like https://directory.example.com";
  throw new ListingError("usage", text.replace(/\/\/.*@/, "//...@"), why);
}
