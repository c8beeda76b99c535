/** What signals do: they end a verb tidily, and tell a running server to look at `current` or to finish. */
import { ExitCode, UserError } from "../../errors.js";
import type { SignalName, Signals } from "./verb.js";

/** What a verb throws that a signal has ended. It is nobody's mistake. */
export class Stopped extends UserError {}

const STOPS = [
  ["SIGINT", ExitCode.interrupted],
  ["SIGTERM", ExitCode.terminated],
  ["SIGHUP", ExitCode.hungUp],
] as const;

interface Stop {
  readonly signal: AbortSignal;
  /**
   * Signals have their usual effect before this, and again after the first signal: a second one ends the process at once.
   * Can be called again, to no effect.
   */
  listen(): void;
  ignore(): void;
}

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an AbortSignal, so that a verb can tidy up.
 * @param outcome what the verb leaves then, as the end of a sentence.
 */
export function createStop(signals: Signals, outcome = "current is unchanged"): Stop {
  const stop = new AbortController();
  let ignore: (() => void) | undefined;
  return {
    signal: stop.signal,
    ignore: () => ignore?.(),
    listen() {
      // A signal that is on its way would be lost if its listener were replaced.
      if (ignore) return;
      const abort = (exitCode: ExitCode) => () => {
        ignore?.();
        stop.abort(new Stopped(`Stopped; ${outcome}.`, { exitCode }));
      };
      ignore = hear(
        signals,
        STOPS.map(([name, exitCode]) => [name, abort(exitCode)]),
      );
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

export interface ServerSignals {
  /** Resolves at the first SIGINT or SIGTERM. From then on both have their usual effect: a second one ends the process. */
  readonly stopped: Promise<void>;
  isStopped(): boolean;
  /** From now on, SIGHUP reloads this server; what fails then is logged. Before, SIGHUP does nothing. */
  attach(server: { reload(): Promise<void> }): void;
  /** Leaves all signals alone again. */
  end(): void;
}

/** Listens to signals for a server, from before it is there until after it has closed. */
export function hearSignals(signals: Signals, log: (line: string) => void): ServerSignals {
  let server: { reload(): Promise<void> } | undefined;
  let isStopped = false;
  let ignoreStop = () => {};
  const reload = () => {
    server?.reload().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  };
  const ignoreReload = hear(signals, [["SIGHUP", reload]]);
  const stopped = new Promise<void>((resolve) => {
    const stop = () => {
      ignoreStop();
      isStopped = true;
      log("Finishing what is in flight; a second signal ends at once.");
      resolve();
    };
    ignoreStop = hear(signals, [
      ["SIGINT", stop],
      ["SIGTERM", stop],
    ]);
  });
  return {
    stopped,
    isStopped: () => isStopped,
    attach(running) {
      server = running;
    },
    end() {
      ignoreReload();
      ignoreStop();
    },
  };
}

/** @returns what takes the listeners away again. */
function hear(signals: Signals, listeners: readonly [SignalName, () => void][]): () => void {
  for (const [name, listener] of listeners) signals.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) signals.off(name, listener);
  };
}
