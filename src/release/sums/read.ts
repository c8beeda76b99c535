/** Reads SHA256SUMS of a release on disk, in memory that does not grow with the number of pages. */
import { readSync } from "node:fs";
import { type PageSums, parseOthers, parseSums, type Sums } from "../digests.js";
import { readBlocks } from "../files.js";
import type { PagePaths } from "../layout.js";
import type { Snapshot } from "../snapshot.js";
import { DIGITS, SumsLayout } from "./layout.js";
import { ListedPages } from "./listed.js";

/** An open SHA256SUMS. */
export interface OpenSums {
  path: string;
  file: number;
  size: number;
}

/** What pages a release should list. */
export type PagesToList = Pick<Sums, "paths"> & Pick<PageSums, "pages" | "variants">;

/** Page files whose digests are kept in memory for who asks for them in no order, as the readers of a host do: 128 MB of them. */
const MOST_IN_MEMORY = 2 ** 22;

export function pagesToList(
  paths: PagePaths,
  { pages, encodings }: Pick<Snapshot, "pages" | "encodings">,
): PagesToList {
  return { paths, pages, variants: ["identity", ...encodings] };
}

/**
 * What a file lists. Where its pages do not come first and in order, as Rollcall writes them, their digests are in memory.
 * @param isKept whether they are there anyway, unless there are too many.
 * @throws Error naming a line that is not valid, or saying which pages are missing or listed twice.
 */
export async function readSums(from: OpenSums, shape: PagesToList, isKept = false): Promise<Sums> {
  const { paths } = shape;
  const listed = await readListed(from, shape, isKept);
  if (!listed) return parseSums(readBlocks(from.file), from.size, shape);
  return { paths, pages: listed.pages, others: parseOthers(readBlocks(from.file, listed.end), paths) };
}

/** The pages of a file that begins with their lines in order, and where those end; undefined for any other. */
export async function readListed(
  { path, file, size }: OpenSums,
  { paths, pages, variants }: PagesToList,
  isKept = false,
) {
  const layout = new SumsLayout(paths, pages, variants);
  const isInMemory = isKept && pages * variants.length <= MOST_IN_MEMORY;
  // The number of pages comes from another file, so it is checked before memory is reserved for it.
  const found = layout.end <= size ? await ListedPages.read(file, path, layout, isInMemory) : undefined;
  return found && { pages: found, end: layout.end };
}

/** Bytes that are searched at once, and in all: files that are no pages take far less. */
const [STEP, MOST] = [2 ** 16, 2 ** 26];

/** The digest that the last line of a path gives. Sought from the end, where files that are no pages are listed. */
export function findListed(file: number, size: number, path: string): string | undefined {
  const wanted = `  ${path}\n`;
  const memory = Buffer.alloc(STEP + DIGITS + wanted.length);
  for (let end = size; end > Math.max(0, size - MOST); end -= STEP) {
    const begin = Math.max(0, end - memory.length);
    const found = memory.subarray(0, readSync(file, memory, 0, end - begin, begin));
    const at = found.lastIndexOf(wanted);
    const [, digest] = /(?:^|\n)([0-9a-f]{64})$/.exec(found.toString("latin1", Math.max(0, at - DIGITS - 1), at)) ?? [];
    if (at >= 0 && digest !== undefined) return digest;
  }
  return undefined;
}
