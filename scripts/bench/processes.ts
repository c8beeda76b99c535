/** Child processes and temporary folders, which are removed whenever this process ends. */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

// Debian's nginx is there, and only root's PATH has it.
process.env["PATH"] += ":/usr/sbin";

const running = new Set<ChildProcess>();
const folders = new Set<string>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const child of running) kill(child, "SIGKILL");
  for (const folder of folders) remove(folder);
});

export interface Server {
  /** Name without path. */
  url: string;
  /** CPU seconds of it and its children. */
  cpu(): number;
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Path of a file in this folder. */
export function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

export function temporaryFolder(parent: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(parent, "rollcall-bench-"));
  folders.add(path);
  return {
    path,
    remove() {
      for (const child of running) kill(child, "SIGKILL");
      remove(path);
      folders.delete(path);
    },
  };
}

/** Whether a program is installed. If not, prints what is skipped. */
export function has(program: string, what: string, debianPackage = program): boolean {
  const isFound = spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;
  if (!isFound) say(`${what}: left out, since ${program} is not installed (Debian: ${debianPackage})`);
  return isFound;
}

export interface Measured {
  seconds: number;
  "CPU seconds": number;
  "peak MB": number;
}

/**
 * Runs a command, and measures it with GNU time. Memory is the largest resident set of one process.
 * @throws Error for any other exit code.
 */
export async function measure(command: readonly string[], exitCodes = [0]): Promise<Measured> {
  const { said } = await run(["/usr/bin/time", "-q", "-f", "%e %U %S %M", ...command], { exitCodes });
  const [seconds = 0, user = 0, system = 0, kibibytes = 0] = (said.split("\n").at(-1) ?? "").split(" ").map(Number);
  return { seconds, "CPU seconds": user + system, "peak MB": (kibibytes * 1024) / 1e6 };
}

/** Runs a command. @returns its stdout if that is `pipe`, and its stderr. */
export async function run(
  command: readonly string[],
  { exitCodes = [0], stdout = "ignore" }: { exitCodes?: readonly number[]; stdout?: "ignore" | "pipe" } = {},
): Promise<{ out: string; said: string }> {
  const child = start(command, ["ignore", stdout, "pipe"]);
  const read = (stream: NodeJS.ReadableStream | null) => (stream ? text(stream) : "");
  const [[code, signal], out, said] = await Promise.all([once(child, "close"), read(child.stdout), read(child.stderr)]);
  if (!exitCodes.includes(code)) throw new Error(`${command.join(" ")} ended with ${code ?? signal}: ${said || out}`);
  return { out, said: said.trim() };
}

/** Starts a server on the first core. @returns once it has printed `{"url": ...}`. */
export async function startServer(command: readonly string[]): Promise<Server> {
  const child = start(onCore(0, command), ["ignore", "pipe", "ignore"]);
  const ended = once(child, "exit").then(([code]): never => {
    throw new Error(`${command.join(" ")} ended with ${code}`);
  });
  const [printed] = await Promise.race([once(child.stdout as Readable, "data"), ended]);
  return { url: JSON.parse(printed).url, cpu: () => cpuSeconds(child.pid) };
}

/** Starts a server on the first core, and passes it a descriptor as its descriptor 3. */
export function startOnSocket(command: readonly string[], descriptor: number): Pick<Server, "cpu"> {
  const child = start(onCore(0, command), ["ignore", "ignore", "ignore", descriptor]);
  return { cpu: () => cpuSeconds(child.pid) };
}

/** Runs a command on one core, if there are several. */
export function onCore(core: number, command: readonly string[]): readonly string[] {
  return availableParallelism() > 1 ? ["taskset", "-c", `${core}`, ...command] : command;
}

function start(command: readonly string[], stdio: StdioOptions): ChildProcess {
  const [program = "", ...args] = command;
  // In a process group of its own, so that signals reach its children.
  const child = spawn(program, args, { stdio, detached: true });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}

/** Removes a folder, with retries while killed processes are still writing. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

const TICKS_A_SECOND = 100;

function cpuSeconds(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const own = (Number(stat[11]) + Number(stat[12])) / TICKS_A_SECOND;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), own);
}
