/** Follows the link `current`. A switch replaces the routes in one assignment, between two requests. */
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CURRENT, SNAPSHOT } from "../core/release/layout.js";
import type { Site } from "../core/release/site.js";
import type { ServerLimits } from "./limits.js";
import { openRoutes, type RouteOptions, type Routes } from "./routes.js";

/**
 * Opens the current release, and polls the link for a switch, since no system reports every change of a link.
 * @param folder a `dist`, or the folder of one release
 * @param signal aborts an opening in progress, and stops following
 * @throws UserError if the release is missing or broken.
 */
export async function followCurrent(
  folder: string,
  options: RouteOptions,
  { watchMs, retryMs }: ServerLimits,
  signal: AbortSignal,
  onSwitch: (site: Site) => void = () => {},
  onRefused?: () => void,
) {
  const isRelease = await stat(join(folder, SNAPSHOT)).catch(() => undefined);
  const link = isRelease ? folder : join(folder, CURRENT);
  let routes = await openRoutes(link, options, signal);
  /** The target of the link that could not be opened last, and when that was. */
  let failed: { target: string | undefined; at: number } | undefined;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  /** Checks the link. @param isAsked also opens a release that was refused before, or that is served already. */
  const checkLink = async (isAsked: boolean): Promise<void> => {
    const target = await resolveLink(link);
    const { site: last } = routes;
    if (target === last.folder && !isAsked) {
      failed = undefined;
      return;
    }
    const isKnown = failed !== undefined && failed.target === target;
    if (failed && isKnown && !isAsked && Date.now() - failed.at < retryMs) return;
    try {
      routes = await openRoutes(target ?? link, options, signal, routes);
      failed = undefined;
      const { site } = routes;
      if (site.folder !== last.folder || site.digest !== last.digest) onSwitch(site);
    } catch (error) {
      if (signal.aborted) return;
      // The link was switched meanwhile, so the refused release does not matter.
      if ((await resolveLink(link)) !== target) return checkLink(isAsked);
      failed = { target, at: Date.now() };
      if (isKnown && !isAsked) return;
      onRefused?.();
      options.log(`Still serving ${routes.site.id}. ${error instanceof Error ? error.message : error}`);
    }
  };
  const run = async (isAsked: boolean): Promise<void> => {
    if (signal.aborted) return;
    running = checkLink(isAsked).finally(() => {
      running = undefined;
    });
    await running;
  };
  const timer = setInterval(() => running ?? run(false), watchMs);
  timer.unref();

  return {
    get routes(): Routes {
      return routes;
    },
    /** Checks the link now. Calls during a running check share one that follows it. */
    reload(): Promise<void> {
      if (!running) return run(true);
      waiting ??= running.then(() => {
        waiting = undefined;
        return run(true);
      });
      return waiting;
    },
    /** Waits until no opening is in progress. Abort the signal first. */
    async stop() {
      clearInterval(timer);
      while (running) await running;
    },
  };
}

/** The folder that the link points to; undefined if the link or the folder does not exist. */
function resolveLink(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}
