/** What a running host does when it is told: read the release again, or finish. */
import { ExitCode, UserError } from "../errors.js";
import type { SignalName, Signals } from "./io.js";

/** The part of a host that signals reach. */
interface Running {
  reload(): Promise<void>;
  close(): Promise<void>;
}

const STOP: readonly SignalName[] = ["SIGINT", "SIGTERM"];

/**
 * Resolves when the host has closed after the first SIGINT or SIGTERM. From then on both have their usual effect
 * again, so that a second one ends the process at once. SIGHUP reloads; a release that cannot be read is logged.
 */
export async function untilStopped(
  host: Running,
  signals: Signals,
  log: (line: string) => void,
): Promise<void> {
  const reload = () => {
    host.reload().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  };
  signals.on("SIGHUP", reload);
  await firstOf(STOP, signals);
  log("Finishing what is in flight; a second signal ends at once.");
  await host.close();
  signals.off("SIGHUP", reload);
}

/**
 * Does something before the process ends at once, be it for a signal, for a stream that cannot be written to or for a
 * bug.
 * @param cleanUp does all of it before it returns, and is called once at most.
 * @returns what takes the watch off again.
 */
export function beforeEnd(signals: Signals, cleanUp: () => void): () => void {
  const names = [...STOP, "SIGHUP"] as const;
  const stop = () => {
    // Nobody catches it, so that the process exits.
    throw new UserError("Stopped; nothing was left behind.", { exitCode: ExitCode.usage });
  };
  for (const name of names) signals.on(name, stop);
  signals.on("exit", cleanUp);
  return () => {
    for (const name of names) signals.off(name, stop);
    signals.off("exit", cleanUp);
  };
}

function firstOf(names: readonly SignalName[], signals: Signals): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const name of names) signals.off(name, stop);
      resolve();
    };
    for (const name of names) signals.on(name, stop);
  });
}
