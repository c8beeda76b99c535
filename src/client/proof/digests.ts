/** The digests that SHA256SUMS lists: 32 bytes a page in memory, and the other files by path. */
import { toHex } from "../checked.js";
import { malformed } from "../errors.js";

const BYTES = 32;
/** No list of digests is larger. */
export const MOST_SUM_BYTES = 2 ** 28;

export interface Digests {
  /** Where the listing is, below the base URL: `/api/users/`. */
  path: string;
  /** In hexadecimal. @param page from 1 to the last. */
  ofPage(page: number): string;
  /** The digest of a file that is no page. */
  of(file: string): string | undefined;
  /** Adds that of a file which SHA256SUMS cannot list: its own, and its signature's, which is empty where any may come. */
  list(file: string, digest: string): void;
}

/**
 * How large SHA256SUMS may be where there are so many pages: no line is so long, there are not so many other files, and
 * no text is so long.
 */
export function mostSumBytes(pages: number, encodings: number): number {
  return Math.min(4_000_000 + pages * (2 + encodings) * 300, MOST_SUM_BYTES);
}

/** The digests of exactly these pages. @param url of SHA256SUMS. @throws ListingError (malformed) where it lists others */
export function readDigests(sums: string, pages: number, url: string): Digests {
  // Pages come first, in order.
  const [, folder] = /^\w{64} {2}(\S*\/pages\/)1\.json\n/.exec(sums) ?? [];
  const wrong = (line?: string) => malformed(url, `pages 1 to ${pages}, a line a file`, line);
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  if (folder === undefined || sums.length < pages * 2 * BYTES) throw wrong();
  const digests = new Uint8Array(pages * BYTES);
  const others = new Map<string, string>();
  let found = 0;
  for (const [line, digest = "", path = ""] of sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)\n|.+/gm)) {
    if (!path || others.has(path)) throw wrong(line);
    if (path === `${folder}${found + 1}.json` && found < pages) digests.set(fromHex(digest), found++ * BYTES);
    else if (!path.startsWith(folder)) others.set(path, digest);
    else if (!/\.json\.(br|gz)$/.test(path)) throw wrong(line);
  }
  if (found < pages) throw wrong();
  // Copies, because a piece of a text may hold all of that text in memory.
  const files = new Map<string, string>(JSON.parse(JSON.stringify([...others])));
  return {
    path: `/${folder.slice(0, -"pages/".length)}`,
    ofPage: (page) => toHex(digests.subarray((page - 1) * BYTES, page * BYTES)),
    of: (file) => files.get(file),
    list: (file, digest) => files.set(file, digest),
  };
}

function fromHex(digest: string): Uint8Array {
  return Uint8Array.from(digest.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
