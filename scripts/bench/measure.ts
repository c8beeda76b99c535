/** One whole process, measured from outside: seconds on the clock, and its peak of memory that no file backs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Measured {
  seconds: number;
  /** Peak of anonymous memory, in MiB; sampled, so a short peak can be missed. */
  memory: number;
}

const SAMPLE_MS = 10;

/** Runs a command to its end. Throws when it fails: a contestant that did not do the work has no time. */
export async function measure(command: string, args: readonly string[], cwd?: string): Promise<Measured> {
  const began = performance.now();
  const child = spawn(command, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, anonymousMemory(child.pid));
  }, SAMPLE_MS);
  const [code] = await once(child, "close");
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${stderr}`);
  return { seconds: (performance.now() - began) / 1000, memory };
}

function anonymousMemory(pid: number | undefined): number {
  try {
    const [, kilobytes = "0"] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    // It has just ended, or this system has no /proc: then nothing is known of its memory.
    return 0;
  }
}

/** Smallest, middle and largest of some figures. */
export function spread(figures: readonly number[]): { min: number; median: number; max: number } {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { min: at(0), median: at(Math.floor((sorted.length - 1) / 2)), max: at(sorted.length - 1) };
}
