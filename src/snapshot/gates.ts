/** The gates of a build: a release that changes more than they allow does not become current. */
import { basename, join } from "node:path";
import { diff } from "../diff/diff.js";
import { findExceeded, GateError, type Gates, hasGates } from "../diff/gates.js";
import type { Matches } from "../diff/match.js";
import { openReleaseSide } from "../diff/side.js";
import { UserError } from "../errors.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { findCurrent } from "../release/list.js";
import { idOf } from "../release/name.js";
import { openRelease, type Release } from "../release/open.js";

/** What a build changes. `previous` is undefined when there was no release to compare with. */
export interface GateReport {
  previous: string | undefined;
  added: number;
  removed: number;
  changed: number;
}

/**
 * @param name the folder name of the new release, which stays in `dist` also when a gate is exceeded.
 * @param matches what was found between both releases before. They are closed.
 * @throws GateError when one is exceeded; UserError when the current release is broken, so that nothing can be compared.
 */
export async function checkGates(
  dist: string,
  name: string,
  previous: Release | undefined,
  gates: Gates,
  matches?: Matches,
): Promise<GateReport | undefined> {
  if (!hasGates(gates)) return undefined;
  if (!previous) {
    if (findCurrent(dist) === undefined) return { previous: undefined, added: 0, removed: 0, changed: 0 };
    throw new UserError(
      `The gates cannot be held against the current release, which is broken; switch to a whole one with "rollcall use", or accept the new one with "rollcall use ${idOf(name)}".`,
    );
  }
  const release = await openRelease(join(dist, RELEASES, name));
  const result = await diff(openReleaseSide(previous, CURRENT), openReleaseSide(release, name), { matches });
  try {
    const exceeded = findExceeded(result, gates);
    if (exceeded.length > 0) throw new GateError(name, exceeded);
    const { added, removed, changed } = result;
    return { previous: basename(previous.folder), added, removed, changed };
  } finally {
    result.close();
  }
}
