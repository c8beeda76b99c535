/** SHA-256 digests, and the parser of SHA256SUMS. It holds 32 bytes a page, and other files by path. */
import { malformed } from "./errors.js";
import type { Bytes } from "./requests.js";

const BYTES = 32;
/** Maximum size of SHA256SUMS. */
const MOST_SUM_BYTES = 2 ** 28;

export interface Digests {
  /** The listing's path below the base URL: `/api/users/`, or `/`. */
  path: string;
  /** The digest of a page in hexadecimal. @param page from 1. */
  ofPage(page: number): string;
  /** Digests of files that are not pages, by path. */
  files: Map<string, string>;
}

/** Maximum size of SHA256SUMS for this number of pages. */
export function mostSumBytes(pages: number, encodings: number): number {
  return Math.min(4_000_000 + pages * (2 + encodings) * 300, MOST_SUM_BYTES);
}

/** Parses SHA256SUMS. @throws ListingError (malformed) unless it lists exactly these pages */
export function readDigests(sums: string, pages: number, url: string): Digests {
  // Pages come first, in order.
  const [, folder] = /^\w{64} {2}((?:\S*\/)?pages\/)1\.json\n/.exec(sums) ?? [];
  const wrong = (path?: string) => malformed(url, `pages 1 to ${pages}, a line a file`, path);
  // The number of pages comes from an unverified file: check it before memory is allocated.
  if (folder === undefined || sums.length < pages * 2 * BYTES) throw wrong();
  const digests = new Uint8Array(pages * BYTES);
  const others = new Map<string, string>();
  let found = 0;
  for (const [path, digest] of digestLines(sums, url)) {
    if (others.has(path)) throw wrong(path);
    if (path === `${folder}${found + 1}.json` && found < pages) digests.set(fromHex(digest), found++ * BYTES);
    else if (!path.startsWith(folder)) others.set(path, digest);
    else if (!/\.json\.(br|gz)$/.test(path)) throw wrong(path);
  }
  if (found < pages) throw wrong();
  return {
    path: `/${folder.slice(0, -"pages/".length)}`,
    ofPage: (page) => toHex(digests.subarray((page - 1) * BYTES, page * BYTES)),
    // Copies, since a slice would keep the whole text in memory.
    files: new Map(JSON.parse(JSON.stringify([...others]))),
  };
}

/** The lines of SHA256SUMS. @throws ListingError (malformed) for a line in another form */
export function* digestLines(sums: string, url: string): Generator<[path: string, digest: string]> {
  for (const [line, digest = "", path = ""] of sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)\n|.+/gm)) {
    if (!path) throw malformed(url, "a digest and a path", line);
    yield [path, digest];
  }
}

/** The SHA-256 of bytes, in hexadecimal. */
export async function hexDigest(bytes: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Writes bytes in hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(digest: string): Uint8Array {
  return Uint8Array.from(digest.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
