/** What signals do: they end a verb tidily, and tell a running server to look at `current` or to finish. */
import { ExitCode, UserError } from "../../errors.js";
import type { SignalName, Signals } from "./verb.js";

/** What a verb throws that a signal has ended. It is nobody's mistake. */
export class Stopped extends UserError {}

const UNCHANGED = "current is unchanged";
const STOPS = { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated, SIGHUP: ExitCode.hungUp };

/** @param outcome what the verb leaves, as the end of a sentence. */
export function stopped(name: keyof typeof STOPS, outcome = UNCHANGED): Stopped {
  return new Stopped(`Stopped; ${outcome}.`, { exitCode: STOPS[name] });
}

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an AbortSignal, so that a verb can tidy up. Signals have their usual
 * effect before `listen`, and again after the first signal: a second one ends the process at once.
 * @param outcome what the verb leaves then, as the end of a sentence.
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
      // A signal that is on its way would be lost if its listener were replaced.
      ignore ??= hear(signals, ["SIGINT", "SIGTERM", "SIGHUP"], (name) => {
        ignore?.();
        stop.abort(stopped(name, outcome));
      });
    },
  };
}

/** Runs what signals may stop from its beginning to its end. */
export async function stoppable<T>(signals: Signals, step: (signal: AbortSignal) => Promise<T>, outcome?: string) {
  const stop = createStop(signals, outcome);
  stop.listen();
  try {
    return await step(stop.signal);
  } finally {
    stop.ignore();
  }
}

export type ServerSignals = ReturnType<typeof hearSignals>;

/** Listens to signals for a server, from before it is there until after it has closed. */
export function hearSignals(signals: Signals, log: (line: string) => void) {
  let server: { reload(): Promise<void> } | undefined;
  let isStopped = false;
  const ignoreReload = hear(signals, ["SIGHUP"], () => {
    server?.reload().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  });
  let ignoreStop = () => {};
  const stopped = new Promise<void>((resolve) => {
    ignoreStop = hear(signals, ["SIGINT", "SIGTERM"], () => {
      ignoreStop();
      isStopped = true;
      log("Finishing what is in flight; a second signal ends at once.");
      resolve();
    });
  });
  return {
    /** Resolves at the first SIGINT or SIGTERM. From then on both have their usual effect: a second one ends the process. */
    stopped,
    isStopped: () => isStopped,
    /** From now on, SIGHUP reloads this server; what fails then is logged. Before, SIGHUP does nothing. */
    attach(running: NonNullable<typeof server>) {
      server = running;
    },
    end() {
      ignoreReload();
      ignoreStop();
    },
  };
}

/** @returns what takes the listeners away again. */
function hear<Name extends SignalName>(signals: Signals, names: readonly Name[], listener: (name: Name) => void) {
  const listeners = names.map((name) => [name, () => listener(name)] as const);
  for (const [name, listen] of listeners) signals.on(name, listen);
  return () => {
    for (const [name, listen] of listeners) signals.off(name, listen);
  };
}
