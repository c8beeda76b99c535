/** A bucket as a target: only objects whose bytes differ are put, each by one request. */
import { lstatSync } from "node:fs";
import { z } from "zod";
import { DEFAULT_CACHE_CONTROL } from "../../contract/headers.js";
import { parseAs } from "../../contract/json.js";
import { findDigest, readReleaseFileSync, sha256 } from "../../release/files.js";
import { SNAPSHOT } from "../../release/layout.js";
import type { Snapshot } from "../../release/snapshot.js";
import { each } from "../../workers/at-most.js";
import type { PublishedFile, ReleaseFiles } from "../files.js";
import { isOrphan, type Owned } from "../owned.js";
import { AT_ONCE, requireSameBase, type Target, type TargetEffects, type TargetOptions } from "../target.js";
import type { BucketAddress } from "./address.js";
import { headersOf, OWN_HEADERS } from "./headers.js";
import { History, requireKnown } from "./history.js";
import { Lease } from "./lease.js";
import { explainStore } from "./refusals.js";
import { ObjectStore } from "./store.js";
import { KnownTags, TAGS, Tags } from "./tags.js";

/** Larger files are read while they are sent, so that sixteen at once need little memory. */
const MOST_IN_MEMORY = 4_000_000;
const CHUNK = 2 ** 18;

interface Parts {
  name: string;
  store: ObjectStore;
  lease: Lease;
  /** A shard leaves nothing in `dist`, since others may be at work from there. */
  history: History | undefined;
  cacheControl: string;
  /** How many pages snapshot.json announces. */
  announced?: number | undefined;
  /** What the lease has read. */
  owned: Owned | undefined;
}

/**
 * Opens a bucket for one run, once no other run is at work on it.
 * @param folder in `dist`, where this target is remembered.
 * @throws UserError when the SDK is not installed, when another run is at work, or when a release is there that may be
 * replaced only by `force`.
 */
export async function openBucket(
  address: BucketAddress,
  folder: string,
  release: Snapshot,
  { dist, endpoint, cacheControl = DEFAULT_CACHE_CONTROL, force = false, expect, dryRun = false, shard }: TargetOptions,
  { onWait = () => {}, signal }: TargetEffects,
): Promise<Bucket> {
  const { name } = address;
  const history = new History(folder);
  const store = await ObjectStore.open(address, endpoint, signal);
  try {
    const isShare = shard !== undefined;
    const lease = new Lease(store, name, isShare ? `shards of ${release.id}` : undefined);
    const owned = await lease.read();
    const found = force && !isShare ? undefined : (await store.find(SNAPSHOT))?.bytes;
    if (!force) requireSameBase(name, found, release);
    if (found && !force) requireKnown(found, name, { dist, published: history.record.releases, expect });
    // A run from this `dist` cannot be at work, because this one holds the lock; a shard holds none, and others may be.
    const own = isShare ? lease.name : history.record.run;
    const isForeign = owned?.run !== undefined && owned.run.name !== own;
    if (isForeign && !dryRun) await lease.outwait(onWait, signal);
    const announced = parseAs(announcedSchema, String(found ?? ""))?.pages;
    return new Bucket({ name, store, lease, history: isShare ? undefined : history, cacheControl, owned, announced });
  } catch (error) {
    store.close();
    throw explainStore(name, error);
  }
}

const announcedSchema = z.object({ pages: z.int() });

export class Bucket implements Target {
  readonly name: string;
  #tags: Tags | undefined;

  constructor(private readonly parts: Parts) {
    this.name = parts.name;
  }

  get requests(): number {
    return this.parts.store.requests;
  }

  get announced(): number | undefined {
    return this.parts.announced;
  }

  async readOwned(): Promise<Owned | undefined> {
    return this.parts.owned;
  }

  async survey(...[files, found, signal]: Parameters<Target["survey"]>): Promise<void> {
    const { store, cacheControl } = this.parts;
    const tags = new Tags(files);
    this.#tags = tags;
    const tell = (file: PublishedFile, etag: string, isSame: boolean) => {
      tags.set(file.index, etag);
      found(file, isSame ? "same" : "different");
    };
    const list = await store.find(TAGS);
    const known = list && KnownTags.parse(list.bytes, cacheControl);
    const seen = new Uint8Array(files.length);
    for await (const { path, etag } of store.list()) {
      signal?.throwIfAborted();
      const index = files.indexOf(path);
      if (index === undefined || !files.isOwn(index)) continue;
      const file = files.at(index);
      const digest = known?.digestOf(path, etag);
      seen[index] = digest === undefined ? DIGEST_UNKNOWN : DIGEST_KNOWN;
      if (digest !== undefined) tell(file, etag, digest === file.digest);
    }
    const ask = async (file: PublishedFile) => {
      if (seen[file.index] === DIGEST_KNOWN) return;
      const facts = seen[file.index] === DIGEST_UNKNOWN ? await store.findFacts(file.path) : undefined;
      if (!facts) return found(file, "absent");
      const { ContentEncoding, ...headers } = headersOf(file, cacheControl);
      const isSame =
        facts.sha256 === file.digest &&
        facts.ContentEncoding === ContentEncoding &&
        facts.CacheControl === headers.CacheControl &&
        facts.ContentType === headers.ContentType;
      tell(file, facts.etag, isSame);
    };
    await each(files, AT_ONCE, ask, signal);
  }

  async requireSame(): Promise<void> {
    await this.parts.lease.requireSame();
  }

  async *orphans(owned: Owned, files: ReleaseFiles): AsyncGenerator<string> {
    for await (const { path } of this.parts.store.list()) if (isOrphan(owned, files, path)) yield path;
  }

  async storeOwned(owned: Owned): Promise<void> {
    const { lease, history, store, cacheControl } = this.parts;
    if (!owned.complete) {
      history?.begin(lease.name, owned.release);
      return lease.begin(owned);
    }
    const tags = this.#tags?.encode(cacheControl);
    if (tags) await lease.during(() => store.put(TAGS, tags, { headers: OWN_HEADERS }));
    await lease.end(owned);
    history?.end(owned.release);
  }

  async put(file: PublishedFile, from: string): Promise<number | undefined> {
    const { lease, store, cacheControl } = this.parts;
    lease.check();
    const size = lstatSync(from, { throwIfNoEntry: false })?.size ?? 0;
    const bytes = size <= MOST_IN_MEMORY ? readReleaseFileSync(from) : undefined;
    const digest = bytes ? sha256(bytes) : findDigest(from, Buffer.allocUnsafe(CHUNK));
    if (digest !== file.digest) return undefined;
    const facts = { headers: headersOf(file, cacheControl), sha256: digest };
    const send = () => (bytes ? store.put(file.path, bytes, facts) : store.putFile(file.path, from, size, facts));
    const etag = await lease.during(send);
    if (etag === undefined) return undefined;
    this.#tags?.set(file.index, etag);
    return size;
  }

  async remove(path: string): Promise<void> {
    const { lease, store } = this.parts;
    await lease.during(() => store.remove(path));
  }

  async flush(): Promise<void> {
    await this.parts.lease.confirm();
  }

  explain(error: unknown): unknown {
    return explainStore(this.name, error);
  }

  close(): void {
    this.parts.lease.stop();
    this.parts.store.close();
  }
}

const DIGEST_UNKNOWN = 1;
const DIGEST_KNOWN = 2;
