/** Lets the event loop handle signals and timers during a long loop. */
import { setImmediate } from "node:timers/promises";

/** Makes a function to call in each round, and await if it returns a promise: every `every` rounds. @throws the reason of `signal`. */
export function createTurns(every: number, signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let calls = 0;
  return () => (++calls % every === 0 ? yieldToEventLoop(signal) : undefined);
}

async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
