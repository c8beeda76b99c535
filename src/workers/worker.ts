/** A thread that follows orders, one at a time, as seen from the thread that gives them. */
import { setTimeout } from "node:timers/promises";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import { type Answerer, END } from "./follow.js";

/** In milliseconds. */
const PATIENCE = 1000;

interface ThreadOptions {
  limits?: ResourceLimits;
  signal?: AbortSignal | undefined;
}

export class PoolWorker<Order, Reply> {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #ended: Promise<void>;
  /** Rejects when the thread ends, whether by an error outside of an order or without one, and when nobody wants answers. */
  readonly #lost: Promise<never>;

  /**
   * @param file compiled, with a call of `follow` in it.
   * @param data what the thread is told when it starts, as `workerData`.
   * @param limits of its memory; Node's own unless given.
   * @param signal ends the wait for an answer; the thread itself goes on until `end`.
   */
  constructor(file: URL, data: unknown, { limits = {}, signal }: ThreadOptions = {}) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits });
    this.#signal = signal;
    this.#ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#lost = new Promise((_, reject) => {
      this.#worker.once("error", reject);
      this.#worker.once("exit", (code) => reject(new Error(`A thread ended, with ${code}, before it answered.`)));
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    // It is told to whoever waits for an answer, now or later; nobody may.
    this.#lost.catch(() => {});
  }

  /**
   * Gives one order; the next may be given when it has been followed.
   * @throws whatever the thread threw while it followed, or ended by, or what the signal was aborted with.
   */
  async ask(order: Order): Promise<Reply> {
    this.#signal?.throwIfAborted();
    const answered = new Promise<Answerer<Reply>>((resolve) => this.#worker.once("message", resolve));
    this.#worker.postMessage(order);
    const answer = await Promise.race([answered, this.#lost]);
    if ("reply" in answer) return answer.reply;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  /**
   * Ends the thread when it has followed its order. It is not ended in the middle of one: better-sqlite3 aborts the whole
   * process when an error of SQLite's meets a thread that is being terminated. Only, who has broken off waits no longer
   * than nearly all orders take.
   */
  async end(): Promise<void> {
    this.#worker.postMessage(END);
    const patience = this.#signal?.aborted ? [setTimeout(PATIENCE, undefined, { ref: false })] : [];
    await Promise.race([this.#ended, ...patience]);
    await this.#worker.terminate();
  }
}
