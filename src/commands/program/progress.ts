/** The progress bar, on a terminal and for work that takes longer than a second. */
import type { Options, Params } from "cli-progress";
import { count, duration, number, type Words, wordFor } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { stoppable } from "./signals.js";
import type { Io } from "./verb.js";

const PATIENCE_MS = 1000;
const BAR_WIDTH = 30;
const NARROWEST_BAR = 10;
/** Columns of a terminal that does not tell them. */
const UNKNOWN_WIDTH = 80;
/** Any number that takes the word for many. */
const MANY = 0;

export interface Progress {
  /** @param words what is counted, once that is known better than at the beginning. */
  update(done: number, total: number, words?: Words): void;
  /** Removes the bar, so that the summary or an error stands in its place. */
  clear(): void;
}

/** Runs what takes long and may be stopped. `words` are what the bar counts; without them there is no bar. */
export async function watched<T>(
  io: Io,
  words: Words | undefined,
  step: (bar: Progress | undefined, signal: AbortSignal) => Promise<T>,
  outcome?: string,
): Promise<T> {
  const bar = words === undefined ? undefined : await progressBar(io, words);
  try {
    return await stoppable(io.signals, (signal) => step(bar, signal), outcome);
  } finally {
    bar?.clear();
  }
}

/** Undefined where stderr is no terminal. */
export async function progressBar(io: Io, first: Words): Promise<Progress | undefined> {
  if (!io.stderr.isTTY) return undefined;
  const { SingleBar } = await import("cli-progress");
  const started = io.now();
  let words = first;
  // A build that leaves records out reads all of them twice, and each reading has its own pace.
  let reading = { done: 0, since: started };
  // The bar would switch the terminal's line wrapping off, and Ctrl-C would leave it off. So the bar is cut to the width.
  const bar = new SingleBar({
    stream: io.stderr,
    clearOnComplete: true,
    linewrap: true,
    format: (_options: Options, { value, total }: Params) =>
      describe(value, total, words, io.now() - reading.since, io.stderr.columns),
  });
  return {
    update(done, total, better = words) {
      words = better;
      reading = { done, since: done < reading.done ? io.now() : reading.since };
      if (bar.isActive) {
        bar.setTotal(total);
        bar.update(done);
      } else if (done > 0 && io.now() - started >= PATIENCE_MS) bar.start(total, done);
    },
    clear: () => bar.stop(),
  };
}

/** `██████░░░░ 1,000 of 4,000 stations, 500 stations/s, 6.00 s left`; on a narrow terminal with no pace, or even no bar. */
export function describe(done: number, total: number, words: Words, milliseconds: number, columns = UNKNOWN_WIDTH) {
  const rate = milliseconds > 0 ? (done / milliseconds) * 1000 : 0;
  const far = `${number(done)} of ${visible(count(total, words))}`;
  const pace = rate > 0 ? `, ${number(Math.round(rate))} ${visible(wordFor(MANY, words))}/s` : "";
  const left = rate > 0 ? `, ${duration(((total - done) / rate) * 1000)} left` : "";
  // Some terminals break the line at their last column.
  const room = (text: string) => Math.min(BAR_WIDTH, columns - 1 - text.length - 1);
  const text = room(far + pace + left) >= NARROWEST_BAR ? far + pace + left : far + left;
  const width = room(text);
  if (width < NARROWEST_BAR) return text.slice(0, Math.max(0, columns - 1));
  const full = Math.round((total === 0 ? 1 : Math.min(1, done / total)) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${text}`;
}
