/** Gates: a release that changes more than they allow does not become current. */
import { basename, join } from "node:path";
import { diff } from "../diff/diff.js";
import { findExceeded, GateError, type Gates, hasGates } from "../diff/gates.js";
import type { Matches } from "../diff/match.js";
import { openReleaseSide } from "../diff/side.js";
import { UserError } from "../errors.js";
import { CURRENT, RELEASES } from "../release/layout.js";
import { findCurrent } from "../release/list.js";
import { isOtherListing, type ListingName, listingUrl } from "../release/listing.js";
import { idOf } from "../release/name.js";
import { openRelease, type Release } from "../release/open.js";

/** What a build changes. `previous` is undefined without a release to compare with. */
export interface GateReport {
  previous: string | undefined;
  added: number;
  removed: number;
  changed: number;
}

/**
 * Compares a new release with the current one, and checks that no gate is exceeded.
 * @param name the folder name of the new release. It stays in `dist` even if a gate is exceeded.
 * @param matches the matches between both releases, if known. This closes them.
 * @throws GateError if a gate is exceeded; UserError if the current release is broken or of another listing, so that nothing can
 * be compared.
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
      `The gates cannot compare with the current release, which is broken; switch to an intact one with "rollcall use", or accept the new one with "rollcall use ${idOf(name)}".`,
    );
  }
  const release = await openRelease(join(dist, RELEASES, name));
  const before = nameOf(previous);
  if (isOtherListing(before, nameOf(release)))
    throw new UserError(
      `Release ${name} was built, but current is unchanged, because gates do not compare it with another listing, ${listingUrl(before)}. Accept it with "rollcall use ${idOf(name)}".`,
    );
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

function nameOf({ snapshot, paths }: Release): ListingName {
  return { baseUrl: snapshot.base_url, path: paths.listing };
}
