/** What a name of a diff stands for: a snapshot of one listing, or of a site of several. */
import { mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import type { SideFacts } from "../../core/compare/change.js";
import { openReleaseSide, type ReadEffects, type Side } from "../../core/compare/side.js";
import { parseBaseUrl } from "../../core/contract/base-url.js";
import { isHttpUrl } from "../../core/contract/links.js";
import type { SiteSnapshot } from "../../core/contract/snapshot.js";
import { UserError, usageError } from "../../core/errors.js";
import { lookUp } from "../../core/release/choose.js";
import { CURRENT, PREVIOUS } from "../../core/release/layout.js";
import { openSiteRelease, type ReleaseListing, readSiteSnapshot, type Site } from "../../core/release/site.js";
import { at, STDIN } from "../../core/settings/kinds.js";
import { openFolderSide, openPagesSide } from "./folder.js";
import type { SourceSideOptions } from "./source.js";
import { isSourcePath } from "./source-file.js";

export interface SideEffects {
  /** The folder that relative paths and git repositories are resolved against. */
  cwd: string;
  dist: string;
  scratch: string;
  source: SourceSideOptions;
  onProgress?: ReadEffects["onProgress"] | undefined;
  /** Called with each sentence about how a source was read, with the name of the source. */
  onNote?: ReadEffects["onNote"];
  signal?: AbortSignal | undefined;
}

/** A named snapshot. */
export interface Named {
  /** Its name in messages. */
  name: string;
  /** Its manifest, if it is a site of several listings. */
  site?: SiteSnapshot;
  /** Opens the side of a listing; of the only one for the name "". @throws UserError if it cannot be read */
  open(listing: string): Promise<Side>;
}

type Name = string | undefined;

/** Finds both snapshots; by default the previous release and the current one. @throws UserError as `findNamed` does. */
export async function findBoth(old: Name, newer: Name, effects: SideEffects): Promise<[Named, Named]> {
  const [before, after] = nameBoth(old, newer, effects.cwd);
  // A source without a base URL or a contract takes those of the other side, so open the other side first.
  if (isSource(before, effects.cwd)) {
    const now = await findNamed(after, effects);
    return [await findNamed(before, effects, await likeOf(now)), now];
  }
  const was = await findNamed(before, effects);
  return [
    was,
    isSource(after, effects.cwd) ? await findNamed(after, effects, await likeOf(was)) : await findNamed(after, effects),
  ];
}

/** What a source takes from the other snapshot. */
type Like = Partial<Pick<SideFacts, "baseUrl" | "contract">>;

async function likeOf({ site, open }: Named): Promise<Like> {
  return site ? { baseUrl: site.base_url } : (await open("")).facts;
}

/**
 * Finds a snapshot by name.
 * @param like the base URL and the contract of the other one, the defaults of a source.
 * @throws UserError if the snapshot does not exist.
 */
export async function findNamed(name: string, effects: SideEffects, like: Like = {}): Promise<Named> {
  const { cwd, dist, source, onProgress = () => {}, onNote, signal } = effects;
  if (name === STDIN)
    throw usageError(
      "Standard input cannot be compared. Write it to a file, then pass that: rollcall diff records.csv",
    );
  const isNamed = (note: string) => note.startsWith(`${basename(name)} `);
  const reading = {
    onProgress,
    signal,
    onNote: (note: string) => onNote?.(isNamed(note) ? note : `${name}: ${note}`),
  };
  const newScratch = () => mkdtempSync(join(effects.scratch, "side-"));
  // Import each kind only when needed: importing the build takes longer than opening two releases.
  if (isHttpUrl(name)) {
    const { findHostSite, openHostSide } = await import("./remote.js");
    const url = parseBaseUrl(name);
    const site = await findHostSite(url, signal);
    const openUrl = (listing: string) =>
      openHostSide(listing === "" ? name : `${url}/${listing}`, newScratch(), reading);
    return named(name, site, openUrl);
  }
  const isInGit = name.startsWith("git:");
  const path = isInGit ? await (await import("./git.js")).copyFromGit(name, cwd, newScratch(), signal) : at(cwd, name);
  if (![CURRENT, PREVIOUS].includes(name) && isSourcePath(path)) {
    const { baseUrl = like.baseUrl, contract = source.listings ? undefined : like.contract?.file } = source;
    if (baseUrl === undefined)
      throw new UserError(
        `Comparing ${name} needs a base URL, which neither side has; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.`,
      );
    const { buildSource } = await import("./source.js");
    const made = await buildSource(path, { ...source, baseUrl, contract }, dist, newScratch(), reading);
    return namedRelease(made, `source ${name}`, true);
  }
  // A repository may leave out files that are not compared, such as compressed pages.
  if (isInGit) {
    const openPages = (listing: string) =>
      openPagesSide(join(path, listing), sideName(name, listing), newScratch(), signal);
    return named(name, await readSiteSnapshot(path), openPages);
  }
  const folder = lookUp(name, dist, cwd);
  if (folder === undefined)
    throw new UserError(
      `${JSON.stringify(name)} is not a release in ${dist}, a release's folder, a file or a folder of records, a base URL or git:REV:PATH. Run "rollcall releases" to see ids.`,
    );
  const isByPath = isNamedByPath(folder, name, cwd);
  if (isByPath && !(await readSiteSnapshot(folder)))
    return named(name, undefined, () => openFolderSide(folder, name, newScratch(), signal));
  return namedRelease(await openSiteRelease(folder), isByPath ? name : `release ${basename(folder)}`);
}

/** A snapshot whose sides are opened once. */
function named(name: string, site: SiteSnapshot | undefined, open: Named["open"]): Named {
  const opened = new Map<string, Promise<Side>>();
  return {
    name,
    ...(site && { site }),
    async open(listing) {
      const found = opened.get(listing) ?? open(listing);
      opened.set(listing, found);
      const side = await found;
      // Its snapshot.json was read before.
      if (site && side.facts.id !== undefined && side.facts.id !== site.listings[listing]?.id)
        throw new UserError(`${name} has changed while it was read; run this again.`);
      return side;
    },
  };
}

function namedRelease({ listings, top }: Site, name: string, isSource = false): Named {
  return named(name, top?.snapshot, async (listing) => {
    const { release } = listings.find((candidate) => candidate.name === listing) as ReleaseListing;
    const side = openReleaseSide(release, sideName(name, listing));
    return isSource ? { ...side, facts: { ...side.facts, isSource } } : side;
  });
}

function sideName(name: string, listing: string): string {
  return listing === "" ? name : `${name}/${listing}`;
}

/** Completes the names. If only one is given, a source is the new side, and anything else the old one. */
function nameBoth(old: Name, newer: Name, cwd: string): [string, string] {
  if (old === undefined) return [PREVIOUS, CURRENT];
  if (newer === undefined) return isSource(old, cwd) ? [CURRENT, old] : [old, CURRENT];
  return [old, newer];
}

function isSource(name: string, cwd: string): boolean {
  return ![CURRENT, PREVIOUS].includes(name) && isSourcePath(at(cwd, name));
}

/** Whether the folder was named by its path. Such a folder may hold pages without a manifest. */
function isNamedByPath(folder: string, name: string, cwd: string): boolean {
  const path = at(cwd, name);
  return folder === path || folder === join(path, CURRENT);
}
