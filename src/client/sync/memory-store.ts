/** A copy of a listing in memory. */
import { writtenValue } from "../../core/contract/record/value.js";
import { compareBytes } from "../utf8.js";
import type { Held, KeptRecord, Store } from "./store.js";

/** A store in memory, iterable in published order. */
export interface MemoryStore<T> extends Store<T>, Iterable<T> {
  /** Number of records. */
  readonly size: number;
  /** The record with a key; undefined if there is none. */
  get(key: string | number): T | undefined;
}

/**
 * Makes an empty store. A sync replaces its content atomically; a loop that has begun continues with the old content.
 *
 *     const store = createMemoryStore<User>();
 *     await listing.sync(store);
 *     for (const { name } of store) console.log(name);
 */
export function createMemoryStore<T>(): MemoryStore<T> {
  type Kept = Omit<KeptRecord<T>, "text">;
  let held: Held | undefined;
  /** Records by key, as in records.sha256, in published order. */
  let records = new Map<string, Kept>();
  return {
    get size() {
      return records.size;
    },
    get: (key) => records.get(writtenValue(key))?.record,
    *[Symbol.iterator]() {
      for (const { record } of records.values()) yield record;
    },
    held: () => held,
    begin(_, isAnew) {
      let next = new Map(isAnew ? [] : records);
      const sort = () => {
        next = new Map([...next].sort(([, one], [, other]) => compareBytes(one.order, other.order)));
        return next;
      };
      return {
        put({ key, digest, order, record }) {
          // Append, which keeps the others sorted and sorting fast.
          next.delete(key);
          next.set(key, { key, digest, order, record });
        },
        remove: (key) => void next.delete(key),
        entries: () => sort().values(),
        commit(to) {
          records = sort();
          held = to;
        },
        rollback() {},
      };
    },
  };
}
