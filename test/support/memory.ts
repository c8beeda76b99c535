/** Measures the memory of programs. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Since Node 24, garbage may grow three times larger. This option limits it as in Node 20. */
export const LITTLE_GARBAGE = "--max-semi-space-size=16";

/**
 * Runs a module that gives its answer, an object that JSON can say, to `answer`.
 * @returns the answer, and all memory of the process at its peak in MB, some 50 of which are Node itself.
 */
export async function runMeasured(program: string): Promise<{ answer: Record<string, unknown>; peak: number }> {
  const measured = `
    import { readFileSync } from "node:fs";
    const answer = (answer) => {
      const peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
      console.log(JSON.stringify({ answer, peak }));
    };${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    LITTLE_GARBAGE,
    "--input-type=module",
    "-e",
    measured,
  ]);
  return JSON.parse(stdout);
}
