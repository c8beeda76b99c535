/** `rollcall diff`: compares two snapshots, whatever kind each is of. */
import { mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { AnyRecord } from "../contract/contract.js";
import { requireFieldLimits, requireFields, splitFieldLimit } from "../contract/field-limits.js";
import { isHttpUrl } from "../contract/links.js";
import { type FieldFilter, fieldFilter, type SideFacts } from "../diff/change.js";
import { diff, type OpenDiff } from "../diff/diff.js";
import { findExceeded, GATES, type Gates } from "../diff/gates.js";
import { openReleaseSide, type ReadEffects, type Side } from "../diff/side.js";
import { UserError, unlessStopped, usageError } from "../errors.js";
import { lookUp } from "../release/choose.js";
import { CURRENT, PREVIOUS } from "../release/layout.js";
import { openRelease } from "../release/open.js";
import { explainRoom, makeScratch, removeScratch } from "../scratch/folder.js";
import { at } from "../settings/kinds.js";
import {
  abortSignal,
  anyObject,
  callback,
  checkOptions,
  folder,
  type OptionRules,
  type Rule,
} from "../settings/options.js";
import { pick, SOURCE_SETTINGS } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { openFolderSide } from "./folder.js";
import type { SourceSideOptions } from "./source.js";
import { isSourceFile } from "./source-file.js";

export interface CompareOptions extends FieldFilter, SourceSideOptions {
  /**
   * The old snapshot: a release's id or the beginning of one, `current`, `previous`, a release's folder, `git:REV:PATH`, a base
   * URL, or a SQLite file. The previous release unless given.
   */
  old?: string | undefined;
  /** The new snapshot, in one of these forms; the current release unless given. */
  new?: string | undefined;
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
  /** How much may change; gates that are exceeded are reported in `exceeded`. */
  gates?: Gates | undefined;
}

export interface CompareEffects {
  onProgress?: ReadEffects["onProgress"] | undefined;
  /** Stops the comparison, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths and git repositories are resolved against; the process's own unless given. */
  cwd?: string | undefined;
  /** A new folder for temporary files, which is removed in the end; one of the system's temporary folders unless given. */
  scratch?: string | undefined;
}

/** `changes` reads from disk, so `close` has to be called in the end. */
export interface Comparison<T = AnyRecord> extends OpenDiff<T> {
  /** A sentence with its figures for each gate that is exceeded. */
  exceeded: readonly string[];
}

const side: Rule = { schema: z.string().min(1), allowed: "a text that means a snapshot" };

const OPTIONS: OptionRules<CompareOptions> = {
  ...{ old: side, new: side, dist: folder, gates: anyObject },
  ...pick("only", "ignore", "baseUrl", ...SOURCE_SETTINGS),
};
const EFFECTS: OptionRules<CompareEffects> = {
  onProgress: callback,
  signal: abortSignal,
  cwd: folder,
  scratch: folder,
};

/**
 * Compares two snapshots, record by record.
 * @typeParam T a record, as the caller knows it from the contracts.
 * @throws UserError when a side is not there or cannot be read; what the signal was aborted with.
 */
export async function compare<T = AnyRecord>(
  options: CompareOptions,
  effects: CompareEffects = {},
): Promise<Comparison<T>> {
  const { onProgress, signal, cwd = ".", ...others } = checkOptions("diff's second argument", effects, EFFECTS);
  const { scratch = await makeScratch() } = others;
  try {
    const { old, new: newer, only, ignore, gates: given = {}, ...rest } = checkOptions("diff", options, OPTIONS);
    const { dist = SETTINGS.dist.default, ...source } = rest;
    const gates = checkOptions("gates", given, GATES);
    return await unlessStopped(signal, async () => {
      const sides = await openSides(old, newer, { cwd, dist, scratch, source, onProgress, signal });
      requireKnownFields(gates, { only, ignore }, sides);
      const found = await diff<T>(...sides, { only, ignore, workers: source.workers, signal });
      const close = () => {
        found.close();
        removeScratch(scratch);
      };
      return { ...found, close, exceeded: findExceeded(found, gates) };
    });
  } catch (error) {
    removeScratch(scratch);
    throw explainRoom(error);
  }
}

/** @throws UserError (usage) for what names no field of either side, and for a gate that could never be exceeded. */
function requireKnownFields({ maxField = [] }: Gates, filter: FieldFilter, sides: readonly Side[]): void {
  const contracts = sides.map(({ facts }) => facts.contract);
  requireFields("only", filter.only ?? [], ...contracts);
  requireFields("ignore", filter.ignore ?? [], ...contracts);
  requireFieldLimits("maxField", maxField, ...contracts);
  const counts = fieldFilter(filter, contracts);
  const blind = maxField.map((gate) => splitFieldLimit(gate)?.path).find((path) => path && !counts(path));
  if (blind !== undefined)
    throw usageError(
      `The gate on ${blind} would see nothing, for only or ignore leaves that field out; let it count, or leave out its gate.`,
    );
}

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
  if (isHttpUrl(name)) return (await import("./remote.js")).openHostSide(name, scratch, watch);
  const git = name.startsWith("git:") ? await import("./git.js") : undefined;
  const path = git ? await git.copySourceFile(name, cwd, scratch) : isSource(name, cwd) ? at(cwd, name) : undefined;
  if (path !== undefined) {
    const { baseUrl = like?.baseUrl, contract = like?.contract.file } = source;
    if (baseUrl === undefined)
      throw new UserError(
        `What ${name} would publish depends on the base URL, which neither side tells; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.`,
      );
    return (await import("./source.js")).openSourceSide(path, { ...source, baseUrl, contract }, scratch, watch, name);
  }
  if (git) return git.openGitSide(name, cwd, scratch, watch);
  const folder = lookUp(name, dist, cwd);
  if (folder !== undefined && isNamedByPath(folder, name, cwd)) return openFolderSide(folder, name, scratch, signal);
  if (folder !== undefined) return openReleaseSide(await openRelease(folder), `release ${basename(folder)}`);
  throw new UserError(
    `${JSON.stringify(name)} is no release in ${dist}, and no release's folder, file of records, base URL or git:REV:PATH. See "rollcall releases" for ids.`,
  );
}

/** If only one side is named, a source is the new side, and anything else is the old one. */
function nameSides(old: Name, newer: Name, cwd: string): [string, string] {
  if (old === undefined) return [PREVIOUS, CURRENT];
  if (newer === undefined) return isSource(old, cwd) ? [CURRENT, old] : [old, CURRENT];
  return [old, newer];
}

function isSource(name: string, cwd: string): boolean {
  return isSourceFile(at(cwd, name));
}

/** Whether the folder was named by its path. Such a folder may hold pages without a manifest. */
function isNamedByPath(folder: string, name: string, cwd: string): boolean {
  const path = at(cwd, name);
  return folder === path || folder === join(path, CURRENT);
}
