/** `rollcall use`: makes an existing release current. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UserError } from "../errors.js";
import { abortSignal, callback, checkOptions, folder, type OptionRules } from "../settings/options.js";
import { contentOf, findRelease } from "./choose.js";
import { RELEASES } from "./layout.js";
import { listReleases, type ReleaseSummary } from "./list.js";
import { lockDist } from "./lock.js";
import { findDamage, openRelease } from "./open.js";
import { explainWrite } from "./refusals.js";
import { switchCurrent } from "./switch.js";

export interface UseResult {
  /** The release that is current now. */
  now: ReleaseSummary;
  /** The release that was current before, if any. */
  before?: ReleaseSummary;
  /** What failed after the switch, a line each. */
  untidied: string[];
}

export interface UseEffects {
  now?: (() => Date) | undefined;
  /** The folder that a relative path is resolved against; the process's own folder unless given. */
  cwd?: string | undefined;
  /** Stops the check, with the signal's reason; current is unchanged then. */
  signal?: AbortSignal | undefined;
}

const EFFECTS: OptionRules<UseEffects> = { now: callback, cwd: folder, signal: abortSignal };

/**
 * Makes the release that a word means (its id, `previous`, ...; see `lookUp`) current, after checking every byte of it.
 * If it is damaged, another release with the same content is used.
 * @throws UserError when the word means none or several, or when the release is damaged; current is unchanged then.
 */
export async function useRelease(dist: string, word: string, effects: UseEffects = {}): Promise<UseResult> {
  const { now = () => new Date(), cwd = ".", signal } = checkOptions("useRelease", effects, EFFECTS);
  try {
    const folder = findRelease(word, dist, cwd);
    const unlock = lockDist(dist, now());
    try {
      const releases = await listReleases(dist);
      const before = releases.find((release) => release.current);
      const chosen = await firstWhole(await findTwins(folder, releases, dist), signal);
      const untidied: string[] = [];
      switchCurrent(dist, chosen.name, now(), untidied);
      return { now: { ...chosen, current: true }, ...(before && { before }), untidied };
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(dist, error);
  }
}

/** The release in a folder, followed by others with the same content, newest first. */
async function findTwins(folder: string, releases: readonly ReleaseSummary[], dist: string): Promise<ReleaseSummary[]> {
  const path = await realpath(folder);
  const isHere = dirname(path) === (await realpath(join(dist, RELEASES)));
  const meant = releases.find(({ name }) => isHere && name === basename(path));
  if (!meant)
    throw new UserError(`${folder} is not one of the releases in ${dist}; only those can become current there.`);
  const others = releases.filter((release) => release !== meant && release.id === meant.id);
  const content = others.length > 0 ? contentOf(meant.folder) : undefined;
  if (content === undefined) return [meant];
  return [meant, ...others.filter((release) => contentOf(release.folder) === content)];
}

async function firstWhole(matching: readonly ReleaseSummary[], signal?: AbortSignal): Promise<ReleaseSummary> {
  const refusals: unknown[] = [];
  for (const summary of matching) {
    try {
      const damage = await findDamage(await openRelease(summary.folder), signal);
      if (damage === undefined) return summary;
      throw new UserError(`Release ${summary.name} is damaged: ${damage} does not match its digest. Build again.`);
    } catch (error) {
      signal?.throwIfAborted();
      refusals.push(error);
    }
  }
  throw refusals[0];
}
