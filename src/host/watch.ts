/** Notices that `current` points elsewhere, and says so once: by looking, since no system tells about links reliably. */
import { readlink } from "node:fs/promises";
import type { Limits } from "./limits.js";

export interface Watch {
  /** Looks now, and takes up what is there even if it was refused before. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param link the path of `current`
 * @param first what the link said when the release that is served now was opened
 * @param takeUp opens what the link points to; a throw means that it stays as it was
 * @param refused is told why, once a target
 */
export function watchLink(
  link: string,
  first: string | undefined,
  { watchMs, retryMs }: Pick<Limits, "watchMs" | "retryMs">,
  takeUp: () => Promise<void>,
  refused: (error: unknown) => void,
): Watch {
  let served = first;
  let failed: { target: string | undefined; at: number } | undefined;
  let running: Promise<void> | undefined;

  const look = async (asked: boolean): Promise<void> => {
    const target = await readTarget(link);
    if (target === served && !(asked && target === undefined)) {
      failed = undefined;
      return;
    }
    const last = failed && failed.target === target ? failed : undefined;
    if (last && !asked && Date.now() - last.at < retryMs) return;
    try {
      await takeUp();
      served = target;
      failed = undefined;
    } catch (error) {
      failed = { target, at: Date.now() };
      if (asked || !last) refused(error);
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

/** Where a link points, or undefined: it is gone, or a folder in its place, as where `dist` was copied without links. */
export async function readTarget(link: string): Promise<string | undefined> {
  return readlink(link).catch(() => undefined);
}
