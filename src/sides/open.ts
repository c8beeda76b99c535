/** What a person may name as a side of a diff, and how each is opened. */
import { lstatSync, mkdtempSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { openReleaseSide } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { choose, lowerHex } from "../release/choose.js";
import { CURRENT, parseFolderName, RELEASES } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { releaseNames } from "../release/prune.js";
import { findCurrent } from "../release/switch.js";
import { openFolder } from "./folder.js";
import type { OnProgress } from "./progress.js";
import type { SourceOptions } from "./source.js";
import { isSqlite } from "./sqlite.js";

export interface SideEffects {
  /** What relative paths and git repositories are looked for from. */
  cwd: string;
  /** The folder of releases. */
  dist: string;
  /** A folder of the caller's, for what has to be written to compare a side. */
  scratch: string;
  /** How sources are read. */
  source: SourceOptions;
  onProgress?: OnProgress;
}

/**
 * Opens one side: the id of a release in `dist` or the beginning of one, `current`, `previous`, a release's folder,
 * `git:REV:PATH`, a base URL, or a SQLite file.
 * @param like the base URL of the other side, for a source that is given none.
 * @throws UserError saying what the name could have meant.
 */
export async function openSide(name: string, effects: SideEffects, like?: string): Promise<Side> {
  const { cwd, dist, source, onProgress = () => {} } = effects;
  const scratch = mkdtempSync(join(effects.scratch, "side-"));
  // Each kind is loaded when it is needed: a build takes longer to load than two releases to open.
  if (/^https?:\/\//i.test(name)) return (await import("./remote.js")).openRemote(name, scratch, onProgress);
  if (name.startsWith("git:")) return (await import("./git.js")).openGit(name, cwd, scratch, onProgress);
  const folder = findInDist(dist, name);
  if (folder !== undefined)
    return openReleaseSide(await openRelease(join(dist, RELEASES, folder)), `release ${folder}`, scratch);
  const path = pathOf(name, cwd);
  const kind = kindOf(path);
  if (kind === "folder") {
    // Of another folder of releases, its current one.
    const current = join(path, CURRENT);
    return openFolder(kindOf(current) === "folder" ? current : path, name, scratch);
  }
  if (kind === "file" && isSqlite(path)) {
    const baseUrl = source.baseUrl ?? like;
    if (baseUrl === undefined)
      throw new UserError(
        `What ${name} would publish depends on the base URL; set baseUrl in rollcall.config.json.`,
      );
    return (await import("./source.js")).openSource(path, baseUrl, source, scratch, onProgress);
  }
  throw new UserError(
    `${JSON.stringify(name)} is no release in ${dist}, and no release's folder, SQLite file, base URL or git:REV:PATH. See "rollcall releases" for ids.`,
  );
}

/** Whether a name is that of a source, which is what would come rather than what is. */
export function isSource(name: string, cwd: string): boolean {
  const path = pathOf(name, cwd);
  return kindOf(path) === "file" && isSqlite(path);
}

/** The folder name of a release in `dist`; undefined when the name means none. */
function findInDist(dist: string, name: string): string | undefined {
  if (name === CURRENT) {
    const current = findCurrent(dist);
    if (current === undefined)
      throw new UserError(`There is no current release in ${dist}; run "rollcall build" first.`);
    return current;
  }
  if (name === PREVIOUS) return previousOf(dist);
  const beginning = lowerHex(name);
  const releases = namesIn(dist).map((folder) => ({ id: parseFolderName(folder)?.id ?? "", name: folder }));
  const isMeant = releases.some((release) =>
    [release.id, release.name].some((id) => id.startsWith(beginning)),
  );
  return isMeant ? choose(dist, releases, beginning)[0]?.name : undefined;
}

/** Milliseconds by which a file system's idea of the time may be behind the clock's. */
const CLOCK_STEP = 20;

/** Names the release that was current before the current one. */
export const PREVIOUS = "previous";

/**
 * A switch marks the release that it takes off with the time: it is the one marked last before the link was made. One
 * that a gate has refused is never so: refused earlier, it is older; refused later, it is younger than the link.
 */
function previousOf(dist: string): string {
  const current = findCurrent(dist);
  const switched = lstatSync(join(dist, CURRENT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const [previous] = namesIn(dist)
    .filter((name) => name !== current)
    .map((name) => ({ name, marked: statSync(join(dist, RELEASES, name)).mtimeMs }))
    .filter(({ marked }) => marked <= switched + CLOCK_STEP)
    .sort((one, other) => other.marked - one.marked);
  if (current !== undefined && previous) return previous.name;
  throw new UserError(
    `No release in ${dist} was current before the current one; name two sides, as in "rollcall diff OLD NEW".`,
  );
}

function namesIn(dist: string): string[] {
  return kindOf(join(dist, RELEASES)) === "folder" ? releaseNames(dist) : [];
}

/** Messages and reports repeat what was typed, so it stays relative where the process is. */
function pathOf(name: string, cwd: string): string {
  return isAbsolute(name) ? name : join(cwd, name);
}

function kindOf(path: string): "file" | "folder" | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? "folder" : stats?.isFile() ? "file" : undefined;
}
