/** Records that are looked for: each page that may have some is asked for once, in published order. */
import type { CallOptions } from "../options.js";
import type { FindOptions } from "../proof/find.js";
import type { Ground } from "../proof/ground.js";
import { groundOf, type Latest } from "../proof/latest.js";
import type { Bytes } from "../transfer.js";
import type { Course, Standing } from "../walk.js";
import { readKept } from "./kept.js";
import type { List } from "./list.js";
import { openSearch, type Query } from "./search.js";

/** A snapshot, and what a walk goes through that looks for something in it. */
export interface Searched<T> extends Standing {
  course(signal: AbortSignal | undefined): Promise<Course<T, FoundPage[]>>;
}

/** A page on which there may be records that are looked for. */
interface FoundPage {
  page: number;
  bytes: Promise<Bytes>;
  /** Which these are, from 0 in the whole collection. */
  numbers: number[];
  /** What the first record behind the page is. */
  next: number;
}

/** The place behind all records. */
const BEHIND = Number.POSITIVE_INFINITY;

/** The record of a key; undefined where there is none. */
export async function getRecord<T>(
  latest: Latest,
  key: string | number,
  { signal }: CallOptions,
): Promise<T | undefined> {
  const ground = await groundOf(latest, signal);
  const query: Query = { text: `${key}`, by: "key", isWhole: true };
  const course = await courseOf<T>(ground, latest.url, query, 1, signal);
  for (let lot = 1; lot <= course.last; lot++) {
    const found = course.items(lot, await course.read(lot, signal), 0);
    const { value } = await found.next();
    if (value) return value[0];
  }
  await requireProved(ground, signal);
  return undefined;
}

/** What a walk looks for, in which snapshot. @param atOnce how many files or pages are asked for at once, at most. */
export async function searchOf<T>(
  latest: Latest,
  query: Query,
  atOnce: number,
  { signal, isPast }: FindOptions,
): Promise<Searched<T>> {
  const ground = await groundOf(latest, signal, isPast);
  return {
    ...ground,
    requireCurrent: (from) => requireProved(ground, from),
    course: (from) => courseOf<T>(ground, latest.url, query, atOnce, from),
  };
}

/** Each file that was read shows by its digest that it is of the snapshot. Where there are none, page 1 has to. */
async function requireProved(ground: Ground, signal: AbortSignal | undefined): Promise<void> {
  if (ground.proof === "none") await ground.requireCurrent(signal);
}

async function courseOf<T>(
  ground: Ground,
  baseUrl: string,
  query: Query,
  atOnce: number,
  signal: AbortSignal | undefined,
): Promise<Course<T, FoundPage[]>> {
  const { lists, fits } = await openSearch({ ground, baseUrl, signal }, query, atOnce);
  let next = lists.length > 0 ? 0 : BEHIND;
  return {
    // Where another lot of pages begins is known when the one before was read.
    atOnce: 1,
    get last() {
      return next === BEHIND ? 0 : BEHIND;
    },
    first(records) {
      next = Math.max(next, records);
      return 1;
    },
    // Few at first: one who looks for a name may need no more.
    read: (lot, from) => findPages(ground, lists, next, Math.min(atOnce, 2 * lot), from),
    async *items(_, pages, records) {
      for (const page of pages) {
        for (const [record, number] of recordsOf<T>(ground, page, await page.bytes))
          if (number > records && fits(record)) yield [record, number];
        // After an error, what was handed out is not read again.
        next = page.next;
      }
      if (pages.length === 0) next = BEHIND;
    },
  };
}

/** Some pages on which there may be records from this one on, all of which are asked for. */
async function findPages(
  ground: Ground,
  lists: readonly List[],
  from: number,
  most: number,
  signal: AbortSignal | undefined,
): Promise<FoundPage[]> {
  const { page_size } = ground.snapshot;
  const pages = new Map<number, number[]>();
  for (let number = await meet(lists, from, signal); number !== undefined; ) {
    const page = Math.floor(number / page_size) + 1;
    if (pages.size === most && !pages.has(page)) break;
    const numbers = pages.get(page) ?? [];
    numbers.push(number);
    pages.set(page, numbers);
    number = await meet(lists, number + 1, signal);
  }
  return [...pages].map(([page, numbers]) => {
    const bytes = readKept(ground, `page ${page}`, signal, (own) => ground.readPage(page, own));
    // Its error is met when its turn comes.
    bytes.catch(() => {});
    return { page, numbers, bytes, next: page * page_size };
  });
}

/** The first number from this one on that all lists have. */
async function meet(
  lists: readonly List[],
  from: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  let [at, agreed] = [from, 0];
  while (agreed < lists.length) {
    for (const list of lists) {
      const found = await list.seek(at, signal);
      if (found === undefined) return undefined;
      agreed = found === at ? agreed + 1 : 1;
      at = found;
    }
  }
  return lists.length > 0 ? at : undefined;
}

/** The records of a page that may be looked for, each with how many there are with it. */
function* recordsOf<T>(
  ground: Ground,
  { page, numbers }: FoundPage,
  bytes: Bytes,
): Generator<[record: T, records: number]> {
  const { results } = ground.parsePage<T>(page, bytes);
  const before = (page - 1) * ground.snapshot.page_size;
  for (const number of numbers) yield [results[number - before] as T, number + 1];
}
