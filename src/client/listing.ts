/** Opens a published listing to be read: one page, all pages, all records, proved. */
import type { ContractFile } from "../contract/file/form.js";
import { normalBaseUrl } from "../contract/links.js";
import type { User } from "../contract/users.js";
import { objectOf } from "./checked.js";
import { ListingError, quoted, SnapshotChangedError } from "./errors.js";
import type { ListedPage, ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import type { Host } from "./proof/files.js";
import { type FindOptions, findGround } from "./proof/find.js";
import type { Ground, ProvedGround } from "./proof/ground.js";
import { createRequests } from "./requests.js";
import { type Course, createWalk, type WalkStart } from "./walk.js";

const CONTRACT = "contract.json";
/** As many as a contract may have. */
const CONTRACT_BYTES = 1_000_000;

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
  const host: Host = { baseUrl: url, requests, keys: [publicKey].flat(), maxAgeMs };
  /** The snapshot that was asked for last. */
  let last: Ground | undefined;

  const find = async (how: FindOptions): Promise<Ground> => {
    if (last?.proof === "none") return findUnproved(how);
    try {
      last = await findGround(host, last as ProvedGround | undefined, how);
      return last;
    } catch (error) {
      // What was proved once is never read without proof.
      const isAllowed = options.unproved && !last;
      if (!isAllowed || !(error instanceof ListingError) || error.code !== "unproved") throw error;
      const ground = await findUnproved(how);
      options.onUnproved?.(error);
      return ground;
    }
  };
  const findUnproved = async (how: FindOptions): Promise<Ground> => {
    const { unprovedGround } = await import("./unproved.js");
    last = await unprovedGround(host, options.path, how.signal);
    return last;
  };

  /** Reads from the snapshot that was asked for last; one that the host has no longer is forgotten. */
  const read = async <V>(from: AbortSignal | undefined, step: (ground: Ground) => Promise<V>): Promise<V> => {
    const ground = last ?? (await find({ signal: from }));
    try {
      return await step(ground);
    } catch (error) {
      if (error instanceof SnapshotChangedError && last === ground) last = undefined;
      throw error;
    }
  };

  const byPages = <R>(ground: Ground, items: Course<R>["items"]): Course<R> => {
    const { count, page_size, pages } = ground.snapshot;
    return {
      atOnce: concurrency,
      last: pages,
      first: (records) => (count > 0 && records >= count ? pages : Math.floor(records / page_size)) + 1,
      read: (number, from) => ground.readPage(number, from),
      items,
    };
  };
  const walk = <R>(how: ListingWalkOptions, course: WalkStart<R>["course"]) => createWalk({ url, find, course }, how);

  return {
    baseUrl: url,
    get proof() {
      return last?.proof;
    },
    snapshot: async (how = {}) => (await find({ signal: how.signal })).snapshot,
    contract: ({ signal: from } = {}) =>
      read(from, async (ground) => {
        const bytes = await ground.readFile(CONTRACT, CONTRACT_BYTES, from);
        return objectOf(bytes, `${url}/${CONTRACT}`) as unknown as ContractFile;
      }),
    page: (number, { signal: from } = {}) =>
      read(from, async (ground) => {
        const { pages } = ground.snapshot;
        if (!Number.isInteger(number) || number < 1 || number > pages)
          throw new ListingError("usage", url, "has no such page", `1 to ${pages}`, quoted(number));
        return ground.parsePage<T>(number, await ground.readPage(number, from));
      }),
    pages: (how = {}) =>
      walk(how, async (ground) =>
        byPages(ground, function* (number, bytes) {
          const { page_size, count } = ground.snapshot;
          const page: ListedPage<T> = { number, bytes, page: ground.parsePage(number, bytes) };
          yield [page, Math.min(number * page_size, count)];
        }),
      ),
    records: ({ via, ...how } = {}) =>
      walk<T>(how, async (ground, from) => {
        if (via === "bulk") return (await import("./bulk.js")).bulkCourse<T>(ground, url, from);
        return byPages(ground, function* (number, bytes, records) {
          const { results } = ground.parsePage<T>(number, bytes);
          const before = (number - 1) * ground.snapshot.page_size;
          for (let index = Math.max(0, records - before); index < results.length; index++)
            yield [results[index] as T, before + index + 1];
        });
      }),
  };
}

/** Normalises it. Credentials, a query and a fragment are part of no base URL. */
function parseBase(text: string): string {
  if (URL.canParse(text) && /^https?:\/\/(?![^/]*@)[^?#]+$/i.test(text)) return normalBaseUrl(new URL(text));
  const why = "is no base URL like https://directory.example.com";
  throw new ListingError("usage", text.replace(/\/\/.*@/, "//...@"), why);
}
