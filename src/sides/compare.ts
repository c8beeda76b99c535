/** `rollcall diff`: compares two snapshots: releases, hosts, git revisions or sources. */
import { mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import type { AnyRecord } from "../contract/contract.js";
import { requireFieldLimits, requireFields, splitFieldLimit } from "../contract/field-limits.js";
import { isHttpUrl } from "../contract/links.js";
import { type FieldFilter, fieldFilter, type SideFacts } from "../diff/change.js";
import { diff, type OpenDiff } from "../diff/diff.js";
import { findExceeded, type Gates, hasGates } from "../diff/gates.js";
import { openReleaseSide, type ReadEffects, type Side } from "../diff/side.js";
import { UserError, unlessStopped, usageError } from "../errors.js";
import { lookUp } from "../release/choose.js";
import { CURRENT, PREVIOUS } from "../release/layout.js";
import { isOtherListing, listingUrl } from "../release/listing.js";
import { openRelease } from "../release/open.js";
import { explainTemporary, makeScratch, removeScratch } from "../scratch/folder.js";
import { at } from "../settings/kinds.js";
import type { Complete, OptionsFor } from "../settings/settings.js";
import { openFolderSide, openPagesSide } from "./folder.js";
import type { SourceSideOptions } from "./source.js";
import { isSourceFile } from "./source-file.js";

export interface CompareOptions extends OptionsFor<"diff"> {
  /**
   * The old snapshot: a release's id or its beginning, `current`, `previous`, a release's folder, `git:REV:PATH`, a base URL, or
   * a file of records. The previous release by default.
   */
  old?: string | undefined;
  /** The new snapshot, in one of these forms; the current release by default. */
  new?: string | undefined;
}

export interface CompareEffects {
  onProgress?: ReadEffects["onProgress"] | undefined;
  /** Stops the comparison, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths and git repositories are resolved against; the working directory by default. */
  cwd?: string | undefined;
}

/** The result of a comparison. Call `close` at the end, since `changes` reads from the disk. */
export interface Comparison<T = AnyRecord> extends OpenDiff<T> {
  /** A sentence with figures for each exceeded gate. */
  exceeded: readonly string[];
}

/**
 * Compares two snapshots, record by record.
 * @typeParam T the type of a record, which the caller knows from the contracts.
 * @throws UserError if a side does not exist or cannot be read; the signal's reason.
 */
export async function compare<T = AnyRecord>(
  options: Complete<CompareOptions>,
  { onProgress, signal, cwd = "." }: CompareEffects = {},
): Promise<Comparison<T>> {
  const { old, new: newer, dist, only, ignore, maxAdded, maxRemoved, maxChanged, maxField, ...source } = options;
  const gates = { maxAdded, maxRemoved, maxChanged, maxField };
  const scratch = await makeScratch();
  try {
    return await unlessStopped(signal, async () => {
      const sides = await openSides(old, newer, { cwd, dist, scratch, source, onProgress, signal });
      requireKnownFields(gates, { only, ignore }, sides);
      if (hasGates(gates)) requireOneListing(...sides);
      const found = await diff<T>(...sides, { only, ignore, signal });
      const close = () => {
        found.close();
        removeScratch(scratch);
      };
      return { ...found, close, exceeded: findExceeded(found, gates) };
    });
  } catch (error) {
    removeScratch(scratch);
    throw explainTemporary(error);
  }
}

/** @throws UserError (usage) for an unknown field, and for a gate on a field that is not compared. */
function requireKnownFields({ maxField = [] }: Gates, filter: FieldFilter, sides: readonly Side[]): void {
  const contracts = sides.map(({ facts }) => facts.contract);
  requireFields("only", filter.only ?? [], ...contracts);
  requireFields("ignore", filter.ignore ?? [], ...contracts);
  requireFieldLimits("maxField", maxField, ...contracts);
  const counts = fieldFilter(filter, contracts);
  const unseen = maxField.map((gate) => splitFieldLimit(gate)?.path).find((path) => path && !counts(path));
  if (unseen !== undefined)
    throw usageError(
      `The gate on ${unseen} cannot see changes, because only or ignore leaves that field out; include the field, or remove the gate.`,
    );
}

/** @throws UserError if gates would compare two listings. A side without links counts as having the other side's base URL. */
function requireOneListing({ facts: old }: Side, { facts: now }: Side): void {
  const baseUrl = old.baseUrl ?? now.baseUrl ?? "";
  const before = { baseUrl, path: old.contract.listing.path };
  const after = { baseUrl: now.baseUrl ?? baseUrl, path: now.contract.listing.path };
  if (!isOtherListing(before, after)) return;
  throw new UserError(
    `Gates compare snapshots of one listing, but ${old.name} is of ${listingUrl(before)}, and ${now.name} of ${listingUrl(after)}. Name snapshots of one listing, or compare without gates.`,
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

/** Opens both sides; by default the previous release and the current one. @throws UserError as `openSide` does. */
export async function openSides(old: Name, newer: Name, effects: SideEffects): Promise<[Side, Side]> {
  const [before, after] = nameSides(old, newer, effects.cwd);
  // A source without a base URL or a contract takes those of the other side, so open the other side first.
  if (isSource(before, effects.cwd)) {
    const now = await openSide(after, effects);
    return [await openSide(before, effects, now.facts), now];
  }
  const side = await openSide(before, effects);
  return [side, await openSide(after, effects, side.facts)];
}

/** Opens a side by name. @param like the other side, whose base URL and contract are the defaults of a source. @throws UserError if the snapshot does not exist. */
export async function openSide(
  name: string,
  effects: SideEffects,
  like?: Pick<SideFacts, "baseUrl" | "contract">,
): Promise<Side> {
  const { cwd, dist, source, onProgress = () => {}, signal } = effects;
  const reading = { onProgress, signal };
  const scratch = mkdtempSync(join(effects.scratch, "side-"));
  // Import each kind only when needed: importing the build takes longer than opening two releases.
  if (isHttpUrl(name)) return (await import("./remote.js")).openHostSide(name, scratch, reading);
  const isInGit = name.startsWith("git:");
  const path = isInGit ? await (await import("./git.js")).copyFromGit(name, cwd, scratch, signal) : at(cwd, name);
  if (isSourceFile(path)) {
    const { baseUrl = like?.baseUrl, contract = like?.contract.file } = source;
    if (baseUrl === undefined)
      throw new UserError(
        `Comparing ${name} needs a base URL, which neither side has; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.`,
      );
    return (await import("./source.js")).openSourceSide(path, { ...source, baseUrl, contract }, scratch, reading, name);
  }
  // A repository may leave out files that are not compared, such as compressed pages.
  if (isInGit) return openPagesSide(path, name, scratch, signal);
  const folder = lookUp(name, dist, cwd);
  if (folder !== undefined && isNamedByPath(folder, name, cwd)) return openFolderSide(folder, name, scratch, signal);
  if (folder !== undefined) return openReleaseSide(await openRelease(folder), `release ${basename(folder)}`);
  throw new UserError(
    `${JSON.stringify(name)} is not a release in ${dist}, a release's folder, a file of records, a base URL or git:REV:PATH. Run "rollcall releases" to see ids.`,
  );
}

/** Completes the names. If only one is given, a source is the new side, and anything else the old one. */
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
