/** Waits for a condition, however long that takes: the limit of the test is the only one. */
import { setTimeout } from "node:timers/promises";

/** Asks again until the answer is truthy. @returns that answer. */
export async function until<T>(
  condition: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined | 0 | "">> {
  for (;;) {
    const answer = await condition();
    if (answer) return answer as Exclude<T, false | null | undefined | 0 | "">;
    await setTimeout(10);
  }
}
