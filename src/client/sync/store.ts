/** The interface of stores that `sync` fills. */
import type { ContractFile } from "../../core/contract/file/form.js";

/** The state of a copy. */
export interface Held {
  /** The id of its snapshot. */
  id: string;
  /** The SHA-256 of records.sha256, computed from the copy. */
  state: string;
  /** The SHA-256 of contract.json in hexadecimal. */
  contract: string;
  /** Number of records. */
  count: number;
}

/** A line of records.sha256. */
export interface Entry {
  /** The key as written there. */
  key: string;
  /** The first 32 hexadecimal digits of the SHA-256 of the record's canonical text. */
  digest: string;
}

/** A record to store. */
export interface KeptRecord<T> extends Entry {
  /** Sort key: compared byte by byte, it gives the published order. It is unique. */
  order: Uint8Array;
  record: T;
  /** The record's canonical text. */
  text: string;
}

/**
 * A transaction of a copy. Its changes must not be visible before `commit`. It ends with one call of either `commit` or
 * `rollback`.
 */
export interface StoreTransaction<T> {
  /** Adds or replaces a record. */
  put(record: KeptRecord<T>): void | Promise<void>;
  /** Removes the record with a key, if it exists. */
  remove(key: string): void | Promise<void>;
  /** All records within the transaction, sorted by `order`. */
  entries(): Iterable<Entry> | AsyncIterable<Entry>;
  /** Makes the changes visible, and stores the new state. */
  commit(held: Held): void | Promise<void>;
  /** Discards the changes. */
  rollback(): void | Promise<void>;
}

/** A copy of a listing. */
export interface Store<T> {
  /** The state of the copy; undefined if it was never filled. */
  held(): Held | undefined | Promise<Held | undefined>;
  /**
   * Begins a transaction.
   * @param contract the contract of the records. It changes only if `isAnew`.
   * @param isAnew whether to begin with an empty copy.
   */
  begin(contract: ContractFile, isAnew: boolean): StoreTransaction<T> | Promise<StoreTransaction<T>>;
}
