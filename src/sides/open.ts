/** What a person may name as a side of a diff, and how each is opened. */
import { mkdtempSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { openReleaseSide } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { lookUp } from "../release/choose.js";
import { CURRENT } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { openFolderSide } from "./folder.js";
import type { OnPagesRead } from "./progress.js";
import type { SourceSideOptions } from "./source.js";
import { isSqlite } from "./sqlite.js";

export interface SideEffects {
  /** What relative paths and git repositories are looked for from. */
  cwd: string;
  /** The folder of releases. */
  dist: string;
  /** A folder of the caller's, for what has to be written to compare a side. */
  scratch: string;
  /** How sources are read. */
  source: SourceSideOptions;
  onProgress?: OnPagesRead | undefined;
  /** Stops the reading, with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens one side: a base URL, `git:REV:PATH`, a SQLite file, or what means a release everywhere (see `lookUp`).
 * @param like the base URL of the other side, for a source that is given none.
 * @throws UserError saying what the name could have meant.
 */
export async function openSide(name: string, effects: SideEffects, like?: string): Promise<Side> {
  const { cwd, dist, source, onProgress = () => {}, signal } = effects;
  const watch = { onProgress, signal };
  const scratch = mkdtempSync(join(effects.scratch, "side-"));
  // Each kind is loaded when it is needed: a build takes longer to load than two releases to open.
  if (/^https?:\/\//i.test(name)) return (await import("./remote.js")).openRemoteSide(name, scratch, watch);
  if (name.startsWith("git:")) return (await import("./git.js")).openGitSide(name, cwd, scratch, watch);
  if (isSource(name, cwd)) {
    const baseUrl = source.baseUrl ?? like;
    if (baseUrl === undefined)
      throw new UserError(
        `What ${name} would publish depends on the base URL, which neither side tells; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.`,
      );
    const path = pathOf(name, cwd);
    return (await import("./source.js")).openSourceSide(path, { ...source, baseUrl }, scratch, watch);
  }
  const folder = lookUp(name, dist, cwd);
  if (folder !== undefined && isNamedByPath(folder, name, cwd)) return openFolderSide(folder, name, scratch, signal);
  if (folder !== undefined)
    return openReleaseSide(await openRelease(folder), `release ${basename(folder)}`, scratch, signal);
  throw new UserError(
    `${JSON.stringify(name)} is no release in ${dist}, and no release's folder, SQLite file, base URL or git:REV:PATH. See "rollcall releases" for ids.`,
  );
}

/** Whether a name is that of a source, which is what would come rather than what is. */
export function isSource(name: string, cwd: string): boolean {
  return isSqlite(pathOf(name, cwd));
}

/** Elsewhere than in `dist` pages without their release's account of them do. */
function isNamedByPath(folder: string, name: string, cwd: string): boolean {
  const path = pathOf(name, cwd);
  return folder === path || folder === join(path, CURRENT);
}

/** Messages and reports repeat what was typed, so it stays relative where the process is. */
function pathOf(name: string, cwd: string): string {
  return isAbsolute(name) ? name : join(cwd, name);
}
