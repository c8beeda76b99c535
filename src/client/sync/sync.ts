/** Brings a copy of a listing to the state that the listing has now, by as few bytes as can be. */
import { type ContractFile, MAX_CONTRACT } from "../../contract/file/form.js";
import { hexDigest, objectOf, requireOk } from "../checked.js";
import { ListingError, SnapshotChangedError } from "../errors.js";
import type { SyncOptions, SyncResult } from "../options.js";
import type { Bytes } from "../transfer.js";
import type { Course } from "../walk.js";
import { carryOut, type Round } from "./apply.js";
import { digestTag, findGoal, findProved, type Goal, type SyncSource } from "./goal.js";
import { recordKeeper } from "./records.js";
import { chainOf, changesOf, checkStep, type Edit, type ListedStep } from "./steps.js";
import type { Held, Store } from "./store.js";
import { wholeOf } from "./whole.js";

export { beginChange } from "./copy.js";

/** How often it begins again when the host moves in between. */
const MOST_RESTARTS = 8;
const CHANGES_BYTES = 1_000_000;
/** Steps that are asked for at once. */
const STEPS_AT_ONCE = 2;

/**
 * Brings a copy to the current state, all or nothing.
 * @throws ListingError when neither steps nor everything could be read and proved. Then the copy is as it was.
 */
export async function sync<T>(origin: SyncSource, store: Store<T>, options: SyncOptions): Promise<SyncResult> {
  for (let restarts = 0; ; restarts++) {
    const held = await store.held();
    try {
      return await syncOnce<T>({ ...options, origin, store, held, isPast: restarts > 0 });
    } catch (error) {
      if (!(error instanceof SnapshotChangedError) || restarts === MOST_RESTARTS) throw error;
    }
  }
}

async function syncOnce<T>(how: Round<T>): Promise<SyncResult> {
  const { origin, held } = how;
  if (!held) return readWhole(how);
  const target = await findGoal(origin, held, how);
  if (!target || (held.state === target.state && held.tag && held.tag === target.file.etag)) return nothing(held);
  try {
    return (await readSteps(how, held, target)) ?? (await readWhole(how));
  } catch (error) {
    if (!(error instanceof ListingError) || error instanceof SnapshotChangedError) throw error;
    return { ...(await readWhole(how)), anew: error.message };
  }
}

function nothing({ state, count }: Held): SyncResult {
  return { from: state, state, count, via: "nothing", put: 0, removed: 0 };
}

/** Undefined where the release has no steps at all. @throws ListingError where what it has is not enough, or wrong */
async function readSteps<T>(how: Round<T>, held: Held, target: Goal): Promise<SyncResult | undefined> {
  const { origin, store } = how;
  const chain = held.state === target.state ? [] : await findChain(how, held.state, target);
  if (!chain) return undefined;
  const { url, ...said } = await readContract(how, target);
  if (said.digest !== held.contract)
    throw new ListingError("mismatch", url, "is another than the copy's", held.contract, said.digest);
  if (chain.length === 0) {
    const change = await store.begin(said.contract, false);
    await change.commit({ ...held, tag: digestTag(target) });
    return nothing(held);
  }
  const reader = recordKeeper<T>(said.contract, url);
  const stepAt = (number: number) => chain[number - 1] as ListedStep;
  const urlOf = ({ file }: ListedStep) => `${origin.host.baseUrl}/${file}`;
  const course: Course<Edit<T>> = {
    atOnce: STEPS_AT_ONCE,
    last: chain.length,
    first: () => 1,
    async read(number, signal) {
      const step = stepAt(number);
      const { bytes: maxBytes, sha256: past } = step;
      const from = urlOf(step);
      const found = await target.read(from, { maxBytes, past, signal, isFresh: true }, (bytes, status) => {
        requireOk(from, status);
        return checkStep(step, bytes, from);
      });
      if (found instanceof ListingError) throw found;
      return found;
    },
    async *items(number, bytes, records) {
      let at = records;
      const step = stepAt(number);
      for await (const change of changesOf(step, bytes, urlOf(step), reader)) yield [change, ++at];
    },
  };
  const total = chain.reduce((sum, { put, remove }) => sum + put + remove, 0);
  return carryOut(how, { ...said, target, via: "changes", course, total });
}

/** Undefined where the host has no such list. @throws ListingError where no step begins at what the copy holds */
function findChain<T>({ origin, signal }: Round<T>, from: string, target: Goal): Promise<ListedStep[] | undefined> {
  const url = `${origin.host.baseUrl}/changes.json`;
  const { state } = target;
  return target.read(url, { maxBytes: CHANGES_BYTES, past: state, signal, isFresh: true }, (bytes, status) => {
    if (status > 399 && status < 500) return undefined;
    requireOk(url, status);
    return chainOf(bytes, url, from, state);
  });
}

/** Its name for caches is that of the snapshot, so that none shows one of another. */
async function readContract<T>({ origin, signal }: Round<T>, { file, read, readFile }: Goal) {
  const name = "contract.json";
  const url = `${origin.host.baseUrl}/${name}`;
  const asked = { maxBytes: MAX_CONTRACT, past: file.digest, isPast: true, signal };
  const take = (bytes: Bytes, status: number) => {
    requireOk(url, status);
    return bytes;
  };
  const bytes = await (readFile?.(name, MAX_CONTRACT, signal) ?? read(url, asked, take));
  return { url, contract: objectOf(bytes, url) as unknown as ContractFile, digest: await hexDigest(bytes) };
}

async function readWhole<T>(how: Round<T>): Promise<SyncResult> {
  const { origin, signal } = how;
  const ground = await findProved(origin, how);
  const { url, ...said } = await readContract(how, ground);
  const reader = recordKeeper<T>(said.contract, url);
  const whole = await wholeOf({ ...origin, ground }, said.contract, reader, signal);
  return carryOut(how, { ...said, ...whole, target: ground, total: ground.snapshot.count });
}
