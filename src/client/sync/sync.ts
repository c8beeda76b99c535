/** Brings a copy of a listing to the state that the listing has now, by as few bytes as can be, all or nothing. */
import { type ContractFile, MAX_CONTRACT } from "../../contract/file/form.js";
import { hexDigest, objectOf, requireOk, snapshotOf } from "../checked.js";
import { ListingError, SnapshotChangedError } from "../errors.js";
import type { SyncOptions, SyncResult } from "../options.js";
import {
  type FindOptions,
  type Host,
  type KnownSnapshot,
  knownSnapshot,
  type ProvedView,
  readSnapshotFile,
  type SnapshotFile,
  type SnapshotView,
} from "../proof/view.js";
import { bulkSource, otherState, pageSource } from "../sources.js";
import type { Bytes } from "../transfer.js";
import { createWalk, MOST_RESTARTS, type PageSource } from "../walk.js";
import { recordKeeper, recordList } from "./records.js";
import { chainOf, changesOf, checkStep, type Edit, type ListedStep } from "./steps.js";
import type { Entry, Held, Store } from "./store.js";

/** One try to bring a copy to what a host has. */
interface Round<T> extends SyncOptions {
  host: Host;
  store: Store<T>;
  held: Held | undefined;
  /** Whether a cache is known to show an old snapshot. */
  isPast: boolean;
}

/** The snapshot that a host has now, and where SHA256SUMS was read, its files, proved. */
type Goal = KnownSnapshot & Partial<Pick<SnapshotView, "readFile">>;

/** What is put and removed, how it is read, and what has to come of it. */
interface Plan<T> {
  target: Goal;
  via: "changes" | "bulk" | "pages";
  contract: ContractFile;
  /** The contract's own. */
  digest: string;
  source: PageSource<Edit<T>>;
  /** Records that are put or removed. */
  total: number;
}

const CHANGES_BYTES = 1_000_000;
/** Steps that are asked for at once. */
const STEPS_AT_ONCE = 2;
/** How many records are put or removed between two reports of progress. */
const TOLD_EVERY = 1000;

/**
 * Brings a copy to the current state, all or nothing.
 * @throws ListingError when neither steps nor everything could be read and proved. Then the copy is as it was.
 */
export async function sync<T>(host: Host, store: Store<T>, options: SyncOptions): Promise<SyncResult> {
  for (let restarts = 0; ; restarts++) {
    const held = await store.held();
    try {
      return await syncOnce<T>({ ...options, host, store, held, isPast: restarts > 0 });
    } catch (error) {
      if (!(error instanceof SnapshotChangedError) || restarts === MOST_RESTARTS) throw error;
    }
  }
}

async function syncOnce<T>(how: Round<T>): Promise<SyncResult> {
  const { host, held } = how;
  if (!held) return readWhole(how);
  const target = await findGoal(host, held, how);
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
  const { host, store } = how;
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
  const urlOf = ({ file }: ListedStep) => `${host.baseUrl}/${file}`;
  const source: PageSource<Edit<T>> = {
    atOnce: STEPS_AT_ONCE,
    last: chain.length,
    first: () => 1,
    async read(number, signal) {
      const step = stepAt(number);
      const { bytes: maxBytes, sha256: past } = step;
      const from = urlOf(step);
      const found = await target.read(from, { maxBytes, past, signal, isFresh: true }, (bytes, status) => {
        requireOk(from, status);
        return checkStep(step, bytes, from, signal);
      });
      if (found instanceof ListingError) throw found;
      return found;
    },
    async *items(number, bytes, records) {
      let at = records;
      const step = stepAt(number);
      for await (const change of changesOf(step, bytes, urlOf(step), reader, how.signal)) yield [change, ++at];
    },
  };
  const total = chain.reduce((sum, { put, remove }) => sum + put + remove, 0);
  return carryOut(how, { ...said, target, via: "changes", source, total });
}

/** Undefined where the host has no such list. @throws ListingError where no step begins at what the copy holds */
function findChain<T>({ host, signal }: Round<T>, from: string, target: Goal): Promise<ListedStep[] | undefined> {
  const url = `${host.baseUrl}/changes.json`;
  const { state } = target;
  return target.read(url, { maxBytes: CHANGES_BYTES, past: state, signal, isFresh: true }, (bytes, status) => {
    if (status > 399 && status < 500) return undefined;
    requireOk(url, status);
    return chainOf(bytes, url, from, state);
  });
}

/** Its name for caches is that of the snapshot, so that none shows one of another. */
async function readContract<T>({ host, signal }: Round<T>, { file, read, readFile }: Goal) {
  const name = "contract.json";
  const url = `${host.baseUrl}/${name}`;
  const asked = { maxBytes: MAX_CONTRACT, past: file.digest, isPast: true, signal };
  const take = (bytes: Bytes, status: number) => {
    requireOk(url, status);
    return bytes;
  };
  const bytes = await (readFile?.(name, MAX_CONTRACT, signal) ?? read(url, asked, take));
  return { url, contract: objectOf(bytes, url) as unknown as ContractFile, digest: await hexDigest(bytes) };
}

/** Everything that a snapshot holds: in parts where it has them, else by its pages. */
async function readWhole<T>(how: Round<T>): Promise<SyncResult> {
  const { host, signal } = how;
  const view = await findProved(host, how);
  const { url, ...said } = await readContract(how, view);
  const { read } = recordKeeper<T>(said.contract, url);
  const open = async () => read;
  const plan = { ...said, target: view, total: view.snapshot.count };
  const bulk = await bulkSource(host, view, signal, open).catch((error: unknown) => {
    if (!(error instanceof ListingError) || error.code !== "usage") throw error;
  });
  if (bulk) return carryOut(how, { ...plan, via: "bulk", source: bulk });
  return carryOut(how, { ...plan, via: "pages", source: pageSource(host, view, open) });
}

/** The tag of a snapshot that is to be remembered: one that was made of its bytes. Those of times and sizes may lie. */
function digestTag({ file }: Goal): string | undefined {
  return file.etag?.match(/^"[0-9a-f]{32,64}"$/)?.[0];
}

/** Undefined where the host says that it is what the copy was brought to last. */
async function findGoal(host: Host, { tag }: Held, { signal, isPast }: FindOptions): Promise<Goal | undefined> {
  // A signature is of SHA256SUMS, so then that is read, too.
  if (host.keys.length > 0) return findProved(host, { signal, isPast });
  const known = tag && !isPast ? { digest: "", etag: tag } : undefined;
  const past = isPast ? "again" : undefined;
  const found = await host.requests.insist(signal, async (tries) => {
    const file = await readSnapshotFile(host, known, { tries, past, signal });
    if (file === known) return undefined;
    const { bytes, url } = file as SnapshotFile;
    return knownSnapshot(host, file as SnapshotFile, snapshotOf(bytes, url));
  });
  return found && requireState(host, found);
}

/** @throws ListingError (unproved) for a listing without a state */
async function findProved(host: Host, { signal, isPast }: FindOptions): Promise<ProvedView> {
  return requireState(host, (await host.find({ signal, isPast })) as ProvedView);
}

/** @throws ListingError (unproved) for a listing without a state, or a state without proof */
function requireState<G extends Goal>(host: Host, found: G): G {
  if (found.file && found.snapshot.state) return found;
  throw new ListingError("unproved", host.baseUrl, "says no state to hold a copy to");
}

/**
 * In one transaction, which nobody sees anything of unless the copy then holds what it has to.
 * @throws ListingError (mismatch) when it does not
 */
async function carryOut<T>(how: Round<T>, plan: Plan<T>): Promise<SyncResult> {
  const { host, store, held, signal, onProgress } = how;
  const { target, via, contract, digest, source, total } = plan;
  const url = host.baseUrl;
  const to = await store.begin(contract, via !== "changes");
  let [put, removed] = [0, 0];
  const tell = () => onProgress?.({ records: put + removed, total });
  let next: Held;
  try {
    // The host may move meanwhile: what is read is of one state, as is shown at the end.
    const known = { ...target, requireCurrent: async () => {} };
    const changes = createWalk({ url, find: async () => known, source: async () => source }, { signal });
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
    if (state !== target.state) throw otherState(url, target.state, state);
    next = { state, contract: digest, count, tag: digestTag(target) };
  } catch (error) {
    await to.rollback();
    throw error;
  }
  await to.commit(next);
  return { from: held?.state, state: next.state, count: next.count, via, put, removed };
}

/** The SHA-256 of records.sha256, as it would be of these. @param check is called now and then, and may throw what ends it. */
async function stateOf(entries: Iterable<Entry> | AsyncIterable<Entry>, check: () => void) {
  const list = recordList();
  let count = 0;
  const add = (entry: Entry) => {
    count++;
    if (list.add(entry)) check();
  };
  // Waiting for each of a million records that are there would take longer than the digest.
  if (Symbol.iterator in entries) for (const entry of entries) add(entry);
  else for await (const entry of entries) add(entry);
  return { state: list.state(), count };
}
