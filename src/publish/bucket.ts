/** A bucket as a target. Only objects whose bytes differ are put, each over the version that was compared. */
import { getFips, hash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CONTENT_TYPE, DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { UserError } from "../errors.js";
import { fileHeaders, OWNED, SUMS } from "../release/layout.js";
import { findDigest, readReleaseFileSync, sha256 } from "../release/plain-files.js";
import { parseSum } from "../release/sums.js";
import { BucketLock, OWN_HEADERS } from "./bucket-lock.js";
import type { PublishedFile, ReleaseFiles } from "./order.js";
import { encodeOwned, type Owned } from "./owned.js";
import { type BucketAddress, type ObjectBody, type ObjectHeaders, ObjectStore } from "./s3.js";
import { explainStore } from "./store-errors.js";
import type { FileState, Target, TargetOptions } from "./target.js";

/** Larger files are read while they are sent, so that sixteen at once need little memory. */
const MAX_IN_MEMORY = 4_000_000;
const CHUNK = 2 ** 18;
/** How long a run that has failed tries to remove its lock. */
const UNLOCK_MS = 3_000;

/** @throws UserError when the SDK is not installed. */
export async function openBucket(
  address: BucketAddress,
  files: ReleaseFiles,
  { endpoint, cacheControl = DEFAULT_CACHE_CONTROL, force = false }: TargetOptions,
  signal: AbortSignal | undefined,
): Promise<Bucket> {
  const store = await ObjectStore.open(address, endpoint, signal);
  const { name } = address;
  const lock = new BucketLock(store, { name, release: files.snapshot.id, isShard: files.isShare, force });
  return new Bucket(name, files, cacheControl, store, lock);
}

export class Bucket implements Target {
  /** The entity tags of the release's files in the bucket, by number. */
  readonly #tags: (string | undefined)[] = [];
  /** The entity tags of objects that were read or that Rollcall has for itself, by path; undefined for one that is not there. */
  readonly #readTags = new Map<string, string | undefined>();
  /** 1 for each file whose digest is on the list of the release that is announced there. */
  readonly #listed: Uint8Array;

  constructor(
    readonly name: string,
    private readonly files: ReleaseFiles,
    readonly cacheControl: string,
    private readonly store: ObjectStore,
    private readonly bucketLock: BucketLock,
  ) {
    this.#listed = new Uint8Array(files.length);
  }

  get requests(): number {
    return this.store.requests;
  }

  lock(now: Date): Promise<void> {
    return this.bucketLock.take(now);
  }

  unlock(): Promise<void> {
    return this.bucketLock.release();
  }

  async read(path: string): Promise<Buffer | undefined> {
    const found = await this.store.find(path);
    this.#readTags.set(path, found?.etag);
    return found?.bytes;
  }

  async *list(files: ReleaseFiles, owned: Owned | undefined): AsyncGenerator<string> {
    // With another Cache-Control, all objects are asked for their headers.
    if (owned?.cacheControl === this.cacheControl) await this.#readList();
    for await (const { path, etag } of this.store.list()) {
      const index = files.indexOf(path);
      if (index !== undefined) this.#tags[index] = etag;
      yield path;
    }
  }

  /**
   * An object is the same without a question to the store when SHA256SUMS there lists this digest and its entity tag, which
   * the list of objects has, is the MD5 of these bytes, as it is unless a key of the store encrypts them. MD5 alone is not
   * trusted: two texts of one record can be made to have the same.
   */
  async stateOf(file: PublishedFile): Promise<FileState> {
    const tag = this.#tags[file.index];
    if (tag === undefined) return "absent";
    if (this.#listed[file.index] === 1 && tag === findMd5(join(this.files.folder, file.path))) return "same";
    const facts = await this.store.findFacts(file.path);
    if (!facts) return "absent";
    const headers = headersOf(file, this.cacheControl);
    const isSame =
      facts.sha256 === file.digest &&
      facts.ContentEncoding === headers.ContentEncoding &&
      facts.CacheControl === headers.CacheControl &&
      facts.ContentType === headers.ContentType;
    return isSame ? "same" : "different";
  }

  async storeOwned(owned: Owned): Promise<void> {
    await this.bucketLock.confirm();
    if (this.files.isShare) this.bucketLock.share();
    const tag = await this.#put(OWNED, Buffer.from(encodeOwned(owned)), OWN_HEADERS, this.#readTags.get(OWNED));
    this.#readTags.set(OWNED, tag);
  }

  async put(file: PublishedFile, from: string): Promise<number | undefined> {
    const size = lstatSync(from, { throwIfNoEntry: false })?.size ?? 0;
    const bytes = size <= MAX_IN_MEMORY ? readReleaseFileSync(from) : undefined;
    const digest = bytes ? sha256(bytes) : findDigest(from, Buffer.allocUnsafe(CHUNK));
    if (digest !== file.digest) return undefined;
    const { path, index } = file;
    const over = this.#readTags.has(path) ? this.#readTags.get(path) : this.#tags[index];
    await this.#put(path, bytes ?? { from, size, sha256: digest }, headersOf(file, this.cacheControl), over);
    return size;
  }

  remove(path: string): Promise<void> {
    return this.store.remove(path);
  }

  flush(): Promise<void> {
    return this.bucketLock.confirm();
  }

  explain(error: unknown): unknown {
    return explainStore(this.name, error);
  }

  async close(): Promise<void> {
    this.store.signal = AbortSignal.timeout(UNLOCK_MS);
    await this.bucketLock.release().catch(() => {});
    this.store.close();
  }

  /** @throws UserError when another version of the object is there than the one that was read. */
  async #put(path: string, body: ObjectBody, headers: ObjectHeaders, over: string | undefined): Promise<string> {
    const tag = await this.store.put(path, body, headers, over);
    if (tag !== undefined) return tag;
    throw new UserError(
      `${this.name}/${path} was changed by another run or program meanwhile, so this run has stopped; run it again when nothing else writes there.`,
    );
  }

  async #readList(): Promise<void> {
    const bytes = (await this.store.find(SUMS))?.bytes ?? Buffer.alloc(0);
    const check = (path: string, digest: string) => {
      const index = this.files.indexOf(path);
      if (index !== undefined && this.files.at(index).digest === digest) this.#listed[index] = 1;
    };
    check(SUMS, sha256(bytes));
    for (const line of String(bytes).split("\n")) {
      const sum = parseSum(line);
      if (sum) check(sum.path, sum.digest);
    }
  }
}

/** A compressed page has the Content-Type of its content, so that a CDN can serve it in place of the plain page. */
export function headersOf({ path, variant }: PublishedFile, cacheControl: string): ObjectHeaders {
  if (!variant) {
    const headers = fileHeaders(path, cacheControl);
    return { CacheControl: headers["Cache-Control"], ContentType: headers["Content-Type"] };
  }
  const headers = { CacheControl: cacheControl, ContentType: CONTENT_TYPE };
  return variant === "identity" ? headers : { ...headers, ContentEncoding: variant };
}

function findMd5(path: string): string | undefined {
  // OpenSSL refuses MD5 in this mode.
  const bytes = getFips() === 1 ? undefined : readReleaseFileSync(path);
  return bytes && hash("md5", bytes, "hex");
}
