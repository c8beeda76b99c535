/** Gates: a release that changes more than they allow does not become current. */
import { basename } from "node:path";
import { diff } from "../diff/diff.js";
import { findExceeded, type Gates, hasGates } from "../diff/gates.js";
import type { Matches } from "../diff/match.js";
import { openReleaseSide } from "../diff/side.js";
import { UserError } from "../errors.js";
import { CURRENT } from "../release/layout.js";
import { findCurrent } from "../release/list.js";
import { isOtherListing, type ListingName, listingUrl } from "../release/listing.js";
import { idOf } from "../release/name.js";
import { openRelease, type Release } from "../release/open.js";
import type { Site } from "../release/site.js";

/** What a build changes. `previous` is undefined without a release to compare with. */
export interface GateReport {
  previous: string | undefined;
  added: number;
  removed: number;
  changed: number;
}

/** A new listing, and the one that it replaces. */
interface Compared {
  dist: string;
  /** The folder name of the new release. It stays in `dist` even if a gate is exceeded. */
  name: string;
  /** The folder of the new listing. */
  folder: string;
  /** The listing of this name in the current release. */
  previous: Release | undefined;
  /** The current release, unless it is broken. */
  site: Site | undefined;
}

/**
 * Compares a new listing with the current one.
 * @param matches the matches between both, if known. This closes them.
 * @returns what changes, and a sentence for each exceeded gate; undefined without gates.
 * @throws UserError if the current release is broken or of another listing, so that nothing can be compared.
 */
export async function checkGates(
  { dist, name, folder, previous, site }: Compared,
  gates: Gates,
  matches?: Matches,
): Promise<{ report: GateReport; exceeded: string[] } | undefined> {
  if (!hasGates(gates)) return undefined;
  if (!previous) {
    if (site || findCurrent(dist) === undefined) return { report: NOTHING_BEFORE, exceeded: [] };
    throw new UserError(
      `The gates cannot compare with the current release, which is broken; switch to an intact one with "rollcall use", or accept the new one with "rollcall use ${idOf(name)}".`,
    );
  }
  const release = await openRelease(folder);
  const before = nameOf(previous);
  if (isOtherListing(before, nameOf(release)))
    throw new UserError(
      `Release ${name} was built, but current is unchanged, because gates do not compare it with another listing, ${listingUrl(before)}. Accept it with "rollcall use ${idOf(name)}".`,
    );
  const result = await diff(openReleaseSide(previous, CURRENT), openReleaseSide(release, name), { matches });
  try {
    const { added, removed, changed } = result;
    const report = { previous: basename(site?.folder ?? previous.folder), added, removed, changed };
    return { report, exceeded: findExceeded(result, gates) };
  } finally {
    result.close();
  }
}

const NOTHING_BEFORE: GateReport = { previous: undefined, added: 0, removed: 0, changed: 0 };

function nameOf({ snapshot, paths }: Release): ListingName {
  return { baseUrl: snapshot.base_url, path: paths.listing };
}
