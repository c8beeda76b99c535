/** Walks: iterators that read ahead, and return items in order, of one snapshot. */
import type { Snapshot } from "../core/contract/snapshot.js";
import { type Position, SnapshotChangedError, usage } from "./errors.js";
import type { ListingWalkOptions, Walk } from "./options.js";
import type { Bytes } from "./requests.js";
import type { FindOptions, View } from "./view.js";

/** The source of a walk: the pages of a snapshot, or the parts that hold its records. */
export interface PageSource<R, B = Bytes> {
  /** Number of pages or parts read in parallel. */
  atOnce: number;
  /** Whether the items prove their snapshot, so that no check is needed at the end. */
  isProof?: boolean;
  /** Number of the last page or part. */
  last: number;
  /** Number of the page or part to begin with after this number of records. */
  first(records: number): number;
  read(number: number, signal: AbortSignal | undefined): Promise<B>;
  /** The items after the first `records` records, each with the number of records up to it. */
  items(number: number, bytes: B, records: number): Items<R> | Promise<Items<R>>;
}

type Item<R> = readonly [item: R, records: number];
type Items<R> = Iterator<Item<R>> | AsyncIterator<Item<R>>;

/** The snapshot of a walk. */
type Walked = Pick<View, "snapshot" | "state" | "requireCurrent" | "view">;

interface WalkStart<R, G extends Walked, B> {
  url: string;
  find(options: FindOptions): Promise<G>;
  source(view: G, signal: AbortSignal): Promise<PageSource<R, B>>;
}

/** Maximum number of restarts of a walk. */
export const MOST_RESTARTS = 8;

/** Repeats a run when the snapshot has changed, at most `most` times. @param restarts counts them. */
export async function retryWhenChanged<V>(
  restarts: { done: number; most: number },
  run: () => Promise<V>,
  onMoved?: (why: SnapshotChangedError) => void,
): Promise<V> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SnapshotChangedError) || restarts.done === restarts.most) throw error;
      restarts.done++;
      onMoved?.(error);
    }
  }
}

/** The position before the first record. */
const BEGINNING: Position = { state: "", page: 1, index: 0 };

interface Progress<R, B> {
  view: Walked;
  source: PageSource<R, B>;
  /** Number of returned records. */
  records: number;
  /** The current page or part, and its remaining items. */
  number: number;
  items?: Items<R> | undefined;
  /** Pending requests by number. */
  asked: Map<number, Promise<B>>;
  hasRead?: boolean;
}

/** Makes a walk. It sends no request before the first `next`. */
export function createWalk<R, G extends Walked, B>(
  { url, find, source }: WalkStart<R, G, B>,
  { signal, restart, onRestart, ...options }: ListingWalkOptions,
): Walk<R> {
  let after = options.after ?? BEGINNING;
  const restarts = { done: 0, most: restart ? MOST_RESTARTS : 0 };
  let progress: Progress<R, B> | undefined;
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();
  let control = new AbortController();
  const stop = () => control.abort(signal?.reason);
  // Abort requests that read ahead at once, not only at the next `next`.
  signal?.addEventListener("abort", stop);

  const position = () => (progress ? positionAt(progress.records, progress.view) : after);

  const begin = async (): Promise<Progress<R, B>> => {
    const view = await find({ signal: control.signal, bypass: restarts.done > 0 });
    const { snapshot, state } = view;
    if (after.state !== "" && after.state !== state) throw new SnapshotChangedError(url, after, undefined, snapshot);
    if (after.state !== "" && after.view !== view.view)
      throw usage(url, "has no such position", `one of ${view.view ?? "the listing"}`, after.view ?? "the listing");
    const records = recordsBefore(after, snapshot, url);
    const pages = await source(view, control.signal);
    return { view, source: pages, records, number: pages.first(records), asked: new Map() };
  };

  const step = async (): Promise<IteratorResult<R, undefined>> => {
    try {
      signal?.throwIfAborted();
      progress ??= await begin();
      for (; !isOver && (progress.items || progress.number <= progress.source.last); progress.number++) {
        const items = progress.items ?? (await readItems(progress, control.signal));
        // After an error, the same page is read again.
        progress.items = undefined;
        const { done, value } = await items.next();
        if (done) continue;
        progress.items = items;
        progress.records = value[1];
        return { done: false, value: value[0] };
      }
      // A search reads the current snapshot anyway, so nothing is checked if nothing was read.
      if (!isOver && progress.hasRead && !progress.source.isProof) await progress.view.requireCurrent(control.signal);
    } catch (error) {
      if (error instanceof SnapshotChangedError) error.position = position();
      if (!isOver) throw error;
    }
    return end();
  };

  const beginAgain = (why: SnapshotChangedError) => {
    stop();
    control = new AbortController();
    progress = undefined;
    after = BEGINNING;
    onRestart?.(why);
  };

  const end = (): IteratorReturnResult<undefined> => {
    isOver = true;
    stop();
    signal?.removeEventListener("abort", stop);
    return { done: true, value: undefined };
  };

  return {
    get position() {
      return position();
    },
    get restarts() {
      return restarts.done;
    },
    get snapshot() {
      return progress?.view.snapshot;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    /** Calls are queued. */
    next() {
      const result = turn.then(() => (isOver ? end() : retryWhenChanged(restarts, step, beginAgain)));
      turn = result.catch(() => {});
      return result;
    },
    return: async () => end(),
  };
}

/** The number of records before a position, which is untrusted. @throws ListingError (usage) if it is invalid */
function recordsBefore(position: Position, { count, page_size }: Snapshot, url: string): number {
  const { page, index, pageSize = page_size } = position;
  const records = (page - 1) * pageSize + index;
  const isPosition = [page, index, pageSize, records].every(Number.isSafeInteger) && page > 0 && index >= 0;
  if (isPosition && index <= pageSize && records <= count) return records;
  throw usage(url, "has no such position", `one within ${count} records`, position);
}

/** Reads the items of the current page or part, and requests the following ones ahead. */
async function readItems<R, B>(progress: Progress<R, B>, signal: AbortSignal): Promise<Items<R>> {
  const { source, asked, number, records } = progress;
  progress.hasRead = true;
  for (let ahead = number; ahead < number + source.atOnce && ahead <= source.last; ahead++) {
    if (asked.has(ahead)) continue;
    const bytes = source.read(ahead, signal);
    // An error is thrown when its turn comes.
    bytes.catch(() => {});
    asked.set(ahead, bytes);
  }
  const bytes = asked.get(number) as Promise<B>;
  asked.delete(number);
  return source.items(number, await bytes, records);
}

/** The position after the first `records` records. */
function positionAt(records: number, { state, view, snapshot: { page_size: pageSize } }: Walked): Position {
  const page = Math.max(1, Math.ceil(records / pageSize));
  const index = records - (page - 1) * pageSize;
  return { state, page, index, pageSize, ...(view !== undefined && { view }) };
}

/** Makes the source of a walk by pages. */
export function byPages<R>(view: View, atOnce: number, items: PageSource<R>["items"]): PageSource<R> {
  const { count, page_size, pages } = view.snapshot;
  return {
    atOnce,
    items,
    last: pages,
    first: (records) => (count > 0 && records >= count ? pages : Math.floor(records / page_size)) + 1,
    read: (number, signal) => view.readPage(number, signal),
  };
}
