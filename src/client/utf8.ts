/** UTF-8 text and JSON that a host sends, and texts as bytes. */
import { malformed } from "./errors.js";

/** A JSON object from anyone. */
export type AnyObject = Record<string, unknown>;

/** Limits memory: 64 MiB of `[],` would be 20 million values and take a gigabyte. */
const MOST_VALUES = 5_000_000;

const encoder = new TextEncoder();

/** The UTF-8 of a text. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Compares as `memcmp` does, by which listings and sorted files are ordered: less than 0 where the first comes first. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; ; at++) {
    // The end comes before every byte.
    const [own, its] = [one[at] ?? -1, other[at] ?? -1];
    if (own !== its || own < 0) return own - its;
  }
}

/** Fails for bytes that are not UTF-8. A byte order mark stays: JSON has none. */
export function createDecoder() {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** @throws ListingError (malformed) */
export function textOf(bytes: Uint8Array, url: string): string {
  try {
    return createDecoder().decode(bytes);
  } catch {
    throw malformed(url, "UTF-8", "other bytes");
  }
}

/** Parses a JSON object. @throws ListingError (malformed) */
export function objectOf(json: Uint8Array | string, url: string): AnyObject {
  const text = typeof json === "string" ? json : textOf(json, url);
  let value: unknown;
  try {
    value = hasFewValues(text) ? JSON.parse(text) : undefined;
  } catch {
    // Not JSON, or nested too deep for this runtime.
  }
  if (isPlainObject(value)) return value;
  throw malformed(url, "a JSON object that is not too large", text.slice(0, 80));
}

export function isPlainObject(value: unknown): value is AnyObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts characters that may begin a value, inside strings too, so that one pass is enough. */
function hasFewValues(text: string): boolean {
  // A page of the usual size cannot hold more.
  if (text.length <= MOST_VALUES) return true;
  let left = MOST_VALUES;
  for (const _ of text.matchAll(/[,[{]/g)) if (left-- === 0) return false;
  return true;
}
