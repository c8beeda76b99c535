/** Reads what changed with every core, where that is worth it. */
import { threadsFor } from "../workers/size.js";
import { createTurns } from "../workers/turns.js";
import { PoolWorker } from "../workers/worker.js";
import { type ChangedUsers, changedReader } from "./changed.js";
import type { Pair } from "./match.js";
import { add, nothing, type Summary, summarize } from "./summary.js";

/** Below this many users, starting threads takes longer than they save. */
const WORTHWHILE = 100_000;

/** Enough that orders cost nothing, few enough that nobody waits long for the last. */
const PAIRS_AN_ORDER = 250;
/** What is read here between two looks at what the others have to say. */
const PAIRS_HERE = 25;

export class RecordPool {
  readonly #threads: PoolWorker<Pair[], Summary>[];
  readonly #read: ReturnType<typeof changedReader>;
  readonly #turn: ReturnType<typeof createTurns>;

  /**
   * Threads take a while to start: begun early, they are ready when there is something to read.
   * @param workers this thread and others; as many as cores unless given, and this one alone for small snapshots, or if 0.
   */
  constructor(comparison: ChangedUsers, workers: number | undefined, signal: AbortSignal | undefined) {
    const users = Math.max(comparison.old.facts.count, comparison.new.facts.count);
    const size = threadsFor(users, workers, WORTHWHILE);
    this.#threads = Array.from({ length: Math.max(0, size - 1) }, () => {
      return new PoolWorker(new URL("./worker.js", import.meta.url), comparison, { signal });
    });
    this.#read = changedReader(comparison);
    this.#turn = createTurns(1, signal);
  }

  /** @throws UserError as `changedReader` does. */
  async summarize(pairs: Generator<Pair>): Promise<Summary> {
    const total = nothing();
    const others = this.#threads.map(async (thread) => {
      for (let some = take(pairs, PAIRS_AN_ORDER); some.length > 0; some = take(pairs, PAIRS_AN_ORDER))
        add(total, await thread.ask(some));
    });
    await Promise.all([this.#summarizeHere(pairs, total), ...others]);
    return total;
  }

  async #summarizeHere(pairs: Generator<Pair>, total: Summary): Promise<void> {
    for (let some = take(pairs, PAIRS_HERE); some.length > 0; some = take(pairs, PAIRS_HERE)) {
      add(total, summarize(this.#read(some)));
      await this.#turn();
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

function take(pairs: Generator<Pair>, most: number): Pair[] {
  const some: Pair[] = [];
  while (some.length < most) {
    const { value, done } = pairs.next();
    if (done) break;
    some.push(value);
  }
  return some;
}
