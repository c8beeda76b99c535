/** Opens a published listing: single pages and files, walks over pages and records, lookups, copies. */
import type { Page } from "../core/contract/page.js";
import type { User } from "../core/contract/user.js";
import { usage } from "./errors.js";
import { findView } from "./find-view.js";
import { latestView } from "./kept.js";
import { openHost } from "./open-host.js";
import { CALL, checked, WALK } from "./option-checks.js";
import type { CallOptions, ListingOptions, ListingWalkOptions, OpenListing } from "./options.js";
import { readContract } from "./order.js";
import { parsePage } from "./page.js";
import { createOrderCheck, recordsOfPages, wholePages } from "./records.js";
import type { Bytes } from "./requests.js";
import { objectOf } from "./utf8.js";
import type { FindOptions, Host, View } from "./view.js";
import { createWalk, type PageSource } from "./walk.js";

/**
 * Opens a listing that Rollcall has published, or any in the same format. Sends no request.
 * @param baseUrl the base URL: `https://directory.example.com`.
 * @throws ListingError (usage) for a wrong base URL or option.
 */
export function openListing<T = User>(baseUrl: string | URL, given: ListingOptions = {}): OpenListing<T> {
  return listingOf(openHost(baseUrl, given));
}

/** The public calls for a host. */
export function listingOf<T>(host: Host): OpenListing<T> {
  const { baseUrl: url } = host;
  const signalOf = (how: CallOptions) => checked(url, how, CALL).signal;
  const walk = <R, B = Bytes>(
    how: ListingWalkOptions,
    source: (view: View, signal: AbortSignal) => PageSource<R, B> | Promise<PageSource<R, B>>,
    find = (options: FindOptions) => findView(host, options),
  ) => createWalk({ url, find, source: async (view, signal) => source(view, signal) }, how);

  return {
    baseUrl: url,
    get proof() {
      return host.view?.proof;
    },
    snapshot: async (how = {}) => (await findView(host, { signal: signalOf(how) })).snapshot,
    async contract(how = {}) {
      const signal = signalOf(how);
      return (await readContract(host, await latestView(host, signal), signal)).contract;
    },
    async file(path, how = {}) {
      const signal = signalOf(how);
      requireFile(host, path);
      return (await latestView(host, signal)).readFile(path, host.files, signal);
    },
    stream(path, how = {}) {
      const control = new AbortController();
      const given = signalOf(how);
      const signal = given ? AbortSignal.any([given, control.signal]) : control.signal;
      requireFile(host, path);
      let chunks: AsyncGenerator<Bytes, void> | undefined;
      return new ReadableStream<Bytes>(
        {
          async pull(to) {
            if (!chunks) {
              const { streamFile } = await import("./stream.js");
              chunks = streamFile(host, await latestView(host, signal), path, signal);
            }
            const { done, value } = await chunks.next();
            if (done) to.close();
            else to.enqueue(value);
          },
          async cancel(reason) {
            control.abort(reason);
            await chunks?.return();
          },
        },
        { highWaterMark: 0 },
      );
    },
    async page(number, how = {}) {
      const signal = signalOf(how);
      return pageOf<T>(url, await latestView(host, signal), number, signal);
    },
    async get(key, how = {}) {
      checked(url, { key }, "key");
      const signal = signalOf(how);
      const { getRecord } = await import("./lookup/find.js");
      return getRecord<T>(host, key, signal);
    },
    find(text, how = {}) {
      checked(url, { text }, "text");
      const { by, ...options } = checked(url, how, `${WALK} by`);
      return walk(
        options,
        async (view, signal) => (await import("./lookup/find.js")).foundRecords<T>(host, view, { text, by }, signal),
        ({ signal, bypass }) => latestView(host, signal, bypass),
      );
    },
    pages: (how = {}) => walk(checked(url, how, WALK), (view, signal) => wholePages<T>(host, view, signal)),
    records(how = {}) {
      const { via, ...options } = checked(url, how, `${WALK} via`);
      return walk(options, async (view, signal) => {
        if (via !== "bulk") return recordsOfPages<T>(host, view, signal);
        const { bulkRecords } = await import("./bulk.js");
        const openCheck = createOrderCheck(host, view, signal);
        return bulkRecords(host, view, signal, async () => {
          const requireNext = await openCheck();
          return (line, from) => {
            const record = objectOf(line, from);
            requireNext(record, from);
            return record as T;
          };
        });
      });
    },
    async views(how = {}) {
      const signal = signalOf(how);
      const { listViews } = await import("./views.js");
      return listViews(host, await latestView(host, signal), signal);
    },
    async values(view, how = {}) {
      checked(url, { view }, "view");
      const signal = signalOf(how);
      const { readValues } = await import("./views.js");
      return readValues(host, await latestView(host, signal), view, signal);
    },
    view(view, ...value) {
      checked(url, { view }, "view");
      const open = async (base: View, signal: AbortSignal | undefined) => {
        const { openView } = await import("./views.js");
        return openView(host, base, view, value, signal);
      };
      const find = async (how: FindOptions) => open(await findView(host, how), how.signal);
      const latest = async (signal: AbortSignal | undefined) => open(await latestView(host, signal), signal);
      return {
        count: async (how = {}) => (await latest(signalOf(how))).snapshot.count,
        async page(number, how = {}) {
          const signal = signalOf(how);
          return pageOf<T>(url, await latest(signal), number, signal);
        },
        pages: (how = {}) => walk(checked(url, how, WALK), (own, signal) => wholePages<T>(host, own, signal), find),
        records: (how = {}) =>
          walk(checked(url, how, WALK), (own, signal) => recordsOfPages<T>(host, own, signal), find),
      };
    },
    async sync(store, how = {}) {
      if (typeof store?.held !== "function" || typeof store.begin !== "function")
        throw usage(url, "cannot be copied to this store", "one with held and begin", typeof store);
      const options = checked(url, how, `${CALL} onProgress`);
      const { sync } = await import("./sync/sync.js");
      return sync(host, store, options);
    },
  };
}

/** Reads a page. @throws ListingError (usage) if there is no such page */
async function pageOf<T>(url: string, view: View, number: number, signal: AbortSignal | undefined): Promise<Page<T>> {
  const { pages } = view.snapshot;
  if (!Number.isInteger(number) || number < 1 || number > pages)
    throw usage(url, "has no such page", `1 to ${pages}`, number);
  return parsePage<T>(view, number, await view.readPage(number, signal));
}

/** @throws ListingError (usage) for a path that no host serves as a file, or that is a page */
function requireFile({ baseUrl }: Host, path: string): void {
  checked(baseUrl, { file: path }, "file");
  const isUnserved = path === "records.sha256";
  if (isUnserved || /(^|\/)pages\/\d+\.json/.test(path))
    throw usage(`${baseUrl}/${path}`, isUnserved ? "is not served by any host" : "is a page: call page(number)");
}
