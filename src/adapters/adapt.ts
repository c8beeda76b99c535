/** `adapt` and its relatives in the library: the files for a host, a check of its limits, and a list of all hosts. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { AVATAR_PATH, basePath, parseBaseUrl } from "../contract/links.js";
import { usageError } from "../errors.js";
import { openChosen } from "../release/choose.js";
import { SNAPSHOT, SUMS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import type { Snapshot } from "../release/snapshot.js";
import { checkOptions, folder, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { ADAPTERS, adapterOf, adapterRow, unsupportedFeatures } from "./adapters.js";
import { type Excess, findExcess, type Measures, measure } from "./check.js";
import { type AdapterFile, filesFor, publishedFor } from "./rules/adapter.js";
import { type DeploymentOptions, openDeployment, PLACEMENT } from "./rules/deployment.js";
import { rulesOf, servedEncodings } from "./rules/rules.js";

interface ReleaseOptions extends OptionsOf<"release"> {
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
}

export type AdaptOptions = ReleaseOptions & DeploymentOptions & OptionsOf<"write">;

export interface AdaptEffects {
  /** What the path of a release is relative to; the process's own folder unless given. */
  cwd?: string | undefined;
}

export interface Adapted {
  host: string;
  /** The release's id. */
  id: string;
  files: AdapterFile[];
  /** Where the release's folder goes. */
  steps: readonly string[];
  /** What of the release the host cannot use. */
  notes: string[];
}

const RELEASE_OPTIONS: OptionRules<ReleaseOptions> = { dist: folder, ...pick("release") };
const OPTIONS: OptionRules<AdaptOptions> = { ...RELEASE_OPTIONS, ...PLACEMENT, ...pick("write") };
const EFFECTS: OptionRules<AdaptEffects> = { cwd: folder };

/**
 * Writes what a host needs to serve a release.
 * @param name one of those that `listAdapters` returns as `host`.
 * @throws UserError when there is no such host or release, or a file cannot be written.
 */
export async function adapt(name: string, given: AdaptOptions = {}, effects: AdaptEffects = {}): Promise<Adapted> {
  const adapter = adapterOf(name);
  const { dist, release: word, write, ...options } = checkOptions("adapt", given, OPTIONS);
  const release = await openRelease({ dist, release: word }, checkOptions("adapt's third argument", effects, EFFECTS));
  const destination = write === undefined ? undefined : resolve(write);
  const deployment = await openDeployment(release, adapter.compression, { ...options, folder: destination });
  const files = filesFor(adapter, deployment);
  if (destination !== undefined) await writeFiles(destination, files);
  const { snapshot } = release;
  return { host: name, id: snapshot.id, files, steps: adapter.steps, notes: unsupportedFeatures(adapter, snapshot) };
}

/**
 * The files that a build with these settings needs in the release for a host.
 * @throws UserError (usage) when there is no such host, or it needs none.
 */
export function publishedFiles(
  name: string,
  {
    baseUrl,
    compress = [],
    cacheControl,
    defaultAvatar,
  }: OptionsOf<"compress" | "cacheControl" | "defaultAvatar"> & { baseUrl: string },
): Pick<AdapterFile, "path" | "text">[] {
  const adapter = adapterOf(name);
  if (!adapter.published) {
    const others = ADAPTERS.filter(({ published }) => published).map((other) => other.name);
    throw usageError(
      `${name} needs no file in the release: build without --adapt, then "rollcall adapt ${name}". Hosts that do are ${others.join(", ")}.`,
    );
  }
  const rules = rulesOf({
    base: basePath(parseBaseUrl(baseUrl)),
    encodings: servedEncodings(adapter.compression, compress),
    cacheControl: cacheControl ?? DEFAULT_CACHE_CONTROL,
    others: [...(defaultAvatar === undefined ? [AVATAR_PATH] : []), SNAPSHOT, SUMS],
  });
  return publishedFor(adapter, rules).map(({ path, text }) => ({ path, text }));
}

function openRelease(
  { dist = SETTINGS.out.default, release }: ReleaseOptions,
  { cwd }: AdaptEffects,
): Promise<Release> {
  return openChosen(dist, release, cwd);
}

async function writeFiles(destination: string, files: readonly AdapterFile[]): Promise<void> {
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(destination, path)), { recursive: true });
      await writeFile(join(destination, path), text);
    }
  } catch (error) {
    throw explainWrite(destination, error);
  }
}

export interface Fit {
  host: string;
  snapshot: Snapshot;
  measures: Measures;
  /** The limits that the release exceeds: none when the host takes it. */
  excess: Excess[];
}

/**
 * Measures a release against the limits of a host.
 * @throws UserError when there is no such host or release.
 */
export async function checkLimits(name: string, given: ReleaseOptions = {}, effects: AdaptEffects = {}): Promise<Fit> {
  const adapter = adapterOf(name);
  const choice = checkOptions("checkLimits", given, RELEASE_OPTIONS);
  const release = await openRelease(choice, checkOptions("checkLimits' third argument", effects, EFFECTS));
  const measures = await measure(release);
  return { host: name, snapshot: release.snapshot, measures, excess: findExcess(measures, adapter) };
}

/** A row for each host, by the names of the table's columns, and what the host cannot do. */
export function listAdapters(): Record<string, unknown>[] {
  return ADAPTERS.map((adapter) => ({
    ...Object.fromEntries(adapterRow(adapter)),
    limitations: adapter.limitations ?? {},
  }));
}
