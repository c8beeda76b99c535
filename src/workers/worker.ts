/** One thread that answers jobs, as seen from the thread that started it. */
import { setTimeout } from "node:timers/promises";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import { type Answer, END } from "./thread.js";

/** Milliseconds that an aborted pool waits for a job under way. */
const PATIENCE = 1000;

export interface ThreadOptions {
  /** Of each thread's memory; Node's own unless given. */
  limits?: ResourceLimits;
  /** Ends the wait for answers; threads go on until they are ended. */
  signal?: AbortSignal | undefined;
}

export class PoolWorker<Job, Result> {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #ended: Promise<void>;
  /** Rejects when the thread fails outside of a job or ends early, and when the signal is aborted. */
  readonly #lost: Promise<never>;

  constructor(file: URL, data: unknown, { limits = {}, signal }: ThreadOptions = {}) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits });
    this.#signal = signal;
    this.#ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#lost = new Promise((_, reject) => {
      this.#worker.once("error", reject);
      this.#worker.once("exit", (code) => reject(new Error(`A thread ended, with ${code}, before it answered.`)));
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    // Whoever waits for an answer is told, now or later. Where nobody does, that is no unhandled rejection.
    this.#lost.catch(() => {});
  }

  /**
   * Sends one job. The next may be sent when this one is answered.
   * @throws whatever the thread threw, or what the signal was aborted with.
   */
  async ask(job: Job): Promise<Result> {
    this.#signal?.throwIfAborted();
    const answered = new Promise<Answer<Result>>((resolve) => this.#worker.once("message", resolve));
    this.#worker.postMessage(job);
    const answer = await Promise.race([answered, this.#lost]);
    if ("result" in answer) return answer.result;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  /**
   * Lets the thread finish its job and end. It is not terminated in the middle of one: better-sqlite3 aborts the whole
   * process when a thread is terminated while SQLite reports an error. After an abort the wait is short.
   */
  async end(): Promise<void> {
    this.#worker.postMessage(END);
    const patience = this.#signal?.aborted ? [setTimeout(PATIENCE, undefined, { ref: false })] : [];
    await Promise.race([this.#ended, ...patience]);
    await this.#worker.terminate();
  }
}
