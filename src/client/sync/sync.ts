/** Brings a copy to the listing's current state, by steps or by reading everything, in one transaction. */
import type { ContractFile } from "../../core/contract/file/form.js";
import { bulkRecords } from "../bulk.js";
import { hexDigest } from "../digests.js";
import { ListingError } from "../errors.js";
import { findView } from "../find-view.js";
import type { SyncOptions, SyncResult } from "../options.js";
import { readContract } from "../order.js";
import { requireOk } from "../requests.js";
import {
  type Host,
  type KnownView,
  knownView,
  type PromisedView,
  type ProvedView,
  readSnapshotFile,
  type SnapshotFile,
  snapshotOf,
} from "../view.js";
import { createWalk, MOST_RESTARTS, type PageSource, retryWhenChanged } from "../walk.js";
import { linesOfPages, recordReader, stateOf } from "./records.js";
import { chainOf, changesOf, type Edit, type ListedStep } from "./steps.js";
import type { Held, Store } from "./store.js";

/** One attempt of a sync. */
interface Round<T> extends SyncOptions {
  host: Host;
  store: Store<T>;
  held: Held | undefined;
  /** Whether a cache is known to show an old snapshot. */
  bypass: boolean;
}

/** The source of changes, and the state to which they must lead. */
interface Plan<T> {
  target: KnownView;
  via: "changes" | "bulk" | "pages";
  contract: ContractFile;
  contractDigest: string;
  source: PageSource<Edit<T>>;
  /** Number of records to put or remove. */
  total: number;
}

const CHANGES_BYTES = 1_000_000;
/** Steps that are read in parallel. */
const STEPS_AT_ONCE = 2;
/** Records between two reports of progress. */
const PROGRESS_EVERY = 1000;

/** Brings a copy up to date. @throws ListingError if neither steps nor all records could be verified; the copy is then unchanged */
export function sync<T>(host: Host, store: Store<T>, options: SyncOptions): Promise<SyncResult> {
  const restarts = { done: 0, most: MOST_RESTARTS };
  return retryWhenChanged(restarts, async () => {
    const held = await store.held();
    const round = { ...options, host, store, held, bypass: restarts.done > 0 };
    if (!held) return readEverything(round);
    const isCopyOf = ({ id, state }: PromisedView) => held.id === id && held.state === state;
    const promised = await host.promised?.(options.signal);
    if (promised && isCopyOf(promised)) return unchangedResult(held);
    const target = await findTarget(round);
    if (isCopyOf(target.snapshot)) return unchangedResult(held);
    try {
      return (await readSteps(round, held, target)) ?? (await readEverything(round));
    } catch (error) {
      if (!(error instanceof ListingError) || error.code === "changed") throw error;
      return { ...(await readEverything(round)), anew: error.message };
    }
  });
}

function unchangedResult({ state, count }: Held): SyncResult {
  return { from: state, state, count, via: "nothing", put: 0, removed: 0 };
}

/** Reads the host's snapshot. With a key, SHA256SUMS is needed too, since it is what is signed. */
async function findTarget<T>(round: Round<T>): Promise<KnownView> {
  const { host, signal, bypass } = round;
  if (host.keys.length > 0) return findProved(round);
  const cacheKey = bypass ? "again" : undefined;
  return host.requests.retry(signal, async (tries) => {
    const file = await readSnapshotFile<SnapshotFile>(host, undefined, { tries, cacheKey, signal });
    return knownView(host, file, snapshotOf(file.bytes, file.url));
  });
}

/** @throws ListingError (unproved) for a host that is read without verification */
async function findProved<T>({ host, signal, bypass }: Round<T>): Promise<ProvedView> {
  const view = await findView(host, { signal, bypass });
  if (view.proof === "none") throw new ListingError("unproved", host.baseUrl, "has no state to compare the copy with");
  return view as ProvedView;
}

/** Syncs by steps; undefined if the release has none. @throws ListingError if they do not lead there, or are wrong */
async function readSteps<T>(round: Round<T>, held: Held, target: KnownView): Promise<SyncResult | undefined> {
  const { host, store, signal } = round;
  const { baseUrl } = host;
  const changesUrl = `${baseUrl}/changes.json`;
  const how = { maxBytes: CHANGES_BYTES, cacheKey: target.state, signal, isFresh: true };
  const readChain = () =>
    target.read(changesUrl, how, (bytes, status) => {
      if (status > 399 && status < 500) return undefined;
      requireOk(changesUrl, status);
      return chainOf(bytes, changesUrl, held.state, target.state);
    });
  const chain = held.state === target.state ? [] : await readChain();
  if (!chain) return undefined;
  const { url, bytes, contract } = await readContract(host, target, signal);
  const contractDigest = await hexDigest(bytes);
  if (contractDigest !== held.contract)
    throw new ListingError("mismatch", url, "is another than the copy's", held.contract, contractDigest);
  if (chain.length === 0) {
    const change = await store.begin(contract, false);
    await change.commit({ ...held, id: target.snapshot.id });
    return unchangedResult(held);
  }
  const reader = recordReader<T>(contract, url);
  const stepAt = (number: number) => {
    const step = chain[number - 1] as ListedStep;
    return { step, from: `${baseUrl}/${step.file}` };
  };
  const source: PageSource<Edit<T>> = {
    atOnce: STEPS_AT_ONCE,
    last: chain.length,
    first: () => 1,
    read(number, signal) {
      const { step, from } = stepAt(number);
      const how = { maxBytes: step.bytes, cacheKey: step.sha256, signal, isFresh: true };
      return target.read(from, how, (packed, status) => {
        requireOk(from, status);
        if (packed.length === step.bytes) return packed;
        throw new ListingError("mismatch", from, "has a wrong length", `${step.bytes}`, `${packed.length}`);
      });
    },
    async *items(number, packed, records) {
      let at = records;
      const { step, from } = stepAt(number);
      for await (const change of changesOf(step, packed, from, reader, signal)) yield [change, ++at];
    },
  };
  const total = chain.reduce((sum, { put, remove }) => sum + put + remove, 0);
  return applyPlan(round, { contract, contractDigest, target, via: "changes", source, total });
}

/** Reads all records, by bulk parts if the release has them, otherwise by pages. */
async function readEverything<T>(round: Round<T>): Promise<SyncResult> {
  const { host, signal } = round;
  const view = await findProved(round);
  const { url, bytes, contract } = await readContract(host, view, signal);
  const { read } = recordReader<T>(contract, url);
  const bulk = await bulkRecords(host, view, signal, async () => read).catch((error: unknown) => {
    if (!(error instanceof ListingError) || error.code !== "usage") throw error;
  });
  return applyPlan(round, {
    contract,
    contractDigest: await hexDigest(bytes),
    target: view,
    total: view.snapshot.count,
    via: bulk ? "bulk" : "pages",
    source: bulk ?? linesOfPages(host, view, read),
  });
}

/** Applies changes in one transaction. @throws ListingError (mismatch) if the copy does not reach the target's state */
async function applyPlan<T>(round: Round<T>, plan: Plan<T>): Promise<SyncResult> {
  const { host, store, held, signal, onProgress } = round;
  const { target, via, contract, contractDigest, source, total } = plan;
  const url = host.baseUrl;
  const to = await store.begin(contract, via !== "changes");
  let put = 0;
  let removed = 0;
  const tell = () => onProgress?.({ records: put + removed, total });
  let next: Held;
  try {
    // No check of the current snapshot is needed: the final state proves that all data is of one snapshot.
    const all = { ...source, isProof: true };
    const changes = createWalk({ url, find: async () => target, source: async () => all }, { signal });
    for await (const change of changes) {
      const isPut = "record" in change;
      const done = isPut ? to.put(change) : to.remove(change.key);
      if (done) await done;
      if (isPut) put++;
      else removed++;
      if ((put + removed) % PROGRESS_EVERY === 0) tell();
    }
    tell();
    const { state, count } = await stateOf(to.entries(), signal);
    if (state !== target.state)
      throw new ListingError("mismatch", url, "has other records than its state promises", target.state, state);
    next = { id: target.snapshot.id, state, contract: contractDigest, count };
  } catch (error) {
    await to.rollback();
    throw error;
  }
  await to.commit(next);
  return { from: held?.state, state: next.state, count: next.count, via, put, removed };
}
