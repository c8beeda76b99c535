/** The clock, for nightly tests and for hosts that are slow on purpose. test/rules.test.ts lets no other test import it. */
import { setTimeout } from "node:timers/promises";

/** Waits. @param ms milliseconds */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}
