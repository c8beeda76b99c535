/** Servers in processes of their own, on one core, and what they cost. */
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../child.js";
import { isInstalled, programFolders } from "../machine.js";
import { cpuSeconds, peakMemory, residentMemory } from "../processes.js";

export interface Server {
  /** From its start to its first answer. */
  secondsToAnswer: number;
  /** Bytes resident, of the process and all below it. */
  memory(): number;
  /** The most that it ever was. */
  peak(): number;
  /** CPU seconds used so far, by the same. */
  cpu(): number;
  /** Undefined while it runs; how it ended, and its last words, once it does not. */
  ending(): string | undefined;
  end(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/** Puts a command on one core, where the system lets us. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return isInstalled("taskset") && core < availableParallelism() ? ["taskset", "-c", `${core}`, ...command] : command;
}

/** Starts a server, and waits until it answers `url` with 200. */
export async function startServer(command: readonly string[], url: string): Promise<Server> {
  const env = { ...process.env, PATH: programFolders().join(delimiter) };
  const began = performance.now();
  const child = start(pinned(0, command), { env });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = (said + chunk).slice(-2000);
  });
  const exited = once(child, "exit");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command[0]} cannot be started`);
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - began > PATIENCE_MS)
      throw new Error(`${command.join(" ")} does not answer ${url}: ${said}`);
    await sleep(5);
  }
  return {
    secondsToAnswer: (performance.now() - began) / 1000,
    memory: () => residentMemory(pid),
    peak: () => peakMemory(pid),
    cpu: () => cpuSeconds(pid),
    ending: () => {
      const { exitCode, signalCode } = child;
      return exitCode === null && signalCode === null ? undefined : `ended with ${exitCode ?? signalCode}: ${said}`;
    },
    async end() {
      child.kill("SIGTERM");
      const cut = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(cut);
    },
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch (error) {
    // It does not listen yet.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
