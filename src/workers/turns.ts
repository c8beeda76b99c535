/** Lets a long loop be stopped: signals and timers are handled only while it waits. */
import { setImmediate } from "node:timers/promises";

/** @returns what the loop awaits in each round, which waits every so many; it throws what `signal` was aborted with. */
export function createTurns(every: number, signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let calls = 0;
  return () => (++calls % every === 0 ? giveWay(signal) : undefined);
}

async function giveWay(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
