/** What a running host does when it is told: read the release again, or finish. */
import type { SignalName, Signals } from "./io.js";

/** The part of a host that signals reach. */
interface Running {
  reload(): Promise<void>;
}

const STOP: readonly SignalName[] = ["SIGINT", "SIGTERM"];

export interface HostSignals {
  /** Resolves at the first SIGINT or SIGTERM. From then on both have their usual effect again: a second one ends the process. */
  readonly stopped: Promise<void>;
  isStopped(): boolean;
  /** From now on, SIGHUP reloads this; a release that cannot be read is logged. Until now, it had nothing to look at. */
  attach(host: Running): void;
  /** Leaves all signals alone again. */
  end(): void;
}

/** Hears signals for a host, from before it is there until after it has closed. */
export function hearSignals(signals: Signals, log: (line: string) => void): HostSignals {
  let host: Running | undefined;
  let isStopped = false;
  let letGo = () => {};
  const reload = () => {
    host?.reload().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  };
  signals.on("SIGHUP", reload);
  const stopped = new Promise<void>((resolve) => {
    const stop = () => {
      letGo();
      isStopped = true;
      log("Finishing what is in flight; a second signal ends at once.");
      resolve();
    };
    letGo = () => {
      for (const name of STOP) signals.off(name, stop);
    };
    for (const name of STOP) signals.on(name, stop);
  });
  return {
    stopped,
    isStopped: () => isStopped,
    attach(running) {
      host = running;
    },
    end() {
      signals.off("SIGHUP", reload);
      letGo();
    },
  };
}
