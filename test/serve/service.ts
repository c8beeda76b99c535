/** Runs `rollcall serve` on a socket that stays open across restarts, like a service manager. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { CLI } from "../support/command.js";

const KEEPER = new URL("keeper.py", import.meta.url).pathname;

/** The service manager is a Python script: Node cannot hold a listening socket without accepting from it. */
export const SERVICE_NEEDS = ["/usr/bin/python3", "systemd-notify"] as const;

interface ServiceOptions {
  /** The descriptor to hand over; a listening TCP socket by default. */
  kind?: "tcp" | "unix" | "udp" | "file";
  /** The announced number of descriptors. */
  count?: string;
  /** A command prefix, such as `unshare --net`. */
  within?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** Opens a socket for `rollcall serve ARGS`, without starting it. Everything ends with the test. */
export async function keepService(args: readonly string[], options: ServiceOptions = {}) {
  const { kind = "tcp", count = "1", within = [], env = process.env } = options;
  const command = [...within, process.execPath, CLI, "serve", ...args];
  const keeper = spawn("/usr/bin/python3", [KEEPER, kind, count, ...command], { env });
  const words = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  let said = "";
  keeper.stderr.on("data", (chunk) => {
    said += chunk;
  });
  let pid: number | undefined;
  const next = async (word: string): Promise<string> => {
    const { value = "" } = await words.next();
    if (value.startsWith("ended ")) pid = undefined;
    if (!value.startsWith(`${word} `)) throw new Error(`Not ${word}, but ${JSON.stringify(value)}: ${said}`);
    return value.slice(word.length + 1);
  };
  onTestFinished(async () => {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    if (keeper.exitCode === null && keeper.kill()) await once(keeper, "close");
  });
  const port = kind === "tcp" || kind === "udp" ? Number(await next("listening")) : 0;
  return {
    port,
    /** Its stderr so far. */
    said: () => said,
    kill: (signal: NodeJS.Signals) => process.kill(pid ?? 0, signal),
    async start(): Promise<number> {
      keeper.stdin.write("\n");
      pid = Number(await next("started"));
      return pid;
    },
    /** Resolves to the next notification. */
    told: () => next("told"),
    /** Resolves to its exit code, or minus its signal. */
    ended: async () => Number(await next("ended")),
  };
}
