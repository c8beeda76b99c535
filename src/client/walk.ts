/** Walks a listing: asks ahead, hands out in order, all of one snapshot. */
import type { Snapshot } from "../contract/snapshot.js";
import { type Position, SnapshotChangedError } from "./errors.js";
import type { ListingWalkOptions, Walk } from "./options.js";
import type { Bytes } from "./requests.js";
import type { FindOptions, SnapshotView } from "./snapshot.js";

/** What a walk reads, one after the other: the pages of a snapshot, or the parts that hold its records. */
export interface PageSource<R, B = Bytes> {
  /** How many are asked for at once. */
  atOnce: number;
  /** Whether the items themselves show their snapshot, so that it is not asked for again at the end. */
  isProof?: boolean;
  /** The number of the last one. */
  last: number;
  /** The number of the one to begin with when this number of records was handed out before. */
  first(records: number): number;
  read(number: number, signal: AbortSignal | undefined): Promise<B>;
  /** The items behind the first `records` ones, each with the number of records up to it. */
  items(number: number, bytes: B, records: number): Items<R>;
}

type Items<R> = Iterator<[item: R, records: number]> | AsyncIterator<[item: R, records: number]>;

/** The snapshot of a walk. */
type Walked = Pick<SnapshotView, "snapshot" | "state" | "requireCurrent">;

interface WalkStart<R, G extends Walked, B> {
  url: string;
  find(options: FindOptions): Promise<G>;
  /** How many records come before a position, for a walk that continues behind one. */
  before?(position: Position, snapshot: Snapshot): Promise<number>;
  source(view: G, signal: AbortSignal): Promise<PageSource<R, B>>;
}

/** A listing that moves more often during one walk cannot be read whole. */
export const MOST_RESTARTS = 8;

/** Runs again when the snapshot changed meanwhile, at most `most` times. @param restarts counts them. */
export async function againWhenMoved<V>(
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

/** Before the first record. */
const BEGINNING: Position = { state: "", page: 1, index: 0 };

interface Progress<R, B> {
  view: Walked;
  source: PageSource<R, B>;
  /** How many records were handed out. */
  records: number;
  /** The page or part that is read now, and the items left of it. */
  number: number;
  items?: Items<R> | undefined;
  /** Requests by number, from the one that is read now on. */
  asked: Map<number, Promise<B>>;
  hasRead?: boolean;
}

/** A walk that sends nothing until its first item is asked for. */
export function createWalk<R, G extends Walked, B>(
  { url, find, before, source }: WalkStart<R, G, B>,
  { signal, restart, onRestart, ...options }: ListingWalkOptions,
): Walk<R> {
  let after = options.after ?? BEGINNING;
  const restarts = { done: 0, most: restart ? MOST_RESTARTS : 0 };
  let progress: Progress<R, B> | undefined;
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();
  let control = new AbortController();
  const stop = () => control.abort(signal?.reason);
  // Ends requests that were sent ahead at once, not only when the next item is asked for.
  signal?.addEventListener("abort", stop);

  const position = () => (progress ? positionAt(progress.records, progress.view) : after);

  const begin = async (): Promise<Progress<R, B>> => {
    const view = await find({ signal: control.signal, isPast: restarts.done > 0 });
    const { snapshot, state } = view;
    if (after.state !== "" && after.state !== state) throw new SnapshotChangedError(url, after, undefined, snapshot);
    const records = after === BEGINNING || !before ? 0 : await before(after, snapshot);
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
      // What was found just now is not looked for again.
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
    /** One call after the other. */
    next() {
      const result = turn.then(() => (isOver ? end() : againWhenMoved(restarts, step, beginAgain)));
      turn = result.catch(() => {});
      return result;
    },
    return: async () => end(),
  };
}

/** The items of the page that is read now, while those behind it are asked for, too. */
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

/** The position behind the first `records` records. */
function positionAt(records: number, { state, snapshot: { page_size: pageSize } }: Walked): Position {
  const page = Math.max(1, Math.ceil(records / pageSize));
  return { state, page, index: records - (page - 1) * pageSize, pageSize };
}

/** The source of a walk by pages. */
export function byPages<R>(view: SnapshotView, atOnce: number, items: PageSource<R>["items"]): PageSource<R> {
  const { count, page_size, pages } = view.snapshot;
  return {
    ...{ atOnce, items, last: pages },
    first: (records) => (count > 0 && records >= count ? pages : Math.floor(records / page_size)) + 1,
    read: (number, signal) => view.readPage(number, signal),
  };
}
