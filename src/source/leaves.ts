/** Finds rows that have not been touched: those on pages of the file that are, byte for byte, as they were. */

import { hash } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { type DatabaseFile, readLeaf } from "./btree.js";

/** Which leaves of a table to look at, for one thread. */
export interface LeafOrder {
  database: DatabaseFile;
  /** Page numbers, ascending. */
  leaves: Uint32Array;
  /** The descriptor of a file of digests as it was made last time; undefined when there is none. */
  before: number | undefined;
  /** The descriptor of the file of digests that is being made. */
  after: number;
}

/** In a file of digests, page N has its own at `digestAt(N)`: zeros for what is no leaf, or cannot be told by itself. */
const DIGEST_BYTES = 16;
export const KEY_BYTES = 32;

/** Pages read at a time, where leaves lie side by side. */
const WINDOW = 64;

/**
 * Writes the leaves' digests.
 * @returns the ids of rows that may be other than they were, or were not there; none when there is nothing to compare with.
 * @throws RangeError when the file is not understood.
 */
export function compareLeaves({ database, leaves, before, after }: LeafOrder): number[] {
  const { file, pageSize, usable } = database;
  const memory = Buffer.alloc(WINDOW * pageSize);
  const [known, made] = [Buffer.alloc(WINDOW * DIGEST_BYTES), Buffer.alloc(WINDOW * DIGEST_BYTES)];
  const suspects: number[] = [];
  for (let next = 0; next < leaves.length; ) {
    const first = leaves[next] ?? 0;
    const bytes = readSync(file, memory, 0, memory.length, (first - 1) * pageSize);
    known.fill(0);
    made.fill(0);
    if (before !== undefined) readSync(before, known, 0, known.length, digestAt(first));
    let at = 0;
    for (; next < leaves.length && (leaves[next] ?? 0) < first + WINDOW; next++) {
      at = (leaves[next] ?? 0) - first;
      if ((at + 1) * pageSize > bytes) throw new RangeError(`page ${first + at} is not there`);
      const page = memory.subarray(at * pageSize, (at + 1) * pageSize);
      const leaf = readLeaf(page, usable);
      const place = [at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES] as const;
      if (leaf.isWhole) made.write(hash("sha256", page, "hex"), place[0], DIGEST_BYTES, "hex");
      const isSame = leaf.isWhole && made.compare(known, ...place, ...place) === 0;
      if (before !== undefined && !isSame) suspects.push(...leaf.rowids);
    }
    writeSync(after, made, 0, (at + 1) * DIGEST_BYTES, digestAt(first));
  }
  return suspects;
}

function digestAt(page: number): number {
  return KEY_BYTES + (page - 1) * DIGEST_BYTES;
}
