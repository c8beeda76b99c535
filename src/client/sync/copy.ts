/** What a store in memory holds, and a change of it, which are loaded when there is one. */
import { writtenValue } from "../../contract/record/written.js";
import { compareBytes } from "../bytes.js";
import type { Held, KeptRecord, StoreTransaction } from "./store.js";

/** By keys as they are written, in published order. */
type Kept<T> = Map<string, Omit<KeptRecord<T>, "text">>;

/** What it holds once it was filled, which nothing changes any more. */
export interface Copy<T> {
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
export function beginChange<T>(before: Copy<T> | undefined, commit: (copy: Copy<T>) => void): StoreTransaction<T> {
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
