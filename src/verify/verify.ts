/** `rollcall verify`: verifies a release on disk, or the responses of a host. */
import { join } from "node:path";
import { isHttpUrl } from "../core/contract/links.js";
import { unlessStopped, usageError } from "../core/errors.js";
import { suggest } from "../core/print/near.js";
import { findRelease } from "../core/release/choose.js";
import { CURRENT } from "../core/release/layout.js";
import { openSiteIfComplete, openSiteRelease, type Site } from "../core/release/site.js";
import type { Complete } from "../core/settings/settings.js";
import type { VerifyEffects, VerifyOptions } from "./options.js";
import { readTrust } from "./signature.js";
import { passed, type Verdict, withAllowed } from "./verdict.js";

export interface VerifyResult extends Verdict {
  /** Whether nothing differs, except what is allowed to. */
  passed: boolean;
}

/**
 * Checks every byte of a release, or everything that the contract promises about a host. Differences are findings, not errors.
 * @throws UserError if there is nothing to verify, or it cannot be read; the signal's reason.
 */
export async function verify(options: Complete<VerifyOptions>, effects: VerifyEffects = {}): Promise<VerifyResult> {
  const { cwd = ".", ...more } = effects;
  const { what: name = CURRENT, dist, workers, against, ...ofHosts } = options;
  const trust = readTrust(options, cwd);
  const allowed = await readAllowed(options);
  const found = await unlessStopped(more.signal, async () => {
    if (!isHttpUrl(name)) {
      const folder = findRelease(name, dist, cwd);
      const { verifySite } = await import("./disk/site.js");
      return verifySite({ folder, workers, trust, ...more });
    }
    const site = await openAgainst(against, dist, cwd);
    const { verifySiteHost } = await import("./url/site.js");
    return verifySiteHost({ ...ofHosts, workers, baseUrl: name, trust, against: site, ...more });
  });
  const verdict = withAllowed(found, allowed);
  return { passed: passed(verdict), ...verdict };
}

/** The checks that may differ, with reasons: those of `allow`, and those that a host of `adapt` cannot pass. */
async function readAllowed({
  allow = [],
  adapt = [],
}: VerifyOptions): Promise<ReadonlyMap<string, string | undefined>> {
  if (allow.length > 0) {
    const { CHECK_NAMES } = await import("./url/listing.js");
    const unknown = allow.find((name) => !CHECK_NAMES.includes(name));
    if (unknown !== undefined)
      throw usageError(`There is no check ${JSON.stringify(unknown)} to allow; ${suggest(unknown, CHECK_NAMES)}`);
  }
  const allowed = new Map<string, string | undefined>(allow.map((name) => [name, undefined]));
  if (adapt.length === 0) return allowed;
  // Importing all hosts takes longer than checking a small release.
  const { hostOf } = await import("../host/hosts.js");
  return new Map([...allowed, ...adapt.flatMap((name) => Object.entries(hostOf(name).unmetChecks ?? {}))]);
}

/** The argument of `--against` that downloads the host's own release. */
const NONE = "none";

/** Opens the release to compare with: the current one by default, if there is one. @throws UserError if a named one does not exist or is incomplete. */
export async function openAgainst(name: string | undefined, dist: string, cwd: string): Promise<Site | undefined> {
  if (name === NONE) return undefined;
  return name === undefined ? openSiteIfComplete(join(dist, CURRENT)) : openSiteRelease(findRelease(name, dist, cwd));
}
