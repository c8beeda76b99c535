/** The clock, for nightly tests and for deliberately slow hosts. test/rules.test.ts forbids other imports. */
import { setTimeout } from "node:timers/promises";

/** Waits. @param ms milliseconds */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}
