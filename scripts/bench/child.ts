/** Child processes that end with this one, however it ends. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** What it writes to stderr, and to stdout where `stdout` is `pipe`, can be read. */
export function start(
  command: readonly string[],
  { stdout = "ignore", env }: { stdout?: "pipe" | "ignore"; env?: SpawnOptions["env"] } = {},
): ChildProcess {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", stdout, "pipe"], env: env ?? process.env });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}
