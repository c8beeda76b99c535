/** Parses the shard of a run: `3/8`, or `auto` for the variables of a job array. */
import { usageError } from "../errors.js";
import type { Shard } from "./cut.js";

/** Environment variables of job engines: the number of the shard and, where the engine has it, the count. */
export const ENGINES: readonly { name: string; number: string; count?: string }[] = [
  { name: "Kubernetes", number: "JOB_COMPLETION_INDEX" },
  { name: "Slurm", number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT" },
  { name: "AWS Batch", number: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE" },
  { name: "Cloud Run", number: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT" },
];

const AUTO = /^auto(?:\/(\d+))?$/;

/**
 * Parses a shard: `3/8`, `auto` or `auto/8`.
 * @param env the environment variables, for `auto`.
 * @throws UserError (usage) if a variable is missing, or the numbers are not valid.
 */
export function readShard(text: string, env: NodeJS.ProcessEnv = {}): Shard {
  const auto = AUTO.exec(text);
  const [number, count] = auto ? ofEngine(auto[1], env) : text.split("/");
  const shard = { number: Number(number), count: Number(count) };
  if (/^\d+$/.test(number ?? "") && /^\d+$/.test(count ?? "") && shard.number < shard.count) return shard;
  throw usageError(
    `Shard ${number}/${count}${auto ? ` (${text})` : ""} must be a number from 0 and how many there are, as in 0/8 to 7/8.`,
  );
}

/** The text of a shard, as `readShard` parses it: `3/8`. */
export function shardText({ number, count }: Shard): string {
  return `${number}/${count}`;
}

function ofEngine(asked: string | undefined, env: NodeJS.ProcessEnv): [number: string, count: string] {
  const found = ENGINES.filter(({ number }) => env[number] !== undefined);
  const [engine, other] = found;
  if (!engine)
    throw usageError(
      `--shard auto finds none of ${ENGINES.map(({ number }) => number).join(", ")}; run it in a job array, or give the shard: --shard 0/8.`,
    );
  if (other) throw usageError(`--shard auto finds ${engine.number} and ${other.number}; give the shard: --shard 0/8.`);
  const count = asked ?? (engine.count && env[engine.count]);
  if (count === undefined)
    throw usageError(`${engine.name} does not tell the number of shards; give it: --shard auto/8.`);
  return [env[engine.number] ?? "", count];
}
