/** A pool of worker threads that run jobs. */
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import { END, type Outcome } from "./thread.js";
import { createTurns } from "./turns.js";

/** With fewer records than this, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

/** Little of a thread's data outlives its page: a quarter of V8's usual young generation is as fast, and saves 35 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

interface PoolOptions<Data, Job, Result> {
  /** Number of threads; with 0, jobs run on the calling thread. */
  size: number;
  /** The compiled module that each thread runs, `packageFile("lib/build/worker.js")`. It calls `answerJobs(start)`. */
  file: URL;
  /** Copied to every thread, and passed to `start` there. */
  data: Data;
  /** Makes the function that runs jobs on the calling thread. Needed only if it runs jobs. */
  start?: (data: Data) => (job: Job) => Result | Promise<Result>;
  /** Ends the wait for results. Threads run on until `end`. */
  signal?: AbortSignal | undefined;
}

/** A pool of worker threads. Starts them at once, so that they are ready for jobs. Call `end` in a `finally`. */
export class ThreadPool<Data, Job, Result> {
  readonly #threads: PoolWorker<Job, Result>[];
  #here: ((job: Job) => Result | Promise<Result>) | undefined;

  constructor(private readonly options: PoolOptions<Data, Job, Result>) {
    const { size, file, data, signal } = options;
    this.#threads = Array.from({ length: size }, () => new PoolWorker(file, data, signal));
  }

  /**
   * Runs all jobs. Each thread gets the next job when it is free.
   * @param take is called with each result when it arrives, so in any order. If it returns false, no more jobs begin. If it
   *   returns a promise, the thread waits for it before its next job.
   * @throws the first error of a thread, `take` or `jobs`; what the signal was aborted with.
   */
  async run(jobs: Generator<Job>, take: (result: Result, job: Job) => unknown): Promise<void> {
    // All loops share one generator: the first that returns also ends the others.
    const loops = this.#threads.map(async (thread) => {
      for (const job of jobs) {
        const result = await thread.run(job);
        if ((await take(result, job)) === false) return;
      }
    });
    if (loops.length === 0) loops.push(this.#runHere(jobs, take));
    await Promise.all(loops);
  }

  /** Like `run`, but calls `take` in the order of the jobs. Threads that are far ahead of the others pause. */
  async runInOrder(jobs: Generator<Job>, take: (result: Result, job: Job) => void): Promise<void> {
    /** Jobs that are running, or wait for an earlier one, in order. */
    const open: { job: Job; done?: { result: Result } }[] = [];
    const paused: (() => void)[] = [];
    const tracked = (function* () {
      for (const job of jobs) {
        open.push({ job });
        yield job;
      }
    })();
    await this.run(tracked, (result, job) => {
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
    if (!start) throw new Error("A pool without threads needs `start`.");
    this.#here ??= start(data);
    return this.#here(job);
  }

  /** Ends all threads. */
  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

/** Maximum results that wait for an earlier one. */
const MOST_EARLY = 4;

/** Milliseconds that an aborted pool waits for a running job. */
const ABORT_WAIT_MS = 1000;

/** The handle of one worker thread. */
class PoolWorker<Job, Result> {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #ended: Promise<void>;
  /** Why no more results come: the thread failed outside of a job or ended early, or the signal was aborted. */
  #failure: { reason: unknown } | undefined;
  /** Rejects the pending result. Racing with one promise for all results would keep each of them in memory. */
  #reject: ((reason: unknown) => void) | undefined;

  constructor(file: URL, data: unknown, signal: AbortSignal | undefined) {
    // A thread does not take this over.
    const execArgv = process.sourceMapsEnabled ? [...process.execArgv, "--enable-source-maps"] : process.execArgv;
    this.#worker = new Worker(file, { workerData: data, resourceLimits: LIMITS, execArgv });
    this.#signal = signal;
    this.#ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.once("error", (error) => this.#fail(error));
    this.#worker.once("exit", (code) =>
      this.#fail(new Error(`A worker thread ended with code ${code} before it answered.`)),
    );
    const abort = () => this.#fail(signal?.reason);
    signal?.addEventListener("abort", abort);
    // A signal may outlive many pools.
    this.#worker.once("exit", () => signal?.removeEventListener("abort", abort));
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#reject?.(this.#failure.reason);
  }

  /** Runs one job at a time in the thread. @throws what the thread threw, or the signal's reason. */
  async run(job: Job): Promise<Result> {
    this.#signal?.throwIfAborted();
    if (this.#failure) throw this.#failure.reason;
    const answer = await new Promise<Outcome<Result>>((resolve, reject) => {
      this.#reject = reject;
      this.#worker.once("message", resolve);
      this.#worker.postMessage(job);
    });
    if ("result" in answer) return answer.result;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  // Waits for the running job, since terminating a thread during one could end the process: better-sqlite3 aborts it if SQLite
  // reports an error then. After an abort the wait is short.
  async end(): Promise<void> {
    this.#worker.postMessage(END);
    const timeout = this.#signal?.aborted ? [setTimeout(ABORT_WAIT_MS, undefined, { ref: false })] : [];
    await Promise.race([this.#ended, ...timeout]);
    await this.#worker.terminate();
  }
}

/** The number of threads: as wanted, or one per core; 0 for few records, where threads would not save time. */
export function threadsFor(records: number, wanted: number | undefined): number {
  return wanted ?? (records < WORTHWHILE ? 0 : availableParallelism());
}
