/** Divides pages among shards. A build on one machine is shard 0 of 1. */

/** One of `count` shards, numbered from 0: `3/8`. */
export interface Shard {
  number: number;
  count: number;
}

/** Parses a shard that `isShard` accepts. */
export function readShard(text: string): Shard {
  const [number = 0, count = 1] = text.split("/").map(Number);
  return { number, count };
}

/** The text of a shard, as `readShard` parses it: `3/8`. */
export function shardText({ number, count }: Shard): string {
  return `${number}/${count}`;
}

/** Whether a text is a shard's number, from 0, and how many there are. */
export function isShard(text: string): boolean {
  const { number, count } = readShard(text);
  return /^\d{1,9}\/\d{1,9}$/.test(text) && number < count;
}

/** The shard that has all pages. */
export const WHOLE: Shard = { number: 0, count: 1 };

/** Page numbers from `first` to `last`; none if `last` is less than `first`. */
export interface PageRange {
  first: number;
  last: number;
}

/**
 * The pages of a shard. The division is even, the same on every machine, and each page is in exactly one shard.
 * @param together the size of groups of pages that stay in one shard, beginning with page 1.
 */
export function cutPages(pages: number, { number, count }: Shard, together = 1): PageRange {
  const groups = Math.ceil(pages / together);
  const before = (shard: number) => Math.min(pages, Math.floor((groups * shard) / count) * together);
  return { first: before(number) + 1, last: before(number + 1) };
}

/** The number of pages in a range. */
export function pagesOf({ first, last }: PageRange): number {
  return Math.max(0, last - first + 1);
}

/** The rows of a range's pages: the number of rows before them, and their number. */
export function rowsOfPages({ first, last }: PageRange, { count, pageSize }: { count: number; pageSize: number }) {
  const before = Math.min(count, (first - 1) * pageSize);
  return { before, rows: Math.max(0, Math.min(count, last * pageSize) - before) };
}
