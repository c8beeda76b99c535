/** A fake clock that only the test moves. */
import { onTestFinished, vi } from "vitest";

/** Stops time until the test ends, unless it is moved on. */
export function useFakeClock(start = "2026-01-01T00:00:00Z") {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    now: new Date(start),
  });
  onTestFinished(() => void vi.useRealTimers());
  return {
    /** Milliseconds since 1970. */
    now: () => Date.now(),
    /** Moves time on, and waits for what timers begin. */
    advance: async (milliseconds: number) => void (await vi.advanceTimersByTimeAsync(milliseconds)),
    /** Moves time on by small steps until a promise is settled. @returns what it is settled with. */
    async untilSettled<T>(promise: Promise<T>): Promise<T> {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) await vi.advanceTimersByTimeAsync(10);
      return promise;
    },
  };
}
