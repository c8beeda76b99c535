/** The progress bar: only on a terminal, and only for what takes longer than a second. */
import type { Options, Params } from "cli-progress";
import { count, duration, number } from "../print/numbers.js";
import type { Io } from "./io.js";

const PATIENCE_MS = 1000;
const BAR_WIDTH = 30;

export interface Progress {
  update(done: number, total: number): void;
  /** Takes the bar away, so that the summary or an error stands in its place. */
  clear(): void;
}

/**
 * @param noun what is counted, as in `user`.
 * @returns undefined when nobody watches.
 */
export async function progressBar(io: Io, noun: string): Promise<Progress | undefined> {
  if (!io.stderr.isTTY) return undefined;
  const { SingleBar } = await import("cli-progress");
  const started = io.now();
  // A build that leaves users out reads them twice; each reading has its own pace.
  let reading = { done: 0, since: started };
  // With line wrapping left to the terminal, Ctrl-C leaves nothing switched off; the bar is cut to its width instead.
  const bar = new SingleBar({
    stream: io.stderr,
    clearOnComplete: true,
    linewrap: true,
    format: (_options: Options, { value, total }: Params) =>
      describe(value, total, noun, io.now() - reading.since),
  });
  return {
    update(done, total) {
      reading = { done, since: done < reading.done ? io.now() : reading.since };
      if (bar.isActive) bar.update(done);
      else if (io.now() - started >= PATIENCE_MS) bar.start(total, done);
    },
    clear: () => bar.stop(),
  };
}

/** `██████░░░░ 1,000 of 4,000 users, 500 users/s, 6.00 s left` */
export function describe(done: number, total: number, noun: string, milliseconds: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(part * BAR_WIDTH);
  const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
  const rate = milliseconds > 0 ? (done / milliseconds) * 1000 : 0;
  const pace =
    rate > 0
      ? `, ${number(Math.round(rate))} ${noun}s/s, ${duration(((total - done) / rate) * 1000)} left`
      : "";
  return `${bar} ${number(done)} of ${count(total, noun)}${pace}`;
}
