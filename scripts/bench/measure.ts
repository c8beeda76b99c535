/** One whole process, measured from outside: seconds on the clock, and its peak of memory that no file backs. */
import { once } from "node:events";
import { start } from "./child.js";
import { anonymousMemory, cpuSeconds } from "./processes.js";

export interface Measured {
  seconds: number;
  /** Peak of anonymous memory in bytes, of the process and all that it starts; sampled, so a short peak can be missed. */
  memory: number;
  /** CPU seconds of the same, to a sample before its end: what a busy machine disturbs least. */
  cpu: number;
}

const SAMPLE_MS = 10;

/** Runs a command to its end. Throws when it fails: a contestant that did not do the work has no time. */
export async function measure(command: string, args: readonly string[]): Promise<Measured> {
  const began = performance.now();
  const child = start([command, ...args]);
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  let [memory, cpu] = [0, 0];
  const sampling = setInterval(() => {
    if (child.pid === undefined) return;
    memory = Math.max(memory, anonymousMemory(child.pid));
    cpu = Math.max(cpu, cpuSeconds(child.pid));
  }, SAMPLE_MS);
  const [code] = await once(child, "close");
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${stderr}`);
  return { seconds: (performance.now() - began) / 1000, memory, cpu };
}
