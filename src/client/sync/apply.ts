/** Carries out what was read, all or nothing. */
import type { ContractFile } from "../../contract/file/form.js";
import { encode } from "../bytes.js";
import { ListingError } from "../errors.js";
import type { SyncOptions, SyncResult } from "../options.js";
import { type Course, createWalk } from "../walk.js";
import { digestTag, type Goal, type SyncSource } from "./goal.js";
import { Sha256 } from "./sha256.js";
import type { Edit } from "./steps.js";
import type { Entry, Held, Store } from "./store.js";

/** One try to bring a copy to what a host has. */
export interface Round<T> extends SyncOptions {
  origin: SyncSource;
  store: Store<T>;
  held: Held | undefined;
  /** Whether a cache is known to show an old snapshot. */
  isPast: boolean;
}

/** What is put and removed, how it is read, and what has to come of it. */
interface Plan<T> {
  target: Goal;
  via: "changes" | "bulk" | "pages";
  contract: ContractFile;
  /** The contract's own. */
  digest: string;
  course: Course<Edit<T>>;
  /** Records that are put or removed. */
  total: number;
}

/** How many records are put or removed before somebody is told again. */
const TOLD_EVERY = 1000;

/**
 * In one transaction, which nobody sees anything of unless the copy then holds what it has to.
 * @throws ListingError (mismatch) when it does not
 */
export async function carryOut<T>(how: Round<T>, plan: Plan<T>): Promise<SyncResult> {
  const { origin, store, held, signal, onProgress } = how;
  const { target, via, contract, digest, course, total } = plan;
  const url = origin.host.baseUrl;
  const to = await store.begin(contract, via !== "changes");
  let [put, removed] = [0, 0];
  const tell = () => onProgress?.({ records: put + removed, total });
  let next: Held;
  try {
    // The host may move meanwhile: what is read is of one state, as is shown at the end.
    const standing = { ...target, requireCurrent: async () => {} };
    const changes = createWalk({ url, find: async () => standing, course: async () => course }, { signal });
    for await (const change of changes) {
      const isPut = "record" in change;
      const done = isPut ? to.put(change) : to.remove(change.key);
      if (done) await done;
      if (isPut) put++;
      else removed++;
      if ((put + removed) % TOLD_EVERY === 0) tell();
    }
    tell();
    const { state, count } = await stateOf(to.entries(), () => signal?.throwIfAborted());
    if (state !== target.state)
      throw new ListingError("mismatch", url, "has other records than its state says", target.state, state);
    next = { state, contract: digest, count, tag: digestTag(target) };
  } catch (error) {
    await to.rollback();
    throw error;
  }
  await to.commit(next);
  return { from: held?.state, state: next.state, count: next.count, via, put, removed };
}

/** So many letters of the list at a time. */
const MOST_LETTERS = 65_536;

/** The SHA-256 of records.sha256, as it would be of these. @param check is called now and then, and may throw what ends it. */
async function stateOf(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  check: () => void,
): Promise<{ state: string; count: number }> {
  const sha = new Sha256();
  let [lines, count] = ["", 0];
  const add = ({ digest, key }: Entry) => {
    count++;
    lines += `${digest}  ${key}\n`;
    if (lines.length < MOST_LETTERS) return;
    check();
    sha.update(encode(lines));
    lines = "";
  };
  // Waiting for each of a million records that are there would take longer than the digest.
  if (Symbol.iterator in entries) for (const entry of entries) add(entry);
  else for await (const entry of entries) add(entry);
  return { state: sha.update(encode(lines)).digest(), count };
}
