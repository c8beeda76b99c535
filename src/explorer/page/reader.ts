/** Reads the explorer's listing: verified, and of one snapshot at a time. */

import { hexDigest } from "../../client/digests.js";
import { SnapshotChangedError } from "../../client/errors.js";
import { openListing } from "../../client/listing.js";
import { findChosen } from "../../client/lookup/chosen.js";
import type { OpenListing, Walk } from "../../client/options.js";
import { type AnyRecord, type Contract, contractOf } from "../../contract/contract.js";
import type { Page } from "../../contract/page.js";
import type { Snapshot } from "../../contract/snapshot.js";
import type { ExplorerSummary, WrittenFrom } from "../summary.js";

/** A record, and its number in published order, from 0. */
export interface ListedRow {
  record: AnyRecord;
  number: number;
}

/** The files of a snapshot that are read before any record. */
export interface SnapshotFacts {
  snapshot: Snapshot;
  contract: Contract;
  summary: ExplorerSummary;
  digests: WrittenFrom;
}

export interface Reader {
  readonly listing: OpenListing<AnyRecord>;
  /** Facts of the current snapshot. Read once, and again after an error or `forget`. */
  known(): Promise<SnapshotFacts>;
  /** Reads records by number. */
  rows(first: number, most: number, signal: AbortSignal): Promise<ListedRow[]>;
  /** Finds the record with this key. */
  find(key: string, signal: AbortSignal): Promise<ListedRow | undefined>;
  /** Drops the current snapshot, so that the next call reads the host's newest one. */
  forget(): void;
}

/** Size of the page cache. A page of the listing fills several pages of the table. */
const MOST_PAGES = 6;

/**
 * @param publicKey minisign public key, if the user demands a signature.
 * @param onKnown called with each snapshot before any of its records is returned.
 */
export function createReader(
  base: URL,
  publicKey: string | undefined,
  onKnown: (known: SnapshotFacts) => void,
): Reader {
  // Few retries, since a user waits.
  const listing = openListing<AnyRecord>(base.href, {
    ...(publicKey && { publicKey }),
    pausesMs: [250, 1000],
    timeoutMs: 20_000,
  });
  const pages = new Map<number, Promise<Page<AnyRecord>>>();
  let known: Promise<SnapshotFacts> | undefined;

  const readKnown = async (): Promise<SnapshotFacts> => {
    const snapshot = await listing.snapshot();
    const [file, bytes] = await Promise.all([listing.contract(), listing.file("explorer/summary.json")]);
    const contract = contractOf(file);
    const digests = {
      contract: await hexDigest(new TextEncoder().encode(contract.text)),
      summary: await hexDigest(bytes),
    };
    const basis = { snapshot, contract, summary: JSON.parse(new TextDecoder().decode(bytes)), digests };
    onKnown(basis);
    return basis;
  };

  const page = (number: number, signal: AbortSignal) => {
    const found = pages.get(number) ?? listing.page(number, { signal });
    // The cache drops the least recently used page.
    pages.delete(number);
    pages.set(number, found);
    found.catch(() => pages.delete(number));
    for (const oldest of pages.keys()) if (pages.size > MOST_PAGES) pages.delete(oldest);
    return found;
  };

  const reader: Reader = {
    listing,
    known() {
      known ??= readKnown();
      known.catch(() => {
        known = undefined;
      });
      return known;
    },
    async rows(first, most, signal) {
      const { count, page_size } = (await reader.known()).snapshot;
      const numbers = Array.from({ length: Math.max(0, Math.min(most, count - first)) }, (_, at) => first + at);
      return Promise.all(
        numbers.map(async (number) => {
          const { results } = await page(Math.floor(number / page_size) + 1, signal);
          return { record: results[number % page_size] ?? {}, number };
        }),
      );
    },
    async find(key, signal) {
      const { snapshot } = await reader.known();
      for await (const row of rowsIn(findChosen(listing, key, { by: "key", isWhole: true, signal }), snapshot))
        return row;
      return undefined;
    },
    forget() {
      known = undefined;
      pages.clear();
    },
  };
  return reader;
}

/** Iterates a walk with record numbers. @throws SnapshotChangedError if the walk is of another snapshot */
export async function* rowsIn(walk: Walk<AnyRecord>, snapshot: Snapshot): AsyncGenerator<ListedRow> {
  try {
    for (let next = await walk.next(); !next.done; next = await walk.next()) {
      const { position } = walk;
      if (walk.snapshot && walk.snapshot.id !== snapshot.id)
        throw new SnapshotChangedError(snapshot.base_url, position, snapshot, walk.snapshot);
      const { page, index, pageSize = snapshot.page_size } = position;
      yield { record: next.value, number: (page - 1) * pageSize + index - 1 };
    }
  } finally {
    await walk.return?.();
  }
}
