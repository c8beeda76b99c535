/** Trying again what the SDK cannot: a request whose body is read from a file as it is sent. */
import { setTimeout as sleep } from "node:timers/promises";
import { isPassing } from "./refusals.js";

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;

/** Pauses twice as long each time, by chance shorter, so that many who were refused do not come back together. */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_PAUSE_MS, left = ATTEMPTS - 1; ; pause *= 2, left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isPassing(error)) throw error;
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
