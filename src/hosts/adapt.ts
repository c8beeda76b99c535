/** The library functions for hosts: `adapt` writes files, `listHosts` lists all hosts. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, explainRefusal, isSystemError, UserError } from "../errors.js";
import { openChosen } from "../release/choose.js";
import { RELEASES } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { findRefusal } from "../release/refusals.js";
import { findUnreadable } from "../release/sharing.js";
import { replaceFiles } from "../release/writer.js";
import { checkOptions, folder, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import {
  deploymentOf,
  type HostedSiteOptions,
  rootOf,
  SERVING_SETTINGS,
  type ServingOptions,
  SITE_SETTINGS,
  siteOf,
} from "./deployment.js";
import { filesFor, type Host, type HostFile, includedFor } from "./host.js";
import { HOSTS, hostOf, hostRow, requireServed, unsupportedFeatures } from "./hosts.js";
import { deployedFiles, notesOnLimits } from "./limits.js";
import { findDiffering } from "./release-files.js";

interface ReleaseOptions extends OptionsOf<"release"> {
  /** The folder of the releases; `dist` by default. */
  dist?: string | undefined;
}

export type AdaptOptions = ReleaseOptions & HostedSiteOptions & ServingOptions & OptionsOf<"write">;

export interface AdaptEffects {
  /** Base of relative paths; the current folder by default. */
  cwd?: string | undefined;
}

export interface Adapted {
  host: string;
  /** The release's id. */
  id: string;
  files: WrittenFile[];
  /** What to do with the release's folder. */
  steps: readonly string[];
  /** Features of the release that the host cannot use, limits that it exceeds, and files that the host cannot read. */
  notes: string[];
}

interface WrittenFile extends HostFile {
  /** False for a site's file that exists already, since it belongs to the administrator. Undefined if nothing is written. */
  isWritten?: boolean;
}

const RELEASE_OPTIONS: OptionRules<ReleaseOptions> = { dist: folder, ...pick("release") };
const OPTIONS: OptionRules<AdaptOptions> = {
  ...RELEASE_OPTIONS,
  ...SITE_SETTINGS,
  ...SERVING_SETTINGS,
  ...pick("write"),
};
const EFFECTS: OptionRules<AdaptEffects> = { cwd: folder };

/**
 * Writes what a host needs to serve a release. For some hosts, that is the site's file, which is written once and includes
 * files of each release built with `adapt`; for others, all files for one release.
 * @param name a host's name in `listHosts`.
 * @throws UserError if the host or release does not exist, if the host cannot serve the listing, if the release does not have
 * the included files, or if a file cannot be written; then no file is written.
 */
export async function adapt(name: string, given: AdaptOptions = {}, effects: AdaptEffects = {}): Promise<Adapted> {
  const host = hostOf(name);
  const { dist = SETTINGS.dist.default, release: word, write, ...options } = checkOptions("adapt", given, OPTIONS);
  const { cwd } = checkOptions("adapt's third argument", effects, EFFECTS);
  const release = await openChosen(dist, word, cwd);
  requireServed(host, release.contract.listing.path);
  const { snapshot } = release;
  const folder = options.root === undefined ? release.folder : join(options.root, RELEASES, basename(release.folder));
  const deployment = deploymentOf({ ...release, folder }, host.compression, options);
  if (host.included) requireIncluded(name, release, includedFor(host, deployment));
  const files = filesFor(host, deployment, siteOf(snapshot.base_url, rootOf(folder), options));
  // With a root, the host is another machine.
  const unreadable = options.root === undefined ? findUnreadableFiles(host, release) : [];
  return {
    host: name,
    id: snapshot.id,
    files: write === undefined ? files : await writeFiles(resolve(write), files, host.site !== undefined),
    steps: host.steps,
    notes: [...unsupportedFeatures(host, snapshot), ...(await notesOnLimits([host], release)), ...unreadable],
  };
}

/** Requires a release to have exactly these files. @throws UserError */
function requireIncluded(name: string, release: Release, files: readonly HostFile[]): void {
  const { snapshot, sums } = release;
  const other = findDiffering(release, files);
  if (!other) return;
  const why = sums.others.has(other.path) ? `has ${other.path} with other settings` : `has no ${other.path}`;
  throw new UserError(
    `Release ${snapshot.id} ${why}; run "rollcall build --adapt ${name}" with the same settings first, or set adapt in rollcall.config.json.`,
  );
}

/** Writes all files, or none. An existing site's file is kept. */
async function writeFiles(folder: string, files: readonly HostFile[], isSite: boolean): Promise<WrittenFile[]> {
  const marked = files.map((file) => ({ ...file, isWritten: !(isSite && existsSync(join(folder, file.path))) }));
  const written = marked.filter(({ isWritten }) => isWritten);
  try {
    for (const { path } of written) await mkdir(dirname(join(folder, path)), { recursive: true });
    replaceFiles(written.map(({ path, text }) => [join(folder, path), text]));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const why = explainRefusal(error, "another folder with --write", findRefusal(folder) ?? codeOf(error));
    throw new UserError(`Cannot write ${folder}: ${why}, then run this again. Nothing was written.`, { cause: error });
  }
  return marked;
}

/** A note if a web server's user cannot read the release. Other hosts get a copy. */
function findUnreadableFiles({ site }: Host, release: Release): string[] {
  const barrier = site && findUnreadable(release.folder, deployedFiles(release));
  return barrier === undefined ? [] : [barrier];
}

/** Lists all hosts: for each, the cells of the table of hosts, and its limitations. */
export function listHosts(): Record<string, unknown>[] {
  return HOSTS.map((host) => ({
    ...Object.fromEntries(hostRow(host)),
    limitations: host.limitations ?? {},
  }));
}
