/** What a store in memory holds, and a change of it, which are loaded when there is one. */
import { writtenValue } from "../../contract/record/written.js";
import { compareBytes } from "./records.js";
import type { Held, KeptRecord, StoreTransaction } from "./store.js";

/** By keys as they are written, in published order. */
type Kept<T> = Map<string, Omit<KeptRecord<T>, "text">>;

/** What it holds once it was filled, which nothing changes any more. */
export interface Copy<T> extends Iterable<T> {
  readonly held: Held;
  readonly size: number;
  get(key: string | number): T | undefined;
}

class KeptCopy<T> implements Copy<T> {
  readonly #kept: Kept<T>;
  readonly held: Held;

  constructor(kept: Kept<T>, held: Held) {
    this.#kept = kept;
    this.held = held;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(key: string | number): T | undefined {
    return this.#kept.get(writtenValue(key))?.record;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const { record } of this.#kept.values()) yield record;
  }

  static keptOf<T>(copy: Copy<T> | undefined): Kept<T> {
    return copy instanceof KeptCopy ? copy.#kept : new Map();
  }
}

/** @param commit is given what the store holds then. */
export function beginChange<T>(before: Copy<T> | undefined, commit: (copy: Copy<T>) => void): StoreTransaction<T> {
  let kept = new Map(KeptCopy.keptOf(before));
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
    commit: (held) => commit(new KeptCopy(sort(), held)),
    rollback() {},
  };
}
