/** Lets a long loop on one thread be stopped: signals and timers are heard only when it gives way. */
import { setImmediate } from "node:timers/promises";

/**
 * @param every how many calls go by between two times that it gives way.
 * @returns what the loop calls and awaits in each round; it throws what `signal` was aborted with.
 */
export function createTurns(every: number, signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let calls = 0;
  return () => (++calls % every === 0 ? giveWay(signal) : undefined);
}

async function giveWay(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
