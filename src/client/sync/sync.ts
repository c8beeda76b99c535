/** Brings a copy of a listing to the state that the listing has now, by as few bytes as can be. */
import { type ContractFile, MAX_CONTRACT } from "../../contract/file/form.js";
import { hexDigest, objectOf } from "../checked.js";
import { ListingError, SnapshotChangedError } from "../errors.js";
import type { SyncOptions, SyncResult } from "../options.js";
import type { Bytes } from "../transfer.js";
import type { Course } from "../walk.js";
import { carryOut, type Round } from "./apply.js";
import { digestTag, findGoal, findProved, type Goal, readOf, type SyncSource } from "./goal.js";
import { recordKeeper } from "./records.js";
import { chainOf, changesOf, checkStep, type Edit, type ListedStep } from "./steps.js";
import type { Held, Store } from "./store.js";
import { wholeOf } from "./whole.js";

/** How often it begins again when the host moves in between. */
const MOST_RESTARTS = 8;
const CONTRACT = "contract.json";
const CHANGES = "changes.json";
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
    const result = await readSteps(how, held, target);
    return result ?? (await readWhole(how));
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
  const chain = held.state === target.state ? [] : await findChain(how, held, target);
  if (!chain) return undefined;
  const { bytes, url } = await readContract(how, target);
  const digest = await hexDigest(bytes);
  if (digest !== held.contract)
    throw new ListingError("mismatch", url, "is another than the copy's", held.contract, digest);
  const contract = objectOf(bytes, url) as unknown as ContractFile;
  if (chain.length === 0) {
    const change = await store.begin(contract, false);
    await change.commit({ ...held, tag: digestTag(target) });
    return nothing(held);
  }
  const reader = recordKeeper<T>(contract, url);
  const stepAt = (number: number) => chain[number - 1] as ListedStep;
  const course: Course<Edit<T>> = {
    atOnce: STEPS_AT_ONCE,
    last: chain.length,
    first: () => 1,
    async read(number, signal) {
      const step = stepAt(number);
      const asked = { name: step.file, maxBytes: step.bytes, past: step.sha256, signal };
      const found = await readOf(origin, target, asked, (bytes, url) => checkStep(step, there(bytes, url), url));
      if (found instanceof ListingError) throw found;
      return found;
    },
    async *items(number, bytes, records) {
      let at = records;
      const step = stepAt(number);
      const from = `${origin.host.baseUrl}/${step.file}`;
      for await (const change of changesOf(step, bytes, from, reader)) yield [change, ++at];
    },
  };
  const total = chain.reduce((sum, { put, remove }) => sum + put + remove, 0);
  return carryOut(how, { target, via: "changes", contract, digest, course, total });
}

/** @throws ListingError where no step begins at what the copy holds */
async function findChain<T>(how: Round<T>, held: Held, target: Goal): Promise<ListedStep[] | undefined> {
  const { origin, signal } = how;
  const { state } = target;
  const asked = { name: CHANGES, maxBytes: CHANGES_BYTES, past: state, signal };
  const found = await readOf(origin, target, asked, (bytes, url) => {
    if (!bytes) return undefined;
    return { url, chain: chainOf(bytes, url, held.state, state) };
  });
  if (!found || found.chain) return found?.chain;
  throw new ListingError("usage", found.url, "has no steps from the copy's state", held.state, "others");
}

/** Its name for caches is that of the snapshot, so that none shows one of another. */
async function readContract<T>({ origin, signal }: Round<T>, target: Goal): Promise<{ bytes: Bytes; url: string }> {
  const url = `${origin.host.baseUrl}/${CONTRACT}`;
  if (target.readFile) return { url, bytes: await target.readFile(CONTRACT, MAX_CONTRACT, signal) };
  const asked = { name: CONTRACT, maxBytes: MAX_CONTRACT, past: target.file.digest, isPast: true, signal };
  return { url, bytes: await readOf(origin, target, asked, there) };
}

function there(bytes: Bytes | undefined, url: string): Bytes {
  if (bytes) return bytes;
  throw new ListingError("status", url, "is not there", "200", "another");
}

async function readWhole<T>(how: Round<T>): Promise<SyncResult> {
  const { origin, signal } = how;
  const ground = await findProved(origin, how);
  const { bytes, url } = await readContract(how, ground);
  const digest = await hexDigest(bytes);
  const contract = objectOf(bytes, url) as unknown as ContractFile;
  const reader = recordKeeper<T>(contract, url);
  const whole = await wholeOf({ ...origin, ground }, contract, reader, signal);
  return carryOut(how, { ...whole, target: ground, contract, digest, total: ground.snapshot.count });
}
