/** The digests that SHA256SUMS lists: 32 bytes a page in memory, and the other files by path. */
import { readSumLines } from "../../contract/sum-lines.js";
import { quoted } from "../errors.js";
import type { Bytes } from "../transfer.js";

const BYTES = 32;
/** Far longer than a line with a page's path. */
const LONGEST_LINE = 300;
/** For the files that are no pages; those of a large release grow with its pages. */
const OTHERS_BYTES = 4_000_000;
/** A text cannot be much longer. */
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

/** The digests of exactly these pages, or why there are none: the rest of a sentence about SHA256SUMS. */
export function readDigests(sums: string, pages: number): Digests | string {
  // Pages come first, in order.
  const [, folder] = /^\w{64} {2}(\S*\/pages\/)1\.json\n/.exec(sums) ?? [];
  const why = `does not list pages 1 to ${pages}, and then other files`;
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (folder === undefined || sums.length < pages * 2 * BYTES) return why;
  const digests = new Uint8Array(pages * BYTES);
  const others = new Map<string, string>();
  let found = 0;
  for (const { line, sum } of readSumLines(sums)) {
    if (!sum || others.has(sum.path)) return `has a wrong line, or one twice: ${quoted(line)}`;
    const { path, digest } = sum;
    if (path === `${folder}${found + 1}.json` && found < pages) digests.set(fromHex(digest), found++ * BYTES);
    else if (!path.startsWith(folder)) others.set(path, digest);
    else if (!/\.json\.(br|gz)$/.test(path)) return why;
  }
  if (found < pages || !sums.endsWith("\n")) return why;
  // Copies, because a piece of a text may hold all of that text in memory.
  const files = new Map<string, string>(JSON.parse(JSON.stringify([...others])));
  return {
    path: `/${folder.slice(0, -"pages/".length)}`,
    ofPage: (page) => toHex(digests.subarray((page - 1) * BYTES, page * BYTES)),
    of: (file) => files.get(file),
  };
}

/** The digest of a file that is no page, found before all lines are read. */
export function listedDigest(sums: string, file: string): string | undefined {
  const at = sums.indexOf(`  ${file}\n`);
  return at < 0 ? undefined : sums.slice(Math.max(0, at - 2 * BYTES), at);
}

/** The SHA-256 of some bytes, in hexadecimal. */
export async function hexDigest(bytes: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function fromHex(digest: string): Uint8Array {
  return Uint8Array.from(digest.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
