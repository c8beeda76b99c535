/** A thread that follows orders, one at a time, as seen from the thread that gives them. */
import { once } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import type { Answer } from "./follow.js";

interface ThreadOptions {
  limits?: ResourceLimits;
  signal?: AbortSignal | undefined;
}

export class Thread<Order, Reply> {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;

  /**
   * @param file compiled, with a call of `follow` in it.
   * @param data what the thread is told when it starts, as `workerData`.
   * @param limits of its memory; Node's own unless given.
   * @param signal ends the wait for an answer; the thread itself goes on until `end`.
   */
  constructor(file: URL, data: unknown, { limits = {}, signal }: ThreadOptions = {}) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits });
    this.#signal = signal;
  }

  /**
   * Gives one order; the next may be given when it has been followed.
   * @throws whatever the thread threw while it followed, or what the signal was aborted with.
   */
  async ask(order: Order): Promise<Reply> {
    this.#signal?.throwIfAborted();
    const answered = once(this.#worker, "message", { signal: this.#signal });
    this.#worker.postMessage(order);
    const [answer] = (await answered.catch((error: unknown) => {
      this.#signal?.throwIfAborted();
      throw error;
    })) as [Answer<Reply>];
    if ("reply" in answer) return answer.reply;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
