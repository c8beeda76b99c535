/** The digests that SHA256SUMS lists: 32 bytes a page in memory, and the other files by path. */
import { readSumLines } from "../contract/sum-lines.js";
import type { Bytes } from "./requests.js";

const BYTES = 32;
/** Far longer than a line with a page's path. */
const LONGEST_LINE = 300;
/** For the files that are no pages; those of a large release grow with its pages. */
const OTHERS_BYTES = 4_000_000;
/** A string cannot be much longer. */
const MOST_BYTES = 256 * 2 ** 20;

export interface Digests {
  /** Where the listing is, below the base URL: `/api/users/`. */
  path: string;
  /** In hexadecimal. @param page from 1 to the last. */
  ofPage(page: number): string;
  /** The digest of a file that is no page. */
  of(file: string): string | undefined;
}

/** How large SHA256SUMS may be where there are so many pages. */
export function mostSumBytes(pages: number, encodings: number): number {
  return Math.min(MOST_BYTES, OTHERS_BYTES + pages * (2 + encodings) * LONGEST_LINE);
}

/** Where a listing of these digests may be; more than one path when another file has a page's name. */
export function listingPaths(sums: string): string[] {
  return [...sums.matchAll(/^[0-9a-f]{64} {2}(\S*\/)pages\/1\.json$/gm)].map(([, folder]) => `/${folder}`);
}

/** The digest of a file that is no page, found without reading all lines. */
export function digestIn(sums: string, file: string): string | undefined {
  const at = `\n${sums}`.indexOf(`  ${file}\n`);
  const digest = at < 0 ? "" : sums.slice(at - 65, at - 1);
  return /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}

/** The digests of exactly these pages, or why there are none: the rest of a sentence about SHA256SUMS. */
export function readDigests(sums: string, path: string, pages: number): Digests | string {
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (sums.length < pages * (2 * BYTES + path.length)) return `is too short for ${pages} pages`;
  if (!sums.endsWith("\n")) return "is cut: it has no newline at its end";
  const digests = new Uint8Array(pages * BYTES);
  const isListed = new Uint8Array(pages);
  const others = new Map<string, string>();
  const folder = `${path.slice(1)}pages/`;
  let found = 0;
  for (const { line, sum } of readSumLines(sums)) {
    if (!sum) return `has a line that is none of SHA256SUMS: ${JSON.stringify(line.slice(0, 100))}`;
    const [, number] =
      (sum.path.startsWith(folder) && /^([1-9]\d{0,8})\.json$/.exec(sum.path.slice(folder.length))) || [];
    const page = Number(number);
    const isTwice = number === undefined ? others.has(sum.path) : page > pages || isListed[page - 1] === 1;
    if (isTwice) return `lists ${sum.path}, which is listed twice, or is beyond the ${pages} pages of snapshot.json`;
    if (number === undefined) others.set(sum.path, sum.digest);
    else {
      for (let at = 0; at < BYTES; at++)
        digests[(page - 1) * BYTES + at] = Number.parseInt(sum.digest.slice(2 * at, 2 * at + 2), 16);
      isListed[page - 1] = 1;
      found++;
    }
  }
  if (found !== pages) return `lists ${found} of ${pages} pages`;
  return {
    path,
    ofPage: (page) => toHex(digests.subarray((page - 1) * BYTES, page * BYTES)),
    of: (file) => others.get(file),
  };
}

/** The SHA-256 of some bytes, in hexadecimal. */
export async function digestOf(bytes: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
