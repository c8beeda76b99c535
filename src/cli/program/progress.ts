/** The progress bar, shown on a terminal after a second. */
import { clearLine, cursorTo } from "node:readline";
import { count, duration, number, type Words, wordFor } from "../../core/print/numbers.js";
import { visible } from "../../core/print/text.js";
import { stoppable } from "./signals.js";
import type { Io } from "./verb.js";

const DELAY_MS = 1000;
/** Milliseconds between two drawings. */
const REDRAW_MS = 100;
const BAR_WIDTH = 30;
const NARROWEST_BAR = 10;
/** Columns of a terminal of unknown width. */
const UNKNOWN_WIDTH = 80;
/** A number that selects the plural. */
const MANY = 0;

export interface Progress {
  /** Shows progress. @param words what is counted, if that has changed. */
  update(done: number, total: number, words?: Words): void;
  /** Removes the bar. */
  clear(): void;
}

/** Runs a step that signals can stop, with a progress bar. @param words what the bar counts; without them, no bar. */
export async function withProgress<T>(
  io: Io,
  words: Words | undefined,
  step: (bar: Progress | undefined, signal: AbortSignal) => Promise<T>,
  outcome?: string,
): Promise<T> {
  const bar = words === undefined ? undefined : progressBar(io, words);
  try {
    return await stoppable(io.signals, (signal) => step(bar, signal), outcome);
  } finally {
    bar?.clear();
  }
}

/** Makes the progress bar; undefined if stderr is not a terminal. */
export function progressBar({ stderr, now }: Io, first: Words): Progress | undefined {
  if (!stderr.isTTY) return undefined;
  const started = now();
  let drawn: number | undefined;
  let words = first;
  // With --skip-invalid, a build reads all records twice. The rate is that of the current reading.
  let reading = { done: 0, since: started };
  return {
    update(done, total, better = words) {
      const at = now();
      words = better;
      reading = { done, since: done < reading.done ? at : reading.since };
      if (done === 0 || at - started < DELAY_MS || (drawn !== undefined && at - drawn < REDRAW_MS)) return;
      drawn = at;
      cursorTo(stderr, 0);
      stderr.write(describe(done, total, words, at - reading.since, stderr.columns));
      clearLine(stderr, 1);
    },
    clear() {
      if (drawn === undefined) return;
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
      drawn = undefined;
    },
  };
}

/** `██████░░░░ 1,000 of 4,000 stations, 500 stations/s, 6.00 s left`. A narrow terminal gets no rate, or no bar. */
export function describe(done: number, total: number, words: Words, milliseconds: number, columns = UNKNOWN_WIDTH) {
  const rate = milliseconds > 0 ? (done / milliseconds) * 1000 : 0;
  const progress = `${number(done)} of ${visible(count(total, words))}`;
  const pace = rate > 0 ? `, ${number(Math.round(rate))} ${visible(wordFor(MANY, words))}/s` : "";
  const left = rate > 0 ? `, ${duration(((total - done) / rate) * 1000)} left` : "";
  // Some terminals wrap at their last column.
  const room = (text: string) => Math.min(BAR_WIDTH, columns - 1 - text.length - 1);
  const text = room(progress + pace + left) >= NARROWEST_BAR ? progress + pace + left : progress + left;
  const width = room(text);
  if (width < NARROWEST_BAR) return text.slice(0, Math.max(0, columns - 1));
  const full = Math.round((total === 0 ? 1 : Math.min(1, done / total)) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${text}`;
}
