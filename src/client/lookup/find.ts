/** Finds records by lookup files: asks for each page that may have some once, in published order. */
import {
  HIGHEST,
  keyTerm,
  matchesAny,
  termOf,
  type WantedWord,
  wantedWords,
  wordsOfRecord,
} from "../../contract/lookup.js";
import { valueAt } from "../../contract/record/value.js";
import { type ListingError, malformed, quoted, usage } from "../errors.js";
import type { CallOptions, SearchOptions } from "../options.js";
import { parsePage } from "../page.js";
import { latestView, readKept } from "../read-once.js";
import type { Host, SnapshotView } from "../snapshot.js";
import { type AnyObject, objectOf } from "../utf8.js";
import type { PageSource } from "../walk.js";
import { type LookupReader, numbersOf, type TermList } from "./sorted-files.js";

/** Options of `find` that only the explorer uses, see chosen.ts. */
export interface InnerSearch extends SearchOptions {
  /** By keys: only the record whose key is the whole text. */
  isWhole?: boolean | undefined;
  /** Further lists that a record is on. */
  also?: ((reader: LookupReader) => Promise<Sought>) | undefined;
}

type Query = Pick<InnerSearch, "by" | "isWhole" | "also"> & { text: string };

export interface Sought {
  /** Every record that fits is on all of these lists. The shortest mostly come first; without lists, nothing is found. */
  lists: TermList[];
  /** Whether a record fits: lists may have others, too. */
  fits(record: unknown): boolean;
}

const INDEX_BYTES = 16_000_000;
/** Records in a row that may not fit. */
const MOST_VAIN = 6;
/** When only this many records are left, their pages are asked for rather than more lists. */
const FEW = 3;

/** The record of a key; undefined where there is none. */
export async function getRecord<T>(host: Host, key: string | number, { signal }: CallOptions): Promise<T | undefined> {
  const view = await latestView(host, signal);
  const query = { text: `${key}`, by: "key", isWhole: true } as const;
  for await (const [record] of search<T>({ view, baseUrl: host.baseUrl, signal }, query, 1, 0)) return record;
  if (view.proof === "none") await view.requireCurrent(signal);
  return undefined;
}

/** The source of a walk through the records that fit. Each proved file shows its snapshot by its digest. */
export function searchSource<T>(
  { baseUrl, concurrency }: Host,
  view: SnapshotView,
  query: Query,
  signal: AbortSignal,
): PageSource<T, void> {
  return {
    // One part with everything that is found. After an error, the search continues behind what was handed out.
    ...{ atOnce: 1, last: 1, isProof: view.proof !== "none", first: () => 1, read: async () => {} },
    items: (_, __, records) => search<T>({ view, baseUrl, signal }, query, concurrency, records),
  };
}

/** The records that fit, behind the first `records` ones, each with the number of records up to it. */
async function* search<T>(
  reader: LookupReader,
  query: Query,
  concurrency: number,
  records: number,
): AsyncGenerator<[record: T, records: number]> {
  const { view, signal, baseUrl } = reader;
  const { page_size } = view.snapshot;
  const read = (page: number) =>
    readKept(
      view,
      `page ${page}`,
      signal,
      async (own) => parsePage<T>(view, page, await view.readPage(page, own)).results,
    );
  const { lists, fits } = await listsFor(reader, query);
  const numbers = onAll(reader, lists, records);
  let next = await numbers.next();
  // Only long words share a list with others; so does a key with the character that stands for the end.
  const vain = query.text.includes(HIGHEST) ? Number.POSITIVE_INFINITY : MOST_VAIN;
  let left = vain;
  // One page at first: many searches need no more.
  for (let most = 1; !next.done; most *= 2) {
    const pages = new Map<number, Promise<T[]>>();
    const found: [number: number, results: Promise<T[]>][] = [];
    for (; !next.done; next = await numbers.next()) {
      const page = Math.floor(next.value / page_size) + 1;
      const results = pages.get(page) ?? (pages.size < Math.min(most, concurrency, left) ? read(page) : undefined);
      if (!results) break;
      // An error is thrown when its turn comes.
      results.catch(() => {});
      pages.set(page, results);
      found.push([next.value, results]);
    }
    for (const [number, results] of found) {
      const record = (await results)[number % page_size] as T;
      if (fits(record)) {
        left = vain;
        yield [record, number + 1];
      } else if (--left < 1) throw usage(baseUrl, `has too many records almost like ${quoted(query.text)}`);
    }
  }
}

/** The lists of a text's words, or of a key. @throws ListingError (usage) where the release does not have the files */
async function listsFor(reader: LookupReader, { text, by, isWhole, also }: Query): Promise<Sought> {
  const others = await also?.(reader);
  const lists: TermList[] = [];
  const demands = others ? [others.fits] : [];
  // A key may be empty.
  if (text !== "" || isWhole) {
    const [{ key, fields, version, keys, words }, url] = await readIndex(reader, "lookup/index.json");
    if (version !== 2 || !Array.isArray(fields) || ![key, ...fields].every(isNames))
      throw malformed(url, "an index of version 2", version);
    const keyField = { names: key as string[] };
    if (by === "key") {
      const term = keyTerm(text);
      lists.push({ folder: "lookup/keys", begins: keys, url, term, isBeginning: !isWhole && term === text });
      demands.push((record) => {
        const own = `${valueAt(record, keyField)}`;
        return isWhole ? own === text : own.startsWith(text);
      });
    } else {
      const wanted = wantedWords(text);
      for (const { word, isBeginning } of longestFirst(wanted))
        lists.push({ folder: "lookup/words", begins: words, url, term: termOf(word), isBeginning });
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

/** Mostly, fewer records have a longer word; of words as long, those at both ends occur together the least. */
function longestFirst(wanted: readonly WantedWord[]): WantedWord[] {
  const fromEnd = (one: WantedWord) => Math.min(wanted.indexOf(one), wanted.length - 1 - wanted.indexOf(one));
  return wanted.toSorted((one, other) => other.word.length - one.word.length || fromEnd(one) - fromEnd(other));
}

/** Reads where sorted files begin. Its folder has the name of the flag that the release has to be built with. */
export async function readIndex(
  { view, baseUrl, signal }: LookupReader,
  file: string,
): Promise<[said: AnyObject, url: string]> {
  const url = `${baseUrl}/${file}`;
  try {
    const read = async (own: AbortSignal) => objectOf(await view.readFile(file, INDEX_BYTES, own), url);
    return [await readKept(view, file, signal, read), url];
  } catch (error) {
    const { code, received } = error as Partial<ListingError>;
    // A host without proof has it, or answers that it has nothing there.
    if (code !== "usage" && !(code === "status" && received?.startsWith("4"))) throw error;
    const [flag] = file.split("/");
    throw usage(baseUrl, `has no ${flag}; build with --${flag}`);
  }
}

/** Whether it is the path of a field, as its names. */
export function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** The numbers from `first` on that all lists have; or those of some lists, where that leaves only a few records. */
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

/** The numbers that all lists have. @param from the number that each list continues with. */
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
