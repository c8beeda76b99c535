/** Waits for what happens, however long that takes: the limit of the test itself is the only one. */
import { setTimeout } from "node:timers/promises";
import { onTestFailed, TestRunner } from "vitest";

/** Milliseconds between two looks. */
const PAUSE = 10;

/** Asks again until the answer is truthy. @returns that answer. */
export async function until<T>(
  condition: () => T | Promise<T>,
): Promise<Exclude<Awaited<T>, false | null | undefined | 0 | "">> {
  for (;;) {
    const answer = await condition();
    if (answer) return answer as Exclude<Awaited<T>, false | null | undefined | 0 | "">;
    await setTimeout(PAUSE);
  }
}

/** Repeats expectations until they hold. A test that ends before says which did not. @returns what they return. */
export async function eventually<T>(expectations: () => T | Promise<T>): Promise<T> {
  let last: unknown;
  let holds = false;
  if (TestRunner.getCurrentTest()) {
    onTestFailed(() => {
      if (!holds) console.error("This never held:", last);
    });
  }
  for (;;) {
    try {
      const value = await expectations();
      holds = true;
      return value;
    } catch (error) {
      last = error;
      await setTimeout(PAUSE);
    }
  }
}

/** Does something again and again, as a slow client or a busy writer does, until it is stopped. */
export function repeat(action: () => unknown): { stop(): void } {
  const timer = setInterval(action, 2 * PAUSE);
  return { stop: () => clearInterval(timer) };
}
