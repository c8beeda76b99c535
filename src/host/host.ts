/** The library functions for hosts: `adapt` writes files, `listHosts` lists all hosts. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf, explainRefusal, isSystemError, UserError } from "../core/errors.js";
import { findRelease } from "../core/release/choose.js";
import { CURRENT } from "../core/release/layout.js";
import { findRefusal } from "../core/release/refusals.js";
import { findUnreadable } from "../core/release/sharing.js";
import { openSiteRelease, type Site } from "../core/release/site.js";
import { replaceFiles } from "../core/release/writer.js";
import type { Complete, OptionsFor } from "../core/settings/settings.js";
import { hostSettingsOf, siteOf } from "./hosted-site.js";
import { HOSTS, hostOf, hostRow, unsupportedFeatures } from "./hosts.js";
import { filesFor, type HostFile, type HostKind } from "./kind.js";
import { settingsRecord } from "./settings-record.js";
import { deployedFiles, notesOnSizes } from "./size-limits.js";

export interface AdaptOptions extends OptionsFor<"host"> {
  /** A host's name in `listHosts`. */
  name: string;
}

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
  written?: boolean;
}

/**
 * Writes what a host needs to serve the listings of a site. For nginx, Apache and Caddy, that is the site's file, which is written once.
 * @throws UserError if the host or release does not exist, if the host cannot name a path, or if a file cannot be written;
 * then no file is written.
 */
export async function adapt(options: Complete<AdaptOptions>, { cwd = "." }: AdaptEffects = {}): Promise<Adapted> {
  const { name, write } = options;
  const host = hostOf(name);
  const site = await openSiteRelease(findRelease(options.release ?? CURRENT, options.dist, cwd));
  const settings = hostSettingsOf(site, options);
  const dist = dirname(dirname(site.folder));
  const folder = resolve(cwd, write ?? ".");
  const files = filesFor(host, siteOf(site, settings, { compression: host.compression, dist, folder }, options));
  const unsupported = site.listings.flatMap(({ release }) => unsupportedFeatures(host, release.snapshot));
  // With a root, the host is another machine.
  const unreadable = options.root === undefined ? findUnreadableFiles(host, site) : [];
  return {
    host: name,
    id: site.id,
    files: write === undefined ? files : await writeFiles(folder, files, host, settingsRecord(dist, name, settings)),
    steps: host.steps,
    notes: [...new Set(unsupported), ...(await notesOnSizes([host], site)), ...unreadable],
  };
}

/** Writes all files and the record of their settings, or none. An existing site's file is kept. */
async function writeFiles(
  folder: string,
  files: readonly HostFile[],
  { site }: HostKind,
  record: [path: string, text: string],
): Promise<WrittenFile[]> {
  const marked = files.map((file) => ({ ...file, written: !(site && existsSync(join(folder, file.path))) }));
  const toWrite = marked.filter(({ written }) => written);
  if (toWrite.length === 0) return marked;
  try {
    for (const { path } of toWrite) await mkdir(dirname(join(folder, path)), { recursive: true });
    replaceFiles([...toWrite.map(({ path, text }) => [join(folder, path), text] as const), record]);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const why = explainRefusal(error, "another folder with --write", findRefusal(folder) ?? codeOf(error));
    throw new UserError(`Cannot write ${folder}: ${why}, then run this again. Nothing was written.`, { cause: error });
  }
  return marked;
}

/** A note if a web server's user cannot read the release. Other hosts get a copy. */
function findUnreadableFiles(host: HostKind, site: Site): string[] {
  const barrier = host.site && findUnreadable(site.folder, deployedFiles(site));
  return barrier === undefined ? [] : [barrier];
}

/** Lists all hosts: for each, the cells of the table of hosts, and the checks that it cannot pass. */
export function listHosts(): Record<string, unknown>[] {
  return HOSTS.map((host) => ({
    ...Object.fromEntries(hostRow(host)),
    limitations: host.unmetChecks ?? {},
  }));
}
