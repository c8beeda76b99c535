/** A bucket as a publish target. Puts only objects that differ, each over the version that was compared. */
import { getFips } from "node:crypto";
import { lstatSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { CONTENT_TYPE, DEFAULT_CACHE_CONTROL } from "../core/contract/headers.js";
import { UserError } from "../core/errors.js";
import { fileHeaders, OWNED, SNAPSHOT, SUMS } from "../core/release/layout.js";
import { hashPlain, readPlain, sha256 } from "../core/release/plain-files.js";
import { parseSum } from "../core/release/sums.js";
import {
  ATTEMPTS,
  beginHolding,
  endHolding,
  type Holder,
  heldBy,
  isDead,
  isStale,
  type LockTimes,
  lostTo,
  RENEW_MS,
  startRenewing,
  tookOver,
} from "./holder.js";
import type { PublishedFile, ReleaseFiles } from "./order.js";
import { encodeOwned, type Owned, ownedNothing, parseOwned } from "./owned.js";
import { type BucketAddress, type ObjectHeaders, type ObjectStore, openStore } from "./s3.js";
import { explainStore } from "./store-errors.js";
import type { PublishOptions, Target } from "./target.js";

const OWN_HEADERS = { CacheControl: "no-store", ContentType: "application/json" };
/** Larger files are read into memory one at a time. */
const LARGE = 4_000_000;
/** Maximum bytes of a file that Node reads at once. */
const MOST_BYTES = 2 ** 31 - 1;
/** Milliseconds for which a failed run tries to remove its lock. */
const UNLOCK_MS = 3_000;

interface BucketOptions extends Pick<PublishOptions, "endpoint" | "cacheControl" | "takeOver">, LockTimes {}

/** Opens a bucket as a target. @throws UserError if the SDK is not installed. */
export async function openBucket(
  address: BucketAddress,
  files: ReleaseFiles,
  options: BucketOptions,
  signal: AbortSignal | undefined,
): Promise<Target> {
  return bucketTarget(address.name, files, options, await openStore(address, options.endpoint, signal));
}

/**
 * A bucket as a target of `rollcall publish`. Its list of owned files is also its lock: it names the run that holds it. Taking
 * the lock is a conditional PUT over the list that was read, so only one of several runs gets it. The holder renews it with
 * another conditional PUT. A killed run leaves its name. A run on the same system sees that the process is gone, and takes
 * over. On other systems, a run takes over a lock that was not renewed for long by the store's own time, or with `takeOver`.
 * A holder that is still alive, or was paused, stops within `checkMs`, and the new one waits for that.
 */
export function bucketTarget(
  name: string,
  files: ReleaseFiles,
  { cacheControl = DEFAULT_CACHE_CONTROL, takeOver = false, checkMs = 1_000, renewMs = RENEW_MS }: BucketOptions,
  store: ObjectStore,
): Target {
  /** The entity tags of the release's files in the bucket, by number. */
  const tags: (string | undefined)[] = [];
  /** The entity tags of snapshot.json and the list of owned files; undefined for an object that does not exist. */
  let snapshotTag: string | undefined;
  let ownedTag: string | undefined;
  /** This run, while it holds the lock. */
  let holder: Holder | undefined;
  /** The list that it wrote last. */
  let list = ownedNothing(files);
  let stopRenewing = () => {};
  /** Ends when the last write of the list has. */
  let writing: Promise<unknown> = Promise.resolve();
  /** When this run last asked whether it holds the lock, and did. */
  let heldAt = Number.NEGATIVE_INFINITY;
  /** Ends when the last large file was put. */
  let large: Promise<unknown> = Promise.resolve();
  /** 1 for each file that a SHA256SUMS in the bucket lists with the same digest. */
  const listed = new Uint8Array(files.length);

  const findOwned = async () => {
    const found = await store.find(OWNED);
    return found && { ...found, owned: parseOwned(String(found.bytes), `${name}/${OWNED}`) };
  };

  /** Runs a step that writes the list after the one before: a renewal and a new list never replace each other. */
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = writing.then(step);
    writing = done.catch(() => {});
    return done;
  };

  const endOwnHolding = (): void => {
    stopRenewing();
    if (holder) endHolding(holder);
    holder = undefined;
  };

  /** @throws UserError if another run has taken the lock over. */
  const flush = async () => {
    const asked = performance.now();
    const other = (await findOwned())?.owned.holder;
    if (holder && other?.id === holder.id) {
      heldAt = asked;
      return;
    }
    heldAt = Number.NEGATIVE_INFINITY;
    endOwnHolding();
    throw lostTo(name, other);
  };

  /** Renews the lock. If another run has taken it over, the next change finds out. */
  const renew = () =>
    inTurn(async () => {
      if (!holder) return;
      await flush();
      const next = { ...holder, renewals: holder.renewals + 1 };
      const tag = await store.put(OWNED, bytesOf(list, next), OWN_HEADERS, ownedTag);
      if (tag === undefined) {
        heldAt = Number.NEGATIVE_INFINITY;
        return;
      }
      ownedTag = tag;
      // The run may have ended meanwhile.
      if (holder) holder = next;
    });

  /** Takes the lock over the version of the list that was read. @returns whether this run got it. */
  const take = async (found: Awaited<ReturnType<typeof findOwned>>, now: Date): Promise<boolean> => {
    holder = beginHolding(now);
    list = found?.owned ?? ownedNothing(files);
    ownedTag = await store.put(OWNED, bytesOf(list, holder), OWN_HEADERS, found?.etag);
    if (ownedTag === undefined) {
      endOwnHolding();
      return false;
    }
    stopRenewing = startRenewing(renew, renewMs);
    return true;
  };

  store.guard(async (path) => {
    if (path !== OWNED && performance.now() - heldAt >= checkMs) await flush();
  });

  /** Puts an object. @throws UserError if the object is not the version that was read. */
  const put = async (path: string, bytes: Buffer, headers: ObjectHeaders, over: string | undefined) => {
    const tag = await store.put(path, bytes, headers, over);
    if (tag !== undefined) return tag;
    throw new UserError(
      `${name}/${path} was changed by another run or program meanwhile, so this run has stopped; run it again when nothing else writes there.`,
    );
  };

  const putFile = async (file: PublishedFile, from: string): Promise<number | undefined> => {
    const { path, digest, index } = file;
    const bytes = readPlain(from, MOST_BYTES);
    if (!bytes || sha256(bytes) !== digest) return undefined;
    await put(path, bytes, headersOf(file, cacheControl), path === SNAPSHOT ? snapshotTag : tags[index]);
    return bytes.length;
  };

  const readSums = async () => {
    const check = (path: string, digest: string) => {
      const index = files.indexOf(path);
      if (index !== undefined && files.at(index).digest === digest) listed[index] = 1;
    };
    for (const path of files.others.filter((path) => basename(path) === SUMS)) {
      const bytes = (await store.find(path))?.bytes ?? Buffer.alloc(0);
      check(path, sha256(bytes));
      for (const line of String(bytes).split("\n")) {
        const sum = parseSum(line);
        if (sum) check(posix.join(dirname(path), sum.path), sum.digest);
      }
    }
  };

  const unlock = async (): Promise<void> => {
    const own = holder?.id;
    endOwnHolding();
    if (own === undefined) return;
    await inTurn(async () => {
      const found = await findOwned();
      if (!found || found.owned.holder?.id !== own) return;
      if (!filesIn(found.owned)) return store.remove(OWNED);
      await store.put(OWNED, bytesOf(found.owned), OWN_HEADERS, found.etag);
    });
  };

  return {
    name,
    isShared: true,
    ignoresCase: () => false,
    cacheControl,
    requests: store.requests,
    flush,
    unlock,
    remove: store.remove,
    explain: (error) => explainStore(name, error),

    async lock(now, onTakeOver = () => {}) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const found = await findOwned();
        const other = found?.owned.holder;
        const ageMs = found?.ageMs ?? Number.NaN;
        const mayLive = other !== undefined && !isDead(other);
        if (mayLive && !takeOver && !isStale(ageMs)) throw heldBy(name, other);
        if (!(await take(found, now))) continue;
        if (mayLive) {
          onTakeOver(tookOver(other, ageMs));
          await sleep(2 * checkMs);
        }
        return filesIn(found?.owned);
      }
      throw heldBy(name, (await findOwned())?.owned.holder);
    },

    async readOwned() {
      return filesIn((await findOwned())?.owned);
    },

    async readSnapshot() {
      const found = await store.find(SNAPSHOT);
      snapshotTag = found?.etag;
      return found?.bytes;
    },

    async *list(owned) {
      // With another Cache-Control, the headers of all objects must be compared.
      if (owned?.cacheControl === cacheControl) await readSums();
      for await (const { path, etag } of store.list()) {
        const index = files.indexOf(path);
        if (index !== undefined) tags[index] = etag;
        yield path;
      }
    },

    /**
     * No request is needed if SHA256SUMS in the bucket lists this digest, and the entity tag from the list of objects is the MD5
     * of these bytes (it is not if the store encrypts with a key). MD5 alone would not be safe: an attacker can make two
     * records with the same MD5.
     */
    async stateOf(file) {
      const tag = tags[file.index];
      if (tag === undefined) return "absent";
      if (listed[file.index] === 1 && tag === findMd5(join(files.folder, file.path))) return "same";
      const facts = await store.findFacts(file.path);
      if (!facts) return "absent";
      const isSame = facts.sha256 === file.digest && isDeepStrictEqual(facts.headers, headersOf(file, cacheControl));
      return isSame ? "same" : "different";
    },

    async storeOwned(owned) {
      await inTurn(async () => {
        await flush();
        const by = owned.complete ? undefined : holder;
        ownedTag = await put(OWNED, bytesOf(owned, by), OWN_HEADERS, ownedTag);
        list = owned;
        if (owned.complete) endOwnHolding();
      });
    },

    async put(file, from) {
      const size = lstatSync(from, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MOST_BYTES)
        throw new UserError(
          `${file.path} has ${size} bytes, more than the ${MOST_BYTES} that can be put into a bucket; publish to a folder, and upload that with another program.`,
        );
      if (size <= LARGE) return putFile(file, from);
      const done = large.then(() => putFile(file, from));
      large = done.catch(() => {});
      return done;
    },

    async close() {
      store.limit(UNLOCK_MS);
      // A renewal that has begun earlier may take longer.
      await Promise.race([unlock(), sleep(UNLOCK_MS, undefined, { ref: false })]).catch(() => {});
      store.close();
    },
  };
}

/** The headers of an object. A compressed page has the Content-Type of its content, so that a CDN can serve it as the page. */
export function headersOf(
  { inside, variant }: Pick<PublishedFile, "inside" | "variant">,
  cacheControl: string,
): ObjectHeaders {
  if (!variant) {
    const headers = fileHeaders(inside, cacheControl);
    return { CacheControl: headers["Cache-Control"], ContentType: headers["Content-Type"], ContentEncoding: undefined };
  }
  const ContentEncoding = variant === "identity" ? undefined : variant;
  return { CacheControl: cacheControl, ContentType: CONTENT_TYPE, ContentEncoding };
}

function bytesOf(owned: Owned, holder?: Holder): Buffer {
  return Buffer.from(encodeOwned({ ...owned, holder }));
}

/** The list, unless it names no files: then a run has written it only to lock an empty target. */
function filesIn(owned: Owned | undefined): Owned | undefined {
  return owned?.others.length === 0 ? undefined : owned;
}

function findMd5(path: string): string | undefined {
  // OpenSSL refuses MD5 in FIPS mode.
  return getFips() === 1 ? undefined : hashPlain(path, "md5");
}
