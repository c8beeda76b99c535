/** A client of one S3 bucket, based on Amazon's SDK, which finds credentials and the region itself. */
import { setMaxListeners } from "node:events";
import type * as Sdk from "@aws-sdk/client-s3";
import { hasCode, UserError, usageError } from "../core/errors.js";
import { sha256 } from "../core/release/plain-files.js";
import { statusOf } from "./store-errors.js";

export interface BucketAddress {
  bucket: string;
  /** The prefix of every key: empty, or ending in `/`. */
  prefix: string;
  /** The address without a final slash, as messages show it. */
  name: string;
}

/** Parses `s3://bucket/prefix`. @throws UserError (usage) if it is not valid. The message does not repeat credentials in it. */
export function parseAddress(text: string): BucketAddress {
  const shown = JSON.stringify(text.replace(/\/\/[^/]*@/, "//...@"));
  const refuse = (why: string) => usageError(`Target ${shown} ${why}; give one like s3://my-bucket/directory.`);
  const [, bucket, path = ""] = /^s3:\/\/([^/]*)(.*)$/is.exec(text) ?? [];
  if (bucket === undefined) throw usageError(`Target ${shown} is neither a folder nor s3://BUCKET/PREFIX.`);
  if (bucket.includes("@"))
    throw refuse("contains credentials, which must come from the environment or the SDK's files");
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) throw refuse("does not name a bucket");
  const parts = path.split("/").filter((part) => part !== "");
  if (/[?#\\\p{Cc}]/u.test(path) || parts.some((part) => part === "." || part === ".."))
    throw refuse("has a prefix that is not a path");
  const prefix = parts.map((part) => `${part}/`).join("");
  return { bucket, prefix, name: `s3://${bucket}/${prefix}`.slice(0, -1) };
}

/** The headers that an object is stored with. */
export interface ObjectHeaders {
  CacheControl: string;
  ContentType: string;
  ContentEncoding?: string | undefined;
}

export interface ObjectFacts {
  etag: string;
  /** SHA-256 in hexadecimal, if Rollcall put the object. */
  sha256: string | undefined;
  headers: Record<keyof ObjectHeaders, string | undefined>;
}

export interface StoredObject {
  etag: string;
  bytes: Buffer;
  /** Milliseconds since it was put, by the store's own time; NaN if the store does not tell. */
  ageMs: number;
}

/** Maximum attempts of a request. With the SDK's pauses, a store may be unreachable for about 10 seconds. */
const ATTEMPTS = 8;
const CONNECT_MS = 10_000;
/** Milliseconds until a connection without data is closed. */
const SILENCE_MS = 30_000;
/** The default region. Amazon redirects to the right one, and other stores ignore it. */
const REGION = "us-east-1";

/** A bucket's objects. Paths are relative to the prefix of the address. */
export type ObjectStore = Awaited<ReturnType<typeof openStore>>;

/**
 * Opens a client of a bucket. Sends no request.
 * @param signal aborts all requests, until `limit` is called.
 * @throws UserError if the SDK is not installed.
 */
export async function openStore(
  { bucket, prefix }: BucketAddress,
  endpoint: string | undefined,
  signal: AbortSignal = new AbortController().signal,
) {
  const { S3, NoSuchKey } = await loadSdk();
  const configure = (region?: { region: string }) =>
    new S3({
      ...region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      maxAttempts: ATTEMPTS,
      followRegionRedirects: true,
      // Not every store supports the newer checksums, and the signature covers the body anyway.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // The SDK throws all errors that matter.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    });
  const own = configure();
  const client = await own.config.region().then(
    () => own,
    () => configure({ region: REGION }),
  );
  let requests = 0;
  let hasConditions = true;
  /** The store's own time at its last response, in milliseconds since 1970; NaN if it does not tell. */
  let storeTime = Number.NaN;
  const options = { abortSignal: signal };
  // Each request in progress adds a listener.
  setMaxListeners(0, signal);
  let beforeChange = async (_path: string) => {};
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (/^(Put|Delete)/.test(commandName) && "Key" in args.input)
          await beforeChange(`${args.input.Key}`.slice(prefix.length));
        requests++;
        const result = await next(args);
        const { headers } = result.response as { headers: Record<string, string | undefined> };
        storeTime = Date.parse(headers["date"] ?? "");
        return result;
      },
    // After the steps that retry and sign, so that it runs for each attempt.
    { step: "deserialize", name: "guardAndCount", priority: "low" },
  );
  const keyOf = (path: string) => ({ Bucket: bucket, Key: prefix + path });

  /** Reads an object's headers and digest, without its bytes; undefined if it does not exist. */
  async function findFacts(path: string): Promise<ObjectFacts | undefined> {
    try {
      const { ETag, Metadata, CacheControl, ContentType, ContentEncoding } = await client.headObject(
        keyOf(path),
        options,
      );
      const headers = { CacheControl, ContentType, ContentEncoding };
      return { etag: plainTag(ETag), sha256: Metadata?.["sha256"], headers };
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }

  /**
   * Puts an object over a certain version. Stores its digest as metadata, so that it can be compared without reading it.
   * @param over the entity tag of the version to replace; undefined if the object must not exist.
   * @returns the new tag; undefined if the object is another version.
   */
  async function put(path: string, bytes: Buffer, headers: ObjectHeaders, over?: string): Promise<string | undefined> {
    const digest = sha256(bytes);
    const hasCondition = hasConditions;
    const condition = over === undefined ? { IfNoneMatch: "*" } : { IfMatch: over };
    const object = { ...keyOf(path), ...headers, Metadata: { sha256: digest }, Body: bytes };
    try {
      return plainTag((await client.putObject({ ...object, ...(hasCondition && condition) }, options)).ETag);
    } catch (error) {
      const status = statusOf(error);
      if (hasCondition && status === 501) {
        // The store does not support conditional writes.
        hasConditions = false;
        return put(path, bytes, headers, over);
      }
      if (!hasCondition || ![404, 409, 412].includes(status ?? 0)) throw error;
      // An earlier attempt of this request may have succeeded, with its response lost.
      const found = await findFacts(path);
      return found?.sha256 === digest ? found.etag : undefined;
    }
  }

  return {
    findFacts,
    put,
    /** Runs a check before each attempt to put or remove an object. If it throws, the request is not sent. */
    guard(check: typeof beforeChange): void {
      beforeChange = check;
    },
    /** The number of requests sent, including retries. */
    requests: () => requests,
    /** Reads a small object; undefined if it does not exist. */
    async find(path: string): Promise<StoredObject | undefined> {
      try {
        const { Body, ETag, LastModified } = await client.getObject(keyOf(path), options);
        const ageMs = storeTime - (LastModified?.getTime() ?? Number.NaN);
        return { etag: plainTag(ETag), ageMs, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    /** Lists all objects below the prefix, 1,000 with each request. */
    async *list(): AsyncGenerator<{ path: string; etag: string }> {
      let ContinuationToken: string | undefined;
      do {
        const found = await client.listObjectsV2({ Bucket: bucket, Prefix: prefix, ContinuationToken }, options);
        for (const { Key = "", ETag } of found.Contents ?? [])
          yield { path: Key.slice(prefix.length), etag: plainTag(ETag) };
        ContinuationToken = found.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    async remove(path: string): Promise<void> {
      await client.deleteObject(keyOf(path), options);
    },
    /** Aborts later requests after a time, whatever the signal says. */
    limit(milliseconds: number): void {
      options.abortSignal = AbortSignal.timeout(milliseconds);
    },
    close: () => client.destroy(),
  };
}

/** Removes the quotes of an entity tag, which only some stores send. Ceph does not accept a quoted tag in `If-Match`. */
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
