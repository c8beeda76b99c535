/** `rollcall build --shard`: builds a share of the pages, and reports it. */
import type { BuildEffects, BuildOptions } from "../../build/options.js";
import type { PartResult, ShardResult } from "../../build/shards/shard.js";
import { usageError } from "../../core/errors.js";
import { count, duration, number, size, type Words } from "../../core/print/numbers.js";
import { shellWord } from "../../core/print/text.js";
import type { Complete, Settings } from "../../core/settings/settings.js";
import { nameOfSource } from "../../core/source/text-format.js";
import { type Io, printResult, sayLines } from "../program/verb.js";

/** Checks the combination of flags for shards. @throws UserError (usage) */
export function requireShardFlags({ shard, parts, join }: Settings): void {
  if (shard !== undefined && join !== undefined)
    throw usageError("--shard and --join exclude each other: build all shards first, then join them.");
  if ((shard === undefined) !== (parts === undefined))
    throw usageError(
      "--shard needs --parts, and --parts needs --shard: the share of the pages, and the folder for its part.",
    );
}

/** Builds one shard. */
export async function runShard(
  { parts = "", shard = "" }: Settings,
  options: Complete<BuildOptions>,
  effects: BuildEffects,
): Promise<ShardResult> {
  const { buildShard } = await import("../../build/shards/shard.js");
  return buildShard({ ...options, shard, parts }, effects);
}

/** Prints the result of a shard. */
export function reportShard(
  result: ShardResult,
  { words, began }: { words: Words; began: number },
  { db = "", parts = "", json, quiet }: Settings,
  io: Io,
): void {
  const { shard, records, total, listings } = result;
  if (json) printResult(io, result, began);
  if (json || quiet) return;
  sayLines(io, [
    { verb: "read", value: `${number(records)} of ${count(total, words)}`, detail: nameOfSource(db) },
    ...Object.entries(listings ?? { "": result }).map(([name, part]) => lineOf(name, part)),
    {
      verb: "done",
      value: `shard ${shard.number}/${shard.count} in ${duration(io.now() - began)}`,
      detail: `after all shards: rollcall build --join ${shellWord(parts)}`,
    },
  ]);
}

/** The line for the part of a listing. */
function lineOf(name: string, { pages, new: isNew, bytes, folder }: PartResult) {
  const { first, last } = pages ?? { first: 1, last: 0 };
  const which = last < first ? "no page" : `pages ${number(first)} to ${number(last)}`;
  const value = `${name === "" ? "" : `${name}: `}${which}, ${size(bytes)}`;
  return { verb: isNew ? "write" : "keep", value, detail: folder };
}
