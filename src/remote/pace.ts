/** How fast a host is asked: so many requests a second at most, and not before the time it has asked us to wait for. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** Resolves when the next request may start. */
  turn(): Promise<void>;
  /** Lets nobody start for so many milliseconds. */
  hold(ms: number): void;
}

/** @param rate requests a second; undefined sets no limit. */
export function createPace(rate: number | undefined, signal?: AbortSignal): Pace {
  const gap = rate === undefined ? 0 : 1000 / rate;
  let next = 0;
  let held = 0;
  return {
    async turn() {
      const at = Math.max(performance.now(), next);
      next = at + gap;
      // The host may ask for more time while this one waits.
      for (;;) {
        const wait = Math.max(at, held) - performance.now();
        if (wait <= 0) return;
        await sleep(wait, undefined, { signal });
      }
    },
    hold(ms) {
      held = Math.max(held, performance.now() + ms);
    },
  };
}
