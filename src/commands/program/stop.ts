/** What Ctrl-C does to a verb that comes to an end by itself: it tidies up, and leaves what was current. */
import { ExitCode, UserError } from "../../errors.js";
import type { SignalName, Signals } from "./io.js";

/** A signal's wish that a verb ends: what verbs throw that are given an AbortSignal. It is no mistake of anybody's. */
export class Stopped extends UserError {}

const STOPS = [
  ["SIGINT", ExitCode.interrupted],
  ["SIGTERM", ExitCode.terminated],
  ["SIGHUP", ExitCode.hungUp],
] as const;

export interface Stop {
  readonly signal: AbortSignal;
  /** Until then, signals have their usual effect; again after the first, so that a second one ends the process at once. */
  listen(): void;
  ignore(): void;
}

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an AbortSignal, so that a verb tidies up after itself.
 * @param outcome what the verb leaves then, as the end of a sentence.
 */
export function createStop(signals: Signals, outcome = "current is unchanged"): Stop {
  const stop = new AbortController();
  let listeners: [SignalName, () => void][] = [];
  const ignore = () => {
    for (const [name, listener] of listeners) signals.off(name, listener);
    listeners = [];
  };
  return {
    signal: stop.signal,
    ignore,
    listen() {
      if (listeners.length > 0 || stop.signal.aborted) return;
      listeners = STOPS.map(([name, exitCode]) => [
        name,
        () => {
          ignore();
          stop.abort(new Stopped(`Stopped; ${outcome}.`, { exitCode }));
        },
      ]);
      for (const [name, listener] of listeners) signals.on(name, listener);
    },
  };
}

/** Runs what signals may stop from its beginning to its end. */
export async function stoppable<T>(
  signals: Signals,
  step: (signal: AbortSignal) => Promise<T>,
  outcome?: string,
): Promise<T> {
  const stop = createStop(signals, outcome);
  stop.listen();
  try {
    return await step(stop.signal);
  } finally {
    stop.ignore();
  }
}
