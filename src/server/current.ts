/** Follows the link `current`: a switch replaces the site by one assignment, between two requests. */
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CURRENT, SNAPSHOT } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { ServerLimits } from "./limits.js";
import { openSite, type Site, type SiteOptions } from "./site.js";

/**
 * @param signal ends what is being opened, and opens nothing more.
 * @throws UserError if there is no release, or a broken one.
 */
export async function followCurrent(
  folder: string,
  options: SiteOptions,
  limits: ServerLimits,
  signal: AbortSignal,
  onSwitch: (release: Release) => void = () => {},
  onRefused?: () => void,
) {
  const isRelease = await stat(join(folder, SNAPSHOT)).catch(() => undefined);
  if (isRelease) return { site: await openSite(folder, options, signal), async reload() {}, async stop() {} };
  const link = join(folder, CURRENT);
  let site = await openSite(link, options, signal);
  const watch = watchLink(
    link,
    {
      folder: () => site.release.folder,
      async open(next) {
        const { release: last } = site;
        site = await openSite(next, options, signal);
        const { release } = site;
        if (release.folder !== last.folder || release.digest !== last.digest) onSwitch(release);
      },
      refused(error) {
        const why = error instanceof Error ? error.message : error;
        onRefused?.();
        options.log(`Still serving ${site.release.snapshot.id}. ${why}`);
      },
    },
    limits,
    signal,
  );
  return {
    get site(): Site {
      return site;
    },
    reload: watch.check,
    stop: watch.stop,
  };
}

/**
 * Compares what is served with what a link points to, again and again: no system reports every change of a link. It
 * remembers nothing of the link, since that may be switched while a release is being opened.
 * @param folder the one that is served now, absolute and with every link resolved
 * @param open serves another folder, or the link itself if it leads nowhere; if it throws, all stays as it was
 * @param refused is told why something was not opened, once for each target
 */
function watchLink(
  link: string,
  user: { folder(): string; open(folder: string): Promise<void>; refused(error: unknown): void },
  { watchMs, retryMs }: Pick<ServerLimits, "watchMs" | "retryMs">,
  signal: AbortSignal,
) {
  let failed: { target: string | undefined; at: number } | undefined;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  const look = async (asked: boolean): Promise<void> => {
    const target = await resolveLink(link);
    if (target === user.folder() && !asked) {
      failed = undefined;
      return;
    }
    const last = failed && failed.target === target ? failed : undefined;
    if (last && !asked && Date.now() - last.at < retryMs) return;
    try {
      await user.open(target ?? link);
      failed = undefined;
    } catch (error) {
      if (signal.aborted) return;
      // Nobody wants to hear of a release that is not current any more, and may be gone.
      if ((await resolveLink(link)) !== target) return look(asked);
      failed = { target, at: Date.now() };
      if (asked || !last) user.refused(error);
    }
  };
  const run = async (asked: boolean): Promise<void> => {
    if (signal.aborted) return;
    running = look(asked).finally(() => {
      running = undefined;
    });
    await running;
  };
  const timer = setInterval(() => running ?? run(false), watchMs);
  timer.unref();

  return {
    /** Looks now, and also opens what was refused before or is served already. One that waits is for all who ask meanwhile. */
    check(): Promise<void> {
      if (waiting) return waiting;
      if (!running) return run(true);
      waiting = running.then(() => {
        waiting = undefined;
        return run(true);
      });
      return waiting;
    },
    /** Resolves when nothing is being opened any more, once the signal is aborted. */
    async stop() {
      clearInterval(timer);
      while (running) await running;
    },
  };
}

/** Undefined if the link or its folder is gone. */
function resolveLink(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}
