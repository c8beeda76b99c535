/** Which shard a run is: `3/8`, or what the engine that started it says. */
import { usageError } from "../errors.js";
import type { Shard } from "./cut.js";

/** The variables of engines: the number, and how many there are where the engine says it. */
export const ENGINES: readonly { name: string; number: string; count?: string }[] = [
  { name: "Kubernetes", number: "JOB_COMPLETION_INDEX" },
  { name: "Slurm", number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT" },
  { name: "AWS Batch", number: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE" },
  { name: "Cloud Run", number: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT" },
];

const AUTO = /^auto(?:\/(\d+))?$/;

/**
 * The shard of a word.
 * @param env where the variables of engines stand, for the words `auto` and `auto/8`.
 * @throws UserError (usage) when the engine does not say enough, or the numbers do not fit.
 */
export function readShard(word: string, env: NodeJS.ProcessEnv = {}): Shard {
  const auto = AUTO.exec(word);
  const [number, count] = auto ? ofEngine(auto[1], env) : word.split("/");
  const shard = { number: Number(number), count: Number(count) };
  if (/^\d+$/.test(number ?? "") && /^\d+$/.test(count ?? "") && shard.number < shard.count) return shard;
  throw usageError(
    `Shard ${number}/${count}${auto ? ` (${word})` : ""} must be a number from 0 and how many there are, as in 0/8 to 7/8.`,
  );
}

/** What messages call a shard, and what `readShard` reads: `3/8`. */
export function wordOf({ number, count }: Shard): string {
  return `${number}/${count}`;
}

function ofEngine(asked: string | undefined, env: NodeJS.ProcessEnv): [number: string, count: string] {
  const found = ENGINES.filter(({ number }) => env[number] !== undefined);
  const [engine, other] = found;
  if (!engine)
    throw usageError(
      `--shard auto finds none of ${ENGINES.map(({ number }) => number).join(", ")}; run it in an array of jobs, or say which shard this is: --shard 0/8.`,
    );
  if (other)
    throw usageError(`--shard auto finds ${engine.number} and ${other.number}; say which shard this is: --shard 0/8.`);
  const count = asked ?? (engine.count && env[engine.count]);
  if (count === undefined)
    throw usageError(`${engine.name} does not say how many shards there are; say it: --shard auto/8.`);
  return [env[engine.number] ?? "", count];
}
