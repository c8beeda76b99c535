/** The threads of a build. They make the pages of one listing after another, so that small listings start none of their own. */
import { packageFile } from "../core/package.js";
import { ThreadPool, threadsFor } from "../core/workers/pool.js";
import { type PageBatch, type PageData, type PageJob, PageMakers } from "./page-maker.js";

interface PoolOptions {
  /** Records of all listings. */
  rows: number;
  /** Number of threads, as set. */
  workers: number | undefined;
  signal: AbortSignal | undefined;
}

/** Call `end` in a `finally`. */
export class PagePool {
  readonly #makers = new PageMakers();
  #threads: ThreadPool<undefined, PageJob, PageBatch> | undefined;
  #runs = 0;

  constructor(private readonly options: PoolOptions) {}

  /** Starts the threads, unless they run. */
  start(): ThreadPool<undefined, PageJob, PageBatch> {
    const { rows, workers, signal } = this.options;
    this.#threads ??= new ThreadPool<undefined, PageJob, PageBatch>({
      size: threadsFor(rows, workers),
      file: packageFile("lib/build/worker.js"),
      data: undefined,
      start: () => (job) => this.#makers.make(job),
      signal,
    });
    return this.#threads;
  }

  /** Makes the pages of a listing. @param take is called with each batch, in the order of the jobs */
  async run(
    data: PageData,
    jobs: Iterable<Omit<PageJob, "data" | "run">>,
    take: (batch: PageBatch, job: PageJob) => void,
  ): Promise<void> {
    this.#runs += 1;
    const run = this.#runs;
    const numbered = (function* () {
      for (const job of jobs) yield { ...job, data, run };
    })();
    await this.start().runInOrder(numbered, take);
  }

  async end(): Promise<void> {
    this.#makers.close();
    await this.#threads?.end();
  }
}
