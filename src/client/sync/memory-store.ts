/** A copy of a listing in memory. */
import { writtenValue } from "../../contract/record/written.js";
import { compareBytes } from "../text.js";
import type { Held, KeptRecord, Store, StoreTransaction } from "./store.js";

/** A store that keeps its records in memory, and gives them in published order. */
export interface MemoryStore<T> extends Store<T>, Iterable<T> {
  /** How many records it holds. */
  readonly size: number;
  /** The record of a key; undefined where there is none. */
  get(key: string | number): T | undefined;
}

/**
 * A store that holds nothing yet. What it holds changes all at once, when it was brought to another state; whoever goes
 * through it at that moment goes on through what was there before.
 *
 *     const store = createMemoryStore<User>();
 *     await listing.sync(store);
 *     for (const { name } of store) console.log(name);
 */
export function createMemoryStore<T>(): MemoryStore<T> {
  let copy: Copy<T> | undefined;
  return {
    get size() {
      return copy?.kept.size ?? 0;
    },
    get(key) {
      return copy?.get(key);
    },
    *[Symbol.iterator]() {
      for (const { record } of copy?.kept.values() ?? []) yield record;
    },
    held() {
      return copy?.held;
    },
    begin(_, isAnew) {
      return beginChange(isAnew ? undefined : copy, (next) => {
        copy = next;
      });
    },
  };
}

/** By keys as they are written, in published order. */
type Kept<T> = Map<string, Omit<KeptRecord<T>, "text">>;

/** What it holds once it was filled, which nothing changes any more. */
interface Copy<T> {
  readonly held: Held;
  /** In published order. */
  readonly kept: Kept<T>;
  /** The record of a key; undefined where there is none. */
  get(key: string | number): T | undefined;
}

/**
 * A change of what a store holds, beside it: whoever reads there meanwhile sees nothing of it.
 * @param before what it begins with; nothing, where all is put anew.
 * @param commit is given what the store holds then.
 */
function beginChange<T>(before: Copy<T> | undefined, commit: (copy: Copy<T>) => void): StoreTransaction<T> {
  let kept: Kept<T> = new Map(before?.kept);
  /** What is there in published order, as bytes compare: most of it is, but what was put stands at the end. */
  const sort = () => {
    kept = new Map([...kept].sort(([, one], [, other]) => compareBytes(one.order, other.order)));
    return kept;
  };
  return {
    put({ key, digest, order, record }) {
      // At the end, so that what was in order before still is, which is sorted soon.
      kept.delete(key);
      kept.set(key, { key, digest, order, record });
    },
    remove: (key) => void kept.delete(key),
    entries: () => sort().values(),
    commit: (held) => commit({ held, kept: sort(), get: (key) => kept.get(writtenValue(key))?.record }),
    // Nothing of it was seen.
    rollback() {},
  };
}
