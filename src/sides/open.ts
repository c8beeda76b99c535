/** Opens the sides of a diff, whatever kind each is of. */
import { mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import { isHttpUrl } from "../contract/links.js";
import type { SideFacts } from "../diff/change.js";
import { openReleaseSide, type ReadEffects, type Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { lookUp } from "../release/choose.js";
import { CURRENT, PREVIOUS } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { at } from "../settings/kinds.js";
import { openFolderSide } from "./folder.js";
import type { SourceSideOptions } from "./source.js";
import { isSqlite } from "./sqlite.js";

export interface SideEffects {
  /** The folder that relative paths and git repositories are resolved against. */
  cwd: string;
  dist: string;
  scratch: string;
  source: SourceSideOptions;
  onProgress?: ReadEffects["onProgress"] | undefined;
  signal?: AbortSignal | undefined;
}

type Name = string | undefined;

/** Without names, these are the previous release and the current one. @throws UserError as `openSide` does. */
export async function openSides(old: Name, newer: Name, effects: SideEffects): Promise<[Side, Side]> {
  const [before, after] = nameSides(old, newer, effects.cwd);
  // A source without a base URL or a contract takes those of the other side, so the other side is opened first.
  if (isSource(before, effects.cwd)) {
    const now = await openSide(after, effects);
    return [await openSide(before, effects, now.facts), now];
  }
  const side = await openSide(before, effects);
  return [side, await openSide(after, effects, side.facts)];
}

/** @param like the other side, whose base URL and contract a source takes that has none. @throws UserError saying which names can be. */
export async function openSide(
  name: string,
  effects: SideEffects,
  like?: Pick<SideFacts, "baseUrl" | "contract">,
): Promise<Side> {
  const { cwd, dist, source, onProgress = () => {}, signal } = effects;
  const watch = { onProgress, signal };
  const scratch = mkdtempSync(join(effects.scratch, "side-"));
  // Each kind is loaded only when it is needed: loading the build takes longer than opening two releases.
  if (isHttpUrl(name)) return (await import("./host.js")).openHostSide(name, scratch, watch);
  if (name.startsWith("git:")) return (await import("./git.js")).openGitSide(name, cwd, scratch, watch);
  if (isSource(name, cwd)) {
    const { baseUrl = like?.baseUrl, contract = like?.contract.file } = source;
    if (baseUrl === undefined)
      throw new UserError(
        `What ${name} would publish depends on the base URL, which neither side tells; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.`,
      );
    const path = at(cwd, name);
    return (await import("./source.js")).openSourceSide(path, { ...source, baseUrl, contract }, scratch, watch);
  }
  const folder = lookUp(name, dist, cwd);
  if (folder !== undefined && isNamedByPath(folder, name, cwd)) return openFolderSide(folder, name, scratch, signal);
  if (folder !== undefined) return openReleaseSide(await openRelease(folder), `release ${basename(folder)}`);
  throw new UserError(
    `${JSON.stringify(name)} is no release in ${dist}, and no release's folder, SQLite file, base URL or git:REV:PATH. See "rollcall releases" for ids.`,
  );
}

/** If only one side is named, a source is the new side, and anything else is the old one. */
function nameSides(old: Name, newer: Name, cwd: string): [string, string] {
  if (old === undefined) return [PREVIOUS, CURRENT];
  if (newer === undefined) return isSource(old, cwd) ? [CURRENT, old] : [old, CURRENT];
  return [old, newer];
}

function isSource(name: string, cwd: string): boolean {
  return isSqlite(at(cwd, name));
}

/** Whether the folder was named by its path. Such a folder may hold pages without a manifest. */
function isNamedByPath(folder: string, name: string, cwd: string): boolean {
  const path = at(cwd, name);
  return folder === path || folder === join(path, CURRENT);
}
