/** What a thread does that follows orders. */
import { parentPort } from "node:worker_threads";
import { UserError } from "../errors.js";

/** What a thread sends back for an order. */
export type Answerer<Reply> =
  | { reply: Reply }
  | { error: { message: string; stack: string | undefined; properties: object; isUserError: boolean } };

/** The order to end. */
export const END = "end";

/**
 * Answers each order of this thread's owner with what `handle` makes of it, or throws there what it throws here.
 * @param start makes `handle`, at the first order: what goes wrong in it is told as what goes wrong with that.
 */
export function follow<Order, Reply>(start: () => (order: Order) => Reply): void {
  let handle: ((order: Order) => Reply) | undefined;
  parentPort?.on("message", (order: Order | typeof END) => {
    // With nothing to wait for the thread ends by itself, and its last answer arrives.
    if (order === END) return parentPort?.unref();
    parentPort?.postMessage(
      answer((given: Order) => {
        handle ??= start();
        return handle(given);
      }, order),
    );
  });
}

function answer<Order, Reply>(handle: (order: Order) => Reply, order: Order): Answerer<Reply> {
  try {
    return { reply: handle(order) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, stack } = error;
    // A clone of an error would lose its class, and the system's code, which says what to do.
    return { error: { message, stack, properties: { ...error }, isUserError: error instanceof UserError } };
  }
}
