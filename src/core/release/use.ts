/** `rollcall use`: makes an existing release current. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UserError } from "../errors.js";
import { findRelease } from "./choose.js";
import { RELEASES } from "./layout.js";
import { lockDist } from "./lock.js";
import { explainWrite } from "./refusals.js";
import { findCurrent, type ReleaseSummary, releaseNames, summarize } from "./releases.js";
import { findSiteDamage, openSiteRelease, partsOf } from "./site.js";
import { switchCurrent } from "./switch.js";
import { giveTimes } from "./times.js";

export interface UseResult {
  /** The release that is current now. */
  now: ReleaseSummary;
  /** The release that was current before, if any. */
  before?: ReleaseSummary;
  /** One line for each step that failed after the switch. */
  untidied: string[];
}

export interface UseEffects {
  now?: (() => Date) | undefined;
  /** The folder that a relative path is resolved against; the working directory by default. */
  cwd?: string | undefined;
  /** Stops the check and throws the signal's reason. The current release is unchanged then. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes the release that `word` names (an id, `previous`, ...; see `lookUp`) current, after checking every byte of it.
 * @throws UserError if the word names none or several, or if the release is damaged. The current release is unchanged then.
 */
export async function useRelease(dist: string, word: string, effects: UseEffects = {}): Promise<UseResult> {
  const { now = () => new Date(), cwd = ".", signal } = effects;
  try {
    const folder = findRelease(word, dist, cwd);
    const unlock = lockDist(dist, now());
    try {
      const path = await realpath(folder);
      const name = basename(path);
      const names = releaseNames(dist);
      if (dirname(path) !== (await realpath(join(dist, RELEASES))) || !names.includes(name))
        throw new UserError(`${folder} is not one of the releases in ${dist}; only those can become current there.`);
      const site = await openSiteRelease(path);
      const damage = await findSiteDamage(site, signal);
      if (damage !== undefined)
        throw new UserError(
          `Release ${name} is damaged: ${damage} does not match its digest. Build again, or use another one.`,
        );
      const before = names.find((other) => other === findCurrent(dist));
      const result: UseResult = {
        now: { ...(await summarize(dist, name)), current: true },
        ...(before !== undefined && { before: { ...(await summarize(dist, before)), current: before === name } }),
        untidied: [],
      };
      const time = now();
      giveTimes(dist, path, partsOf(site), time);
      switchCurrent(dist, name, time, result.untidied);
      return result;
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(dist, error);
  }
}
