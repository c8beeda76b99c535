/** One bucket through the official SDK, which finds credentials and region by its own chain. */
import { setMaxListeners } from "node:events";
import type { FileHandle } from "node:fs/promises";
import type * as Sdk from "@aws-sdk/client-s3";
import type { BucketAddress } from "./address.js";
import type { ObjectHeaders } from "./headers.js";
import { patiently } from "./patience.js";
import { hasStatus } from "./refusals.js";
import { openClient } from "./sdk.js";

export interface FoundObject {
  etag: string;
  bytes: Buffer;
}

export interface ObjectFacts extends Partial<ObjectHeaders> {
  etag: string;
  /** SHA-256 in hexadecimal, if Rollcall has put it. */
  sha256?: string;
}

/** When a put may replace what is there: only this very object, or only nothing. */
export type Condition = { IfMatch: string } | { IfNoneMatch: "*" };

/** Paths are below the address's prefix. */
export class Store {
  /** Requests that were sent, tried again or not. */
  requests = 0;
  readonly #sdk: typeof Sdk;
  readonly #client: Sdk.S3Client;
  readonly #address: BucketAddress;
  /** Aborted, with what to tell, as soon as no request may be sent any more, nor one that is on its way arrive. */
  readonly #over = new AbortController();
  readonly #until = { abortSignal: this.#over.signal };

  /** @param endpoint of another store than Amazon's. */
  static async open(address: BucketAddress, endpoint: string | undefined, signal?: AbortSignal): Promise<Store> {
    const { sdk, client } = await openClient(endpoint);
    const store = new Store(sdk, client, address);
    if (signal?.aborted) store.breakOff(signal.reason);
    signal?.addEventListener("abort", () => store.breakOff(signal.reason), { once: true });
    return store;
  }

  private constructor(sdk: typeof Sdk, client: Sdk.S3Client, address: BucketAddress) {
    // One for each file that is being sent.
    setMaxListeners(0, this.#over.signal);
    this.#sdk = sdk;
    this.#client = client;
    this.#address = address;
    client.middlewareStack.add(
      (next) => (args) => {
        this.requests++;
        return next(args);
      },
      { step: "deserialize", name: "countRequests", priority: "low" },
    );
  }

  /** Ends all requests, wherever they are. The first reason counts. */
  breakOff(reason: unknown): void {
    this.#over.abort(reason);
  }

  /** @throws the reason, once all was broken off. */
  check(): void {
    this.#over.signal.throwIfAborted();
  }

  /** A small object, or undefined when there is none. */
  async find(path: string): Promise<FoundObject | undefined> {
    try {
      const command = new this.#sdk.GetObjectCommand(this.#key(path));
      const { Body, ETag } = await this.#client.send(command, this.#until);
      return { etag: plainTag(ETag), bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
    } catch (error) {
      if (error instanceof this.#sdk.NoSuchKey) return undefined;
      throw error;
    }
  }

  /** What is known of an object without fetching it, or undefined when there is none. */
  async findFacts(path: string): Promise<ObjectFacts | undefined> {
    try {
      const head = await this.#client.send(new this.#sdk.HeadObjectCommand(this.#key(path)), this.#until);
      const { ETag, Metadata, CacheControl, ContentType, ContentEncoding } = head;
      return {
        etag: plainTag(ETag),
        ...(Metadata?.["sha256"] !== undefined && { sha256: Metadata["sha256"] }),
        ...(CacheControl !== undefined && { CacheControl }),
        ...(ContentType !== undefined && { ContentType }),
        ...(ContentEncoding !== undefined && { ContentEncoding }),
      };
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Everything below the prefix, 1,000 a request. */
  async *list(): AsyncGenerator<{ path: string; etag: string }> {
    const { bucket, prefix } = this.#address;
    let ContinuationToken: string | undefined;
    do {
      const list = new this.#sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
      const { Contents = [], NextContinuationToken } = await this.#client.send(list, this.#until);
      for (const { Key = "", ETag } of Contents) yield { path: Key.slice(prefix.length), etag: plainTag(ETag) };
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  /** Puts an object, whole or not at all; returns its entity tag. */
  async put(path: string, bytes: Buffer, { headers, sha256, condition }: PutFacts): Promise<string> {
    const command = new this.#sdk.PutObjectCommand({
      ...this.#key(path),
      ...headers,
      ...condition,
      Body: bytes,
      ...(sha256 !== undefined && { Metadata: { sha256 } }),
    });
    return plainTag((await this.#client.send(command, this.#until)).ETag);
  }

  /** The same for a file that need not fit into memory. The store is told the digest, and refuses other bytes. */
  async putFile(path: string, file: FileHandle, { headers, sha256 }: PutFacts & { sha256: string }): Promise<string> {
    const { size } = await file.stat();
    return patiently(async () => {
      const command = new this.#sdk.PutObjectCommand({
        ...this.#key(path),
        ...headers,
        Body: file.createReadStream({ start: 0, autoClose: false }),
        ContentLength: size,
        Metadata: { sha256 },
      });
      command.middlewareStack.add(
        (next) => (args) => {
          const request = args.request as { headers: Record<string, string> };
          request.headers["x-amz-content-sha256"] = sha256;
          return next(args);
        },
        { step: "build", name: "sayDigest" },
      );
      return plainTag((await this.#client.send(command, this.#until)).ETag);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#key(path)), this.#until);
  }

  close(): void {
    this.#client.destroy();
  }

  #key(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + path };
  }
}

export interface PutFacts {
  headers: ObjectHeaders;
  /** Kept with the object, so that it tells its bytes without being fetched. */
  sha256?: string;
  condition?: Condition;
}

/** A tag without its quotes: some stores send them, some do not. */
function plainTag(tag: string | undefined): string {
  return (tag ?? "").replace(/^(W\/)?"|"$/g, "");
}
