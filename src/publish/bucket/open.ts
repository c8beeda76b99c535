/** Opens a bucket for one run, once it is known that it is this run's turn. */
import { DEFAULT_CACHE_CONTROL } from "../../contract/headers.js";
import { parseAddress } from "./address.js";
import { Bucket } from "./bucket.js";
import { History, requireKnown } from "./history.js";
import { Lease } from "./lease.js";
import { explainStore } from "./refusals.js";
import { Store } from "./store.js";

export interface BucketOptions {
  /** The folder of the releases. */
  dist: string;
  /** In `dist`, where this target is remembered. */
  folder: string;
  endpoint: string | undefined;
  cacheControl: string | undefined;
  force: boolean;
  /** The beginning of the id of a release that may be replaced. */
  expect: string | undefined;
  dryRun: boolean;
  /** Told when another run has not ended, and how long it may take to see whether it ever will. */
  onWait: (milliseconds: number) => void;
  signal: AbortSignal | undefined;
}

/**
 * @throws UserError when the SDK is not there, when another run is at work, or when somebody else has put another
 * release there, unless `force` or it is the one to `expect`.
 */
export async function openBucket(address: string, options: BucketOptions): Promise<Bucket> {
  const {
    dist,
    folder,
    endpoint,
    cacheControl = DEFAULT_CACHE_CONTROL,
    force,
    expect,
    dryRun,
    onWait,
    signal,
  } = options;
  const where = parseAddress(address);
  const history = new History(folder);
  const store = await Store.open(where, endpoint, signal);
  try {
    const claim = new Lease(store, where.name);
    const owned = await claim.read();
    if (!force) await requireKnown(store, where.name, { dist, published: history.record.releases, expect });
    // A run from here cannot be at work: this one holds the lock.
    const isForeign = owned?.run !== undefined && owned.run.name !== history.record.run;
    if (isForeign && !dryRun) await claim.outwait(onWait, signal);
    return new Bucket({ name: where.name, store, claim, history, cacheControl, owned });
  } catch (error) {
    store.close();
    throw explainStore(where.name, error);
  }
}
