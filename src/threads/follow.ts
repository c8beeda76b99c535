/** What a thread does that follows orders. */
import { parentPort } from "node:worker_threads";
import { UserError } from "../errors.js";

/** What a thread sends back for an order. */
export type Answer<Reply> =
  | { reply: Reply }
  | { error: { message: string; stack: string | undefined; properties: object; isUserError: boolean } };

/** Answers each order of this thread's owner with what `handle` makes of it, or throws there what it throws here. */
export function follow<Order, Reply>(handle: (order: Order) => Reply): void {
  parentPort?.on("message", (order: Order) => parentPort?.postMessage(answer(handle, order)));
}

function answer<Order, Reply>(handle: (order: Order) => Reply, order: Order): Answer<Reply> {
  try {
    return { reply: handle(order) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, stack } = error;
    // A clone of an error would lose its class, and the system's code, which says what to do.
    return { error: { message, stack, properties: { ...error }, isUserError: error instanceof UserError } };
  }
}
