/** A walk over a listing: what is asked ahead is proved, handed out in order, and all of one snapshot. */
import type { Snapshot } from "../contract/snapshot.js";
import { SnapshotChangedError } from "./errors.js";
import type { ListingWalkOptions, Walk } from "./options.js";
import type { Position } from "./position.js";
import type { FindOptions, SnapshotView } from "./proof/view.js";
import type { Bytes } from "./transfer.js";

/** What a walk reads, one after the other: the pages of a snapshot, or the parts that hold its records. */
export interface PageSource<R, B = Bytes> {
  /** How many are asked for at once. */
  atOnce: number;
  /** The number of the last one. */
  last: number;
  /** The number of the one to begin with when so many records were handed out before. */
  first(records: number): number;
  /** One of them, proved: its bytes, or whatever else a walk is about. */
  read(number: number, signal: AbortSignal | undefined): Promise<B>;
  /** What is in it behind so many records, each with how many there are with it. */
  items(number: number, bytes: B, records: number): Items<R>;
}

type Items<R> = Iterator<[item: R, records: number]> | AsyncIterator<[item: R, records: number]>;

/** The snapshot that a walk is of. */
export type Walked = Pick<SnapshotView, "snapshot" | "state" | "requireCurrent">;

/** How a walk finds what it reads. */
export interface WalkStart<R, G extends Walked = SnapshotView, B = Bytes> {
  url: string;
  /** How often it begins again at most; 8 times unless given. */
  most?: number;
  find(options: FindOptions): Promise<G>;
  /** How many records come before a position, for a walk that goes on behind one. */
  before?(position: Position, snapshot: Snapshot): Promise<number>;
  source(view: G, signal: AbortSignal): Promise<PageSource<R, B>>;
}

/** Before the first record. */
const BEGINNING: Position = { state: "", page: 1, index: 0 };

/** A listing that moves more often during one walk is not to be read whole. */
export const MOST_RESTARTS = 8;

interface Underway<R, B> {
  view: Walked;
  source: PageSource<R, B>;
  /** How many were handed out. */
  records: number;
  /** The page or part that is read now, and what of it is still to be handed out. */
  number: number;
  items?: Items<R> | undefined;
  /** What is asked for, by number: from the one that is read now on. */
  asked: Map<number, Promise<B>>;
  hasRead?: boolean;
}

/** A walk that asks nothing until its first record or page is asked for. */
export function createWalk<R, G extends Walked, B>(
  { url, most = MOST_RESTARTS, find, before, source }: WalkStart<R, G, B>,
  options: ListingWalkOptions,
): Walk<R> {
  const { signal, restart, onRestart } = options;
  let after = options.after ?? BEGINNING;
  let restarts = 0;
  let underway: Underway<R, B> | undefined;
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();
  let control = new AbortController();
  const stop = () => control.abort(signal?.reason);
  // Requests that were made ahead end at once, not only when the next record is asked for.
  signal?.addEventListener("abort", stop);

  const position = () => (underway ? positionAt(underway.records, underway.view) : after);

  const begin = async (): Promise<Underway<R, B>> => {
    const view = await find({ signal: control.signal, isPast: restarts > 0 });
    const { snapshot, state } = view;
    if (after.state !== "" && after.state !== state) throw new SnapshotChangedError(url, after, undefined, snapshot);
    const records = after === BEGINNING || !before ? 0 : await before(after, snapshot);
    const way = await source(view, control.signal);
    return { view, source: way, records, number: way.first(records), asked: new Map() };
  };

  /** Nothing behind the last one, where the listing must still be the one of the beginning. */
  const step = async (way: Underway<R, B>): Promise<[R, number] | undefined> => {
    for (; ; way.number++) {
      if (!way.items && way.number > way.source.last) {
        // What was just asked for at the beginning is not asked for again.
        if (way.hasRead) await way.view.requireCurrent(control.signal);
        return undefined;
      }
      const items = way.items ?? way.source.items(way.number, await take(way, control.signal), way.records);
      way.items = undefined;
      const { done, value } = await items.next();
      if (done) continue;
      way.items = items;
      way.records = value[1];
      return value;
    }
  };

  const next = async (): Promise<IteratorResult<R, undefined>> => {
    while (!isOver) {
      try {
        signal?.throwIfAborted();
        underway ??= await begin();
        const found = await step(underway);
        if (found) return { done: false, value: found[0] };
        return end();
      } catch (error) {
        if (isOver) break;
        if (!(error instanceof SnapshotChangedError)) throw error;
        error.position = position();
        if (!restart || restarts === most) throw error;
        restarts++;
        stop();
        control = new AbortController();
        underway = undefined;
        after = BEGINNING;
        onRestart?.(error);
      }
    }
    return end();
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
      return restarts;
    },
    get snapshot() {
      return underway?.view.snapshot;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    /** One after the other, however it is called. */
    next() {
      const result = turn.then(next);
      turn = result.catch(() => {});
      return result;
    },
    return: async () => end(),
  };
}

/** The bytes of the one that is read now, while those behind it are asked for, too. After an error it is asked for again. */
function take<R, B>(way: Underway<R, B>, signal: AbortSignal): Promise<B> {
  const { source, asked, number } = way;
  way.hasRead = true;
  for (let ahead = number; ahead < number + source.atOnce && ahead <= source.last; ahead++) {
    if (asked.has(ahead)) continue;
    const bytes = source.read(ahead, signal);
    // Its error is met when its turn comes.
    bytes.catch(() => {});
    asked.set(ahead, bytes);
  }
  const bytes = asked.get(number) as Promise<B>;
  asked.delete(number);
  return bytes;
}

/** The position behind the first `records` records. */
function positionAt(records: number, { state, snapshot }: { state: string; snapshot: Snapshot }): Position {
  const { page_size: pageSize } = snapshot;
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
