/** A pool of threads that take jobs. */
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import { type ResourceLimits, type TransferListItem, Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import { type Answer, END } from "./thread.js";
import { createTurns } from "./turns.js";

interface ThreadOptions {
  /** Of each thread's memory; Node's own unless given. */
  limits?: ResourceLimits;
  /** Ends the wait for answers; threads go on until they are ended. */
  signal?: AbortSignal | undefined;
}

interface PoolOptions<Data, Job, Result> extends ThreadOptions {
  /** Threads; with 0, jobs run on the calling thread. */
  size: number;
  /** The compiled module that each thread runs, `new URL("./worker.js", import.meta.url)`. It calls `answerJobs(start)`. */
  file: URL;
  /** Copied to every thread, and given to `start` there. */
  data: Data;
  /** Makes what answers jobs on the calling thread. Needed only where that takes jobs. */
  start?: (data: Data) => (job: Job) => Result | Promise<Result>;
  /** Names what of a job is handed over to a thread instead of copied. */
  given?: (job: Job) => readonly TransferListItem[];
  /** The calling thread is one of the `size` and takes jobs too, which must be short: between them it serves the others. */
  isCallerOne?: boolean;
}

/** Starts its threads at once, so that they are ready when there are jobs. Call `end` in a `finally`. */
export class ThreadPool<Data, Job, Result> {
  readonly #threads: PoolWorker<Job, Result>[];
  #here: ((job: Job) => Result | Promise<Result>) | undefined;

  constructor(private readonly options: PoolOptions<Data, Job, Result>) {
    const { size, file, data, isCallerOne = false } = options;
    const others = Math.max(0, isCallerOne ? size - 1 : size);
    this.#threads = Array.from({ length: others }, () => new PoolWorker(file, data, options));
  }

  /**
   * Gives each thread the next job when it is free, until there are no more.
   * @param take is told each result as soon as it is there, so in any order. When it returns false, no more jobs begin.
   *   Where it returns a promise, the thread waits for that before its next job.
   * @throws the first error of a thread, `take` or `jobs`; what the signal was aborted with.
   */
  async run(jobs: Generator<Job>, take: (result: Result, job: Job) => unknown): Promise<void> {
    // All loops share one generator: the first that stops ends it for the others, too.
    const loops = this.#threads.map(async (thread) => {
      for (const job of jobs) if ((await take(await thread.ask(job, this.options.given?.(job)), job)) === false) return;
    });
    if (loops.length === 0 || this.options.isCallerOne) loops.push(this.#runHere(jobs, take));
    await Promise.all(loops);
  }

  /** As `run`, but `take` is told the results in the order of the jobs. Threads that are far ahead of the others pause. */
  async runInOrder(jobs: Generator<Job>, take: (result: Result, job: Job) => void): Promise<void> {
    /** Jobs that are under way or wait for an earlier one, in order. */
    const open: { job: Job; done?: { result: Result } }[] = [];
    const paused: (() => void)[] = [];
    const noted = (function* () {
      for (const job of jobs) {
        open.push({ job });
        yield job;
      }
    })();
    await this.run(noted, (result, job) => {
      for (const entry of open) if (entry.job === job) entry.done = { result };
      for (let [first] = open; first?.done; [first] = open) {
        open.shift();
        take(first.done.result, first.job);
      }
      if (open.filter(({ done }) => done).length >= MOST_EARLY)
        return new Promise<void>((resolve) => paused.push(resolve));
      for (const resolve of paused.splice(0)) resolve();
      return undefined;
    });
  }

  async #runHere(jobs: Generator<Job>, take: (result: Result, job: Job) => unknown): Promise<void> {
    const turn = createTurns(1, this.options.signal);
    for (const job of jobs) {
      await turn();
      if ((await take(await this.#answer(job), job)) === false) return;
    }
  }

  #answer(job: Job): Result | Promise<Result> {
    const { start, data } = this.options;
    if (!start) throw new Error("A pool of no threads needs a start.");
    this.#here ??= start(data);
    return this.#here(job);
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

/** Results that may wait for one before them. */
const MOST_EARLY = 4;

/** Milliseconds that an aborted pool waits for a job under way. */
const PATIENCE = 1000;

/** One thread that answers jobs, as seen from the thread that started it. */
class PoolWorker<Job, Result> {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #ended: Promise<void>;
  /** Why there are no more answers: the thread failed outside of a job or ended early, or the signal was aborted. */
  #loss: { reason: unknown } | undefined;
  /** Rejects the answer that is waited for. A race with one promise for all answers would keep each of them in memory. */
  #refuse: ((reason: unknown) => void) | undefined;

  constructor(file: URL, data: unknown, { limits = {}, signal }: ThreadOptions) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits });
    this.#signal = signal;
    this.#ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.once("error", (error) => this.#lose(error));
    this.#worker.once("exit", (code) => this.#lose(new Error(`A thread ended, with ${code}, before it answered.`)));
    const abort = () => this.#lose(signal?.reason);
    signal?.addEventListener("abort", abort);
    // A signal may outlive many pools.
    this.#worker.once("exit", () => signal?.removeEventListener("abort", abort));
  }

  #lose(reason: unknown): void {
    this.#loss ??= { reason };
    this.#refuse?.(this.#loss.reason);
  }

  /** The next may be sent when this one is answered. @throws whatever the thread threw, or the signal's reason. */
  async ask(job: Job, given: readonly TransferListItem[] = []): Promise<Result> {
    this.#signal?.throwIfAborted();
    if (this.#loss) throw this.#loss.reason;
    const answer = await new Promise<Answer<Result>>((resolve, reject) => {
      this.#refuse = reject;
      this.#worker.once("message", resolve);
      this.#worker.postMessage(job, given);
    });
    if ("result" in answer) return answer.result;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  // To end a thread in the middle of a job could end the whole process: better-sqlite3 aborts it when SQLite reports an
  // error then. After an abort the wait is short.
  async end(): Promise<void> {
    this.#worker.postMessage(END);
    const patience = this.#signal?.aborted ? [setTimeout(PATIENCE, undefined, { ref: false })] : [];
    await Promise.race([this.#ended, ...patience]);
    await this.#worker.terminate();
  }
}

/** As many as wanted, or as cores; none for so few records that starting threads takes longer than they save. */
export function threadsFor(records: number, wanted: number | undefined, worthwhile: number): number {
  return wanted ?? (records < worthwhile ? 0 : availableParallelism());
}
