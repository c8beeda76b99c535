/** Runs the real command as a process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export const CLI = new URL("../../lib/cli/cli.js", import.meta.url).pathname;

export interface Ended {
  /** The exit code, or the name of the signal that ended it. */
  code: number | string;
  stdout: string;
  stderr: string;
}

/** Starts `rollcall` with these arguments, or another copy of it. */
export function start(args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}, cli = CLI) {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "pipe"], ...options });
  return { child, ended: whenEnded(child) };
}

/** Runs `rollcall` to its end. */
export async function run(...given: Parameters<typeof start>): Promise<Ended> {
  return start(...given).ended;
}

export async function whenEnded(child: ChildProcess): Promise<Ended> {
  const read = (stream: NodeJS.ReadableStream | null) => (stream ? text(stream) : "");
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, "close"),
    read(child.stdout),
    read(child.stderr),
  ]);
  return { code: code ?? signal, stdout, stderr };
}
