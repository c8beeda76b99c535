/** A thread that follows orders, one at a time, as seen from the thread that gives them. */
import { once } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { UserError } from "../errors.js";
import type { Answer } from "./follow.js";

export class Thread<Order, Reply> {
  readonly #worker: Worker;

  /**
   * @param file compiled, with a call of `follow` in it.
   * @param data what the thread is told when it starts, as `workerData`.
   * @param limits of its memory; Node's own unless given.
   */
  constructor(file: URL, data: unknown, limits: ResourceLimits = {}) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits });
  }

  /**
   * Gives one order; the next may be given when it has been followed.
   * @throws whatever the thread threw while it followed.
   */
  async ask(order: Order): Promise<Reply> {
    const answered = once(this.#worker, "message");
    this.#worker.postMessage(order);
    const [answer] = (await answered) as [Answer<Reply>];
    if ("reply" in answer) return answer.reply;
    const { message, stack, properties, isUserError } = answer.error;
    throw Object.assign(isUserError ? new UserError(message) : new Error(message), properties, { stack });
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
