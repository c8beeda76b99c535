/** What keeps a copy of a listing: the few functions that `sync` asks of it. */
import type { ContractFile } from "../../contract/file/form.js";

/** Which records a copy holds. */
export interface Held {
  /** The SHA-256 of records.sha256, as it is made from what the copy holds. */
  state: string;
  /** The SHA-256 of the contract.json that its records are of, in hexadecimal. */
  contract: string;
  /** How many records that is. */
  count: number;
  /** The ETag of the snapshot.json that the copy was last brought to, where that is made of its bytes. */
  tag?: string | undefined;
}

/** A record by its name, as a line of records.sha256 has them. */
export interface Entry {
  /** The key as it is written there. */
  key: string;
  /** The first 32 hexadecimal digits of the SHA-256 of the record's canonical text. */
  digest: string;
}

/** A record to keep. */
export interface KeptRecord<T> extends Entry {
  /** Compared byte by byte, these bytes are in published order. No two records of a listing have the same. */
  order: Uint8Array;
  record: T;
  /** The record's canonical text, which `digest` is of. */
  text: string;
}

/**
 * One change of a copy. Nobody else sees anything of it before it is committed. It ends with either `commit` or
 * `rollback`, each of which is called once.
 */
export interface StoreTransaction<T> {
  /** Keeps a record, in place of the one that has the same key. */
  put(record: KeptRecord<T>): void | Promise<void>;
  /** Forgets the record of a key, if there is one. */
  remove(key: string): void | Promise<void>;
  /** Every record that it holds now, in published order, which is that of `order`. */
  entries(): Iterable<Entry> | AsyncIterable<Entry>;
  /** Makes it visible, and remembers what it holds. */
  commit(held: Held): void | Promise<void>;
  /** Leaves everything as it was. */
  rollback(): void | Promise<void>;
}

/** A copy of a listing, wherever it is kept. */
export interface Store<T> {
  /** What it holds; undefined for one that was never filled. */
  held(): Held | undefined | Promise<Held | undefined>;
  /**
   * Begins a transaction.
   * @param contract what the records are of. It is another one than before only where everything is put anew.
   * @param isAnew whether everything that it holds goes, so that what is put is all there is.
   */
  begin(contract: ContractFile, isAnew: boolean): StoreTransaction<T> | Promise<StoreTransaction<T>>;
}
