/** A bucket as a publish target. Puts only objects that differ, each over the version that was compared. */
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

/** Maximum bytes of a file that is read into memory. Larger ones are streamed. */
const MAX_IN_MEMORY = 4_000_000;
const CHUNK = 2 ** 18;
/** Milliseconds for which a failed run tries to remove its lock. */
const UNLOCK_MS = 3_000;

/** Opens a bucket as a target. @throws UserError if the SDK is not installed. */
export async function openBucket(
  address: BucketAddress,
  files: ReleaseFiles,
  { endpoint, cacheControl = DEFAULT_CACHE_CONTROL, force = false }: TargetOptions,
  signal: AbortSignal | undefined,
): Promise<Bucket> {
  const store = await ObjectStore.open(address, endpoint, signal);
  const { name } = address;
  const lock = new BucketLock(store, { name, force });
  return new Bucket(name, files, cacheControl, store, lock);
}

/** A bucket as a target of `rollcall publish`. */
export class Bucket implements Target {
  /** The entity tags of the release's files in the bucket, by number. */
  readonly #tags: (string | undefined)[] = [];
  /** The entity tags of objects that were read, by path; undefined for an object that does not exist. */
  readonly #readTags = new Map<string, string | undefined>();
  /** 1 for each file that SHA256SUMS in the bucket lists with the same digest. */
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
    // With another Cache-Control, the headers of all objects must be compared.
    if (owned?.cacheControl === this.cacheControl) await this.#readList();
    for await (const { path, etag } of this.store.list()) {
      const index = files.indexOf(path);
      if (index !== undefined) this.#tags[index] = etag;
      yield path;
    }
  }

  /**
   * Compares an object with a file. No request is needed if SHA256SUMS in the bucket lists this digest, and the entity tag
   * from the list of objects is the MD5 of these bytes (it is not if the store encrypts with a key). MD5 alone would not be
   * safe: an attacker can make two records with the same MD5.
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

  /** Puts an object. @throws UserError if the object is not the version that was read. */
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

/** The headers of an object. A compressed page has the Content-Type of its content, so that a CDN can serve it as the page. */
export function headersOf({ path, variant }: PublishedFile, cacheControl: string): ObjectHeaders {
  if (!variant) {
    const headers = fileHeaders(path, cacheControl);
    return { CacheControl: headers["Cache-Control"], ContentType: headers["Content-Type"] };
  }
  const headers = { CacheControl: cacheControl, ContentType: CONTENT_TYPE };
  return variant === "identity" ? headers : { ...headers, ContentEncoding: variant };
}

function findMd5(path: string): string | undefined {
  // OpenSSL refuses MD5 in FIPS mode.
  const bytes = getFips() === 1 ? undefined : readReleaseFileSync(path);
  return bytes && hash("md5", bytes, "hex");
}
