/** Bytes from a host as what they must be: text, JSON, snapshot.json, a page. */
import { pagesFor } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import { ListingError, malformed } from "./errors.js";
import type { Bytes } from "./transfer.js";

/** A JSON object of anyone's. */
export type AnyObject = Record<string, unknown>;

/** Without a limit, 64 MiB of `[],` would be 20 million values, and take a gigabyte. */
const MOST_VALUES = 5_000_000;

/** @throws ListingError (malformed) */
export function textOf(bytes: Uint8Array, url: string): string {
  try {
    // A mark at the beginning stays: JSON has none.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed(url, "UTF-8", "other bytes");
  }
}

/** A JSON text that is an object. @throws ListingError (malformed) */
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

/** Counts what may begin a value, wherever it stands: in a text, too, so that nothing has to be read twice. */
function hasFewValues(text: string): boolean {
  // A page of the usual size cannot hold more.
  if (text.length <= MOST_VALUES) return true;
  let left = MOST_VALUES;
  for (const _ of text.matchAll(/[,[{]/g)) if (left-- === 0) return false;
  return true;
}

/** How the JSON text of each member of snapshot.json is written. */
const MEMBERS: Readonly<Record<keyof Snapshot, RegExp>> = {
  id: /^"[0-9a-f]{12}"$/,
  contract: /^[1-9]\d{0,14}$/,
  count: /^\d{1,15}$/,
  pages: /^[1-9]\d{0,8}$/,
  page_size: /^([1-9]\d{0,2}|1000)$/,
  base_url: /^"https?:..+"$/,
  links: /^"(query|path)"$/,
  encodings: /^\[("\w+",?)*\]$/,
  skipped: /^\d{1,15}$/,
  state: /^"[0-9a-f]{64}"$/,
  warnings: /^\{/,
};

/** What snapshot.json says. Further members are allowed. @throws ListingError (malformed) */
export function snapshotOf(bytes: Uint8Array, url: string): Snapshot {
  const said = objectOf(bytes, url) as unknown as Snapshot;
  const { count, page_size, pages } = said;
  const isOf = (name: string) =>
    MEMBERS[name as keyof Snapshot].test(`${JSON.stringify(said[name as keyof Snapshot])}`);
  const wrong = Object.keys(MEMBERS).find((name) => !isOf(name)) ?? "pages";
  if (isOf(wrong) && pages === pagesFor(count, page_size)) return said;
  throw malformed(url, `other ${wrong}`, said[wrong as keyof Snapshot]);
}

/** @throws ListingError (status) */
export function requireOk(url: string, status: number): void {
  if (status !== 200) throw new ListingError("status", url, "has another status", "200", `${status}`);
}

/** The SHA-256 of some bytes, in hexadecimal. */
export async function hexDigest(bytes: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** As `sha256sum` writes them. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
