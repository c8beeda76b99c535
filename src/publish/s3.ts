/** One bucket of an S3 store, used through Amazon's SDK, which finds credentials and the region itself. */
import { setMaxListeners } from "node:events";
import { createReadStream, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Sdk from "@aws-sdk/client-s3";
import { hasCode, UserError, usageError } from "../errors.js";
import { sha256 } from "../release/plain-files.js";
import { hasStatus, isPassing } from "./store-errors.js";

export interface BucketAddress {
  bucket: string;
  /** The beginning of every key: empty, or ending in `/`. */
  prefix: string;
  /** The address without a final slash, as messages show it. */
  name: string;
}

/** @throws UserError (usage) when the address is not valid. The message does not repeat a secret in it. */
export function parseAddress(text: string): BucketAddress {
  const shown = JSON.stringify(text.replace(/\/\/[^/]*@/, "//...@"));
  const refuse = (why: string) => usageError(`Target ${shown} ${why}; give one like s3://my-bucket/directory.`);
  const [, bucket, path = ""] = /^s3:\/\/([^/]*)(.*)$/is.exec(text) ?? [];
  if (bucket === undefined) throw usageError(`Target ${shown} is neither a folder nor s3://BUCKET/PREFIX.`);
  if (bucket.includes("@"))
    throw refuse("has credentials in it, which come from the environment or the SDK's files only");
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) throw refuse("names no bucket");
  const parts = path.split("/").filter((part) => part !== "");
  if (/[?#\\\p{Cc}]/u.test(path) || parts.some((part) => part === "." || part === ".."))
    throw refuse("has a prefix that is no path");
  const prefix = parts.map((part) => `${part}/`).join("");
  return { bucket, prefix, name: `s3://${bucket}/${prefix}`.slice(0, -1) };
}

/** The headers that an object is stored with. */
export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string;
}

export interface ObjectFacts extends Partial<ObjectHeaders> {
  etag: string;
  /** SHA-256 in hexadecimal, if Rollcall has put the object. */
  sha256: string | undefined;
}

/** What is sent: bytes, or a file that is read while it is sent. */
export type ObjectBody = Buffer | { from: string; size: number; sha256: string };

/** With the pauses of the SDK between them, a store may be unreachable for about ten seconds. */
const ATTEMPTS = 8;
const CONNECT_MS = 10_000;
/** A connection without any data for this long is closed. */
const SILENCE_MS = 30_000;
/** For when none is configured: other stores than Amazon's ignore it, and Amazon's redirect to the right one. */
const REGION = "us-east-1";

/** Paths are relative to the prefix of the address. */
export class ObjectStore {
  /** How many requests were sent, retries included. */
  requests = 0;
  #hasConditions = true;

  /**
   * @param signal aborts all requests; may be replaced later.
   * @throws UserError when the SDK is not installed.
   */
  static async open(
    address: BucketAddress,
    endpoint: string | undefined,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ObjectStore> {
    const sdk = await loadSdk();
    const configure = (region?: { region: string }) =>
      new sdk.S3Client({
        ...region,
        ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
        maxAttempts: ATTEMPTS,
        followRegionRedirects: true,
        // Not every store supports the newer checksums, and the signature covers the bytes anyway.
        requestChecksumCalculation: "WHEN_REQUIRED",
        responseChecksumValidation: "WHEN_REQUIRED",
        // The SDK throws all errors that matter, so its log is not needed.
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
      });
    const client = configure();
    const hasRegion = await client.config.region().then(
      () => true,
      () => false,
    );
    return new ObjectStore(sdk, hasRegion ? client : configure({ region: REGION }), address, signal);
  }

  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly address: BucketAddress,
    public signal: AbortSignal,
  ) {
    // Each request that is under way adds a listener.
    setMaxListeners(0, signal);
    client.middlewareStack.add(
      (next) => (args) => {
        this.requests++;
        return next(args);
      },
      { step: "deserialize", name: "countRequests", priority: "low" },
    );
  }

  /** Reads a small object; undefined when there is none. */
  async find(path: string): Promise<{ etag: string; bytes: Buffer } | undefined> {
    try {
      const command = new this.sdk.GetObjectCommand(this.#key(path));
      const { Body, ETag } = await this.client.send(command, { abortSignal: this.signal });
      return { etag: plainTag(ETag), bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
    } catch (error) {
      if (error instanceof this.sdk.NoSuchKey) return undefined;
      throw error;
    }
  }

  /** An object's headers and digest, without its bytes; undefined when there is none. */
  async findFacts(path: string): Promise<ObjectFacts | undefined> {
    try {
      const command = new this.sdk.HeadObjectCommand(this.#key(path));
      const head = await this.client.send(command, { abortSignal: this.signal });
      const { ETag, Metadata, CacheControl = "", ContentType = "", ContentEncoding } = head;
      const headers = { CacheControl, ContentType, ...(ContentEncoding !== undefined && { ContentEncoding }) };
      return { etag: plainTag(ETag), sha256: Metadata?.["sha256"], ...headers };
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
      const command = new this.sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
      const { Contents = [], NextContinuationToken } = await this.client.send(command, { abortSignal: this.signal });
      for (const { Key = "", ETag } of Contents) yield { path: Key.slice(prefix.length), etag: plainTag(ETag) };
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  /**
   * Puts an object over a certain version of it. The digest is stored with it, so that its content is known without reading it.
   * @param over the entity tag of the version that is replaced, or undefined when there must be none.
   * @returns the new tag, or undefined when another version is there.
   */
  async put(path: string, body: ObjectBody, headers: ObjectHeaders, over?: string): Promise<string | undefined> {
    const digest = Buffer.isBuffer(body) ? sha256(body) : body.sha256;
    const hasCondition = this.#hasConditions;
    const condition = over === undefined ? { IfNoneMatch: "*" } : { IfMatch: over };
    const input = { ...this.#key(path), ...headers, Metadata: { sha256: digest }, ...(hasCondition && condition) };
    try {
      return await (Buffer.isBuffer(body) ? this.#send({ ...input, Body: body }) : this.#sendFile(input, body));
    } catch (error) {
      if (hasCondition && hasStatus(error, 501)) {
        // The store does not support conditional writes.
        this.#hasConditions = false;
        return this.put(path, body, headers, over);
      }
      if (!hasCondition || ![404, 409, 412].some((status) => hasStatus(error, status))) throw error;
      // An earlier attempt of this request may have succeeded, and its answer was lost.
      const found = await this.findFacts(path);
      return found?.sha256 === digest ? found.etag : undefined;
    }
  }

  async remove(path: string): Promise<void> {
    await this.client.send(new this.sdk.DeleteObjectCommand(this.#key(path)), { abortSignal: this.signal });
  }

  close(): void {
    this.client.destroy();
  }

  async #send(input: Sdk.PutObjectCommandInput, digest?: string): Promise<string> {
    const command = new this.sdk.PutObjectCommand(input);
    if (digest !== undefined)
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = digest;
          return next(args);
        },
        { step: "build", name: "sendDigest" },
      );
    return plainTag((await this.client.send(command, { abortSignal: this.signal })).ETag);
  }

  /**
   * Sends a file as it is read, so that it need not fit into memory. The store is told the digest, and refuses other bytes. The
   * SDK cannot repeat such a request, so this does. Random pauses keep many clients from coming back at the same time.
   */
  async #sendFile(input: Sdk.PutObjectCommandInput, body: { from: string; size: number; sha256: string }) {
    for (let attempt = 1; ; attempt++) {
      const stream = createReadStream("", { fd: openSync(body.from, "r") });
      try {
        return await this.#send({ ...input, Body: stream, ContentLength: body.size }, body.sha256);
      } catch (error) {
        if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      } finally {
        stream.destroy();
      }
      await sleep(100 * 2 ** attempt * (0.5 + Math.random() / 2));
    }
  }

  #key(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.address.bucket, Key: this.address.prefix + path };
  }
}

/** A tag without quotes, which only some stores send. Ceph does not accept a quoted tag in `If-Match`. */
function plainTag(tag: string | undefined): string {
  return (tag ?? "").replace(/^(W\/)?"|"$/g, "");
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (cause) {
    if (!hasCode(cause, "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new UserError(
      'Publishing to s3:// needs the package @aws-sdk/client-s3, which is not installed; run "npm install @aws-sdk/client-s3" where Rollcall is.',
      { cause },
    );
  }
}
