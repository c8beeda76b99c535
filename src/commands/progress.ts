/** The progress bar of a build: only on a terminal, and only for builds that take longer than a second. */
import { type Options, type Params, SingleBar } from "cli-progress";
import { count, duration, number } from "../print/numbers.js";
import type { Io } from "./io.js";

const PATIENCE_MS = 1000;
const BAR_WIDTH = 30;

export interface Progress {
  update(done: { users: number; total: number }): void;
  /** Takes the bar away, so that the summary or an error stands in its place. */
  clear(): void;
}

/** @returns undefined when nobody watches. */
export function progressBar(io: Io): Progress | undefined {
  if (!io.stderr.isTTY) return undefined;
  const started = io.now();
  // A build that leaves users out reads them twice; each reading has its own pace.
  let reading = { users: 0, since: started };
  // With line wrapping left to the terminal, Ctrl-C leaves nothing switched off; the bar is cut to its width instead.
  const bar = new SingleBar({
    stream: io.stderr,
    clearOnComplete: true,
    linewrap: true,
    format: (_options: Options, { value, total }: Params) => describe(value, total, io.now() - reading.since),
  });
  return {
    update({ users, total }) {
      reading = { users, since: users < reading.users ? io.now() : reading.since };
      if (bar.isActive) bar.update(users);
      else if (io.now() - started >= PATIENCE_MS) bar.start(total, users);
    },
    clear: () => bar.stop(),
  };
}

/** `██████░░░░ 1,000 of 4,000 users, 500 users/s, 6.00 s left` */
export function describe(users: number, total: number, milliseconds: number): string {
  const done = total === 0 ? 1 : Math.min(1, users / total);
  const full = Math.round(done * BAR_WIDTH);
  const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
  const rate = milliseconds > 0 ? (users / milliseconds) * 1000 : 0;
  const pace =
    rate > 0
      ? `, ${number(Math.round(rate))} users/s, ${duration(((total - users) / rate) * 1000)} left`
      : "";
  return `${bar} ${number(users)} of ${count(total, "user")}${pace}`;
}
