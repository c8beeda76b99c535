/** Finds records by lookup files. Reads each page that may have matches once, in published order. */
import {
  keyTerm,
  matchesAny,
  termOf,
  type WantedWord,
  wantedWords,
  wordsOfRecord,
} from "../../core/contract/lookup.js";
import { valueAt } from "../../core/contract/record/value.js";
import { type ListingError, malformed, quoted, usage } from "../errors.js";
import { latestView, readKept, readKeptPage } from "../kept.js";
import type { SearchOptions } from "../options.js";
import { type AnyObject, objectOf } from "../utf8.js";
import type { Host, View } from "../view.js";
import type { PageSource } from "../walk.js";
import { type LookupReader, numbersOf, type TermList } from "./sorted-files.js";

/** What to search for. */
export interface Query extends Pick<SearchOptions, "by"> {
  text: string;
  /** With `by: "key"`: only the record whose key equals the text. */
  isWhole?: boolean | undefined;
  /** More lists that records must be on. */
  others?: Sought | undefined;
}

export interface Sought {
  /** Every match is on all of these lists, usually shortest first. Without lists, nothing is found. */
  lists: TermList[];
  /** Whether a record matches, since lists may contain others. */
  fits(record: unknown): boolean;
}

const INDEX = "lookup/index.json";
const INDEX_BYTES = 16_000_000;
/** Maximum number of consecutive records on the lists that do not match. */
const MAX_MISSES = 6;
/** With at most this many records left, their pages are read instead of more lists. */
const FEW = 3;

/** Reads the record with a key; undefined if there is none. */
export async function getRecord<T>(
  host: Host,
  key: string | number,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const view = await latestView(host, signal);
  const query = { text: `${key}`, by: "key", isWhole: true } as const;
  for await (const [record] of search<T>({ view, baseUrl: host.baseUrl, signal }, query, 1)) return record;
  if (view.proof === "none") await view.requireCurrent(signal);
  return undefined;
}

/** The source of a walk over matches. The digest of each verified file shows its snapshot. */
export function foundRecords<T>(
  { baseUrl, concurrency }: Host,
  view: View,
  query: Query,
  signal: AbortSignal,
): PageSource<T, void> {
  return {
    // One part with all matches. After an error, the search continues after the last returned one.
    atOnce: 1,
    last: 1,
    isProof: view.proof !== "none",
    first: () => 1,
    read: async () => {},
    items: (_, __, records) => search<T>({ view, baseUrl, signal }, query, concurrency, records),
  };
}

/**
 * Yields matches in published order, each with the number of records up to it.
 * @param concurrency maximum number of pages that are read in parallel.
 * @param records number of records to skip.
 */
export async function* search<T>(
  reader: LookupReader,
  query: Query,
  concurrency: number,
  records = 0,
): AsyncGenerator<[record: T, records: number]> {
  const { view, signal, baseUrl } = reader;
  const { page_size } = view.snapshot;
  const { lists, fits } = await listsFor(reader, query);
  const numbers = onAll(reader, lists, records);
  let next = await numbers.next();
  // Terms of long words are cut, so their lists may have many other records. Those of a key have only keys that begin with it.
  const misses = query.by === "key" ? Number.POSITIVE_INFINITY : MAX_MISSES;
  let left = misses;
  // Begin with one page, which is often enough.
  for (let most = 1; !next.done; most *= 2) {
    const pages = new Map<number, Promise<T[]>>();
    const found: [number: number, results: Promise<T[]>][] = [];
    for (; !next.done; next = await numbers.next()) {
      const page = Math.floor(next.value / page_size) + 1;
      const results =
        pages.get(page) ??
        (pages.size < Math.min(most, concurrency, left) ? readKeptPage<T>(view, page, signal) : undefined);
      if (!results) break;
      // An error is thrown when its turn comes.
      results.catch(() => {});
      pages.set(page, results);
      found.push([next.value, results]);
    }
    for (const [number, results] of found) {
      const record = (await results)[number % page_size] as T;
      if (fits(record)) {
        left = misses;
        yield [record, number + 1];
      } else if (--left < 1) throw usage(baseUrl, `has too many records almost like ${quoted(query.text)}`);
    }
  }
}

/** The lists of a text's words, or of a key. @throws ListingError (usage) if the release does not have the files */
async function listsFor(reader: LookupReader, { text, by, isWhole, others }: Query): Promise<Sought> {
  const lists: TermList[] = [];
  const demands = others ? [others.fits] : [];
  // A key may be empty.
  if (text !== "" || isWhole) {
    const [{ key, fields, version, keys, words }, url] = await readIndex(reader);
    if (version !== 2 || !Array.isArray(fields) || ![key, ...fields].every(isNames))
      throw malformed(url, "an index of version 2", version);
    const keyField = { names: key as string[] };
    if (by === "key") {
      const term = keyTerm(text);
      lists.push({ folder: "lookup/keys", begins: keys, url, term, isPrefix: !isWhole && term === text });
      demands.push((record) => {
        const own = `${valueAt(record, keyField)}`;
        return isWhole ? own === text : own.startsWith(text);
      });
    } else {
      const wanted = wantedWords(text);
      for (const { word, isPrefix } of longestFirst(wanted))
        lists.push({ folder: "lookup/words", begins: words, url, term: termOf(word), isPrefix });
      const names = fields.map((field) => ({ names: field }));
      demands.push((record) => {
        const own = wordsOfRecord(keyField, names, record);
        return wanted.every((one) => matchesAny(one, own));
      });
    }
  }
  if (others) lists.push(...others.lists);
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}

/** Sorts words by how few records they probably have: longest first, then those nearest to both ends. */
function longestFirst(wanted: readonly WantedWord[]): WantedWord[] {
  const fromEnd = (one: WantedWord) => Math.min(wanted.indexOf(one), wanted.length - 1 - wanted.indexOf(one));
  return wanted.toSorted((one, other) => other.word.length - one.word.length || fromEnd(one) - fromEnd(other));
}

/** Reads lookup/index.json. @throws ListingError (usage) that names the flag of `build` if there is none */
async function readIndex({ view, baseUrl, signal }: LookupReader): Promise<[said: AnyObject, url: string]> {
  const url = `${baseUrl}/${INDEX}`;
  try {
    const read = async (own: AbortSignal) => objectOf(await view.readFile(INDEX, { maxBytes: INDEX_BYTES }, own), url);
    return [await readKept(view, INDEX, signal, read), url];
  } catch (error) {
    const { code, received } = error as Partial<ListingError>;
    // Without proof, a missing file is a status of 400 to 499.
    if (code !== "usage" && !(code === "status" && received?.startsWith("4"))) throw error;
    throw usage(baseUrl, "has no lookup; build with --lookup");
  }
}

/** Whether a value is a field path as a list of names. */
function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** Yields numbers from `first` on that are on all lists; or on some lists, once only a few records are left. */
async function* onAll(
  reader: LookupReader,
  lists: readonly TermList[],
  first: number,
): AsyncGenerator<number, undefined> {
  const onSome = (some: readonly TermList[], from = { number: first }) =>
    intersect(
      some.map((list) => numbersOf(reader, list, from)),
      from,
    );
  for (let most = 2; most < lists.length; most *= 2) {
    const few: number[] = [];
    for await (const number of onSome(lists.slice(0, most))) if (few.push(number) > FEW) break;
    if (few.length <= FEW) return yield* few;
  }
  return yield* onSome(lists);
}

/** Yields the numbers that are on all lists. @param from the number with which each list continues. */
async function* intersect(
  lists: readonly AsyncGenerator<number, undefined>[],
  from: { number: number },
): AsyncGenerator<number, undefined> {
  for (let agreed = 0; lists.length > 0; )
    for (const list of lists) {
      const { done, value } = await list.next();
      if (done) return;
      agreed = value === from.number ? agreed + 1 : 1;
      from.number = value;
      if (agreed < lists.length) continue;
      yield value;
      agreed = 0;
      from.number++;
    }
}
