/** A copy of a listing in memory. */
import type { Copy } from "./copy.js";
import type { Store } from "./store.js";

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
    async begin(_, isAnew) {
      // What a store does once it is filled is not loaded before: whoever fills it has loaded this.
      const { beginChange } = await import("../rest.js");
      const before = isAnew ? undefined : copy;
      return beginChange(before, (next) => {
        copy = next;
      });
    },
  };
}
