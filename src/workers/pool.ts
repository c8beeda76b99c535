/** A pool of threads that take jobs. */
import { availableParallelism } from "node:os";
import { createTurns } from "./turns.js";
import { PoolWorker, type ThreadOptions } from "./worker.js";

interface PoolOptions<Data, Job, Result> extends ThreadOptions {
  /** Threads; with 0, jobs run on the calling thread. */
  size: number;
  /** The compiled module that each thread runs, `new URL("./worker.js", import.meta.url)`. It calls `answerJobs(start)`. */
  file: URL;
  /** Copied to every thread, and given to `start` there. */
  data: Data;
  /** Makes what answers jobs on the calling thread. Needed only where `size` may be 0. */
  start?: (data: Data) => (job: Job) => Result;
}

/**
 * Starts its threads at once, so that they are ready when there are jobs. Call `end` in a `finally`.
 *
 *     const pool = new Pool({ size, file: new URL("./worker.js", import.meta.url), data, signal });
 *     try {
 *       await pool.run(jobs(), (result, job) => add(result));
 *     } finally {
 *       await pool.end();
 *     }
 */
export class Pool<Data, Job, Result> {
  readonly #threads: PoolWorker<Job, Result>[];
  readonly #options: PoolOptions<Data, Job, Result>;

  constructor(options: PoolOptions<Data, Job, Result>) {
    const { size, file, data } = options;
    this.#options = options;
    this.#threads = Array.from({ length: size }, () => new PoolWorker(file, data, options));
  }

  /**
   * Gives each thread the next job when it is free, until there are no more.
   * @param jobs made one at a time, as they are needed. After an error no more are asked for.
   * @param take is told each result as soon as it is there, so in any order. When it returns false, no more jobs begin.
   * @throws the first error of a thread, at its start or in a job, as an Error or UserError with its own properties;
   *   what `take` or `jobs` throws; what the signal was aborted with.
   */
  async run(jobs: Generator<Job>, take: (result: Result, job: Job) => unknown): Promise<void> {
    if (this.#threads.length === 0) return this.#runHere(jobs, take);
    // All loops share one generator: the first that stops ends it for the others, too.
    const loops = this.#threads.map(async (thread) => {
      for (const job of jobs) if (take(await thread.ask(job), job) === false) return;
    });
    await Promise.all(loops);
  }

  async #runHere(jobs: Generator<Job>, take: (result: Result, job: Job) => unknown): Promise<void> {
    const { start, data, signal } = this.#options;
    if (!start) throw new Error("A pool of no threads needs a start.");
    const handle = start(data);
    const turn = createTurns(1, signal);
    for (const job of jobs) {
      await turn();
      if (take(handle(job), job) === false) return;
    }
  }

  /**
   * Gives every thread the same job.
   * @returns one result for each thread.
   * @throws the first error, when all threads have answered.
   */
  async askAll(job: Job): Promise<Result[]> {
    const answers = await Promise.allSettled(this.#threads.map((thread) => thread.ask(job)));
    return answers.map((answer) => {
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    });
  }

  /** Lets every thread finish its job and end. Threads are never terminated in the middle of a job. */
  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

/**
 * How many threads to start: as many as wanted; otherwise as many as cores, or none for fewer than `worthwhile` users,
 * where starting threads takes longer than they save.
 */
export function threadsFor(users: number, wanted: number | undefined, worthwhile: number): number {
  return wanted ?? (users < worthwhile ? 0 : availableParallelism());
}
