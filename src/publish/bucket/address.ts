/** Reads and checks addresses like `s3://bucket/prefix`. */
import { usageError } from "../../errors.js";

export interface BucketAddress {
  bucket: string;
  /** The beginning of every key: empty, or ending in `/`. */
  prefix: string;
  /** The address without a final slash, as messages show it. */
  name: string;
}

/** @throws UserError (usage) when the address is not valid. A secret in it is not repeated. */
export function parseAddress(text: string): BucketAddress {
  const shown = JSON.stringify(text.replace(/\/\/[^/]*@/, "//...@"));
  const refuse = (why: string) => usageError(`Target ${shown} ${why}; give one like s3://my-bucket/directory.`);
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]*)(.*)$/is.exec(text) ?? [];
  if (bucket.includes("@"))
    throw refuse("has credentials in it, which come from the environment or the SDK's files only");
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) throw refuse("names no bucket");
  const parts = path.split("/").filter((part) => part !== "");
  if (/[?#\\\p{Cc}]/u.test(path) || parts.some((part) => part === "." || part === ".."))
    throw refuse("has a prefix that is no path");
  const prefix = parts.map((part) => `${part}/`).join("");
  return { bucket, prefix, name: `s3://${bucket}/${prefix}`.slice(0, -1) };
}
