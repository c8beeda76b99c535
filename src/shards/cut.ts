/** Which pages each of several machines makes. A build on one machine is the only shard of one. */

/** One of `count` shards, numbered from 0: what the word `3/8` says. */
export interface Shard {
  number: number;
  count: number;
}

export const WHOLE: Shard = { number: 0, count: 1 };

/** Page numbers from `first` to `last`; none where `last` is before `first`. */
export interface PageRange {
  first: number;
  last: number;
}

/**
 * An even cut: the same on every machine, and all shards together are all pages, each once.
 * @param together pages that are not parted, the first of them with page 1.
 */
export function cutPages(pages: number, { number, count }: Shard, together = 1): PageRange {
  const groups = Math.ceil(pages / together);
  const before = (shard: number) => Math.min(pages, Math.floor((groups * shard) / count) * together);
  return { first: before(number) + 1, last: before(number + 1) };
}

export function pagesOf({ first, last }: PageRange): number {
  return Math.max(0, last - first + 1);
}

/** The rows of a range's pages: how many come before them, and how many they are. */
export function rowsOfPages({ first, last }: PageRange, { count, pageSize }: { count: number; pageSize: number }) {
  const before = Math.min(count, (first - 1) * pageSize);
  return { before, rows: Math.max(0, Math.min(count, last * pageSize) - before) };
}
