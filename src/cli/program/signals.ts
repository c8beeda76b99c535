/** Signal handling: stops verbs cleanly; makes a server reload or shut down. */
import { ExitCode, UserError } from "../../core/errors.js";
import type { SignalName, Signals } from "./verb.js";

/** Thrown by a verb that a signal has stopped. */
export class Stopped extends UserError {}

const UNCHANGED = "current is unchanged";
const STOPS = { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated, SIGHUP: ExitCode.hungUp };

/** Makes the error of a stopped verb. @param outcome the state after it, as the end of a sentence. */
export function stopped(name: keyof typeof STOPS, outcome = UNCHANGED): Stopped {
  return new Stopped(`Stopped; ${outcome}.`, { exitCode: STOPS[name] });
}

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an AbortSignal, so that a verb can clean up. Signals have their default
 * effect before `listen`, and again after the first signal: a second one ends the process at once.
 * @param outcome the state after a stop, as the end of a sentence.
 */
export function createStop(
  signals: Signals,
  outcome = UNCHANGED,
): { readonly signal: AbortSignal; listen(): void; ignore(): void } {
  const stop = new AbortController();
  let ignore: (() => void) | undefined;
  return {
    signal: stop.signal,
    ignore: () => ignore?.(),
    listen() {
      // Keep an existing listener: replacing it could lose a pending signal.
      ignore ??= addListeners(signals, ["SIGINT", "SIGTERM", "SIGHUP"], (name) => {
        ignore?.();
        stop.abort(stopped(name, outcome));
      });
    },
  };
}

/** Runs a step that SIGINT, SIGTERM and SIGHUP can stop. */
export async function stoppable<T>(signals: Signals, step: (signal: AbortSignal) => Promise<T>, outcome?: string) {
  const stop = createStop(signals, outcome);
  stop.listen();
  try {
    return await step(stop.signal);
  } finally {
    stop.ignore();
  }
}

export type ServerSignals = ReturnType<typeof listenForSignals>;

/** Handles the signals of a server, from before it starts until after it has closed. */
export function listenForSignals(signals: Signals, log: (line: string) => void) {
  let server: { reload(): Promise<void> } | undefined;
  let isStopped = false;
  const ignoreReload = addListeners(signals, ["SIGHUP"], () => {
    server?.reload().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  });
  let ignoreStop = () => {};
  const stopped = new Promise<void>((resolve) => {
    ignoreStop = addListeners(signals, ["SIGINT", "SIGTERM"], () => {
      ignoreStop();
      isStopped = true;
      log("Finishing open requests; a second signal ends the process at once.");
      resolve();
    });
  });
  return {
    /** Resolves at the first SIGINT or SIGTERM. A second one ends the process. */
    stopped,
    isStopped: () => isStopped,
    /** From now on, SIGHUP reloads this server, and failures are logged. Before, SIGHUP does nothing. */
    attach(running: NonNullable<typeof server>) {
      server = running;
    },
    end() {
      ignoreReload();
      ignoreStop();
    },
  };
}

/** Adds listeners for signals. @returns the function that removes them. */
function addListeners<Name extends SignalName>(
  signals: Signals,
  names: readonly Name[],
  listener: (name: Name) => void,
) {
  const listeners = names.map((name) => [name, () => listener(name)] as const);
  for (const [name, listen] of listeners) signals.on(name, listen);
  return () => {
    for (const [name, listen] of listeners) signals.off(name, listen);
  };
}
