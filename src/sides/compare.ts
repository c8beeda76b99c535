/** `rollcall diff`: compares two snapshots, whatever kind each is of. */
import { z } from "zod";
import type { AnyRecord } from "../contract/contract.js";
import { requireFieldLimits, requireFields, splitFieldLimit } from "../contract/fields.js";
import { type FieldFilter, fieldFilter } from "../diff/change.js";
import { diff, type OpenDiff } from "../diff/diff.js";
import { findExceeded, GATES, type Gates } from "../diff/gates.js";
import type { ReadEffects, Side } from "../diff/side.js";
import { unlessStopped, usageError } from "../errors.js";
import { explainRoom, makeScratch, removeScratch } from "../scratch/folder.js";
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
import { openSides } from "./open.js";
import type { SourceSideOptions } from "./source.js";

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
