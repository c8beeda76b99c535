/** The verb that proves that a release on disk, or what a host answers, is what it says it is. */
import { z } from "zod";
import { unlessStopped, usageError } from "../errors.js";
import { findRelease } from "../release/choose.js";
import { CURRENT } from "../release/layout.js";
import { suggest } from "../settings/names.js";
import { abortSignal, callback, checkOptions, folder, type OptionRules, type Rule } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import type { VerifyEffects, VerifyOptions } from "./options.js";
import { ROW_NAMES } from "./site/rows.js";
import { isHostUrl, openAgainst } from "./target.js";
import { passed, type Verdict } from "./verdict.js";

export interface VerifyResult extends Verdict {
  /** Whether nothing differs but what is allowed to. */
  passed: boolean;
}

const what: Rule = { schema: z.string().min(1), allowed: "a text that means a release or a host" };
const OPTIONS: OptionRules<VerifyOptions> = {
  ...{ what, dist: folder },
  ...pick("workers", "against", "sample", "allow", "concurrency", "rate", "cacheControl"),
};
const EFFECTS: OptionRules<VerifyEffects> = { onProgress: callback, signal: abortSignal, cwd: folder };

/**
 * Reads a release to the last byte, or checks all that the contract promises about a host. What differs is a finding.
 * @throws UserError when there is nothing to verify, or it cannot be read; what the signal was aborted with.
 */
export async function verify(given: VerifyOptions = {}, effects: VerifyEffects = {}): Promise<VerifyResult> {
  const options = checkOptions("verify", given, OPTIONS);
  const watch = checkOptions("verify's second argument", effects, EFFECTS);
  refuseUnknown(options.allow ?? []);
  const { what: name = CURRENT } = options;
  const verdict = await unlessStopped(watch.signal, () =>
    isHostUrl(name) ? verifyHost(name, options, watch) : verifyFolder(name, options, watch),
  );
  return { passed: passed(verdict), ...verdict };
}

function refuseUnknown(names: readonly string[]): void {
  const unknown = names.find((name) => !ROW_NAMES.includes(name));
  if (unknown !== undefined)
    throw usageError(`There is no check ${JSON.stringify(unknown)} to allow; ${suggest(unknown, ROW_NAMES)}`);
}

async function verifyFolder(
  name: string,
  { dist = SETTINGS.out.default, workers }: VerifyOptions,
  { cwd, ...watch }: VerifyEffects,
): Promise<Verdict> {
  const folder = findRelease(name, dist, cwd);
  const { verifyRelease } = await import("./release/release.js");
  return verifyRelease({ folder, workers, ...watch });
}

async function verifyHost(
  baseUrl: string,
  { dist = SETTINGS.out.default, against, ...options }: VerifyOptions,
  { cwd = ".", ...watch }: VerifyEffects,
): Promise<Verdict> {
  const { release, whyNot, known } = await openAgainst(against, dist, cwd);
  const { verifyUrl } = await import("./site/site.js");
  return verifyUrl({ ...options, baseUrl, known, against: release, whyNotAgainst: whyNot, ...watch });
}
