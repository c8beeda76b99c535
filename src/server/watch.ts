/** Notices that `current` is another release than the one that is served: by looking, since no system tells about links reliably. */
import { realpath } from "node:fs/promises";
import type { ServerLimits } from "./limits.js";

export interface CurrentWatch {
  /** Looks now, and opens what is there even if it was refused before or is served already. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** The side that serves. */
export interface Served {
  /** The folder that is served now, absolute and with every link resolved. */
  folder(): string;
  /** Opens another folder, or what the link points to when that cannot be told; a throw means that all stays as it was. */
  takeUp(folder: string): Promise<void>;
  /** Is told why something was not taken up, once a target. */
  refused(error: unknown): void;
}

/**
 * Compares what is served with what the link points to, each time anew: a note of what the link said would be wrong
 * as soon as the link is switched while a release is being opened.
 * @param link the path of `current`
 */
export function watchLink(
  link: string,
  served: Served,
  { watchMs, retryMs }: Pick<ServerLimits, "watchMs" | "retryMs">,
): CurrentWatch {
  let failed: { target: string | undefined; at: number } | undefined;
  let running: Promise<void> | undefined;

  const look = async (asked: boolean): Promise<void> => {
    const target = await resolveLink(link);
    if (target === served.folder() && !asked) {
      failed = undefined;
      return;
    }
    const last = failed && failed.target === target ? failed : undefined;
    if (last && !asked && Date.now() - last.at < retryMs) return;
    try {
      await served.takeUp(target ?? link);
      failed = undefined;
    } catch (error) {
      // A release that is current no more may be gone, and nobody wants it.
      if ((await resolveLink(link)) !== target) return look(asked);
      failed = { target, at: Date.now() };
      if (asked || !last) served.refused(error);
    }
  };
  const run = (asked: boolean): Promise<void> => {
    running = look(asked).finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => running ?? run(false), watchMs);
  timer.unref();

  return {
    async check() {
      while (running) await running;
      await run(true);
    },
    async stop() {
      clearInterval(timer);
      while (running) await running;
    },
  };
}

/** The folder that a link leads to, or undefined: it is gone, or what it points to is. */
async function resolveLink(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}
