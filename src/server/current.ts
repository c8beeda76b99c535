/** The site that is served now, and its successor: a switch is one assignment, between two requests. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CURRENT, SNAPSHOT } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { ServerLimits } from "./limits.js";
import { type Site, type SiteOptions, takeUp } from "./site.js";
import { sweepTemporary } from "./temporary.js";
import { watchLink } from "./watch.js";

export interface Current {
  readonly site: Site;
  /** Looks at `current` now. What cannot be taken up is logged, and the old release stays. */
  reload(): Promise<void>;
  /** Stops looking. The site stays usable. */
  stop(): Promise<void>;
}

/**
 * Serves what `current` in `folder` points to, or `folder` itself for good when that is a release.
 * @throws UserError when there is no release, or a broken one.
 */
export async function followCurrent(
  folder: string,
  options: SiteOptions,
  limits: ServerLimits,
  onSwitch: (release: Release) => void = () => {},
): Promise<Current> {
  await sweepTemporary();
  const isRelease = await stat(join(folder, SNAPSHOT)).then(
    () => true,
    () => false,
  );
  if (isRelease) {
    const site = await takeUp(folder, options);
    return { site, async reload() {}, async stop() {} };
  }
  const link = join(folder, CURRENT);
  let site = await takeUp(link, options);
  const watch = watchLink(
    link,
    {
      folder: () => site.release.folder,
      async takeUp(next) {
        const last = site;
        site = await takeUp(next, options);
        if (!isSame(site.release, last.release)) onSwitch(site.release);
        await last.retire();
      },
      refused(error) {
        const why = error instanceof Error ? error.message : error;
        options.log(`Still serving ${site.release.snapshot.id}. ${why}`);
      },
    },
    limits,
  );
  return {
    get site() {
      return site;
    },
    reload: watch.check,
    stop: watch.stop,
  };
}

function isSame(one: Release, other: Release): boolean {
  return one.folder === other.folder && one.digest === other.digest;
}
