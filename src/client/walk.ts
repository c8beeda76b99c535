/** A walk over a listing: what is asked ahead is proved, handed out in order, and all of one snapshot. */
import { SnapshotChangedError } from "./errors.js";
import type { FindOptions } from "./find-ground.js";
import type { Ground } from "./ground.js";
import type { ListingWalkOptions, Walk } from "./options.js";
import { type Position, positionAt, recordsBefore } from "./position.js";
import type { Bytes } from "./requests.js";

/** What a walk reads, one after the other: the pages of a snapshot, or the parts that hold its records. */
export interface Course<R> {
  /** How many are asked for at once. */
  atOnce: number;
  /** The number of the last one. */
  last: number;
  /** The number of the one to begin with when so many records were handed out before. */
  first(records: number): number;
  /** The bytes of one, proved. */
  read(number: number, signal: AbortSignal): Promise<Bytes>;
  /** What is in it behind so many records, each with how many there are with it. */
  items(number: number, bytes: Bytes, records: number): Items<R>;
}

export type Items<R> = Iterator<[item: R, records: number]> | AsyncIterator<[item: R, records: number]>;

/** How a walk finds what it reads. */
export interface WalkStart<R> {
  url: string;
  find(options: FindOptions): Promise<Ground>;
  course(ground: Ground, signal: AbortSignal): Promise<Course<R>> | Course<R>;
}

/** A listing that moves more often during one walk is not to be read whole. */
const MOST_RESTARTS = 8;
const DONE = { done: true, value: undefined } as const;
const BEGINNING: Position = { state: "", page: 1, index: 0 };

export class ListingWalk<R> implements Walk<R> {
  restarts = 0;
  #after: Position;
  #underway: Underway<R> | undefined;
  #isOver = false;
  #turn: Promise<unknown> = Promise.resolve();
  #control = new AbortController();

  constructor(
    private readonly start: WalkStart<R>,
    private readonly options: ListingWalkOptions,
  ) {
    this.#after = options.after ?? BEGINNING;
    // Requests that were made ahead end at once, not only when the next record is asked for.
    options.signal?.addEventListener("abort", this.#stop);
  }

  get position(): Position {
    const { ground, records } = this.#underway ?? {};
    return ground && records !== undefined ? positionAt(records, ground.state, ground.snapshot) : this.#after;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** One after the other, however it is called. */
  next(): Promise<IteratorResult<R, undefined>> {
    const turn = this.#turn.then(() => this.#next());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async return(): Promise<IteratorResult<R, undefined>> {
    this.#isOver = true;
    this.#stop();
    this.options.signal?.removeEventListener("abort", this.#stop);
    return DONE;
  }

  readonly #stop = () => this.#control.abort(this.options.signal?.reason);

  async #next(): Promise<IteratorResult<R, undefined>> {
    while (!this.#isOver) {
      this.options.signal?.throwIfAborted();
      try {
        this.#underway ??= await this.#begin();
        const step = await this.#step(this.#underway);
        return step ?? (await this.return());
      } catch (error) {
        if (this.#isOver) break;
        this.#meet(error);
      }
    }
    return DONE;
  }

  async #begin(): Promise<Underway<R>> {
    const { start, restarts } = this;
    const { signal } = this.#control;
    const ground = await start.find({ signal, past: restarts > 0 });
    const { state } = this.#after;
    if (state !== "" && state !== ground.state)
      throw new SnapshotChangedError(start.url, this.#after, undefined, ground.snapshot);
    const records = recordsBefore(this.#after, ground.snapshot, start.url);
    const course = await start.course(ground, signal);
    return { ground, course, records, number: course.first(records), asked: [], signal };
  }

  /** Undefined behind the last one, where the listing must still be the one of the beginning. */
  async #step(way: Underway<R>): Promise<IteratorYieldResult<R> | undefined> {
    const { course, ground, signal } = way;
    for (;;) {
      if (!way.items && way.number > course.last) {
        // What was just asked for at the beginning is not asked for again.
        if (way.hasRead) await ground.requireCurrent(signal);
        return undefined;
      }
      const items = way.items ?? course.items(way.number, await take(way), way.records);
      way.items = undefined;
      const { done, value } = await items.next();
      if (!done) {
        way.items = items;
        way.records = value[1];
        return { done: false, value: value[0] };
      }
      way.number++;
    }
  }

  /** @throws the error, unless the walk begins again after it. */
  #meet(error: unknown): void {
    if (!(error instanceof SnapshotChangedError)) throw error;
    error.position = this.position;
    const { restart, onRestart } = this.options;
    if (!restart || this.restarts === MOST_RESTARTS) throw error;
    this.restarts++;
    this.#control.abort();
    this.#control = new AbortController();
    this.#underway = undefined;
    this.#after = BEGINNING;
    onRestart?.(error);
  }
}

interface Underway<R> {
  ground: Ground;
  course: Course<R>;
  /** How many were handed out. */
  records: number;
  /** The page or part that is read now, and what of it is still to be handed out. */
  number: number;
  items?: Items<R> | undefined;
  /** From the one that is read now on, in order. */
  asked: { number: number; bytes: Promise<Bytes> }[];
  hasRead?: boolean;
  signal: AbortSignal;
}

/** The bytes of the one that is read now, while those behind it are asked for, too. After an error it is asked for again. */
function take<R>(way: Underway<R>): Promise<Bytes> {
  const { course, asked, number, signal } = way;
  const ask = (one: number) => {
    const bytes = course.read(one, signal);
    // Its error is met when its turn comes.
    bytes.catch(() => {});
    return { number: one, bytes };
  };
  way.hasRead = true;
  if (asked[0]?.number !== number) asked.unshift(ask(number));
  for (let next = number + asked.length; asked.length < course.atOnce && next <= course.last; next++)
    asked.push(ask(next));
  return asked.shift()?.bytes ?? Promise.reject(new Error("Nothing was asked for"));
}
