/** Records that are looked for: each page that may have some is asked for once, in published order. */
import { HIGHEST } from "../../contract/lookup.js";
import { quoted } from "../errors.js";
import type { CallOptions } from "../options.js";
import { parsePage } from "../page.js";
import type { FindOptions, Host, SnapshotView } from "../proof/view.js";
import { latestView } from "../shared.js";
import { usage } from "../usage.js";
import type { PageSource, Walked } from "../walk.js";
import { readKept } from "./kept.js";
import { openSearch, type Query } from "./search.js";
import { numbersOf, type SortedSource, type Wanted } from "./sorted.js";

/** A snapshot, and what a walk goes through that looks for something in it. */
export interface Searched<T> extends Walked {
  source(signal: AbortSignal | undefined): Promise<PageSource<T, void>>;
}

/** The record of a key; undefined where there is none. */
export async function getRecord<T>(host: Host, key: string | number, { signal }: CallOptions): Promise<T | undefined> {
  const view = await latestView(host, signal);
  const reader = { view, baseUrl: host.baseUrl, signal };
  for await (const [record] of search<T>(reader, { text: `${key}`, by: "key", isWhole: true }, 1, 0)) return record;
  await requireProved(view, signal);
  return undefined;
}

/** What a walk looks for, in which snapshot. */
export async function searchOf<T>(host: Host, query: Query, { signal, isPast }: FindOptions): Promise<Searched<T>> {
  const view = await latestView(host, signal, isPast);
  return {
    ...view,
    requireCurrent: (from) => requireProved(view, from),
    source: async (from) => ({
      // One part, which is all that is found. After an error, it is looked for behind what was handed out.
      ...{ atOnce: 1, last: 1, first: () => 1, read: async () => {} },
      items: (_, __, records) => search<T>({ view, baseUrl: host.baseUrl, signal: from }, query, host.atOnce, records),
    }),
  };
}

/** Each file that was read shows by its digest that it is of the snapshot. Where there are none, page 1 has to. */
async function requireProved(view: SnapshotView, signal: AbortSignal | undefined): Promise<void> {
  if (view.proof === "none") await view.requireCurrent(signal);
}

/** Records in a row that are looked at in vain. */
const MOST_VAIN = 6;

/** What is found behind so many records, each with how many there are with it. */
async function* search<T>(
  reader: SortedSource,
  query: Query,
  atOnce: number,
  records: number,
): AsyncGenerator<[record: T, records: number]> {
  const { view, signal } = reader;
  const { page_size } = view.snapshot;
  const read = (page: number) =>
    readKept(view, `page ${page}`, signal, async (own) => {
      return parsePage<T>(view, page, await view.readPage(page, own)).results;
    });
  const { lists, fits } = await openSearch(reader, query);
  const numbers = onAll(reader, lists, records);
  let next = await numbers.next();
  // Only long words share a list with others. A key with the character that stands for the end does so, too.
  const vain = query.text.includes(HIGHEST) ? Number.POSITIVE_INFINITY : MOST_VAIN;
  let left = vain;
  // One page at first: who looks for a name may need no more.
  for (let most = 1; !next.done; most *= 2) {
    const pages = new Map<number, Promise<T[]>>();
    const found: [number: number, results: Promise<T[]>][] = [];
    for (; !next.done; next = await numbers.next()) {
      const page = Math.floor(next.value / page_size) + 1;
      const results = pages.get(page) ?? (pages.size < Math.min(most, atOnce, left) ? read(page) : undefined);
      if (!results) break;
      // Its error is met when its turn comes.
      results.catch(() => {});
      pages.set(page, results);
      found.push([next.value, results]);
    }
    for (const [number, results] of found) {
      const record = (await results)[number % page_size] as T;
      if (fits(record)) {
        left = vain;
        yield [record, number + 1];
      } else if (--left < 1) throw usage(reader.baseUrl, `has too many records almost like ${quoted(query.text)}`);
    }
  }
}

/** Of so few that are left, each page is asked for rather than more lists. */
const FEW = 3;

/** The numbers from `first` on that all lists have; or those of some lists, where that leaves so few that others need not be read. */
async function* onAll(
  reader: SortedSource,
  lists: readonly Wanted[],
  first: number,
): AsyncGenerator<number, undefined> {
  const onSome = (some: readonly Wanted[], from = { number: first }) =>
    meet(
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

/** The numbers that all lists have. @param from what each goes on with. */
async function* meet(
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
