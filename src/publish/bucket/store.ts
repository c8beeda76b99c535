/** One bucket, used through Amazon's SDK, which finds credentials and the region itself. */
import { setMaxListeners } from "node:events";
import { createReadStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Sdk from "@aws-sdk/client-s3";
import { openPlain } from "../../release/files.js";
import type { BucketAddress } from "./address.js";
import type { ObjectHeaders } from "./headers.js";
import { hasStatus, isPassing } from "./refusals.js";
import { openClient } from "./sdk.js";

export interface FoundObject {
  etag: string;
  bytes: Buffer;
}

export interface ObjectFacts extends Partial<ObjectHeaders> {
  etag: string;
  /** SHA-256 in hexadecimal, if Rollcall has put the object. */
  sha256?: string;
}

/** When a put may succeed: only if this version of the object is there, or only if no object is there. */
export type PutCondition = { IfMatch: string } | { IfNoneMatch: "*" };

/** All paths are relative to the prefix of the address. */
export class ObjectStore {
  /** How many requests were sent, retries included. */
  requests = 0;
  /** Aborted, with the error to throw, when no request may be sent or finished any more. */
  readonly #stop = new AbortController();
  readonly #options = { abortSignal: this.#stop.signal };

  static async open(address: BucketAddress, endpoint: string | undefined, signal?: AbortSignal): Promise<ObjectStore> {
    const { sdk, client } = await openClient(endpoint);
    const store = new ObjectStore(sdk, client, address);
    if (signal?.aborted) store.breakOff(signal.reason);
    signal?.addEventListener("abort", () => store.breakOff(signal.reason), { once: true });
    return store;
  }

  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly address: BucketAddress,
  ) {
    // Each file that is being sent adds a listener.
    setMaxListeners(0, this.#stop.signal);
    client.middlewareStack.add(
      (next) => (args) => {
        this.requests++;
        return next(args);
      },
      { step: "deserialize", name: "countRequests", priority: "low" },
    );
  }

  /** Aborts all requests; the first reason counts. */
  breakOff(reason: unknown): void {
    this.#stop.abort(reason);
  }

  check(): void {
    this.#stop.signal.throwIfAborted();
  }

  /** A small object, or undefined when there is none. */
  async find(path: string): Promise<FoundObject | undefined> {
    try {
      const command = new this.sdk.GetObjectCommand(this.#key(path));
      const { Body, ETag } = await this.client.send(command, this.#options);
      return { etag: plainTag(ETag), bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
    } catch (error) {
      if (error instanceof this.sdk.NoSuchKey) return undefined;
      throw error;
    }
  }

  /** An object's headers and digest, without its bytes, or undefined when there is none. */
  async findFacts(path: string): Promise<ObjectFacts | undefined> {
    try {
      const head = await this.client.send(new this.sdk.HeadObjectCommand(this.#key(path)), this.#options);
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

  /** Lists all objects below the prefix, 1,000 with each request. */
  async *list(): AsyncGenerator<{ path: string; etag: string }> {
    const { bucket, prefix } = this.address;
    let ContinuationToken: string | undefined;
    do {
      const list = new this.sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
      const { Contents = [], NextContinuationToken } = await this.client.send(list, this.#options);
      for (const { Key = "", ETag } of Contents) yield { path: Key.slice(prefix.length), etag: plainTag(ETag) };
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  /** Returns the object's entity tag. */
  async put(path: string, bytes: Buffer, { headers, sha256, condition }: PutFacts): Promise<string> {
    const command = new this.sdk.PutObjectCommand({
      ...this.#key(path),
      ...headers,
      ...condition,
      Body: bytes,
      ...(sha256 !== undefined && { Metadata: { sha256 } }),
    });
    return plainTag((await this.client.send(command, this.#options)).ETag);
  }

  /**
   * Puts a file as it is read, so that it need not fit into memory. The store is told the digest, and refuses other bytes.
   * @returns its tag, or undefined when there is no plain file at `from` any more.
   */
  async putFile(path: string, from: string, size: number, { headers, sha256 }: PutFacts & { sha256: string }) {
    return withRetries(async () => {
      const file = openPlain(from);
      if (file === undefined) return undefined;
      const body = createReadStream("", { fd: file });
      const command = new this.sdk.PutObjectCommand({
        ...this.#key(path),
        ...headers,
        Body: body,
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
      try {
        return plainTag((await this.client.send(command, this.#options)).ETag);
      } finally {
        body.destroy();
      }
    });
  }

  async remove(path: string): Promise<void> {
    await this.client.send(new this.sdk.DeleteObjectCommand(this.#key(path)), this.#options);
  }

  close(): void {
    this.client.destroy();
  }

  #key(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.address.bucket, Key: this.address.prefix + path };
  }
}

export interface PutFacts {
  headers: ObjectHeaders;
  /** Stored with the object, so that its content is known without fetching it. */
  sha256?: string;
  condition?: PutCondition;
}

/** A tag without quotes, which only some stores send, and with which Ceph takes no tag of `If-Match` for its own. */
function plainTag(tag: string | undefined): string {
  return (tag ?? "").replace(/^(W\/)?"|"$/g, "");
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;

/**
 * Repeats what the SDK cannot repeat: a request whose body is read from a file. Each pause is twice as long as the last
 * one and randomly shortened, so that many clients that were refused do not come back at the same time.
 */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_PAUSE_MS, left = ATTEMPTS - 1; ; pause *= 2, left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isPassing(error)) throw error;
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
