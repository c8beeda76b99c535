/** What another host needs to answer as the contract says: as files, as a table of all hosts, and as limits. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { openChosen } from "../release/choose.js";
import { explainWrite } from "../release/refusals.js";
import type { Snapshot } from "../release/snapshot.js";
import { checkOptions, folder, type OptionRules } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { ADAPTERS, adapterOf } from "./adapters.js";
import { type Excess, findExcess, type Measures, measure } from "./check.js";
import { LIMITATIONS } from "./limitations.js";
import type { AdapterFile } from "./rules/adapter.js";
import { openDeployment } from "./rules/deployment.js";
import { ADAPTER_COLUMNS, adapterRow } from "./table.js";
import { unsupportedFeatures } from "./unsupported.js";

interface Choice {
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
  /** What means a release, as the beginning of its id; the current one unless given. */
  release?: string | undefined;
}

export interface AdaptOptions extends Choice {
  /** Where to write the files; nowhere unless given. */
  write?: string | undefined;
  /** The release's folder on the machine of the host; where it is here unless given. */
  root?: string | undefined;
  /** The name that the host answers to, the path before `/api/users/` and the port that it listens on; the base URL's unless given. */
  serverName?: string | undefined;
  basePath?: string | undefined;
  listenPort?: number | undefined;
  /** The address that the host listens on; every one unless given. */
  address?: string | undefined;
  /** Where haproxy and fastly fetch the release's files. */
  origin?: string | undefined;
  /** Of pages; `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
}

export interface AdaptEffects {
  /** What a path is relative to that means a release; the process's own folder unless given. */
  cwd?: string | undefined;
}

export interface Adapted {
  host: string;
  /** Of the release. */
  id: string;
  /** Each with its path, its text, and where it goes. */
  files: AdapterFile[];
  /** Where the release's folder goes. */
  steps: readonly string[];
  /** What of the release the host has no use for. */
  notes: string[];
}

const CHOICE: OptionRules<Choice> = { dist: folder, ...pick("release") };
const OPTIONS: OptionRules<AdaptOptions> = {
  ...CHOICE,
  ...{ write: folder },
  ...pick("root", "serverName", "basePath", "address", "listenPort", "origin", "cacheControl"),
};
const EFFECTS: OptionRules<AdaptEffects> = { cwd: folder };

/**
 * Writes what a host needs to serve a release.
 * @param name as `listAdapters` has it.
 * @throws UserError when there is no such host or release, or a file cannot be written.
 */
export async function adapt(name: string, given: AdaptOptions = {}, effects: AdaptEffects = {}): Promise<Adapted> {
  const target = adapterOf(name);
  const options = checkOptions("adapt", given, OPTIONS);
  const { cwd } = checkOptions("adapt's third argument", effects, EFFECTS);
  const { dist = SETTINGS.out.default, release: word, write, ...placement } = options;
  const release = await openChosen(dist, word, cwd);
  const destination = write === undefined ? undefined : resolve(write);
  const files = target.files(await openDeployment(release, target.siblings, { ...placement, folder: destination }));
  if (destination !== undefined) await writeFiles(destination, files);
  const { snapshot } = release;
  return {
    host: target.name,
    id: snapshot.id,
    files,
    steps: target.steps,
    notes: unsupportedFeatures(target, snapshot),
  };
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
  /** The release's account of itself. */
  snapshot: Snapshot;
  measures: Measures;
  /** The limits that the release goes beyond: none when the host takes it. */
  excess: Excess[];
}

/**
 * Measures a release against what a host takes.
 * @throws UserError when there is no such host or release.
 */
export async function checkLimits(name: string, given: Choice = {}, effects: AdaptEffects = {}): Promise<Fit> {
  const target = adapterOf(name);
  const { dist = SETTINGS.out.default, release: word } = checkOptions("checkLimits", given, CHOICE);
  const { cwd } = checkOptions("checkLimits' third argument", effects, EFFECTS);
  const release = await openChosen(dist, word, cwd);
  const measures = await measure(release);
  const { snapshot } = release;
  return { host: target.name, snapshot, measures, excess: findExcess(measures, target) };
}

/** Every host's cells by the names of the columns, and what it cannot do. */
export function listAdapters(): Record<string, unknown>[] {
  return ADAPTERS.map((target) => ({
    ...Object.fromEntries(adapterRow(target).map((cell, at) => [ADAPTER_COLUMNS[at] ?? "", cell])),
    shortfalls: LIMITATIONS[target.name] ?? {},
  }));
}
