/** Waits for conditions, limited only by the test's own timeout. */
import { setTimeout } from "node:timers/promises";
import { onTestFailed, TestRunner } from "vitest";

/** Milliseconds between two checks of a condition, which may hold for a moment only. */
const PAUSE = 10;

/** Milliseconds between two checks of expectations, which a browser or a server answers. */
const LONG_PAUSE = 50;

/** Repeats a function until it returns a truthy value. @returns that value. */
export async function until<T>(
  condition: () => T | Promise<T>,
): Promise<Exclude<Awaited<T>, false | null | undefined | 0 | "">> {
  for (;;) {
    const answer = await condition();
    if (answer) return answer as Exclude<Awaited<T>, false | null | undefined | 0 | "">;
    await setTimeout(PAUSE);
  }
}

/** Repeats expectations until they hold. On a timeout, the failed one is reported. @returns their result. */
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
      await setTimeout(LONG_PAUSE);
    }
  }
}

/** Repeats an action, like a slow client or a busy writer, until it is stopped. */
export function repeat(action: () => unknown): { stop(): void } {
  const timer = setInterval(action, 2 * PAUSE);
  return { stop: () => clearInterval(timer) };
}
