/** Reads a step to its end, wherever it comes from: whether it is one gzip of the lines that changes.json promises. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { unpackPart } from "../../artifacts/bulk/reader.js";
import type { Step } from "../../artifacts/steps/steps.js";
import { mostPlainBytes } from "../../client/sync/steps.js";
import { CHANGES } from "../../release/layout.js";
import { type Difference, type LineContext, StepLines, type TakeLine } from "./lines.js";

/** Of changes.json: far more than it has steps. */
export const MAX_CHANGES = 2 ** 20;

interface PackedStep {
  packed: Readable;
  /** Of the file as it is. */
  size: number;
  step: Step;
}

/**
 * Unpacks no more than readers do, and keeps a few records in memory.
 * @returns the first thing that is wrong; undefined for a step that is as it should be.
 */
export async function readStep(
  { packed, size, step }: PackedStep,
  context: LineContext,
  onLine: TakeLine,
  signal?: AbortSignal | undefined,
): Promise<Difference | undefined> {
  const lines = new StepLines(context, onLine);
  const own = createHash("sha256");
  const most = mostPlainBytes(size);
  let bytes = 0;
  const plain = unpackPart(packed, size);
  try {
    for (let next = await plain.next(); ; next = await plain.next()) {
      signal?.throwIfAborted();
      if (next.done && next.value !== undefined)
        return { found: `a file that ${next.value}`, expected: "one whole gzip" };
      if (next.done) break;
      bytes += next.value.length;
      if (bytes > most) return { found: "more plain bytes", expected: `at most ${most}, for a file of ${size}` };
      own.update(next.value);
      const difference = lines.take(next.value);
      if (difference) return difference;
    }
  } finally {
    await plain.return(undefined);
  }
  return lines.finish() ?? compareWith(step, lines, own.digest("hex"));
}

function compareWith(step: Step, { counts }: StepLines, sha256: string): Difference | undefined {
  const { put, remove } = counts;
  if (put !== step.put || remove !== step.remove)
    return {
      found: `${put} lines that put and ${remove} that remove`,
      expected: `${step.put} and ${step.remove}, as in ${CHANGES}`,
    };
  if (sha256 === step.sha256) return undefined;
  return { found: `plain bytes of ${sha256}`, expected: `${step.sha256}, as in ${CHANGES}` };
}
