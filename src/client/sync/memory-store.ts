/** A copy of a listing in memory. */
import { writtenValue } from "../../contract/record/value.js";
import { compareBytes } from "../utf8.js";
import type { Held, KeptRecord, Store } from "./store.js";

/** A store that keeps its records in memory, and gives them in published order. */
export interface MemoryStore<T> extends Store<T>, Iterable<T> {
  /** How many records it holds. */
  readonly size: number;
  /** The record of a key; undefined where there is none. */
  get(key: string | number): T | undefined;
}

/**
 * An empty store. A sync replaces its content in one moment: a loop that is under way then continues through the old content.
 *
 *     const store = createMemoryStore<User>();
 *     await listing.sync(store);
 *     for (const { name } of store) console.log(name);
 */
export function createMemoryStore<T>(): MemoryStore<T> {
  type Kept = Omit<KeptRecord<T>, "text">;
  let held: Held | undefined;
  /** By written keys, in published order. */
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
          // At the end, which keeps the others sorted: sorting is fast then.
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
