/** The verb that proves what a release on disk, or a host, is. */
import { z } from "zod";
import { unlessStopped, usageError } from "../errors.js";
import { findRelease } from "../release/choose.js";
import { CURRENT } from "../release/layout.js";
import { suggest } from "../settings/names.js";
import { abortSignal, callback, checkOptions, folder, type OptionRules, type Rule } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { ROW_NAMES } from "./site/rows.js";
import { isHostUrl, openAgainst } from "./target.js";
import { passed, type Verdict } from "./verdict.js";

export interface VerifyOptions {
  /**
   * A release's id or the beginning of one, `current`, `previous`, a release's folder, or the base URL of a host; the
   * current release unless given.
   */
  what?: string | undefined;
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
  /** Threads that check a release; as many as cores unless given, and none for small ones. */
  workers?: number | undefined;
  /** The release that a host must serve, in the words of `what`, or `none`; the current one, if there is one, unless given. */
  against?: string | undefined;
  /** How many pages of a host are read, spread from the first to the last; all unless given. */
  sample?: number | undefined;
  /** Names of checks of a host that may differ. */
  allow?: readonly string[] | undefined;
  /** Requests at once; 8 unless given. */
  concurrency?: number | undefined;
  /** Requests a second, at most; no limit unless given. */
  rate?: number | undefined;
  /** The Cache-Control that a host's pages must have; any, the same on all, unless given. */
  cacheControl?: string | undefined;
}

export interface VerifyEffects {
  /** Told how many users have been checked. */
  onProgress?: ((done: { users: number; total: number }) => void) | undefined;
  /** Stops the verification, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** What relative paths are looked for from; the process's own folder unless given. */
  cwd?: string | undefined;
}

export interface VerifyResult extends Verdict {
  /** Whether nothing differs but what was allowed to. */
  passed: boolean;
}

const what: Rule = { schema: z.string().min(1), allowed: "a text that means a release or a host" };
const OPTIONS: OptionRules<VerifyOptions> = {
  ...{ what, dist: folder },
  ...pick("workers", "against", "sample", "allow", "concurrency", "rate", "cacheControl"),
};
const EFFECTS: OptionRules<VerifyEffects> = { onProgress: callback, signal: abortSignal, cwd: folder };

/**
 * Reads a release to the last byte, or asks a host for all that the contract promises. What differs is a finding.
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

/** Each kind is loaded when it is asked for. */
async function verifyFolder(
  name: string,
  { dist = SETTINGS.out.default, workers }: VerifyOptions,
  { cwd, ...watch }: VerifyEffects,
): Promise<Verdict> {
  const release = findRelease(name, dist, cwd);
  const { verifyRelease } = await import("./release/release.js");
  return verifyRelease({ folder: release, workers, ...watch });
}

async function verifyHost(
  baseUrl: string,
  { dist = SETTINGS.out.default, against, ...options }: VerifyOptions,
  { cwd = ".", ...watch }: VerifyEffects,
): Promise<Verdict> {
  const { release, whyNot, known } = await openAgainst(against, dist, cwd);
  const { sample, allow = [], concurrency, rate, cacheControl } = options;
  const asking = { sample, allow, concurrency, rate, cacheControl };
  const { verifyUrl } = await import("./site/site.js");
  return verifyUrl({ baseUrl, ...asking, known, against: release, whyNotAgainst: whyNot, ...watch });
}
