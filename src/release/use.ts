/** `rollcall use`: makes a release that is there already the current one. */
import { UserError } from "../errors.js";
import { findDamage } from "./check.js";
import { choose } from "./choose.js";
import { listReleases, type ReleaseSummary } from "./list.js";
import { lockDist } from "./lock.js";
import { openRelease } from "./open.js";
import { explainWrite } from "./refusals.js";
import { switchCurrent } from "./switch.js";

export interface UseResult {
  /** The release that is current now. */
  now: ReleaseSummary;
  /** The one that was, unless none was. */
  before?: ReleaseSummary;
}

/**
 * Makes the release whose id (or folder name) begins with `prefix` current, once every byte of it has been checked.
 * Of several releases with one id, which hold the same pages, the newest is taken.
 * @throws UserError when none or several ids begin so, or when the release is damaged; current is unchanged then.
 */
export async function useRelease(
  dist: string,
  prefix: string,
  { now = () => new Date() }: { now?: () => Date } = {},
): Promise<UseResult> {
  const releases = await listReleases(dist);
  const matching = choose(dist, releases, prefix);
  const before = releases.find((release) => release.current);
  const unlock = lockDist(dist, now());
  try {
    const chosen = await firstWhole(matching);
    await switchCurrent(dist, chosen.name, now());
    return { now: { ...chosen, current: true }, ...(before && { before }) };
  } catch (error) {
    throw explainWrite(dist, error);
  } finally {
    unlock();
  }
}

/** The first of some releases with one id of which every byte is right. */
async function firstWhole(matching: readonly ReleaseSummary[]): Promise<ReleaseSummary> {
  const refusals: unknown[] = [];
  for (const summary of matching) {
    try {
      const damage = await findDamage(await openRelease(summary.folder));
      if (damage === undefined) return summary;
      throw new UserError(
        `Release ${summary.name} is damaged: ${damage} does not match its digest. Build again.`,
      );
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}
