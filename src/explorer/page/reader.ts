/** Reads the explorer's listing: verified, and of one snapshot at a time. */
import { hexDigest } from "../../client/digests.js";
import { isListingError } from "../../client/errors.js";
import { findView } from "../../client/find-view.js";
import { readKeptPage } from "../../client/kept.js";
import { type Query, search } from "../../client/lookup/find.js";
import { openHost } from "../../client/open-host.js";
import { readContract } from "../../client/order.js";
import { parsePage } from "../../client/page.js";
import { objectOf } from "../../client/utf8.js";
import type { Host, View } from "../../client/view.js";
import { type AnyRecord, type Contract, contractOf } from "../../core/contract/contract.js";
import type { Snapshot } from "../../core/contract/snapshot.js";
import type { Labels } from "../labels.js";
import type { ExplorerSummary, WrittenFrom } from "../summary.js";
import { chosenLists, type Where } from "./chosen.js";

/** A record, and its number in the order of the pages that it was read from, from 0. */
export interface ListedRow {
  record: AnyRecord;
  number: number;
}

/** Pages of records: those of the listing, or of one of its views. */
export interface Source {
  view: View;
  /** Pages that were read and are kept, by number less one. */
  loaded: AnyRecord[][];
}

/** A snapshot, its files that are read before any record, and its pages, in published order. */
export interface ListingFacts extends Source {
  snapshot: Snapshot;
  contract: Contract;
  summary: ExplorerSummary;
  digests: WrittenFrom;
  /** By listing, the names of its records, if it has labels.json. Listings that were not read are missing. */
  names: Map<string, Labels | undefined>;
  /** The last view that was opened, by its name and value. */
  opened?: { key: string; source: Source };
}

const SUMMARY = "explorer/summary.json";

/** Few retries, since a user waits. */
export const WAITS = { pausesMs: [250, 1000], timeoutMs: 20_000 };

/** Maximum number of records that are loaded to be sorted, counted and filtered by ranges. */
export const MOST_LOADED = 20_000;

export interface Reader {
  readonly host: Host;
  /** Facts of the current snapshot. Read once, and again after an error or `forget`. */
  known(): Promise<ListingFacts>;
  /**
   * Loads all records of a source, once.
   * @param onProgress called with the share of pages that are loaded, from 0 to 1.
   */
  all(source: Source, signal: AbortSignal, onProgress: (share: number) => void): Promise<ListedRow[]>;
  /** Reads records of a source by number. */
  rows(source: Source, first: number, most: number, signal: AbortSignal): Promise<ListedRow[]>;
  /**
   * Searches the current snapshot. Without a text, all records with the facet values match.
   * @throws SnapshotChangedError if the host has another one
   */
  search(query: Query & { where?: Where }, signal: AbortSignal): AsyncGenerator<ListedRow, void>;
  /** Finds the record with this key. */
  find(key: string, signal: AbortSignal): Promise<ListedRow | undefined>;
  /** Drops the current snapshot, so that the next call reads the host's newest one. */
  forget(): void;
}

/** Whether a release has a file, as SHA256SUMS lists it. */
export function hasFile(view: View, path: string): boolean {
  try {
    view.fileAt(path);
    return true;
  } catch (error) {
    if (isListingError(error) && error.code === "usage") return false;
    throw error;
  }
}

/** @param onKnown called with each snapshot before any of its records is returned. */
export function createReader(base: URL, onKnown: (known: ListingFacts) => void): Reader {
  const host = openHost(base.href, WAITS);
  let known: Promise<ListingFacts> | undefined;

  const readKnown = async (): Promise<ListingFacts> => {
    const view = await findView(host, {});
    const [{ contract: file }, bytes] = await Promise.all([
      readContract(host, view, undefined),
      view.readFile(SUMMARY, host.files),
    ]);
    const contract = contractOf(file);
    const digests = {
      contract: await hexDigest(new TextEncoder().encode(contract.text)),
      summary: await hexDigest(bytes),
    };
    const summary = objectOf(bytes, host.baseUrl) as unknown as ExplorerSummary;
    const basis: ListingFacts = {
      view,
      snapshot: view.snapshot,
      contract,
      summary,
      digests,
      names: new Map(),
      loaded: [],
    };
    onKnown(basis);
    return basis;
  };

  const reader: Reader = {
    host,
    known() {
      known ??= readKnown();
      known.catch(() => {
        known = undefined;
      });
      return known;
    },
    async all({ view, loaded }, signal, onProgress) {
      const { pages, page_size } = view.snapshot;
      // After an error, pages that were loaded before are not read again.
      const missing = Array.from({ length: pages }, (_, at) => at).filter((at) => !loaded[at]);
      const readOn = async () => {
        for (let at = missing.shift(); at !== undefined; at = missing.shift()) {
          onProgress(1 - missing.length / pages);
          loaded[at] = parsePage<AnyRecord>(view, at + 1, await view.readPage(at + 1, signal)).results;
        }
      };
      try {
        await Promise.all(Array.from({ length: host.concurrency }, readOn));
      } finally {
        // After an error, nothing more is requested.
        missing.length = 0;
      }
      return loaded.flatMap((records, page) =>
        records.map((record, at) => ({ record, number: page * page_size + at })),
      );
    },
    async rows({ view, loaded }, first, most, signal) {
      const { count, page_size } = view.snapshot;
      const numbers = Array.from({ length: Math.max(0, Math.min(most, count - first)) }, (_, at) => first + at);
      return Promise.all(
        numbers.map(async (number) => {
          const at = Math.floor(number / page_size);
          const results = loaded[at] ?? (await readKeptPage<AnyRecord>(view, at + 1, signal));
          return { record: results[number % page_size] ?? {}, number };
        }),
      );
    },
    async *search({ where = {}, ...query }, signal) {
      const { view, summary, contract } = await reader.known();
      const { baseUrl, concurrency } = host;
      const others = chosenLists(summary, contract.fields, where, `${baseUrl}/${SUMMARY}`);
      const found = search<AnyRecord>({ view, baseUrl, signal }, { ...query, others }, concurrency);
      for await (const [record, records] of found) yield { record, number: records - 1 };
    },
    async find(key, signal) {
      for await (const row of reader.search({ text: key, by: "key", isWhole: true }, signal)) return row;
      return undefined;
    },
    forget() {
      known = undefined;
    },
  };
  return reader;
}
