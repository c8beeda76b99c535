/** Decodes and encodes UTF-8, and parses untrusted JSON. */
import { malformed } from "./errors.js";

/** An untrusted JSON object. */
export type AnyObject = Record<string, unknown>;

/** Maximum number of JSON values: 64 MiB of `[],` would be 20 million and take 1 GB of memory. */
const MOST_VALUES = 5_000_000;

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Compares bytes like `memcmp`: below 0 if `one` comes first. Listings and sorted files have this order. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; ; at++) {
    // The end sorts before every byte.
    const own = one[at] ?? -1;
    const its = other[at] ?? -1;
    if (own !== its || own < 0) return own - its;
  }
}

/** Makes a strict UTF-8 decoder that keeps a byte order mark, which JSON does not allow. */
export function createDecoder() {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** Decodes UTF-8. @throws ListingError (malformed) */
export function decodeText(bytes: Uint8Array, url: string): string {
  try {
    return createDecoder().decode(bytes);
  } catch {
    throw malformed(url, "UTF-8", "other bytes");
  }
}

/** Parses a JSON object. @throws ListingError (malformed) */
export function objectOf(json: Uint8Array | string, url: string): AnyObject {
  const text = typeof json === "string" ? json : decodeText(json, url);
  let value: unknown;
  try {
    value = hasFewValues(text) ? JSON.parse(text) : undefined;
  } catch {
    // Not JSON, or nested too deeply for this runtime.
  }
  if (isPlainObject(value)) return value;
  throw malformed(url, "a JSON object that is not too large", text.slice(0, 80));
}

/** Whether a value is an object, not null or an array. */
export function isPlainObject(value: unknown): value is AnyObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts characters that may begin a value, inside strings too, so that one pass is enough. */
function hasFewValues(text: string): boolean {
  // A shorter text cannot hold more.
  if (text.length <= MOST_VALUES) return true;
  let left = MOST_VALUES;
  for (const _ of text.matchAll(/[,[{]/g)) if (left-- === 0) return false;
  return true;
}
