/** A bucket as a publish target. Puts only objects that differ, each over the version that was compared. */
import { getFips } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CONTENT_TYPE, DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { UserError } from "../errors.js";
import { fileHeaders, OWNED, SNAPSHOT, SUMS } from "../release/layout.js";
import { describeProcess } from "../release/lock.js";
import { hashPlain, readPlain, sha256 } from "../release/plain-files.js";
import { parseSum } from "../release/sums.js";
import { beginHolding, endHolding, type Holder, isDead } from "./holder.js";
import type { PublishedFile, ReleaseFiles } from "./order.js";
import { encodeOwned, type Owned, ownedNothing, parseOwned } from "./owned.js";
import { type BucketAddress, type ObjectHeaders, ObjectStore } from "./s3.js";
import { explainStore } from "./store-errors.js";
import type { FileState, Target, TargetOptions } from "./target.js";

const OWN_HEADERS = { CacheControl: "no-store", ContentType: "application/json" };
/** Larger files are read into memory one at a time. */
const LARGE = 4_000_000;
/** Maximum bytes of a file that Node reads at once. */
const MOST_BYTES = 2 ** 31 - 1;
/** Milliseconds for which a failed run tries to remove its lock. */
const UNLOCK_MS = 3_000;

/** Opens a bucket as a target. @throws UserError if the SDK is not installed. */
export async function openBucket(
  address: BucketAddress,
  files: ReleaseFiles,
  {
    endpoint,
    cacheControl = DEFAULT_CACHE_CONTROL,
    force = false,
  }: Pick<TargetOptions, "endpoint" | "cacheControl" | "force">,
  signal: AbortSignal | undefined,
): Promise<Bucket> {
  const store = await ObjectStore.open(address, endpoint, signal);
  return new Bucket(address.name, files, cacheControl, force, store);
}

/**
 * A bucket as a target of `rollcall publish`. Its list of owned files is also its lock: it names the run that holds it. Taking
 * the lock is a conditional PUT over the list that was read, so only one of several runs gets it. A killed run leaves its
 * name. A run on the same system sees that the process is gone, and takes over. On other systems, the user must decide, with
 * `force`.
 */
export class Bucket implements Target {
  readonly isShared = true;
  /** The entity tags of the release's files in the bucket, by number. */
  readonly #tags: (string | undefined)[] = [];
  /** The entity tags of snapshot.json and the list of owned files; undefined for an object that does not exist. */
  #snapshotTag: string | undefined;
  #ownedTag: string | undefined;
  /** This run, while it holds the lock. */
  #holder: Holder | undefined;
  /** Ends when the last large file was put. */
  #large: Promise<unknown> = Promise.resolve();
  /** 1 for each file that SHA256SUMS in the bucket lists with the same digest. */
  readonly #listed: Uint8Array;

  constructor(
    readonly name: string,
    private readonly files: ReleaseFiles,
    readonly cacheControl: string,
    private readonly force: boolean,
    private readonly store: ObjectStore,
  ) {
    this.#listed = new Uint8Array(files.length);
  }

  get requests(): number {
    return this.store.requests;
  }

  async lock(now: Date): Promise<Owned | undefined> {
    const found = await this.#findOwned();
    const other = found?.owned.holder;
    if (other && !this.force && !isDead(other)) throw this.#isHeld(other);
    const holder = beginHolding(now);
    this.#holder = holder;
    const list = found?.owned ?? ownedNothing(this.files);
    this.#ownedTag = await this.store.put(OWNED, bytesOf(list, holder), OWN_HEADERS, found?.etag);
    if (this.#ownedTag !== undefined) return filesIn(found?.owned);
    throw this.#isHeld((await this.#findOwned())?.owned.holder);
  }

  async unlock(): Promise<void> {
    const holder = this.#endHolding();
    if (!holder) return;
    const found = await this.#findOwned();
    if (found?.owned.holder?.id !== holder.id) return;
    if (!filesIn(found.owned)) return this.store.remove(OWNED);
    await this.store.put(OWNED, bytesOf(found.owned), OWN_HEADERS, found.etag);
  }

  async readOwned(): Promise<Owned | undefined> {
    return filesIn((await this.#findOwned())?.owned);
  }

  async readSnapshot(): Promise<Buffer | undefined> {
    const found = await this.store.find(SNAPSHOT);
    this.#snapshotTag = found?.etag;
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
    const isSame = facts.sha256 === file.digest && isDeepStrictEqual(facts.headers, headersOf(file, this.cacheControl));
    return isSame ? "same" : "different";
  }

  async storeOwned(owned: Owned): Promise<void> {
    await this.flush();
    const holder = owned.complete ? undefined : this.#holder;
    this.#ownedTag = await this.#put(OWNED, bytesOf(owned, holder), OWN_HEADERS, this.#ownedTag);
    if (owned.complete) this.#endHolding();
  }

  async put(file: PublishedFile, from: string): Promise<number | undefined> {
    const size = lstatSync(from, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MOST_BYTES)
      throw new UserError(
        `${file.path} has ${size} bytes, more than the ${MOST_BYTES} that can be put into a bucket; publish to a folder, and upload that with another program.`,
      );
    if (size <= LARGE) return this.#putFile(file, from);
    const done = this.#large.then(() => this.#putFile(file, from));
    this.#large = done.catch(() => {});
    return done;
  }

  remove(path: string): Promise<void> {
    return this.store.remove(path);
  }

  async flush(): Promise<void> {
    const found = await this.#findOwned();
    if (found?.etag === this.#ownedTag) return;
    this.#endHolding();
    const by = found?.owned.holder ? describeProcess(found.owned.holder) : "another run, which has ended";
    throw new UserError(`The lock of ${this.name} was taken over by ${by}. This run has stopped; run it again.`);
  }

  explain(error: unknown): unknown {
    return explainStore(this.name, error);
  }

  async close(): Promise<void> {
    this.store.signal = AbortSignal.timeout(UNLOCK_MS);
    await this.unlock().catch(() => {});
    this.store.close();
  }

  async #putFile(file: PublishedFile, from: string): Promise<number | undefined> {
    const { path, digest, index } = file;
    const bytes = readPlain(from, MOST_BYTES);
    if (!bytes || sha256(bytes) !== digest) return undefined;
    const over = path === SNAPSHOT ? this.#snapshotTag : this.#tags[index];
    await this.#put(path, bytes, headersOf(file, this.cacheControl), over);
    return bytes.length;
  }

  /** Puts an object. @throws UserError if the object is not the version that was read. */
  async #put(path: string, bytes: Buffer, headers: ObjectHeaders, over: string | undefined): Promise<string> {
    const tag = await this.store.put(path, bytes, headers, over);
    if (tag !== undefined) return tag;
    throw new UserError(
      `${this.name}/${path} was changed by another run or program meanwhile, so this run has stopped; run it again when nothing else writes there.`,
    );
  }

  async #findOwned(): Promise<{ etag: string; owned: Owned } | undefined> {
    const found = await this.store.find(OWNED);
    return found && { etag: found.etag, owned: parseOwned(String(found.bytes), `${this.name}/${OWNED}`) };
  }

  #endHolding(): Holder | undefined {
    const holder = this.#holder;
    this.#holder = undefined;
    if (holder) endHolding(holder);
    return holder;
  }

  #isHeld(holder: Holder | undefined): UserError {
    const by = holder ? describeProcess(holder) : "another run";
    return new UserError(
      `${this.name} is being published to by ${by}; wait until it has ended, then run this again; if it was killed, take over with --force.`,
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
